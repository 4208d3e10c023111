package ask

import (
	"errors"
	"fmt"
	"strings"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/prepare"
	"gcdbench/internal/words"
)

// A valid document that is refused was most often never in the grammar's language: it comes from a
// user's own corpus, or from a dialect. The message is for the writer of the configuration and
// shows the place in the document, not only the token.

// refusedDetail says where and why a valid document is refused. Its first line stands alone in
// tables; the place in the text and the advice follow.
func refusedDetail(u *prepare.Unit, s *prepare.Document, at int) string {
	begin, end := prepare.WholeCharacters(s.Content, offset(u, s, at), offset(u, s, at+1))
	line, column := words.LineColumn(s.Content, begin)
	excerpt, before, marked := prepare.ExcerptAt(s.Content, begin, end)
	return fmt.Sprintf("%s is refused at line %d, column %d (position %d, %s)\n  %s\n  %s%s\n%s",
		words.Printable(s.ID), line, column, at, tokenName(s, at), excerpt,
		strings.Repeat(" ", before), strings.Repeat("^", marked), adviceOn(u, s))
}

// offset is the byte of a document at which an oracle token begins; the document's length for EOS
// and beyond.
func offset(u *prepare.Unit, s *prepare.Document, at int) int {
	offset := 0
	for _, token := range s.Tokens[:min(at, len(s.Tokens)-1)] {
		offset += len(u.Vocabulary.Token(int(token)))
	}
	return offset
}

// adviceOn says what the grammar itself makes of a refused document, and what to do. The lexer of a
// schema would grow with the question and is being measured, so it is not asked.
func adviceOn(u *prepare.Unit, s *prepare.Document) string {
	if u.Schema != nil {
		return "'gcdbench schema check' says what the schema's grammar makes of it"
	}
	var refusal *recognizer.Refusal
	switch err := u.SharedProblem.Recognizer.Check(s.Content); {
	case errors.As(err, &refusal):
		return fmt.Sprintf("the document is not in the grammar's language; %d:%d: %s\n"+
			"\"filter: parses\" in the dataset leaves such documents out, 'gcdbench grammar check' lists them",
			refusal.Line, refusal.Column, words.Printable(refusal.Message))
	case err != nil:
		return fmt.Sprintf("the grammar cannot read the document: %v", err)
	}
	return "the grammar takes the document: it is the algorithm that refuses it"
}
