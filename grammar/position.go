package grammar

import (
	"fmt"
	"strings"
)

// A Position is a place in a source file. Lines and columns count from 1; a column counts
// characters (code points), not bytes. The zero Position is "nowhere".
type Position struct {
	File         string
	Line, Column int
}

// IsValid tells whether p names a place.
func (p Position) IsValid() bool { return p.Line > 0 }

// String is file:line:column, as compilers print it.
func (p Position) String() string {
	file := p.File
	if file == "" {
		file = "grammar"
	}
	if !p.IsValid() {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}

// An Error is a mistake in a grammar, at a place.
type Error struct {
	Pos     Position
	Message string
	// Hint says what to do about it; may be empty.
	Hint string
	// Line is the source line Pos is in; with it the message shows a caret. May be empty.
	Line string
}

// Error is "file:line:column: message", then the source line with a caret, then the hint.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Pos, e.Message)
	if e.Line != "" && e.Pos.IsValid() {
		b.WriteByte('\n')
		b.WriteString(Caret(e.Line, e.Pos.Column))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  %s", e.Hint)
	}
	return b.String()
}

// StartHint says how to name the start rule, which some rules may be: those that no other rule
// names, or else the first one.
func StartHint(rules []string) string {
	const shown = 20
	more := ""
	if len(rules) > shown {
		rules, more = rules[:shown], " and others"
	}
	return "name it by --start, or start: in a configuration; it may be " + strings.Join(rules, ", ") + more
}

// caretWidth bounds how much of a source line a message shows: a terminal's width.
const caretWidth = 100

// Caret renders a source line and, below it, a caret under the character at column (from 1). Tabs
// are kept in the line of the caret so that it lines up; a long line is cut around the column.
func Caret(line string, column int) string {
	runes := []rune(strings.TrimRight(line, "\r\n"))
	at := min(max(column-1, 0), len(runes))
	lead := ""
	if from := at - caretWidth*3/4; from > 0 {
		runes, at, lead = runes[from:], at-from, "..."
	}
	tail := ""
	if len(runes) > caretWidth {
		runes, tail = runes[:caretWidth], "..."
	}
	pad := []rune(lead + string(runes[:min(at, len(runes))]))
	for i, r := range pad {
		if r != '\t' {
			pad[i] = ' '
		}
	}
	return fmt.Sprintf("  %s%s%s\n  %s^", lead, string(runes), tail, string(pad))
}
