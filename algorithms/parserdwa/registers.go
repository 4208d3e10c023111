package parserdwa

import (
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/internal/index"
)

// registers interns layout registers, so that items and start states can be told apart by them.
// Number 0 stands for registers that do not matter.
type registers struct {
	list  []layout.Registers
	known index.Index // of list[1:]
	key   []int32
}

// intern numbers registers. The caller first passes them through a lexeme boundary (see after),
// which clears what only the end of a text depends on.
func (r *registers) intern(regs layout.Registers) int32 {
	at := regs.Line().Column
	r.key = append(r.key[:0], int32(regs.Depth()), at.Stops, at.Alternate)
	for _, c := range regs.Columns() {
		r.key = append(r.key, c.Stops, c.Alternate)
	}
	h := index.Hash(r.key)
	if i := r.known.Find(h, func(i int32) bool { return r.list[i+1].Equal(regs) }); i >= 0 {
		return i + 1
	}
	r.list = append(r.list, regs)
	return r.known.Add(h) + 1
}

// after is the output of the layout step for a terminal that ends at an edge, and the registers in
// the node after it.
func (r *registers) after(c *composer, e edge, terminal, before int32) (out layout.Output, next int32, ok bool) {
	t := c.terminals
	if before == 0 {
		return layout.Output{First: grammar.Terminal(terminal), HasFirst: true}, 0, true
	}
	l, regs := c.problem.Layout, r.list[before]
	if line := t.labels.list[e.label].line; line != noLine {
		regs = regs.At(t.labels.columns[line].At(l, regs))
	}
	out, regs, ok = l.Lexeme(regs, grammar.Terminal(terminal))
	if ok && t.nodes[e.to].line {
		next = r.intern(l.Begin(regs))
	}
	return out, next, ok
}
