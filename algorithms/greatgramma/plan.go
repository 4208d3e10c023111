package greatgramma

import (
	"gcdbench/lexer"
)

// A plan is what a mask needs to know about a lexer state and an LR state on top.
type plan struct {
	view    view
	root    *root
	mask    []uint64 // the always-accepted tokens, or nil:
	always  bitmap   // then these leaves hold them
	context bitmap
	size    int32 // tokens that depend on the stack, as far as known
}

// plan finds the row of a pair; false if nothing is accepted there. Tables made at compile time are only
// looked at.
func (e *engine) plan(q lexer.State, p int32) (plan, bool) {
	top := e.topOf[p]
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.provide(q, top) {
			return plan{}, false
		}
	}
	r := e.roots[q]
	at := r.shape.rows[top]
	if !r.has(at) {
		return plan{}, false
	}
	pl := e.planOf(r, at)
	pl.size = r.context[at.context].size
	return pl, true
}

// has tells whether a row was made, and for this root. (It may have been made for another of the same shape, where
// this root's lexeme cannot be pending: then it accepts nothing here.)
func (r *root) has(at row) bool {
	return at.always != unmade &&
		int(at.always) < len(r.masks) && r.masks[at.always] != unmade &&
		int(at.context) < len(r.context) && r.context[at.context].size != unmade
}

// planLine finds the row of what follows the newline lexeme emitted at an entry, with p on top then.
func (e *engine) planLine(r *root, entry, p int32) plan {
	top := e.topOf[p]
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		if at := r.shape.lines[entry][top].always; at == unmade || int(at) >= len(r.masks) || r.masks[at] == unmade {
			e.makeLine(r, entry, int(top), e.symbolic.start(p))
		}
	}
	return e.planOf(r, r.shape.lines[entry][top])
}

func (e *engine) planOf(r *root, at row) plan {
	p := plan{view: e.view, root: r, context: r.shape.context.list[at.context]}
	if m := r.masks[at.always]; m >= 0 {
		p.mask = e.view.masks[m]
	} else {
		p.always = r.shape.always.list[at.always]
	}
	return p
}

// provide makes what plan looks for, if it is not there.
func (e *engine) provide(q lexer.State, top int32) bool {
	if int(q) >= len(e.roots) || e.roots[q] == nil {
		e.forget()
	}
	for len(e.roots) <= int(q) {
		e.roots = append(e.roots, nil)
	}
	r := e.roots[q]
	if r == nil {
		r = e.flat.root(q)
		e.roots[q] = r
		e.view.groups = e.groups.list
	}
	if !r.has(r.shape.rows[top]) {
		start := e.symbolic.start(e.tops[top])
		if !e.occurs(q, e.tops[top], start) {
			return false
		}
		e.makeRow(r, int(top), start)
	}
	return true
}
