package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/format"
	"gcdbench/grammar/jsonschema/internal/pattern"
)

// A language is a set of strings of decoded characters: a pattern, a format, the names that a
// schema allows, or the strings outside of others. Its automaton is made when it is first needed.
type language struct {
	key    string                        // equal languages have equal keys
	build  func() (*automata.DFA, error) // makes the automaton
	narrow bool                          // it leaves strings out, so that its complement is of no use
	wide   *language                     // of a narrow one: it leaves nothing out, but has too much; nil if there is none
	tight  *language                     // of a wide one: the narrow one
	// counted is the language without a count of its characters, and the lengths; nil if it has none.
	counted func() (d *automata.DFA, least, most int, ok bool)
	alone   func() *automata.DFA // of a narrow one: JSON text that leaves less out; nil if there is none
	local   bool                 // no other compile has it, though one may have its key

	// Of the strings outside of others:
	outside bool
	strs    []string
	langs   []*language

	dfa *automata.DFA
	err error
}

// equal tells whether two languages are.
func (l *language) equal(o *language) bool { return l == o || l.key == o.key }

// automaton is the language's automaton over UTF-8.
func (l *language) automaton() (*automata.DFA, error) {
	if l.dfa == nil && l.err == nil {
		l.dfa, l.err = l.build()
	}
	return l.dfa, l.err
}

// has tells whether the language has a string. It makes no automaton of the strings outside of
// others.
func (l *language) has(s string) (bool, error) {
	if l.outside {
		if slices.Contains(l.strs, s) {
			return false, nil
		}
		for _, o := range l.langs {
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

// patternLanguage has the strings in which a pattern matches.
func (c *languages) patternLanguage(text string) *language {
	l := c.patterns[text]
	if l == nil {
		l = &language{key: "pattern " + text, build: func() (*automata.DFA, error) {
			return c.kept.patterns.get(text, func() (*automata.DFA, error) { return pattern.Compile(text) })
		}}
		l.counted = func() (*automata.DFA, int, int, bool) { return c.kept.countedPattern(text) }
		c.patterns[text] = l
	}
	return l
}

// countedPattern is pattern.Counted with the automaton of its pattern, which is kept.
func (k *Kept) countedPattern(text string) (d *automata.DFA, least, most int, ok bool) {
	base, least, most, ok := pattern.Counted(text)
	if !ok {
		return nil, 0, 0, false
	}
	d, err := k.patterns.get("counted "+base, func() (*automata.DFA, error) { return dfa.Text(base) })
	return d, least, most, err == nil
}

// formatLanguage has the strings of a format.
func (c *languages) formatLanguage(name string, f format.Format) *language {
	l := &language{key: "format " + name, narrow: f.Narrower != "", alone: f.Alone, build: func() (*automata.DFA, error) {
		return f.Automaton(), nil
	}}
	if f.Wider != "" {
		wider := "at most " + name
		l.wide = &language{key: wider, tight: l, build: func() (*automata.DFA, error) {
			return c.kept.formats.get(wider, func() (*automata.DFA, error) { return dfa.ASCII(f.Wider) })
		}}
	}
	return l
}

// outsideLanguage has the strings that are none of some, and in none of some languages.
func (c *languages) outsideLanguage(strs []string, langs []*language) *language {
	var key strings.Builder
	key.WriteString("outside")
	for _, s := range strs {
		key.WriteString("\x00" + s)
	}
	for _, o := range langs {
		key.WriteString("\x01" + o.key)
	}
	return &language{key: key.String(), outside: true, strs: strs, langs: langs, build: func() (*automata.DFA, error) {
		return c.kept.outside(automata.AnyText(), strs, langs)
	}}
}

// nameLanguage has the strings that satisfy a schema.
func (c *normalizer) nameLanguage(r ref) *language {
	return &language{key: "names of " + strconv.Itoa(int(r)), local: true, build: func() (d *automata.DFA, err error) {
		c.apart(func() { d, err = c.keyLanguage([]ref{r}) }) // any goal may be the first to ask
		return d, err
	}}
}

// outside removes strings and languages from d.
func (k *Kept) outside(d *automata.DFA, strs []string, langs []*language) (*automata.DFA, error) {
	if len(strs) > 0 {
		var err error
		if d, err = k.except(d, strs); err != nil {
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
