package dialects

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// A larkText writes a grammar file in a dialect of Lark: rules first, then terminals, then
// directives.
type larkText struct {
	*source
	b            strings.Builder
	namer        *namer
	rules, terms []string // names, by nonterminal and terminal
}

// newLarkText names the symbols. The names in reserved are for rules that the dialect adds; without
// any, the start rule is called start.
func newLarkText(s *source, reserved ...string) *larkText {
	l := &larkText{source: s, namer: newNamer("_", true)}
	l.rules, l.terms = make([]string, len(s.g.Nonterminals)), make([]string, len(s.g.Terminals))
	for _, name := range reserved {
		l.namer.unique(name)
	}
	if len(reserved) == 0 {
		l.rules[s.g.Start] = l.namer.unique("start")
	}
	for n := range s.g.Nonterminals {
		if l.rules[n] == "" {
			l.rules[n] = l.namer.rule(s.g.Nonterminals[n].Name)
		}
	}
	for t := range s.g.Terminals {
		l.terms[t] = l.namer.terminal(s.g.Terminals[t].Name)
	}
	return l
}

// rule writes a rule with its alternatives, one a line.
func (l *larkText) rule(head string, alternatives []string) {
	for i, alternative := range alternatives {
		lead := "    |"
		if i == 0 {
			lead = head + ":"
		}
		l.b.WriteString(strings.TrimRight(lead+" "+alternative, " ") + "\n")
	}
}

// production writes the rules of a nonterminal under a head.
func (l *larkText) production(head string, rules []*grammar.Rule) {
	var alternatives []string
	for _, r := range rules {
		alternatives = append(alternatives, l.symbols(r.RHS))
	}
	l.rule(head, alternatives)
}

// symbols writes a right-hand side.
func (l *larkText) symbols(rhs []grammar.Symbol) string {
	names := make([]string, len(rhs))
	for i, sym := range rhs {
		if sym.IsTerminal() {
			names[i] = l.terms[sym.Terminal()]
		} else {
			names[i] = l.rules[sym.Nonterminal()]
		}
	}
	return strings.Join(names, " ")
}

func (l *larkText) printf(format string, args ...any) { fmt.Fprintf(&l.b, format, args...) }

// ignore writes the directives of the terminals that are ignored.
func (l *larkText) ignore(terminals []grammar.Terminal) {
	for _, t := range terminals {
		l.printf("%%ignore %s\n", l.terms[t])
	}
}

// writeLLGuidance writes the dialect of llguidance. Its lexer takes the longest match of the
// terminals that may stand at a place, and gives the parser all that match. Its operators & and ~
// take from a terminal what those of higher rank match, so that priority is exact, but for a
// contextual lexer. What is ignored is not allowed at the end of a text after which nothing else
// could follow, nor at the start, unless the grammar says so: the rule tail and an option do.
func writeLLGuidance(s *source) (*Translation, error) {
	l := newLarkText(s)
	if len(s.ignored) > 0 {
		l = newLarkText(s, "start", "tail")
	}
	l.printf("%%llguidance {\"allow_initial_skip\": true}\n\n")
	if len(s.ignored) > 0 {
		l.rule("start", []string{l.rules[s.g.Start] + " tail"})
	}
	for _, n := range s.order {
		l.production(l.rules[n], s.rules[n])
	}
	if len(s.ignored) > 0 {
		tail := []string{""}
		for _, t := range s.ignored {
			tail = append(tail, "tail "+l.terms[t])
		}
		l.rule("tail", tail)
	}
	l.printf("\n")
	if err := l.excludingTerminals(); err != nil {
		return nil, err
	}
	l.ignore(s.ignored)
	notes, err := s.noteConflicts()
	if s.g.Lexer != grammar.LexContextual {
		notes = append([]string{noteContextual}, notes...)
	} else if overlap, err := s.overlapping(); err != nil {
		return nil, err
	} else if overlap {
		notes = append([]string{notePriority}, notes...)
	}
	return &Translation{Text: l.b.String(), Notes: notes}, err
}

// excludingTerminals defines the terminals that are used, each without what terminals of higher
// rank match, and those that are only named in such an exclusion.
func (l *larkText) excludingTerminals() error {
	excluded := map[grammar.Terminal][]grammar.Terminal{}
	wanted := slices.Concat(l.used, l.ignored)
	for _, t := range slices.Clone(wanted) {
		if l.g.Lexer == grammar.LexContextual { // which terminals come together depends on the place
			break
		}
		list, err := l.outranking(t)
		if err != nil {
			return err
		}
		excluded[t] = list
		wanted = append(wanted, list...)
	}
	slices.Sort(wanted)
	for _, t := range slices.Compact(wanted) {
		text, err := l.terminalText(t)
		if err != nil {
			return err
		}
		if list := excluded[t]; len(list) > 0 {
			names := make([]string, len(list))
			for i, u := range list {
				names[i] = l.terms[u]
			}
			text += " & ~(" + strings.Join(names, " | ") + ")"
		}
		l.printf("%s: %s\n", l.terms[t], text)
	}
	return nil
}

// terminalText writes a terminal as a string or a regular expression.
func (l *larkText) terminalText(t grammar.Terminal) (string, error) {
	e, err := l.pattern(t)
	if err != nil {
		return "", err
	}
	if text, ok := literalText(e); ok {
		return `"` + mapRunes(text, stringChar) + `"`, nil
	}
	return "/" + regexps().print(e, asChoice) + "/", nil
}

// stringChar writes a character of a string.
func stringChar(r rune) string {
	if r == '"' || r == '\\' {
		return `\` + string(r)
	}
	return escapeUnseen(r)
}

// writeGLRMask writes the dialect of glrmask. A lexeme there does not end where its own terminal
// matches more, but terminals are not compared with each other, and have no priority.
func writeGLRMask(s *source) (*Translation, error) {
	l := newLarkText(s)
	for _, n := range s.order {
		l.production(l.rules[n], s.rules[n])
	}
	l.printf("\n")
	for _, t := range s.defined() {
		text, err := l.terminalText(t)
		if err != nil {
			return nil, err
		}
		l.printf("%s: %s\n", l.terms[t], text)
	}
	l.ignore(s.ignored)
	notes, err := s.widerNotes("a lexeme takes its own terminal's longest match, whatever longer one another terminal has: " +
		"`intx` can be `int` and `x`")
	return &Translation{Text: l.b.String(), Notes: notes}, err
}

// defined are the terminals that a dialect defines: those that are used or ignored, in the order of
// the grammar.
func (s *source) defined() []grammar.Terminal {
	list := slices.Concat(s.used, s.ignored)
	slices.Sort(list)
	return list
}

// widerNotes are the notes of a dialect without priority, which follows all readings, and another
// one.
func (s *source) widerNotes(first string) ([]string, error) {
	notes := []string{first}
	overlap, err := s.overlapping()
	if err != nil {
		return nil, err
	}
	if overlap {
		notes = append(notes, notePriority)
	}
	conflicts, err := s.noteConflicts()
	return append(notes, conflicts...), err
}
