package parserdwa

import (
	"encoding/binary"

	"gcdbench/grammar"
	"gcdbench/layout"
)

// registers interns layout registers, so that items and start states can be told apart by them.
// Number 0 stands for registers that do not matter.
type registers struct {
	list  []layout.Registers
	known map[string][]int32
	key   []byte
}

// intern numbers registers. What only the end of the text depends on is left out of the comparison by
// the caller, who passes them through a lexeme boundary first (see after).
func (r *registers) intern(regs layout.Registers) int32 {
	r.key = binary.AppendVarint(r.key[:0], int64(regs.Depth()))
	r.key = binary.AppendVarint(r.key, int64(regs.Column()))
	for _, c := range regs.Columns() {
		r.key = binary.AppendVarint(r.key, int64(c))
	}
	for _, id := range r.known[string(r.key)] {
		if r.list[id].Equal(regs) {
			return id
		}
	}
	if r.known == nil {
		r.known = map[string][]int32{}
	}
	id := int32(len(r.list))
	r.list = append(r.list, regs)
	r.known[string(r.key)] = append(r.known[string(r.key)], id)
	return id
}

// after is the output of the layout step for a terminal that ends at an edge, and the registers in
// the node behind it.
func (r *registers) after(c *composer, e edge, terminal, before int32) (out layout.Output, next int32, ok bool) {
	t := c.terminals
	if before == 0 {
		return layout.Output{First: grammar.Terminal(terminal), HasFirst: true}, 0, true
	}
	l, regs := c.problem.Layout, r.list[before]
	if line := t.labels.list[e.label].line; line != noLine {
		regs = t.labels.columns[line].apply(l, regs)
	}
	out, regs, ok = l.Lexeme(regs, grammar.Terminal(terminal))
	if ok && t.nodes[e.to].line {
		next = r.intern(l.Begin(regs))
	}
	return out, next, ok
}
