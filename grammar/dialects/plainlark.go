package dialects

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Lark itself. Everything is written, what no text uses too, so that lexer and tables of a reader
// are the same. A terminal is written as it was where that is possible: of two that match the same
// lexeme, the pattern says which one Lark takes. Where one has to be written in another way,
// all get a priority that says their order.

// writeLark writes a grammar for Lark's LALR parser.
func writeLark(s *source) (*Translation, error) {
	switch {
	case s.g.Lexer == grammar.LexAll:
		return nil, s.unsupported(grammar.Position{}, "lexer that gives the parser all terminals that match a lexeme (%%lexer all)")
	case s.g.Conflicts == grammar.KeepConflicts:
		return nil, s.unsupported(grammar.Position{}, "LALR parser that follows every way of a conflict (%%conflicts keep)")
	}
	l := newLarkText(s)
	byLHS := make([][]*grammar.Rule, len(s.g.Nonterminals))
	for i := range s.g.Rules {
		r := &s.g.Rules[i]
		byLHS[r.LHS] = append(byLHS[r.LHS], r)
	}
	l.plainRule(s.g.Start, byLHS)
	for n := range s.g.Nonterminals {
		if n := grammar.Nonterminal(n); n != s.g.Start {
			l.plainRule(n, byLHS)
		}
	}
	l.printf("\n")
	if err := l.plainTerminals(); err != nil {
		return nil, err
	}
	return &Translation{Text: l.b.String()}, nil
}

func (l *larkText) plainRule(n grammar.Nonterminal, byLHS [][]*grammar.Rule) {
	rules := byLHS[n]
	if len(rules) == 0 {
		return
	}
	head := l.rules[n]
	if p := rules[0].Priority; p != 0 {
		head += priority(p)
	}
	l.production(head, rules)
}

func priority(p int) string { return fmt.Sprintf(".%d", p) }

// plainTerminals defines all terminals and says which are ignored or declared.
func (l *larkText) plainTerminals() error {
	texts := make([]string, len(l.g.Terminals))
	ranked := false
	for t := range l.g.Terminals {
		if l.dfas[t] == nil {
			continue
		}
		text, ok := l.original(grammar.Terminal(t))
		if !ok {
			var err error
			if text, err = l.terminalText(grammar.Terminal(t)); err != nil {
				return err
			}
			ranked = true
		}
		texts[t] = text
	}
	var ignored []grammar.Terminal
	for t := range l.g.Terminals {
		def := &l.g.Terminals[t]
		p := def.Priority
		if ranked {
			p = len(l.g.Terminals) - l.rank[t]
		}
		head := l.terms[t]
		if p != 0 {
			head += priority(p)
		}
		if def.Declared {
			l.printf("%%declare %s\n", l.terms[t])
		} else {
			l.printf("%s: %s\n", head, texts[t])
		}
		if def.Ignored {
			ignored = append(ignored, grammar.Terminal(t))
		}
	}
	l.ignore(ignored)
	return nil
}

// original is a terminal as its grammar wrote it, if that has its language. The grammar keeps the
// text, not the flags.
func (l *larkText) original(t grammar.Terminal) (string, bool) {
	def := &l.g.Terminals[t]
	if def.Literal {
		for _, flags := range []automata.Flags{0, automata.IgnoreCase} {
			if l.means(t, automata.Literal(def.Source, flags)) {
				return `"` + mapRunes(def.Source, stringChar) + `"` + flags.String(), true
			}
		}
		return "", false
	}
	written, ok := encodeRegexp(def.Source)
	if !ok {
		return "", false
	}
	const i, s = automata.IgnoreCase, automata.DotAll
	for _, flags := range []automata.Flags{0, i, s, i | s} {
		if e, err := automata.Parse(def.Source, flags); err == nil && l.means(t, e) {
			return "/" + written + "/" + flags.String(), true
		}
	}
	return "", false
}

// means tells whether an expression has the language of a terminal.
func (l *larkText) means(t grammar.Terminal, e *automata.Expr) bool {
	limits := automata.DefaultLimits
	limits.Context = l.ctx
	d, err := automata.Compile(e, limits)
	return err == nil && d.Equal(l.dfas[t])
}

// encodeRegexp writes a regular expression's source between slashes so that Lark reads it as it
// was: what Lark evaluates first, and the slash, are escaped. It is not ok for the rare source that
// cannot be written.
func encodeRegexp(source string) (string, bool) {
	var b strings.Builder
	runes := []rune(source)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\':
			i++
			if i == len(runes) || slices.Contains([]rune(`nrtfxuU"`), runes[i]) || runes[i] < ' ' {
				return "", false
			}
			b.WriteRune(r)
			b.WriteRune(runes[i])
			if runes[i] == '\\' && i+1 < len(runes) && runes[i+1] == '"' {
				b.WriteString(`\x22`) // else the second backslash would be lost
				i++
			}
		case r == '/':
			b.WriteString(`\x2f`)
		default:
			b.WriteString(escapeUnseen(r))
		}
	}
	return b.String(), true
}
