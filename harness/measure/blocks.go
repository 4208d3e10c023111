package measure

import (
	"context"
	"math"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// A Check compares single measurements with blocks of consecutive steps of the same engine on the
// same documents, in ns. For short steps, where the reads of the clock matter, the two sums show
// whether the cost of the clock was taken off rightly.
type Check struct {
	Steps    int     `json:"steps"`
	SingleNS float64 `json:"single_ns"` // sum of steps timed one by one
	BlockNS  float64 `json:"block_ns"`  // the same steps, timed a block at a time
}

// Add sums two checks.
func (c Check) Add(o Check) Check {
	return Check{c.Steps + o.Steps, c.SingleNS + o.SingleNS, c.BlockNS + o.BlockNS}
}

const (
	// blockSteps is the number of steps of a block: a pair of clock reads is then under 1 ns a step.
	blockSteps = 64
	// checkRounds is how often a document is walked each way.
	checkRounds = 3
)

// NeedsCheck reports whether steps with a median time, in ns, are so short that blocks have to
// check them: a pair of clock reads takes more than 2% of that time.
func NeedsCheck(median float64, clock environment.Clock) bool { return median < 50*clock.PairNS }

// Check walks a document, which has to be masked at all positions, step by step and block by block
// in turn, with nothing between the steps. For each block it takes the shortest time of either
// kind, since other work of the machine only makes times longer. The error is that of Time.
func (w *Walker) Check(ctx context.Context, engine algorithms.Engine, d *Document) (Check, error) {
	bare := &Walker{Clock: w.Clock, row: w.row, size: w.size}
	blocks := (len(d.Tokens) + blockSteps - 1) / blockSteps
	single, together := slices.Repeat([]float64{math.Inf(1)}, blocks), slices.Repeat([]float64{math.Inf(1)}, blocks)
	for range checkRounds {
		var t Times
		if err := bare.Time(ctx, engine, d, &t); err != nil {
			return Check{}, err
		}
		for i := range blocks {
			sum := 0.0
			for _, ns := range t.Step[i*blockSteps : min((i+1)*blockSteps, len(t.Step))] {
				sum += float64(ns)
			}
			single[i] = min(single[i], sum)
		}
		times, err := bare.Blocks(ctx, engine, d, blockSteps)
		if err != nil {
			return Check{}, err
		}
		for i := range min(len(times), blocks) {
			together[i] = min(together[i], times[i])
		}
	}
	check := Check{Steps: len(d.Tokens)}
	for i := range blocks {
		check.SingleNS += single[i]
		check.BlockNS += together[i]
	}
	return check, nil
}

// Blocks times all steps of a document in blocks of k consecutive steps, in ns. It ignores the
// document's positions. Between is called between two blocks. The error is that of Time.
func (w *Walker) Blocks(ctx context.Context, engine algorithms.Engine, d *Document, k int) ([]float64, error) {
	if e, ok := engine.(Walking); ok {
		return e.WalkBlocks(ctx, d, k)
	}
	out := make([]float64, 0, (len(d.Tokens)+k-1)/k)
	state := engine.Start()
	deliver := func() { state.Mask().CopyTo(w.row) }
	if filler, ok := state.(algorithms.Filler); ok {
		deliver = func() { filler.Fill(w.row) }
	}
	for from := 0; from < len(d.Tokens); from += k {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		to := min(from+k, len(d.Tokens))
		environment.Now()
		begin := environment.Now()
		for pos := from; pos < to; pos++ {
			if pos > 0 && state.Commit(int(d.Tokens[pos-1])) != nil {
				return out, &RefusedError{pos - 1, int(d.Tokens[pos-1]), true}
			}
			deliver()
		}
		out = append(out, float64(environment.Now()-begin)-w.Clock.EmptyNS)
		w.between(from)
	}
	return out, nil
}
