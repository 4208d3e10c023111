package koo_test

import (
	"fmt"
	"regexp"

	"gcdbench/grammar"
)

// characters is the semantics by brute force, sharing no code with the engine: an Earley chart
// whose positions are those of the characters. A terminal is scanned wherever Go's regexp matches
// it, an ignored one moves an item on as it is.
type characters struct {
	g        *grammar.Grammar
	patterns []*regexp.Regexp
	lazy     []bool
	alphabet string
	begins   map[string]bool
}

// item is a rule with a dot, and the position where it began. Rule -1 is the whole text.
type item struct{ rule, dot, origin int }

func newCharacters(g *grammar.Grammar, alphabet string) (*characters, error) {
	c := &characters{g: g, alphabet: alphabet, begins: map[string]bool{}}
	for i := range g.Terminals {
		def := &g.Terminals[i]
		source := def.Source
		if def.Literal {
			source = regexp.QuoteMeta(source)
		}
		re, err := regexp.Compile("^(?:" + source + ")$")
		if err != nil {
			return nil, fmt.Errorf("terminal %s: %w", def.Name, err)
		}
		c.patterns = append(c.patterns, re)
		c.lazy = append(c.lazy, def.Expr != nil && def.Expr.HasLazy())
	}
	return c, nil
}

// matches tells whether a whole text is one terminal; of lazy ones only shortest matches are.
func (c *characters) matches(t int, text string) bool {
	if c.g.Terminals[t].Declared || !c.patterns[t].MatchString(text) {
		return false
	}
	for i := 1; c.lazy[t] && i < len(text); i++ {
		if c.patterns[t].MatchString(text[:i]) {
			return false
		}
	}
	return true
}

// most is how many more bytes are tried to complete a terminal: those of the random grammars and of
// the suite need no more.
const most = 4

// prefix tells whether a text begins a terminal, by trying what may follow.
func (c *characters) prefix(t int, text string) bool {
	key := fmt.Sprint(t, " ", text)
	known, ok := c.begins[key]
	if !ok {
		known = c.completes(t, text, most)
		c.begins[key] = known
	}
	return known
}

func (c *characters) completes(t int, text string, left int) bool {
	if c.matches(t, text) {
		return true
	}
	for i := 0; left > 0 && i < len(c.alphabet); i++ {
		if c.completes(t, text+c.alphabet[i:i+1], left-1) {
			return true
		}
	}
	return false
}

func (c *characters) rhs(rule int) []grammar.Symbol {
	if rule < 0 {
		return []grammar.Symbol{grammar.N(c.g.Start)}
	}
	return c.g.Rules[rule].RHS
}

// chart fills the item sets of all positions.
func (c *characters) chart(text string) []map[item]bool {
	sets := make([]map[item]bool, len(text)+1)
	for i := range sets {
		sets[i] = map[item]bool{}
	}
	sets[0][item{-1, 0, 0}] = true
	for i := range sets {
		for c.close(sets, i) {
		}
		for j := i + 1; j <= len(text); j++ {
			for t := range c.patterns {
				if !c.matches(t, text[i:j]) {
					continue
				}
				for it := range sets[i] {
					rhs := c.rhs(it.rule)
					if c.g.Terminals[t].Ignored {
						sets[j][it] = true
					} else if it.dot < len(rhs) && rhs[it.dot] == grammar.T(grammar.Terminal(t)) {
						sets[j][item{it.rule, it.dot + 1, it.origin}] = true
					}
				}
			}
		}
	}
	return sets
}

// close predicts and completes at a position once; it tells whether anything was new.
func (c *characters) close(sets []map[item]bool, at int) bool {
	before := len(sets[at])
	for it := range sets[at] {
		rhs := c.rhs(it.rule)
		switch {
		case it.dot == len(rhs) && it.rule >= 0:
			done := grammar.N(c.g.Rules[it.rule].LHS)
			for from := range sets[it.origin] {
				if r := c.rhs(from.rule); from.dot < len(r) && r[from.dot] == done {
					sets[at][item{from.rule, from.dot + 1, from.origin}] = true
				}
			}
		case it.dot < len(rhs) && !rhs[it.dot].IsTerminal():
			for r := range c.g.Rules {
				if grammar.N(c.g.Rules[r].LHS) == rhs[it.dot] {
					sets[at][item{r, 0, at}] = true
				}
			}
		}
	}
	return len(sets[at]) > before
}

// legal tells whether a text begins a sentence, and end whether it is one.
func (c *characters) legal(text string) bool {
	sets := c.chart(text)
	if len(sets[len(text)]) > 0 {
		return true
	}
	for i := range text {
		for it := range sets[i] {
			rhs := c.rhs(it.rule)
			for t := range c.patterns {
				wanted := c.g.Terminals[t].Ignored || it.dot < len(rhs) && rhs[it.dot] == grammar.T(grammar.Terminal(t))
				if wanted && c.prefix(t, text[i:]) {
					return true
				}
			}
		}
	}
	return false
}

func (c *characters) end(text string) bool {
	return c.chart(text)[len(text)][item{-1, 1, 0}]
}
