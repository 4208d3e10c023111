package harness

import (
	"context"
	"errors"
	"runtime"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// What an engine has become when all documents are behind it: an engine that builds on the way is
// small when it is compiled, and that is not what a server has to find room for.

// weighAll weighs the engines of a unit by letting go of them, one after the other, and takes what they
// say of themselves.
func (g *group) weighAll(ctx context.Context, u *unit) error {
	for _, c := range g.pending {
		p := c.problems[u.index]
		if c.used[u.index] != nil || p == nil || p.Outcome != cell.OK {
			continue
		}
		if err := g.catchUp(ctx, u, c); err != nil {
			return err
		}
		used := &cell.Used{Key: c.key, Index: u.index}
		if c.engine != nil && c.lost == nil && c.gone == nil { // one that was left behind may still be at work
			stats := c.engine.Stats()
			used.SaysBytes = stats.Bytes
			for _, one := range stats.Counters {
				used.Counters = append(used.Counters, cell.Counter(one))
			}
			if g.weighs(u) {
				used.Bytes = g.weigh(u, c)
			}
		}
		c.used[u.index] = used
		if _, err := g.journal.Append(cell.Entry{Used: used}); err != nil {
			return err
		}
	}
	return nil
}

// catchUp has an engine that was compiled after an interruption, or after the end of its process,
// walk the documents that the one before it was timed on: only then is it what it would have
// become. Nothing is timed. It ends early, without an error, with an engine that does not get
// through what another one did.
func (g *group) catchUp(ctx context.Context, u *unit, c *contestant) error {
	if c.lost == nil {
		again, err := g.revive(ctx, c, &c.compiled)
		var failed *failure
		if errors.As(err, &failed) {
			return nil
		} else if err != nil {
			return err
		}
		if again {
			clear(c.walked)
		}
	}
	for _, s := range u.scripts {
		if c.engine == nil || c.lost != nil || c.walked[s.index] || !c.inTurn[s.index] {
			continue
		}
		r, _, err := g.result(c, s.index)
		if err != nil {
			return err
		}
		if r.Sample.Outcome != cell.OK {
			continue
		}
		if err := g.begin(c.key, u.index, s.index, 0); err != nil {
			return err
		}
		_, err = callFor(ctx, g.run.guard.of(c.entry), c.Label+" on "+s.id, func(ctx context.Context) (*proof, error) {
			p := newProof(c.entry, s)
			return p, p.prove(ctx, g.asking, c.engine, s)
		})
		var failed *failure
		switch {
		case errors.As(err, &failed):
			g.leftBehind(c, failed)
			g.walkers() // the row may still be written to
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// weigh is what a contestant's engine holds. Its problem, the grammar's tables, is not the engine's.
func (g *group) weigh(u *unit, c *contestant) int64 {
	problem := c.problem
	if billed, ok := c.engine.(algorithms.Billed); ok {
		bytes := billed.UsedBytes()
		g.letGo(u, c)
		return bytes
	}
	bytes := held(func() { g.letGo(u, c) })
	runtime.KeepAlive(problem)
	return bytes
}

// letGo drops a contestant's engine. Of a workload of one grammar what outlives engines goes, too: there
// is no other.
func (g *group) letGo(u *unit, c *contestant) {
	c.compiled = compiled{}
	if u.schema == nil {
		c.kept = renewed(c.kept)
	}
}

// weighKept weighs what a contestant has kept for all schemas, by letting go of it.
func (g *group) weighKept(c *contestant) int64 {
	return held(func() { c.kept = renewed(c.kept) })
}

// held is by how much the heap falls when something is let go of.
func held(letGo func()) int64 {
	collectTwice()
	before := heap()
	letGo()
	collectTwice()
	return max(0, before-heap())
}

// collectTwice collects what is dead, and what pools held that the first collection emptied.
func collectTwice() {
	runtime.GC()
	runtime.GC()
}

// withUse is a problem with what its engine has become.
func (c *contestant) withUse(p *cell.Problem, unit int) cell.Problem {
	out := *p
	if used := c.used[unit]; used != nil {
		out.UsedBytes, out.EngineSaysBytes, out.Used = used.Bytes, used.SaysBytes, used.Counters
	}
	return out
}
