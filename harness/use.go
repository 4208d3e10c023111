package harness

import (
	"context"
	"errors"
	"runtime"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// The size of an engine after all documents. An engine that builds on the way is small when it is
// compiled; a server needs room for what it becomes.

// weighAll takes the engines' own figures, and weighs the engines of a unit by dropping one after
// the other: what is left after one is the level from which the next is weighed.
func (g *group) weighAll(ctx context.Context, u *prepare.Unit) error {
	used := map[*ask.Engine]*cell.Used{}
	for _, c := range g.pending {
		p := c.Problems[u.Index]
		if c.Used[u.Index] != nil || p == nil || p.Outcome != cell.OK {
			continue
		}
		if err := g.catchUp(ctx, u, c); err != nil {
			return err
		}
		used[c] = &cell.Used{Key: c.Key, Index: u.Index}
		if callable(c) {
			stats := c.Timed.Engine.Stats()
			used[c].SaysBytes = stats.Bytes
			for _, one := range stats.Counters {
				used[c].Counters = append(used[c].Counters, cell.Counter(one))
			}
		}
	}
	level := int64(-1)
	var problems []*algorithms.Problem
	for _, c := range g.pending {
		problems = append(problems, c.Timed.Problem) // the next engine is not charged with it
		if used[c] != nil && callable(c) && ask.Weighs(g.Prepared, u) {
			used[c].Bytes = g.weigh(u, c, &level)
		}
	}
	runtime.KeepAlive(problems)
	for _, c := range g.pending {
		if used[c] == nil {
			continue
		}
		c.Used[u.Index] = used[c]
		if _, err := g.journal.Append(cell.Entry{Used: used[c]}); err != nil {
			return err
		}
	}
	return nil
}

// callable tells whether a timed instance can be asked: an abandoned one may still be at work.
func callable(c *ask.Engine) bool {
	return c.Timed.Engine != nil && c.Lost == nil && c.Timed.Gone == nil
}

// catchUp has an instance that was compiled after an interruption, or after the end of its process,
// walk the documents on which the one before it was timed, so that it is as large as that one would
// be. Nothing is timed. It ends early, without an error, where a walk fails.
func (g *group) catchUp(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	if c.Lost == nil {
		again, err := g.revive(ctx, c, &c.Timed)
		var failed *bounds.Failure
		if errors.As(err, &failed) {
			return nil
		} else if err != nil {
			return err
		}
		if again {
			clear(c.Walked)
		}
	}
	for _, s := range u.Documents {
		if c.Timed.Engine == nil || c.Lost != nil || c.Walked[s.Index] || !c.InTurn[s.Index] {
			continue
		}
		r, _, err := g.result(c, s.Index)
		if err != nil {
			return err
		}
		if r.Sample.Outcome != cell.OK {
			continue
		}
		if err := g.begin(c.Key, u.Index, s.Index, 0); err != nil {
			return err
		}
		_, err = ask.Answer(c.Entry, ctx, prepare.Of(g.run.guard, c.Entry), g.asking, c.Timed.Engine, s)
		var failed *bounds.Failure
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

// weigh is the size of a timed instance in bytes, without its problem, the tables of the grammar,
// which somebody else holds. Level is the heap without garbage, -1 if it is not known yet.
func (g *group) weigh(u *prepare.Unit, c *ask.Engine, level *int64) int64 {
	if billed, ok := c.Timed.Engine.(algorithms.Billed); ok {
		bytes := billed.UsedBytes()
		g.letGo(u, c)
		*level = -1 // what the harness held for it is gone, too
		return bytes
	}
	if *level < 0 {
		*level = ask.Settled()
	}
	g.letGo(u, c)
	before := *level
	*level = ask.Settled()
	return max(0, before-*level)
}

// letGo drops a timed instance, and its Kept where no other grammar follows.
func (g *group) letGo(u *prepare.Unit, c *ask.Engine) {
	c.Timed = ask.Compiled{}
	if u.Schema == nil {
		c.Kept = ask.Renewed(c.Kept)
	}
}

// weighKept is the size of an engine's Kept in bytes, which it drops.
func (g *group) weighKept(c *ask.Engine) int64 {
	before := ask.Settled()
	c.Kept = ask.Renewed(c.Kept)
	return max(0, before-ask.Settled())
}

// withUse is a problem with the size and the counters of its engine after all documents.
func withUse(c *ask.Engine, p *cell.Problem, unit int) cell.Problem {
	out := *p
	if used := c.Used[unit]; used != nil {
		out.UsedBytes, out.EngineSaysBytes, out.Used = used.Bytes, used.SaysBytes, used.Counters
	}
	return out
}
