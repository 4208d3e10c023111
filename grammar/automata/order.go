package automata

import "slices"

// Preference: the meaning of lazy quantifiers.
//
// A lazy quantifier says which of several matches is taken, not which there are. To Python the
// match of an expression is the one that comes first in the order of attempts: the first
// alternative before the second, one more round of a greedy repeat before none, none before one
// more round of a lazy one. An expression with a lazy quantifier is matched that way
// ("leftmost-first"); one without is matched by its longest match, as lexers do it.
//
// The sets of threads of the subset construction then are lists, in order of preference. Where a
// thread has matched, those after it are cut: Python would not come to try them. Those before it
// live on, and if one of them matches later, that is the match. So a state accepts what Python
// takes of a text that ends there, and goes on as long as Python might take more. The lexing rule
// does not go back: where the threads in front all die in the end, the match behind them is given
// up.
//
// A match with open obligations (context.go) cuts the threads after it only if it is one. So these
// live on with the opposite as their obligation.
//
// An expression made by Prefer has parts, each of which is matched by its own rule: a match in one
// part cuts all parts after it, and the rest of its own part only if that has a lazy quantifier.

// A part of an nfa is an alternative with an end of its own, the position of its number.
type nfaPart struct {
	end   int32 // the position after its last one
	first bool  // matched leftmost-first, not longest
}

// Prefer is Alternate for alternatives that are written apart from one another, as those of a
// terminal in a grammar file: a lazy quantifier in one does not change how another is matched. If
// one has a lazy quantifier, an alternative is tried only where none before it matches.
func Prefer(exprs ...*Expr) *Expr {
	if len(exprs) < 2 || !slices.ContainsFunc(exprs, (*Expr).HasLazy) {
		return Alternate(exprs...)
	}
	e := &Expr{op: opAlternate, parts: true, lazy: true}
	for _, sub := range exprs {
		if sub.parts {
			e.subs = append(e.subs, sub.subs...)
		} else {
			e.subs = append(e.subs, sub)
		}
	}
	for _, sub := range e.subs {
		e.depth = max(e.depth, sub.depth+1)
	}
	return e
}

// ownParts are the alternatives of e that are matched by rules of their own.
func (e *Expr) ownParts() []*Expr {
	if e.parts {
		return e.subs
	}
	return []*Expr{e}
}

// isNullable reports whether e matches the empty string, under whatever assertions.
func (e *Expr) isNullable() bool {
	switch e.op {
	case opLiteral:
		return e.bytes == ""
	case opConcat:
		return !slices.ContainsFunc(e.subs, func(sub *Expr) bool { return !sub.isNullable() })
	case opAlternate:
		return slices.ContainsFunc(e.subs, (*Expr).isNullable)
	case opRepeat:
		return e.min == 0 || e.subs[0].isNullable()
	case opLook:
		return true
	case opAutomaton:
		return e.dfa.MatchesEmpty()
	}
	return false
}

// partOf is the part of a position that reads or accepts.
func (n *nfa) partOf(position int32) int {
	if int(position) < len(n.parts) {
		return int(position)
	}
	part, _ := slices.BinarySearchFunc(n.parts, position, func(p nfaPart, position int32) int { return int(p.end - 1 - position) })
	return part
}

// closureInOrder is closure for a list of threads in order of preference, which it keeps.
func (d *determinizer) closureInOrder(threads []int32, past int32, from parent) error {
	d.mark++
	d.closed = d.closed[:0]
	d.stack = append(d.stack[:0], threads...)
	slices.Reverse(d.stack)
	for len(d.stack) > 0 {
		if err := d.budget.step(1); err != nil {
			return err
		}
		t := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !d.visit(t) {
			continue
		}
		p := d.pair(t)
		s := d.nfa.states[p.position]
		duties, err := d.duties(s, p.duties, past, from)
		if err != nil {
			return err
		}
		switch {
		case s.kind == nfaRead || s.kind == nfaAccept:
			d.closed = append(d.closed, t)
		case duties != broken:
			jumps := d.nfa.jumps[s.first : s.first+s.count]
			for i := len(jumps) - 1; i >= 0; i-- {
				d.stack = append(d.stack, d.thread(jumps[i], duties))
			}
		}
	}
	return nil
}

// A condition is a match with open obligations.
type condition struct {
	part   int
	duties int32
}

// cutByPreference drops from d.closed what is tried only where a thread before it does not match.
func (d *determinizer) cutByPreference() error {
	list := slices.Clone(d.closed)
	d.closed = d.closed[:0]
	d.sortLongest(list)
	copies := d.nfa.copies.base != nil
	if copies {
		d.startRivals()
	}
	var conditions []condition
	at := map[int32][]int32{} // by position: the obligations of the threads before
	last := len(d.nfa.parts)  // the last part that is tried
	for _, t := range list {
		p := d.pair(t)
		part := d.nfa.partOf(p.position)
		if part > last {
			break
		}
		rest, err := d.unless(p.duties, part, conditions)
		if err != nil {
			return err
		}
		for _, duties := range rest {
			d.budget.took(len(at[p.position]))
			if slices.ContainsFunc(at[p.position], func(r int32) bool { return d.obligations.includes(duties, r) }) {
				continue
			}
			next := d.thread(p.position, duties)
			if copies && !d.admit(d.closed, next) {
				continue
			}
			if d.closed = append(d.closed, next); len(d.nfa.looks) > 0 {
				at[p.position] = append(at[p.position], duties)
			}
			if d.nfa.states[p.position].kind != nfaAccept {
				continue
			}
			switch {
			case duties != 0:
				conditions = append(conditions, condition{part, duties})
			case d.nfa.parts[part].first:
				return nil
			default:
				last = part
			}
		}
	}
	return nil
}

// sortLongest sorts the threads of the parts that are matched by their longest match.
func (d *determinizer) sortLongest(list []int32) {
	for len(list) > 0 {
		part := d.nfa.partOf(d.pair(list[0]).position)
		n := slices.IndexFunc(list, func(t int32) bool { return d.nfa.partOf(d.pair(t).position) != part })
		if n < 0 {
			n = len(list)
		}
		if !d.nfa.parts[part].first {
			slices.Sort(list[:n])
			slices.Reverse(list[:n]) // the copy of a repeat with most copies left comes first
		}
		list = list[n:]
	}
}

// unless lists the obligations of a thread of some part that is tried only where none of the
// conditions before it holds: one of them has to be met.
func (d *determinizer) unless(duties int32, part int, conditions []condition) ([]int32, error) {
	list := []int32{duties}
	for _, c := range conditions {
		if c.part == part && !d.nfa.parts[part].first {
			continue
		}
		var next []int32
		for _, duties := range list {
			next = append(next, d.obligations.without(duties, c.duties)...)
		}
		if err := d.budget.step(len(next)); err != nil {
			return nil, err
		}
		list = next
	}
	return list, nil
}
