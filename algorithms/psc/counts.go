package psc

import (
	"sync/atomic"

	"gcdbench/internal/tally"
)

// A sheet counts the masks of one generation at a time.
type sheet struct {
	depths [maxDepth + 1]atomic.Int64 // masks by the depth that they looked to
	forked atomic.Int64               // masks on forked stacks
	built  atomic.Int64               // masks that had to build something
	_      [48]byte                   // whole cache lines
}

// counted is the counts of all generations so far.
func counted(s *tally.Sheets[sheet]) (depths [maxDepth + 1]int64, forked, built int64) {
	s.Each(func(x *sheet) {
		for d := range x.depths {
			depths[d] += x.depths[d].Load()
		}
		forked += x.forked.Load()
		built += x.built.Load()
	})
	return depths, forked, built
}

// A mask has to build where something that it needs was not there yet: a row, a start, a
// transition, or, of a lazy engine, the finished mask. These methods find what is there without a
// lock, and note what is not.

// missed notes that the mask that is asked for has to build.
func (g *gen) missed() { g.built = true }

// counted counts the mask that was asked for, if it had to build.
func (g *gen) counted() {
	if g.built {
		g.built = false
		g.sheet().built.Add(1)
	}
}

// row is the row of the generation's lexer state and registers.
func (g *gen) row(c *core) *row {
	if r := c.rowThere(g.State.Lexer, g.State.Layout, &g.key); r != nil {
		return r
	}
	g.missed()
	return c.row(g.State.Lexer, g.State.Layout, &g.key)
}

// nextState is the state after the next symbol that is read, x.
func (g *gen) nextState(c *core, s *state, x int32) *state {
	if to := s.edges.find(x); to != nil {
		return to
	}
	g.missed()
	return c.nextState(s, x)
}

// startAt is the start of a row at top x.
func (g *gen) startAt(c *core, r *row, x int32) *start {
	if s := r.starts.get(x); s != nil {
		return s
	}
	g.missed()
	return c.firstStart(r, x)
}

// say is a list of outputs with one output more. That is not built where the automaton is.
func (g *gen) say(c *core, s *said, out int32) *said {
	if next := s.next.find(out); next != nil {
		return next
	}
	return c.sayMore(s, out)
}
