package measure

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// Speculative decoding, as servers do it: a small model drafts some tokens, the large model judges
// all of them in one step, and for that it needs a mask at each of their places. What it does not
// accept is taken back, and it adds one token of its own.

// A Draft is one such round on a document.
type Draft struct {
	At int // where in the document it begins
	// Tokens are drafted. The first Accepted of them are the document's own; the document's token
	// after those is the one that the large model adds.
	Tokens   []int32
	Accepted int
}

// DraftTimes are those of a walk by drafts in ns, with an entry for each draft.
type DraftTimes struct {
	Check    []uint32 // the masks at all places, one more than tokens, and the commits between them
	Rollback []uint32 // taking back what was not accepted
	Round    []uint32 // both, and the commit of the added token
}

// Speculate walks a document by drafts and times the rounds. The masks stand in rows of their own,
// as in a server's batch; between two rounds each is applied to the logits. Where hashes is not nil
// it gets the hash of each mask, and nothing is timed. The error is ctx's or a *RefusedError.
func (w *Walker) Speculate(ctx context.Context, engine algorithms.Engine, d *Document, drafts []Draft, t *DraftTimes, hashes *[]uint64) error {
	state, ok := engine.Start().(algorithms.Rewinder)
	if !ok {
		return fmt.Errorf("%T cannot take back tokens", engine.Start())
	}
	longest := 0
	for i := range drafts {
		longest = max(longest, len(drafts[i].Tokens))
	}
	rows := make([][]uint64, longest+1)
	for i := range rows {
		rows[i] = make([]uint64, len(w.row))
	}
	empty := w.Clock.EmptyNS
	for i := range drafts {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &drafts[i]
		begin := environment.Now()
		algorithms.Deliver(state, rows[0])
		for k, token := range r.Tokens {
			if state.Commit(int(token)) != nil {
				return &RefusedError{r.At + k, int(token), true}
			}
			algorithms.Deliver(state, rows[k+1])
		}
		mid := environment.Now()
		if err := state.Rollback(len(r.Tokens) - r.Accepted); err != nil {
			return err
		}
		back := environment.Now()
		added := int(d.Tokens[r.At+r.Accepted])
		if state.Commit(added) != nil {
			return &RefusedError{r.At + r.Accepted, added, true}
		}
		end := environment.Now()
		if hashes != nil {
			for _, row := range rows[:len(r.Tokens)+1] {
				*hashes = append(*hashes, algorithms.MaskOf(row, w.size).Hash())
			}
			continue
		}
		t.Check = append(t.Check, Clamp(float64(mid-begin)-empty))
		t.Rollback = append(t.Rollback, Clamp(float64(back-mid)-empty))
		t.Round = append(t.Round, Clamp(float64(end-begin)-3*empty))
		w.between(r.At)
		for k := range len(r.Tokens) + 1 {
			copy(w.row, rows[k])
			w.apply()
		}
	}
	return nil
}
