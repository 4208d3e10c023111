package harness

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/special"
	"gcdbench/internal/words"
)

// A valid document that is refused was most often never in the grammar's language: it comes from a
// user's own corpus, or from a dialect. The message is for the writer of the configuration and
// shows the place in the document, not only the token.

// refusedDetail says where and why a valid document is refused. Its first line stands alone in
// tables; the place in the text and the advice follow.
func (u *unit) refusedDetail(s *document, at int) string {
	begin, end := wholeCharacters(s.content, u.offset(s, at), u.offset(s, at+1))
	line, column := words.LineColumn(s.content, begin)
	excerpt, before, marked := excerptAt(s.content, begin, end)
	return fmt.Sprintf("%s is refused at line %d, column %d (position %d, %s)\n  %s\n  %s%s\n%s",
		words.Printable(s.id), line, column, at, s.tokenName(at), excerpt,
		strings.Repeat(" ", before), strings.Repeat("^", marked), u.adviceOn(s))
}

// offset is the byte of a document at which an oracle token begins; the document's length for EOS
// and beyond.
func (u *unit) offset(s *document, at int) int {
	offset := 0
	for _, token := range s.tokens[:min(at, len(s.tokens)-1)] {
		offset += len(u.vocabulary.Token(int(token)))
	}
	return offset
}

// adviceOn says what the grammar itself makes of a refused document, and what to do. The lexer of a
// schema would grow with the question and is being measured, so it is not asked.
func (u *unit) adviceOn(s *document) string {
	if u.schema != nil {
		return "'gcdbench schema check' says what the schema's grammar makes of it"
	}
	var refusal *recognizer.Refusal
	switch err := u.problem.Recognizer.Check(s.content); {
	case errors.As(err, &refusal):
		return fmt.Sprintf("the document is not in the grammar's language; %d:%d: %s\n"+
			"\"filter: parses\" in the dataset leaves such documents out, 'gcdbench grammar check' lists them",
			refusal.Line, refusal.Column, words.Printable(refusal.Message))
	case err != nil:
		return fmt.Sprintf("the grammar cannot read the document: %v", err)
	}
	return "the grammar takes the document: it is the algorithm that refuses it"
}

// maxRefusedShown is how many refused documents of a group are shown in full during the run. They
// tend to have one cause.
const maxRefusedShown = 3

// noteRefused shows a valid program that algorithms refused, once for all of them.
func (g *group) noteRefused(r *round) {
	var labels []string
	detail := ""
	for _, t := range r.trials {
		if t.out == nil && refusesValid(&t.sample) {
			labels, detail = append(labels, t.Label), t.sample.Detail
		}
	}
	if detail == "" || r.unit.schema != nil { // of schemas it is expected, and counted
		return
	}
	p := g.run.progress
	switch p.refused++; {
	case p.refused <= maxRefusedShown:
		p.note("wrong verdict of %s on %s with %s: %s", strings.Join(labels, ", "), g.workload.Name, g.label, detail)
	case p.refused == maxRefusedShown+1:
		p.note("%s with %s: further documents are refused; these are the first %d", g.workload.Name, g.label, maxRefusedShown)
	}
}

// wholeCharacters extends a part of a text to whole characters: a token may begin or end inside
// one.
func wholeCharacters(text []byte, from, to int) (begin, end int) {
	for begin = from; begin > 0 && begin < len(text) && from-begin < utf8.UTFMax-1 && !utf8.RuneStart(text[begin]); begin-- {
	}
	for end = to; end < len(text) && end-to < utf8.UTFMax-1 && !utf8.RuneStart(text[end]); end++ {
	}
	return begin, end
}

// excerptSide is how many characters of a line are shown at most before a place, and from there on.
const excerptSide = 40

// excerptAt is the line in which a part of a text begins, in printable characters and cut on both
// sides if it is long. before counts its characters ahead of the part, marked those of the part, at
// least one.
func excerptAt(text []byte, from, to int) (line string, before, marked int) {
	begin := bytes.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		end = from + n
	}
	shown := func(part []byte) []rune { return []rune(words.Printable(string(special.Shown(part)))) }
	head, tail := shown(text[begin:from]), shown(text[from:end])
	marked = len(shown(text[from:min(to, end)]))
	if len(head) > excerptSide {
		head = append([]rune("..."), head[len(head)-excerptSide:]...)
	}
	if len(tail) > excerptSide {
		tail = append(tail[:excerptSide:excerptSide], []rune("...")...)
	}
	return string(head) + string(tail), len(head), max(1, min(marked, excerptSide))
}
