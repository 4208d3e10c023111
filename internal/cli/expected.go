package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/recognizer"
)

// The texts that could stand where an instance of a schema is refused. The recognizer names
// terminals, and those of a schema have generated names: string_8 says less than an example. So a
// refusal by a schema's grammar is put in words here.

// A refusal says why the grammar of a schema refuses a text, in terms of the text.
type refusal struct {
	offset       int
	line, column int
	problem      string   // what stands there
	expected     []string // what could
}

// message is the refusal in one line.
func (f *refusal) message() string {
	if len(f.expected) == 0 {
		return f.problem
	}
	return f.problem + "; expected " + strings.Join(f.expected, " or ")
}

// explainRefusal puts a refusal in words: the text at its place, and the texts that could stand
// there.
func explainRefusal(r *recognizer.Recognizer, text []byte, from *recognizer.Refusal) *refusal {
	r = r.Current() // with the rules that the text has come to
	f := &refusal{offset: from.Offset, line: from.Line, column: from.Column, problem: from.Message}
	s, ok := readTo(r, text[:from.Offset])
	if !ok {
		return f
	}
	f.problem = problemAt(r, s, text, from.Offset)
	if r.Pending(s) {
		if s, ok = r.EmitAny(s); !ok {
			return f
		}
	}
	f.expected = expectedIn(r, s)
	return f
}

// readTo reads a text that is known to be legal so far.
func readTo(r *recognizer.Recognizer, text []byte) (s recognizer.State, ok bool) {
	s, ok = r.Start(), true
	for i := 0; i < len(text) && ok; i++ {
		s, ok = r.Step(s, text[i])
	}
	return s, ok
}

// problemAt says what is wrong at offset, where the state is s: the text ends there; or a character
// inside the lexeme there is wrong; or the whole lexeme is.
func problemAt(r *recognizer.Recognizer, s recognizer.State, text []byte, offset int) string {
	if offset == len(text) {
		return "the text ends too early"
	}
	end := lexemeEnd(text, offset)
	at := offset
	for ok := true; at < end; at++ {
		if s, ok = r.Step(s, text[at]); !ok {
			break
		}
	}
	for at > offset && at < end && !utf8.RuneStart(text[at]) { // a reader sees characters
		at--
	}
	switch {
	case at == len(text) && len(r.Lexer.Ends(s.Lexer)) == 0:
		return "the text ends inside " + excerpt(text[offset:])
	case at == offset || at == end || text[at-1] == '"' && at == offset+1: // of a string, nothing but that it is one
		return "unexpected " + excerpt(text[offset:end])
	}
	wrong, _ := utf8.DecodeRune(text[at:])
	return fmt.Sprintf("%s cannot go on with %q", excerpt(text[offset:at]), wrong)
}

// lexemeEnd is the end of the string, word or other character that begins at a byte.
func lexemeEnd(text []byte, at int) int {
	switch c := text[at]; {
	case c == '"':
		return stringEnd(text, at)
	case strings.IndexByte(" \t\n\r,:{}[]", c) >= 0:
		return at + 1
	}
	return wordEnd(text, at)
}

// longestExcerpt is how many bytes of a lexeme a message shows.
const longestExcerpt = 60

// excerpt is a part of a JSON text for a message: as it is if it is one printable line, else
// quoted.
func excerpt(text []byte) string {
	tail := ""
	if len(text) > longestExcerpt {
		at := longestExcerpt
		for at > longestExcerpt-utf8.UTFMax && !utf8.RuneStart(text[at]) { // in a text that is no UTF-8 no character may begin
			at--
		}
		text, tail = text[:at], "..."
	}
	quoted := strconv.Quote(string(text))
	if text[0] != ' ' && quoted == `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(text))+`"` {
		return string(text) + tail
	}
	return quoted + tail
}

// maxExpected bounds the list of expected texts: more than a line of them does not help.
const maxExpected = 12

// expectedIn lists the texts that may follow in a state without a pending lexeme: literals, and for
// other terminals a shortest text. The end of the text is "end".
func expectedIn(r *recognizer.Recognizer, s recognizer.State) []string {
	var list []string
	for _, t := range r.Tables.Acceptable(s.Stacks, nil) {
		if int(t) < len(r.Grammar.Terminals) {
			list = append(list, expectedText(&r.Grammar.Terminals[t]))
		} else {
			list = append(list, "end")
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if more := len(list) - maxExpected; more > 0 {
		list = append(list[:maxExpected], fmt.Sprintf("%d more", more))
	}
	return list
}

// exampleLimits bound the automaton that finds a terminal's shortest text: an example may cost some
// milliseconds.
var exampleLimits = automata.Limits{MaxPositions: 1 << 14, MaxStates: 1 << 12, MaxSteps: 1 << 18, MaxBytes: 1 << 22}

// expectedText is the text of a literal, a key, a comma or a colon. For any other terminal it is
// its kind and its shortest text, or its name if that cannot be found.
func expectedText(t *grammar.TerminalDef) string {
	if t.Literal {
		return t.Source
	}
	text, ok := shortestText(t)
	switch {
	case !ok:
		return t.Name
	case text[0] == '"' && strings.HasSuffix(t.Name, text): // the terminal of a key is named by it
		return text
	case text[0] == '"':
		return "a string like " + text
	case text[0] == '-' || text[0] >= '0' && text[0] <= '9':
		return "a number like " + text
	}
	return text // with or without the space that may follow it
}

// shortestText is the first of the shortest texts that a terminal matches. ok is false if the
// search reaches a limit.
func shortestText(t *grammar.TerminalDef) (text string, ok bool) {
	d, err := automata.Compile(t.Expr, exampleLimits)
	if err != nil {
		return "", false
	}
	shortest, ok := d.Shortest()
	return string(shortest), ok && len(shortest) > 0
}

// withExamples adds a text to generated names of terminals, such as string_8. A list of more than
// maxExpected names stays as it is.
func withExamples(names []string, g *grammar.Grammar) []string {
	if g.Lexer != grammar.LexAll || len(names) > maxExpected {
		return names
	}
	list := slices.Clone(names)
	for i, name := range list {
		at := slices.IndexFunc(g.Terminals, func(t grammar.TerminalDef) bool { return t.Name == name })
		if at < 0 || g.Terminals[at].Literal {
			continue
		}
		if text, ok := shortestText(&g.Terminals[at]); ok && !strings.HasSuffix(name, text) {
			list[i] += " (like " + text + ")"
		}
	}
	return list
}

// wordEnd is the end of the number or name that begins at a byte: the next delimiter, but at least
// one byte further.
func wordEnd(text []byte, at int) int {
	for at++; at < len(text) && strings.IndexByte(" \t\n\r,:{}[]\"", text[at]) < 0; at++ {
	}
	return at
}
