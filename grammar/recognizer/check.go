package recognizer

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/special"
)

// A Refusal says where and why a text is not in the language.
type Refusal struct {
	// Offset is the byte the refusal points at: the first byte of the lexeme that was refused, or a
	// byte that starts no lexeme, or the length of the text if it ends too early.
	Offset int
	// Line and Column are the place of Offset, both from 1; Column counts characters.
	Line, Column int
	Message      string
}

// Error is line:column: message.
func (e *Refusal) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Check reads a whole text. It returns nil if the grammar accepts it, else a *Refusal.
func (r *Recognizer) Check(text []byte) error {
	r = r.afterReading(text)
	s, start := r.Start(), 0
	for i, b := range text {
		next, ok := r.Step(s, b)
		if !ok {
			return r.refusal(s, text, start, i)
		}
		if !r.Pending(s) || r.Lexer.Next(s.Lexer, b) == lexer.None {
			start = i
		}
		s = next
	}
	if !r.End(s) {
		return r.refusalAtEnd(s, text, start)
	}
	return r.Err()
}

// refusal explains why Step refused byte at in state s, whose pending lexeme began at start.
func (r *Recognizer) refusal(s State, text []byte, start, at int) *Refusal {
	if err := r.Err(); err != nil {
		return newRefusal(text, at, err.Error())
	}
	switch {
	case !r.Pending(s):
		return newRefusal(text, at, "no lexeme begins with "+char(text, at))
	case len(r.Lexer.Ends(s.Lexer)) == 0:
		return r.unfinished(s, text, start, at)
	}
	// The lexeme before it may be wrong as well; then that is the first mistake.
	if _, ok := r.EmitAny(s); ok {
		return newRefusal(text, at, r.unfollowed(text, start, at))
	}
	return newRefusal(text, start, r.unexpected(s, text[start:at]))
}

// followed tells whether a byte may follow the lexeme pending in s in some of its ways to end,
// whatever the parser says.
func (r *Recognizer) followed(s State, b byte) bool {
	return slices.ContainsFunc(r.Lexer.Ends(s.Lexer), func(end lexer.End) bool { return r.Lexer.Next(end.Start, b) != lexer.None })
}

// unfollowed says that text[at] may not follow the complete lexeme that began at start.
func (r *Recognizer) unfollowed(text []byte, start, at int) string {
	if r.Lexer.Uniform() || r.Lexer.Next(r.Lexer.Start(), text[at]) == lexer.None {
		return "no lexeme begins with " + char(text, at)
	}
	return fmt.Sprintf("%s may not follow %s", char(text, at), quote(text[start:at]))
}

// unfinished explains that a lexeme which is not complete cannot go on with text[at]. If that byte
// is inside a character, the whole character is what the reader sees, and if the lexeme was
// complete before it, or had not begun, the character is the mistake.
func (r *Recognizer) unfinished(s State, text []byte, start, at int) *Refusal {
	first := at
	for first > start && at-first < utf8.UTFMax-1 && !utf8.RuneStart(text[first]) {
		first--
	}
	if first < at && (first == start || r.complete(text[:first])) {
		return newRefusal(text, first, "no lexeme begins or goes on with "+char(text, first))
	}
	return newRefusal(text, start, fmt.Sprintf("unfinished %s: %s cannot go on with %s",
		r.reachNames(s), quote(text[start:first]), char(text, first)))
}

// complete tells whether the lexeme pending after a text is complete.
func (r *Recognizer) complete(text []byte) bool {
	s := r.Start()
	for _, b := range text {
		s, _ = r.Step(s, b)
	}
	return len(r.Lexer.Ends(s.Lexer)) > 0
}

// refusalAtEnd explains why a text may not end in s, whose pending lexeme began at start.
func (r *Recognizer) refusalAtEnd(s State, text []byte, start int) *Refusal {
	if r.Pending(s) {
		if !slices.ContainsFunc(r.Lexer.Ends(s.Lexer), func(end lexer.End) bool { return end.AtEnd }) {
			return newRefusal(text, start, fmt.Sprintf("unfinished %s at the end of the text", r.reachNames(s)))
		}
		next, ok := r.EmitAny(s)
		if !ok && !r.pendingNewline(s) {
			return newRefusal(text, start, r.unexpected(s, text[start:]))
		}
		if ok {
			s = next
		}
	}
	return newRefusal(text, len(text), "the text ends too early"+r.expected(s))
}

// candidates are the terminals that the lexeme pending in s can be emitted as if it ends here.
func (r *Recognizer) candidates(s State) []grammar.Terminal {
	var list []grammar.Terminal
	for _, end := range r.Lexer.Ends(s.Lexer) {
		for _, t := range r.Lexer.Members(end.Set) {
			if !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// pendingNewline tells whether the pending lexeme is the layout step's newline.
func (r *Recognizer) pendingNewline(s State) bool {
	return slices.ContainsFunc(r.candidates(s), r.Layout.IsNewline)
}

// unexpected says that the complete lexeme pending in s is not accepted.
func (r *Recognizer) unexpected(s State, lexeme []byte) string {
	if why := r.againstItems(s); why != "" {
		return fmt.Sprintf("unexpected %s: %s", quote(lexeme), why)
	}
	if r.pendingNewline(s) {
		out, _, ok := r.Layout.Lexeme(s.Layout, r.Layout.Newline())
		if c := s.Layout.Line().Column; !ok && s.Layout.Disagree(c) {
			return fmt.Sprintf("the line that follows is indented to column %d with tab stops of %d, and to %d with %d: compared with the open blocks the two do not agree",
				c.Stops, r.Layout.Tab(), c.Alternate, r.Layout.Alternate())
		}
		if !ok {
			return fmt.Sprintf("the line that follows is indented to column %d, which no open block has (open: 0%s)",
				s.Layout.Line().Stops, list(stops(s.Layout)))
		}
		if r.Tables.Accepts(s.Stacks, out.First) {
			line := "the line that follows"
			if !bytes.ContainsAny(lexeme, "\r\n") { // the line break that a text begins after
				line = "the first line"
			}
			what := "less"
			if out.Then > 0 {
				what = "more"
			}
			return line + " is indented " + what + " than the grammar allows here"
		}
		return "unexpected end of line" + r.expected(s)
	}
	names := make([]string, 0, 1)
	for _, t := range r.candidates(s) {
		if name := r.describe(t, lexeme); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "unexpected " + strings.Join(names, " or ") + r.expected(s)
}

// describe names a terminal with its lexeme: a literal by its text alone.
func (r *Recognizer) describe(t grammar.Terminal, lexeme []byte) string {
	if r.Grammar.Terminals[t].Literal {
		return r.Grammar.TerminalName(t)
	}
	return r.Grammar.TerminalName(t) + " " + quote(lexeme)
}

// maxExpected bounds the list of expected terminals in a message: more than a line of them does not
// help.
const maxExpected = 12

// expected lists what the parser would take, as the tail of a message.
func (r *Recognizer) expected(s State) string {
	var names []string
	for _, t := range r.Tables.Acceptable(s.Stacks, nil) {
		names = append(names, r.Grammar.TerminalName(t))
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if more := len(names) - maxExpected; more > 0 {
		names = append(names[:maxExpected], fmt.Sprintf("%d more", more))
	}
	return "; expected " + strings.Join(names, ", ")
}

// reachNames names what the pending lexeme could become, for a message.
func (r *Recognizer) reachNames(s State) string {
	reach := r.Lexer.ReachSet(r.Lexer.Reach(s.Lexer))
	names := r.names(reach.Terminals())
	if reach.Ignored {
		names = append(names, "ignored text")
	}
	if more := len(names) - maxExpected; more > 0 {
		names = append(names[:maxExpected], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, " or ")
}

// newRefusal places a message at an offset.
func newRefusal(text []byte, offset int, message string) *Refusal {
	line := 1 + bytes.Count(text[:offset], []byte{'\n'})
	begin := bytes.LastIndexByte(text[:offset], '\n') + 1
	return &Refusal{offset, line, 1 + utf8.RuneCount(text[begin:offset]), message}
}

// char quotes the character of text at offset, or its byte if it is no valid UTF-8.
func char(text []byte, at int) string {
	c, size := utf8.DecodeRune(text[at:])
	if name := special.NameAt(text, at); name != "" {
		return "special token " + name
	}
	if c == utf8.RuneError && size <= 1 {
		return fmt.Sprintf("byte 0x%02X", text[at])
	}
	return strconv.QuoteRune(c)
}

// maxQuoted bounds how much of a lexeme a message quotes, in bytes.
const maxQuoted = 40

func quote(lexeme []byte) string {
	lexeme = special.Shown(lexeme)
	if len(lexeme) > maxQuoted {
		return strconv.Quote(string(lexeme[:maxQuoted])) + "..."
	}
	return strconv.Quote(string(lexeme))
}

func list(columns []int) string {
	var b strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&b, ", %d", c)
	}
	return b.String()
}

// stops are the columns of the open blocks, outermost first.
func stops(r layout.Registers) []int {
	var list []int
	for _, c := range r.Columns() {
		list = append(list, int(c.Stops))
	}
	return list
}
