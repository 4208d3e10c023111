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
	offset := u.offset(s, at)
	line, column := lineColumn(s.content, offset)
	excerpt, caret := excerptAt(s.content, offset)
	return fmt.Sprintf("%s is refused at line %d, column %d (position %d, %s)\n  %s\n  %s^\n%s",
		escaped([]byte(s.id)), line, column, at, s.tokenName(at), excerpt, strings.Repeat(" ", caret), u.adviceOn(s))
}

// offset is the byte of a document at which an oracle token begins.
func (u *unit) offset(s *script, at int) int {
	offset := 0
	for _, token := range s.tokens[:at] {
		offset += len(u.problem.Vocabulary.Token(int(token)))
	}
	return offset
}

// adviceOn says what the grammar itself makes of a refused document, and what to do. The
// grammar of a schema is not asked: it remembers what it reads, and is being measured.
func (u *unit) adviceOn(s *script) string {
	if u.schema != nil {
		return "'gcdbench schema check' says why"
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

// excerptSide is how many characters of a line are shown on either side of a place, at most.
const excerptSide = 40

// excerptAt is the line around a byte in printable characters, cut on both sides if it is
// long, and how many characters of it stand before the place.
func excerptAt(text []byte, at int) (line string, caret int) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		end = at + n
	}
	before, after := []rune(escaped(text[begin:at])), []rune(escaped(text[at:end]))
	if len(before) > excerptSide {
		before = append([]rune("..."), before[len(before)-excerptSide:]...)
	}
	if len(after) > excerptSide {
		after = append(after[:excerptSide:excerptSide], []rune("...")...)
	}
	return string(before) + string(after), len(before)
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
