package harness

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/recognizer"
)

// A valid document that is refused is most often one that was never in the grammar's
// language: a corpus of one's own, a dialect. So its message is for the writer of the
// configuration, and shows the place in the document and not only the token.

// refusedDetail says where and why a valid document is refused. Its first line stands
// alone in tables; the place in the text and what to do follow it.
func (u *unit) refusedDetail(s *script, at int) string {
	begin, end := wholeCharacters(s.content, u.offset(s, at), u.offset(s, at+1))
	line, column := lineColumn(s.content, begin)
	excerpt, before, marked := excerptAt(s.content, begin, end)
	return fmt.Sprintf("%s is refused at line %d, column %d (position %d, %s)\n  %s\n  %s%s\n%s",
		escaped([]byte(s.id)), line, column, at, s.tokenName(at), excerpt,
		strings.Repeat(" ", before), strings.Repeat("^", marked), u.adviceOn(s))
}

// offset is the byte of a document at which an oracle token begins; that of EOS, and of
// what would follow it, is the document's length.
func (u *unit) offset(s *script, at int) int {
	offset := 0
	for _, token := range s.tokens[:min(at, len(s.tokens)-1)] {
		offset += len(u.vocabulary.Token(int(token)))
	}
	return offset
}

// adviceOn says what the grammar itself makes of a refused document, and what to do. The
// grammar of a schema is not asked: it remembers what it reads, and is being measured.
func (u *unit) adviceOn(s *script) string {
	if u.schema != nil {
		return "'gcdbench schema check' says what the schema's grammar makes of it"
	}
	var refusal *recognizer.Refusal
	switch err := u.problem.Recognizer.Check(s.content); {
	case errors.As(err, &refusal):
		return fmt.Sprintf("the document is not in the grammar's language; %d:%d: %s\n"+
			"\"filter: parses\" in the dataset leaves such documents out, 'gcdbench grammar check' lists them",
			refusal.Line, refusal.Column, escaped([]byte(refusal.Message)))
	case err != nil:
		return fmt.Sprintf("the grammar cannot read the document: %v", err)
	}
	return "the grammar takes the document: it is the algorithm that refuses it"
}

// maxRefusedShown is how many refused documents of a group are shown in full while it
// runs. They tend to have one cause.
const maxRefusedShown = 3

// noteRefused shows a valid document of programs that a round refused, once for all
// algorithms.
func (g *group) noteRefused(u *unit, turns []*turn) {
	var labels []string
	detail := ""
	for _, t := range turns {
		if t.out == nil && refusesValid(&t.sample) {
			labels, detail = append(labels, t.Label), t.sample.Detail
		}
	}
	if detail == "" || u.schema != nil { // of schemas it is expected, and counted
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

// lineColumn is the place of a byte, both from 1, columns in characters.
func lineColumn(text []byte, at int) (line, column int) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	return 1 + bytes.Count(text[:at], []byte{'\n'}), 1 + utf8.RuneCount(text[begin:at])
}

// wholeCharacters extends a part of a text to the characters it has a byte of: a token may
// hold a part of one.
func wholeCharacters(text []byte, from, to int) (begin, end int) {
	for begin = from; begin > 0 && begin < len(text) && from-begin < utf8.UTFMax-1 && !utf8.RuneStart(text[begin]); begin-- {
	}
	for end = to; end < len(text) && end-to < utf8.UTFMax-1 && !utf8.RuneStart(text[end]); end++ {
	}
	return begin, end
}

// excerptSide is how many characters of a line are shown before a place, and how many from
// there on, at most.
const excerptSide = 40

// excerptAt is the line that a part of a text begins in, in printable characters and cut on
// both sides if it is long; how many characters of it stand before the part; and how many
// of it, at least one, are the part's.
func excerptAt(text []byte, from, to int) (line string, before, marked int) {
	begin := bytes.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		end = from + n
	}
	head, tail := []rune(escaped(text[begin:from])), []rune(escaped(text[from:end]))
	marked = utf8.RuneCountInString(escaped(text[from:min(to, end)]))
	if len(head) > excerptSide {
		head = append([]rune("..."), head[len(head)-excerptSide:]...)
	}
	if len(tail) > excerptSide {
		tail = append(tail[:excerptSide:excerptSide], []rune("...")...)
	}
	return string(head) + string(tail), len(head), max(1, min(marked, excerptSide))
}

// escaped writes control characters, and bytes that are no characters, as Go's escapes: a
// document must not steer a terminal.
func escaped(text []byte) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		text = text[size:]
	}
	return b.String()
}
