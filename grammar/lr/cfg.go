package lr

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/index"
)

// A cfg is the context-free grammar the automaton is built from: the rules of a grammar.Grammar
// less the useless ones, plus the augmenting rule that a parse ends with.
//
// Symbols are numbered densely for arrays: terminals first, then the end of input, then
// nonterminals, the augmented start symbol last.
type cfg struct {
	*budget
	src      *grammar.Grammar
	end      int32     // the end of input; also the number of real terminals
	numSyms  int32     // all symbols
	start    int32     // the augmented start symbol
	rules    []rule    // indexed as src.Rules; the augmenting rule is last
	rulesOf  [][]int32 // by symbol: the useful rules of a nonterminal
	nullable []bool    // by symbol
	yield    []int     // by symbol: terminals in its shortest sentence, capped at maxYield
	shortest []int32   // by symbol: the rule its shortest sentence starts with, -1: none
	warnings []Warning
}

// A rule is a production over dense symbols.
type rule struct {
	lhs int32
	rhs []int32
}

// maxYield caps the length of shortest sentences, which can be exponential in the size of the
// grammar: far above anything a message prints, far below overflow when summed over a rule.
const maxYield = 1 << 40

// A Warning is something odd about a grammar that does not stop its tables from being built.
type Warning struct {
	Pos     grammar.Position
	Message string
}

// String is "file:line:column: message".
func (w Warning) String() string { return w.Pos.String() + ": " + w.Message }

// newCFG checks g and strips it of useless rules. They are not just untidy: a rule that can never
// be completed would leave states from which no sentence can be finished, and the parser would
// accept prefixes of nothing.
func newCFG(ctx context.Context, g *grammar.Grammar) (*cfg, error) {
	c := &cfg{budget: &budget{ctx: ctx, grammar: g.Name}, src: g, end: int32(len(g.Terminals))}
	c.start = c.end + 1 + int32(len(g.Nonterminals))
	c.numSyms = c.start + 1
	if err := c.convert(); err != nil {
		return nil, err
	}
	if err := c.findYields(); err != nil {
		return nil, err
	}
	first := c.nonterminal(g.Start)
	if c.shortest[first] < 0 {
		return nil, &grammar.Error{
			Pos:     g.Nonterminals[g.Start].Pos,
			Message: fmt.Sprintf("the start rule %s derives nothing: every alternative needs itself or a rule that needs itself", g.Nonterminals[g.Start].Name),
			Hint:    "give it, or the rules it uses, an alternative that ends",
		}
	}
	c.keepUseful(first)
	c.findNullable()
	return c, nil
}

func (c *cfg) nonterminal(n grammar.Nonterminal) int32 { return c.end + 1 + int32(n) }

func (c *cfg) isTerminal(sym int32) bool { return sym <= c.end }

// source is the grammar's own nonterminal for a dense one.
func (c *cfg) source(sym int32) grammar.Nonterminal { return grammar.Nonterminal(sym - c.end - 1) }

func (c *cfg) name(sym int32) string {
	if c.isTerminal(sym) {
		return c.src.TerminalName(grammar.Terminal(sym))
	}
	if sym == c.start {
		return "(start)"
	}
	return c.src.Nonterminals[c.source(sym)].Name
}

// convert numbers the symbols densely and adds the augmenting rule.
func (c *cfg) convert() error {
	g := c.src
	if int(g.Start) < 0 || int(g.Start) >= len(g.Nonterminals) {
		return fmt.Errorf("grammar %s: start symbol %d is out of range", g.Name, g.Start)
	}
	c.rules = make([]rule, 0, len(g.Rules)+1)
	for i := range g.Rules {
		r := &g.Rules[i]
		if int(r.LHS) < 0 || int(r.LHS) >= len(g.Nonterminals) {
			return &grammar.Error{Pos: r.Pos, Message: fmt.Sprintf("rule %d has no left-hand side", i)}
		}
		rhs := make([]int32, len(r.RHS))
		for k, s := range r.RHS {
			switch {
			case s.IsTerminal() && int(s.Terminal()) < len(g.Terminals):
				rhs[k] = int32(s.Terminal())
			case !s.IsTerminal() && int(s.Nonterminal()) < len(g.Nonterminals):
				rhs[k] = c.nonterminal(s.Nonterminal())
			default:
				return &grammar.Error{Pos: r.Pos, Message: fmt.Sprintf("rule %d has a symbol out of range", i)}
			}
		}
		c.rules = append(c.rules, rule{lhs: c.nonterminal(r.LHS), rhs: rhs})
	}
	c.rules = append(c.rules, rule{lhs: c.start, rhs: []int32{c.nonterminal(g.Start)}})
	return nil
}

// findYields finds the length of each symbol's shortest sentence, and the rule to begin it with, by
// relaxing all rules until nothing gets shorter. A rule is only taken when strictly shorter, so
// following the chosen rules always ends. All rules are taken last to first and then first to last:
// most grammars go from the whole to its parts or the other way round, and then that is all. What
// is left follows the symbols that changed to the rules that they occur in.
func (c *cfg) findYields() error {
	c.yield = make([]int, c.numSyms)
	c.shortest = make([]int32, c.numSyms)
	for s := range c.shortest {
		c.shortest[s] = -1
		if c.isTerminal(int32(s)) {
			c.yield[s] = 1
		}
	}
	for i := range c.rules {
		c.relax(len(c.rules) - 1 - i)
	}
	var changed []int32
	for i, r := range c.rules {
		if c.relax(i) {
			changed = append(changed, r.lhs)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return c.relaxAfter(changed)
}

// relaxAfter relaxes the rules in which a symbol occurs that changed, until none does.
func (c *cfg) relaxAfter(changed []int32) error {
	uses := newListTable(int(c.numSyms), func(add func(list, value int32)) {
		for i, r := range c.rules {
			for _, s := range r.rhs {
				if !c.isTerminal(s) {
					add(s, int32(i))
				}
			}
		}
	})
	for ; len(changed) > 0; changed = changed[1:] {
		for _, i := range uses.of(changed[0]) {
			if err := c.step(len(c.rules[i].rhs)); err != nil {
				return err
			}
			if c.relax(int(i)) {
				changed = append(changed, c.rules[i].lhs)
			}
		}
	}
	return nil
}

// relax takes rule i for its left-hand side if that is shorter than what is known.
func (c *cfg) relax(i int) bool {
	r := c.rules[i]
	n, ok := c.yieldOf(r.rhs)
	if !ok || c.shortest[r.lhs] >= 0 && n >= c.yield[r.lhs] {
		return false
	}
	c.yield[r.lhs], c.shortest[r.lhs] = n, int32(i)
	return true
}

// yieldOf is the length of the shortest sentence of a string of symbols; false if it has none.
func (c *cfg) yieldOf(syms []int32) (int, bool) {
	n := 0
	for _, s := range syms {
		if !c.isTerminal(s) && c.shortest[s] < 0 {
			return 0, false
		}
		n = min(n+c.yield[s], maxYield)
	}
	return n, true
}

// keepUseful fills rulesOf with the rules that occur in some derivation of a sentence. It warns of
// rules that can never be completed, nonterminals that are never reached, and rules that are
// written twice.
func (c *cfg) keepUseful(first int32) {
	c.rulesOf = make([][]int32, c.numSyms)
	twice := c.duplicates()
	for i, r := range c.rules {
		_, productive := c.yieldOf(r.rhs)
		switch {
		case !productive:
			c.warnRule(i, "can never be completed and is ignored")
		case twice[i]:
			c.warnRule(i, "is written twice; the second is ignored")
		default:
			c.rulesOf[r.lhs] = append(c.rulesOf[r.lhs], int32(i))
		}
	}
	reached := c.reachable(first)
	for n := range c.src.Nonterminals {
		sym := c.nonterminal(grammar.Nonterminal(n))
		if !reached[sym] {
			def := &c.src.Nonterminals[n]
			c.warnings = append(c.warnings, Warning{def.Pos, fmt.Sprintf("rule %s is not used by the start rule", def.Name)})
			c.rulesOf[sym] = nil
		}
	}
}

func (c *cfg) warnRule(i int, what string) {
	c.warnings = append(c.warnings, Warning{c.src.Rules[i].Pos, fmt.Sprintf("%s %s", c.ruleText(int32(i), -1), what)})
}

// duplicates marks each rule that repeats another one. Reducing by either is the same for a
// recogniser, so a repetition is dropped rather than called a conflict; of the two, the one with
// the higher priority stays.
func (c *cfg) duplicates() []bool {
	drop := make([]bool, len(c.rules))
	var seen index.Index
	first := make([]int, 0, len(c.rules)) // by number in the index: the rule that stays
	for i, r := range c.rules[:len(c.rules)-1] {
		h := index.Mix(index.Hash(r.rhs) ^ uint64(r.lhs))
		n := seen.Find(h, func(n int32) bool {
			o := c.rules[first[n]]
			return o.lhs == r.lhs && slices.Equal(o.rhs, r.rhs)
		})
		switch {
		case n < 0:
			seen.Add(h)
			first = append(first, i)
		case c.src.Rules[i].Priority > c.src.Rules[first[n]].Priority:
			drop[first[n]], first[n] = true, i
		default:
			drop[i] = true
		}
	}
	return drop
}

// reachable marks the symbols that occur in derivations from sym by kept rules.
func (c *cfg) reachable(sym int32) []bool {
	seen := make([]bool, c.numSyms)
	seen[sym], seen[c.start] = true, true
	for todo := []int32{sym}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range c.rulesOf[s] {
			for _, x := range c.rules[r].rhs {
				if !seen[x] {
					seen[x] = true
					if !c.isTerminal(x) {
						todo = append(todo, x)
					}
				}
			}
		}
	}
	return seen
}

// findNullable marks the nonterminals that derive the empty string: exactly those whose shortest
// sentence is empty.
func (c *cfg) findNullable() {
	c.nullable = make([]bool, c.numSyms)
	for s := range c.nullable {
		c.nullable[s] = !c.isTerminal(int32(s)) && c.shortest[s] >= 0 && c.yield[s] == 0
	}
}
