package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/recognizer"
)

// Where an instance of a schema is refused, and what could stand there. The recognizer knows a byte and
// terminals; who reads the verdict thinks of a place in a JSON value and of texts.

// instancePlace is the JSON pointer of the value or key that begins at, or holds, the byte at offset. The text
// before offset is taken for the beginning of JSON, as it is for a text a grammar has accepted that far;
// "" is the whole instance.
func instancePlace(text []byte, offset int) string {
	type level struct {
		object bool
		key    string
		index  int
		inKey  bool // of an object: the next string is a key
	}
	var stack []level
	for i := 0; i < offset && i < len(text); {
		top := len(stack) - 1
		switch text[i] {
		case '{', '[':
			stack = append(stack, level{object: text[i] == '{', inKey: true})
		case '}', ']':
			if top >= 0 {
				stack = stack[:top]
			}
		case ',':
			if top >= 0 {
				stack[top].index++
				stack[top].key, stack[top].inKey = "", true
			}
		case ':':
			if top >= 0 {
				stack[top].inKey = false
			}
		case '"':
			end := stringEnd(text, i)
			if end <= offset && top >= 0 && stack[top].object && stack[top].inKey {
				stack[top].key = unquoteJSON(text[i:end])
			}
			i = end
			continue
		}
		i++
	}
	var b strings.Builder
	for _, l := range stack {
		switch {
		case !l.object:
			b.WriteString("/" + strconv.Itoa(l.index))
		case !l.inKey:
			b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(l.key))
		}
	}
	return b.String()
}

// stringEnd is behind the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// maxExpected bounds how many texts are listed where one was expected: more than a line of them does not help.
const maxExpected = 12

// expectedAt lists what may follow the lexemes before offset, which is where a lexeme begins or the text ends:
// literals as they are, of other terminals a shortest text. The end of the text is "end".
func expectedAt(r *recognizer.Recognizer, text []byte, offset int) []string {
	s := r.Start()
	for _, b := range text[:offset] {
		var ok bool
		if s, ok = r.Step(s, b); !ok {
			return nil
		}
	}
	if s.Pending() {
		var ok bool
		if s, ok = r.Emit(s); !ok {
			return nil
		}
	}
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

// exampleLimits bound the automaton that is built to find a terminal's shortest text: an example is not worth
// more than some milliseconds.
var exampleLimits = automata.Limits{MaxPositions: 1 << 14, MaxStates: 1 << 12, MaxSteps: 1 << 18, MaxBytes: 1 << 22}

// expectedText is the text of a literal or of a key, and of any other terminal "like" and its shortest text.
func expectedText(t *grammar.TerminalDef) string {
	if t.Literal {
		return t.Source
	}
	d, err := automata.Compile(t.Expr, exampleLimits)
	if err != nil {
		return t.Name
	}
	text, ok := d.Shortest()
	switch {
	case !ok:
		return t.Name
	case text[0] == '"' && strings.HasSuffix(t.Name, string(text)): // the terminal of a key is named by it
		return string(text)
	}
	return "like " + string(text)
}

// withExamples adds a text to the names of terminals that nobody chose: those of a schema are called string_8. More than
// maxExpected are left as they are.
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
		if text := expectedText(&g.Terminals[at]); strings.HasPrefix(text, "like ") {
			list[i] += " (" + text + ")"
		}
	}
	return list
}

// unquoteJSON is the value of a JSON string, or its text if it is not one.
func unquoteJSON(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return s
}
