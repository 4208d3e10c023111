package greatgramma

import "gcdbench/grammar/lexer"

// A plan has a mask's data for one lexer state and one LR state on top.
type plan struct {
	view    view
	root    *root
	mask    []uint64 // the always-accepted tokens, or nil:
	always  []uint64 // then these leaves hold them
	context []uint64
	size    int32 // tokens that depend on the stack, as far as known
}

// plan finds the row of a pair; false if nothing is accepted there. Tables made at compile time are
// only looked at.
func (e *engine) plan(q lexer.State, p int32) (plan, bool) {
	var top int32
	var r *root
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		top = e.top(p)
		if r = e.provide(q, top); r == nil {
			return plan{}, false
		}
	} else {
		top = e.topOf[p]
		r = e.roots[q]
	}
	at := r.shape.rows[top]
	if !r.has(at) {
		return plan{}, false
	}
	pl := e.planOf(r, at)
	pl.size = r.context[at.context].size
	return pl, true
}

// has tells whether a row was made for this root. (It may have been made for another root of
// the same shape only, if the lexeme of this one cannot be pending here: then the row accepts
// nothing.)
func (r *root) has(at row) bool {
	return at.always != unmade &&
		int(at.always) < len(r.masks) && r.masks[at.always] != unmade &&
		int(at.context) < len(r.context) && r.context[at.context].size != unmade
}

// planLine finds the row of the sequences after the newline lexeme emitted at an entry, with p
// on top then.
func (e *engine) planLine(r *root, entry, p int32) plan {
	var top int32
	if e.lazy {
		e.mu.Lock()
		defer e.mu.Unlock()
		top = e.top(p)
		if at := r.shape.lines[entry][top].always; at == unmade || int(at) >= len(r.masks) || r.masks[at] == unmade {
			e.makeLine(r, entry, int(top), e.symbolic.start(p))
		}
	} else {
		top = e.topOf[p]
	}
	return e.planOf(r, r.shape.lines[entry][top])
}

func (e *engine) planOf(r *root, at row) plan {
	p := plan{view: e.view, root: r, context: r.shape.context.At(at.context)}
	if m := r.masks[at.always]; m >= 0 {
		p.mask = e.view.masks[m]
	} else {
		p.always = r.shape.always.At(at.always)
	}
	return p
}

// provide is the root that plan looks for, with its row for an LR state; nil if nothing is
// accepted there.
func (e *engine) provide(q lexer.State, top int32) *root {
	r := e.rootOf(q, top)
	if r == nil {
		e.forget()
		r = e.makeRoot(q, top)
	}
	if !r.has(r.shape.rows[top]) {
		start := e.symbolic.start(e.tops[top])
		if r.lexerState && !e.occurs(q, e.tops[top], start) {
			return nil
		}
		e.makeRow(r, int(top), start)
	}
	return r
}

// rootOf is the root of a pair, nil if it was not made.
func (e *engine) rootOf(q lexer.State, top int32) *root {
	if int(q) < len(e.strings) && e.strings[q] != nil && e.strings[q] != noString {
		return e.strings[q].roots[top]
	}
	if int(q) < len(e.roots) {
		return e.roots[q]
	}
	return nil
}

// makeRoot makes the root of a pair.
func (e *engine) makeRoot(q lexer.State, top int32) *root {
	if s := e.stringAt(q); s != noString {
		return e.stringRoot(s, q, top)
	}
	return e.lexerRoot(q)
}

// lexerRoot is the root of a lexer state.
func (e *engine) lexerRoot(q lexer.State) *root {
	for len(e.roots) <= int(q) {
		e.roots = append(e.roots, nil)
	}
	if e.roots[q] == nil {
		e.roots[q] = e.flat.root(q)
		e.view.groups = e.groups.list
	}
	return e.roots[q]
}
