package legality

import (
	"context"
	"time"

	"gcdbench/grammar"
)

// The proofs over the parser's tables, for the analysis: one walk over the tree of sequences for
// each X.

// proveTables walks the tree for every X.
func (a *analysis) proveTables(ctx context.Context) error {
	began := time.Now()
	m, r := a.machine, &a.report
	for x := range m.entered {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.options.Progress("proofs over the tables", x, len(m.entered))
		if len(m.entered[x]) == 0 {
			continue
		}
		r.Terminals++
		w := tableWalk{a, grammar.Terminal(x), int32(x) + 1, nil}
		w.visit(0, m.start([]basis{basis(x)}), true, true)
	}
	t := &r.Tables
	r.Pairs = r.Terminals * r.Sequences
	t.Runs, t.NS, t.Bytes = m.runs, time.Since(began).Nanoseconds(), m.bytes()
	return nil
}

// tableWalk is the walk for one X.
type tableWalk struct {
	*analysis
	x    grammar.Terminal
	mark int32
	path []int32 // symbols
}

// visit counts the sequences at and below a node. certain is whether no symbol on the way may
// have been refused, fresh whether the node's own symbol cannot have been.
func (w *tableWalk) visit(node int32, s stance, certain, fresh bool) {
	n := &w.nodes[node]
	for _, e := range n.ends {
		w.count(e, s, certain, fresh)
	}
	for _, kid := range n.kids {
		sym := w.nodes[kid].sym
		w.path = append(w.path, sym)
		to, refuses := w.builder.step(s, sym)
		if to.may == nothing {
			w.report.Tables.Never += w.nodes[kid].below
			w.drawNever(kid)
		} else {
			w.visit(kid, to, certain && !refuses, !refuses)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// count counts one sequence.
func (w *tableWalk) count(e ending, s stance, certain, fresh bool) {
	j := mayAccept
	if e.terms >= 0 {
		j = w.builder.judge(s, e.terms)
	}
	t := &w.report.Tables
	never, always := j&mayAccept == 0, j&mayRefuse == 0 && certain
	switch {
	case never:
		t.Never++
	case always:
		t.Always++
	case j&mayRefuse == 0 && (fresh || e.terms >= 0):
		t.Prefix++
	case w.stamp[e.class] == w.mark:
		t.Interchange++
	default:
		w.stamp[e.class] = w.mark
		t.Asked++
	}
	which := 1
	if never {
		which = 0
	}
	w.draw(which, e, never, always)
}
