package legality

import (
	"context"
	"time"

	"gcdbench/algorithms/legality/rules"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// The paper's own algorithms in the analysis: the sample that they are tried on, and the counts
// of their answers.

// A pair is a pair of the sample.
type pair struct {
	x              grammar.Terminal
	s              rules.Sequence
	never, always_ bool
}

// A draw is a random sample of a stream of pairs.
type draw struct {
	pairs []pair
	seen  int
}

// drawNever offers one sequence of a subtree that is never legal. It stands for all of them, as
// their common prefix decides.
func (w *tableWalk) drawNever(node int32) {
	for depth := len(w.path); ; {
		n := &w.nodes[node]
		if len(n.ends) > 0 {
			w.draw(0, n.ends[w.rng.IntN(len(n.ends))], true, false)
			w.path = w.path[:depth]
			return
		}
		node = n.kids[w.rng.IntN(len(n.kids))]
		w.path = append(w.path, w.nodes[node].sym)
	}
}

// draw offers a pair to the sample.
func (w *tableWalk) draw(which int, e ending, never, always bool) {
	d := &w.drawn[which]
	d.seen++
	size := max(w.options.Sample/2, 0)
	at := len(d.pairs)
	if at >= size {
		if at = w.rng.IntN(d.seen); at >= size {
			return
		}
	}
	s, ok := w.sequence(e)
	if !ok {
		d.seen--
		return
	}
	p := pair{w.x, s, never, always}
	if at == len(d.pairs) {
		d.pairs = append(d.pairs, p)
	} else {
		d.pairs[at] = p
	}
}

// sequence is the walk's path and an ending as the paper's algorithms take it. They have no step
// that may also be skipped.
func (w *tableWalk) sequence(e ending) (rules.Sequence, bool) {
	var s rules.Sequence
	for _, sym := range w.path {
		if w.machine.symbols[sym].skip {
			return nil, false
		}
		s = append(s, w.machine.symbols[sym].parsed)
	}
	if e.terms >= 0 {
		reach := lexer.Reach{Parser: w.machine.terms.At(e.terms)}
		s = append(s, reach.Terminals())
	}
	return s, len(s) > 0
}

// proveRules tries the paper's algorithms on the sample.
func (a *analysis) proveRules(ctx context.Context) error {
	d, err := rules.NewDFT(a.problem.Grammar)
	if err != nil {
		return err
	}
	r := &RuleProofs{States: d.NumStates(), Transitions: d.NumTransitions(), Classes: interchange{d.Interchangeable()}.classes()}
	a.report.Rules = r
	sample := append(append([]pair{}, a.drawn[0].pairs...), a.drawn[1].pairs...)
	for i, p := range sample {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("proofs over the rules", i, len(sample))
		r.tryPair(d, p, a.options.Bounds)
	}
	return nil
}

// tryPair tries a pair: is_always_legal only where is_never_legal says no.
func (r *RuleProofs) tryPair(d *rules.DFT, p pair, b rules.Bounds) {
	r.Sample++
	r.NeverTables += count(p.never)
	r.AlwaysTables += count(p.always_)
	began := time.Now()
	never := d.IsNeverLegal(p.x, p.s)
	r.NeverNS += time.Since(began).Nanoseconds()
	r.Never += count(never)
	r.NeverBoth += count(never && p.never)
	if never {
		return
	}
	r.AlwaysTried++
	began = time.Now()
	always, circles := d.ProveAlways(p.x, p.s, b)
	r.AlwaysNS += time.Since(began).Nanoseconds()
	r.Always += count(always)
	r.Circles += count(!always && circles)
	r.AlwaysBoth += count(always && p.always_)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
