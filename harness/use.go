package harness

import (
	"context"
	"errors"
	"runtime"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// The size of an engine after all documents. An engine that builds on the way is small when it is
// compiled; a server needs room for what it becomes.

// weighAll weighs the engines of a unit by dropping one after the other, and takes their own
// figures.
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
		if c.timed.engine != nil && c.lost == nil && c.timed.gone == nil { // an abandoned one may still be at work
			stats := c.timed.engine.Stats()
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

// catchUp has an instance that was compiled after an interruption, or after the end of its process,
// walk the documents on which the one before it was timed, so that it is as large as that one would
// be. Nothing is timed. It ends early, without an error, where a walk fails.
func (g *group) catchUp(ctx context.Context, u *unit, c *engine) error {
	if c.lost == nil {
		again, err := g.revive(ctx, c, &c.timed)
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
	for _, s := range u.documents {
		if c.timed.engine == nil || c.lost != nil || c.walked[s.index] || !c.inTurn[s.index] {
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
		_, err = c.answer(ctx, g.run.guard.of(c.entry), g.asking, c.timed.engine, s)
		var failed *failure
		switch {
		case errors.As(err, &failed):
			g.countFailure(c, failed)
			g.walkers() // the row may still be written to
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// weigh is the size of a timed instance in bytes, without its problem, the tables of the grammar.
func (g *group) weigh(u *unit, c *engine) int64 {
	problem := c.timed.problem
	if billed, ok := c.timed.engine.(algorithms.Billed); ok {
		bytes := billed.UsedBytes()
		g.letGo(u, c)
		return bytes
	}
	bytes := held(func() { g.letGo(u, c) })
	runtime.KeepAlive(problem)
	return bytes
}

// letGo drops a timed instance, and its Kept where no other grammar follows.
func (g *group) letGo(u *unit, c *engine) {
	c.timed = compiled{}
	if u.schema == nil {
		c.kept = renewed(c.kept)
	}
}

// weighKept is the size of an engine's Kept in bytes, which it drops.
func (g *group) weighKept(c *engine) int64 {
	return held(func() { c.kept = renewed(c.kept) })
}

// withUse is a problem with the size and the counters of its engine after all documents.
func (c *engine) withUse(p *cell.Problem, unit int) cell.Problem {
	out := *p
	if used := c.used[unit]; used != nil {
		out.UsedBytes, out.EngineSaysBytes, out.Used = used.Bytes, used.SaysBytes, used.Counters
	}
	return out
}
