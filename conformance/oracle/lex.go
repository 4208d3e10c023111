package oracle

import (
	"cmp"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// state is the derivative of every pattern by a lexeme; none where the terminal is out.
func (c *Contract) state(lexeme string) []*term {
	live := make([]*term, len(c.patterns))
	for t, p := range c.patterns {
		live[t] = p
		if p == nil {
			live[t] = none
		}
	}
	for i := range len(lexeme) {
		live = c.advance(live, lexeme[i])
	}
	return live
}

// advance reads one more byte. A lazy terminal that already matches does not go on.
func (c *Contract) advance(live []*term, b byte) []*term {
	next := make([]*term, len(live))
	for t, p := range live {
		if c.lazy[t] && p.nullable() {
			next[t] = none
			continue
		}
		next[t] = p.after(b)
	}
	return next
}

// alive tells whether some terminal has a word that begins with the lexeme.
func (c *Contract) alive(lexeme string) bool {
	return slices.ContainsFunc(c.state(lexeme), func(p *term) bool { return p.op != opNone })
}

// emits lists the terminals that a complete lexeme is emitted as.
func (c *Contract) emits(lexeme string) []grammar.Terminal { return c.winners(c.state(lexeme)) }

// winners are the terminals that match, all of them or the preferred one.
func (c *Contract) winners(live []*term) []grammar.Terminal {
	var all []grammar.Terminal
	for t, p := range live {
		if p.nullable() {
			all = append(all, grammar.Terminal(t))
		}
	}
	if c.g.Lexer == grammar.LexAll || len(all) == 0 {
		return all
	}
	return []grammar.Terminal{slices.MinFunc(all, func(x, y grammar.Terminal) int {
		a, b := &c.g.Terminals[x], &c.g.Terminals[y]
		literals := 0
		if a.Literal != b.Literal {
			literals = 1
			if a.Literal {
				literals = -1
			}
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), literals, cmp.Compare(b.MaxWidth, a.MaxWidth),
			cmp.Compare(len([]rune(b.Source)), len([]rune(a.Source))), cmp.Compare(a.Name, b.Name))
	})}
}

// reach says of each terminal whether the pending lexeme, or some longer one, is emitted as it.
func (c *Contract) reach(pending string) []bool {
	start := c.state(pending)
	if r, ok := c.reachable[keys(start, "\x00")]; ok {
		return r
	}
	found := make([]bool, len(c.patterns))
	seen := map[string]bool{}
	var visit func(live []*term)
	visit = func(live []*term) {
		k := keys(live, "\x00")
		if seen[k] || strings.Trim(k, "!\x00") == "" {
			return
		}
		seen[k] = true
		for _, t := range c.winners(live) {
			found[t] = true
		}
		for b := range 128 {
			visit(c.advance(live, byte(b)))
		}
	}
	visit(start)
	c.reachable[keys(start, "\x00")] = found
	return found
}
