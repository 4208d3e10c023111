package psc

import (
	"context"

	"gcdbench/lexer"
)

// buildAll builds every reachable state: the starts of all lexer states with all tops of a stack, and
// from there on.
func (c *core) buildAll(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.auto
	p := c.engine.problem
	for q := lexer.State(0); int(q) < p.Lexer.NumStates(); q++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := c.makeEntry(q)
		if e.plain == nil {
			continue
		}
		reach := p.Lexer.ReachSet(p.Lexer.Reach(q))
		for x := range int32(p.Tables.NumStates()) {
			if !c.canTop(x) {
				continue
			}
			live := p.Tables.Live(x)
			any := reach.Ignored
			for i, w := range reach.Parser {
				any = any || w&live[i] != 0
			}
			if !any {
				continue
			}
			s := a.start(q, 0, x)
			if c.engine.cached {
				e.plain.paths[x].Store(c.pathTo(s, 0))
			} else {
				e.plain.states[x].Store(s)
			}
		}
	}
	for i := 0; i < len(a.states); i++ {
		s := a.states[i]
		if s.done() {
			continue
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for k, x := range a.tables.Predecessors(s.x) {
			if a.possible(s, x) {
				a.transition(s, k, x)
			}
		}
	}
	return nil
}

// canTop tells whether an LR state can be on top of a stack between tokens: only after a shift, or at
// the start.
func (c *core) canTop(x int32) bool {
	sym, ok := c.engine.problem.Tables.Accessing(x)
	return !ok || sym.IsTerminal()
}
