package words

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Names come from corpora, grammars, schemas and configurations of strangers. A control character
// in one of them would move the cursor of a terminal, recolour what follows, or end a line of a
// table; an override of the direction of writing shows a name as another one. Here they become
// escapes that anybody can read.

// Visible is a text for one line: control characters, what sets the direction of writing,
// separators of lines, and bytes that are no UTF-8 are written as escapes such as \n, \x1b and
// \u202e. All else stays as it is, also a backslash.
func Visible(s string) string { return escapeHidden(s, hidden) }

// Printable is a text for one line in which each character shows: what Visible writes as escapes,
// and characters without width and spaces other than that of ASCII as well. It is for places where
// such a character may be the reason of an error.
func Printable(s string) string {
	return escapeHidden(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

// VisibleLines is Visible for a text of several lines: newlines and tabs stay.
func VisibleLines(s string) string {
	return escapeHidden(s, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) })
}

// escapeHidden writes the characters that hide picks, and bytes that are no UTF-8, as escapes.
func escapeHidden(s string, hide func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hide) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hide(r):
			b.WriteString(escape(r))
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// hidden reports whether a character cannot be seen, or changes how others are.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// escape is the escape of a character, as programming languages write it. Those beyond the control
// characters of ASCII are written as JSON does, in which they may stand as they are: escaping a
// line of JSON leaves it the same value.
func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x20:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// VisibleWriter passes text on as VisibleLines does, whatever the pieces are that it comes in. The
// end of what was written may be the beginning of a character: Flush passes it on.
type VisibleWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

// NewVisibleWriter makes one that writes to w.
func NewVisibleWriter(w io.Writer) *VisibleWriter { return &VisibleWriter{w: w} }

// Write passes on all whole characters. Its error is the underlying stream's.
func (v *VisibleWriter) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	whole := len(text)
	for back := 1; back <= min(utf8.UTFMax-1, len(text)); back++ {
		if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				whole = len(text) - back
			}
			break
		}
	}
	v.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(v.w, VisibleLines(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on what is left: the beginning of a character that never ended.
func (v *VisibleWriter) Flush() error {
	text := VisibleLines(string(v.rest))
	v.rest = nil
	_, err := io.WriteString(v.w, text)
	return err
}
