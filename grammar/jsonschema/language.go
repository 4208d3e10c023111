package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"gcdbench/automata"
)

// automatonLimits bound each automaton. The steps of a determinization are half of what package automata
// allows by default: 0.2 s, so that a compile may be cancelled that soon. The most frequent pattern for URLs takes
// most of them; one that needs more is one that explodes.
var automatonLimits = automata.Limits{MaxSteps: 1 << 23}

// A language is a set of strings (of decoded characters), given by what it was made from and turned
// into an automaton when it is first needed. Exactly one form is used: a pattern, a format, the
// strings outside of others (besides, and), or the strings that satisfy a schema (keyOf).
type language struct {
	name    string // of a pattern or format, for keys: unique
	build   func() (*automata.DFA, error)
	narrow  bool                 // it leaves strings out, so that its complement is of no use
	wide    *language            // of a narrow one: it leaves nothing out, but has too much; nil if there is none
	tight   *language            // of a wide one: the narrow one
	alone   func() *automata.DFA // of a narrow one: JSON text that leaves less out; nil if there is none
	besides []string
	and     []*language
	keyOf   ref
	c       *compiler

	dfa *automata.DFA
	err error
}

// adopt makes a language, and those it is made from, one of this compile.
func (c *compiler) adopt(l *language) {
	if l.c == c {
		return
	}
	l.c = c
	for _, o := range l.and {
		c.adopt(o)
	}
}

// key identifies the language.
func (l *language) key() string {
	switch {
	case l.build != nil:
		return l.name
	case l.keyOf != 0:
		return "names of " + strconv.Itoa(int(l.keyOf))
	}
	var b strings.Builder
	b.WriteString("outside")
	for _, s := range l.besides {
		b.WriteByte(0)
		b.WriteString(s)
	}
	for _, o := range l.and {
		b.WriteString("\x01" + o.key())
	}
	return b.String()
}

// automaton is the language's automaton over UTF-8.
func (l *language) automaton() (*automata.DFA, error) {
	if l.dfa == nil && l.err == nil {
		l.dfa, l.err = l.compute()
	}
	return l.dfa, l.err
}

// has tells whether the language has a string, without making an automaton of what strings are not.
func (l *language) has(s string) (bool, error) {
	if l.build == nil && l.keyOf == 0 {
		if slices.Contains(l.besides, s) {
			return false, nil
		}
		for _, o := range l.and {
			if in, err := o.has(s); in || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	d, err := l.automaton()
	if err != nil {
		return false, err
	}
	return d.MatchString(s), nil
}

func (l *language) compute() (*automata.DFA, error) {
	switch {
	case l.build != nil:
		return l.build()
	case l.keyOf != 0:
		return l.c.keyLanguage([]ref{l.keyOf})
	}
	return l.c.kept.outside(automata.AnyText(), l.besides, l.and)
}

// outside removes strings and languages from d.
func (k *Kept) outside(d *automata.DFA, strs []string, langs []*language) (*automata.DFA, error) {
	if len(strs) > 0 {
		finite, err := k.someStrings(strs)
		if err == nil {
			d, err = k.intersect(d, finite, true)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, l := range langs {
		o, err := l.automaton()
		if err == nil {
			d, err = k.intersect(d, o, true)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}
