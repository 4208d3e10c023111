package harness

import (
	"context"
	"errors"
	"slices"

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
	todo := slices.DeleteFunc(slices.Clone(g.pending), func(c *ask.Engine) bool {
		p := c.Problems[u.Index]
		return c.Used[u.Index] != nil || p == nil || p.Outcome != cell.OK
	})
	for _, c := range todo {
		if err := g.catchUp(ctx, u, c); err != nil {
			return err
		}
	}
	list := make([]*cell.Used, len(todo))
	// An abandoned engine may still be at work.
	lives := func(c *ask.Engine) bool { return c.Timed.Engine != nil && c.Lost == nil && c.Timed.Gone == nil }
	for i, c := range todo {
		list[i] = &cell.Used{Key: c.Key, Index: u.Index}
		if lives(c) {
			stats := c.Timed.Engine.Stats()
			list[i].SaysBytes = stats.Bytes
			for _, one := range stats.Counters {
				list[i].Counters = append(list[i].Counters, cell.Counter(one))
			}
		}
	}
	if ask.Weighs(g.Prepared, u) {
		level := ask.Settled()
		for i, c := range todo { // nothing else is made between two of them
			if lives(c) {
				list[i].Bytes, level = g.weigh(u, c, level)
			}
		}
	}
	for i, c := range todo {
		c.Used[u.Index] = list[i]
		if _, err := g.journal.Append(cell.Entry{Used: list[i]}); err != nil {
			return err
		}
	}
	return nil
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

// weigh is the size of a timed instance in bytes, which it drops, and its Kept where no other
// grammar follows. The problem, the tables of the grammar, stays: the next engine is not charged
// with it. Level is the heap before, and left what it is without the instance.
func (g *group) weigh(u *prepare.Unit, c *ask.Engine, level int64) (bytes, left int64) {
	billed, ok := c.Timed.Engine.(algorithms.Billed)
	if ok {
		bytes = billed.UsedBytes()
	}
	c.Timed = ask.Compiled{Problem: c.Timed.Problem}
	if u.Schema == nil {
		c.Kept = ask.Renewed(c.Kept)
	}
	if left = ask.Settled(); !ok {
		bytes = max(0, level-left)
	}
	return bytes, left
}

// withUse is a problem with the size and the counters of its engine after all documents.
func withUse(c *ask.Engine, p *cell.Problem, unit int) cell.Problem {
	out := *p
	if used := c.Used[unit]; used != nil {
		out.UsedBytes, out.EngineSaysBytes, out.Used = used.Bytes, used.SaysBytes, used.Counters
	}
	return out
}
