package greatgramma

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// taker finds the terminals that a real stack takes, all at once: terminals that call for the same
// reduction make it together. A hundred sequences that begin alike then ask the parser one question
// instead of a hundred. It is scratch of one goroutine.
type taker struct {
	tables     *lr.Tables
	reductions [][]lr.Reduction
	exact      bool // no endless reductions to look out for
	terms      []uint64
}

// into writes the terminals that may be shifted on s to out, which is as wide as lr.Tables.NewSet.
func (t *taker) into(out []uint64, s lr.Stacks) {
	clear(out)
	if s.NumTops() == 1 && t.exact {
		var w pushed
		w.base = s.TopNode(0)
		t.terms = append(t.terms[:0], t.tables.Live(w.base.State)...)
		if t.follow(out, w, w.base.State, 0) {
			return
		}
		clear(out)
	}
	for i := range s.NumTops() {
		for x := range bitset.All[grammar.Terminal](t.tables.Live(s.TopNode(i).State)) {
			if !bitset.Has(out, x) && t.tables.Accepts(s, x) {
				bitset.Add(out, x)
			}
		}
	}
}

// pushed is a real stack in the course of reductions: the part that is left of it, and the
// states pushed since.
type pushed struct {
	base *lr.Node
	n    int
	room [maxPushed]int32
}

// maxPushed is the number of states that may be pushed; more than a few need rules that derive
// nothing.
const maxPushed = 12

// pop takes length states off and returns the one then on top; false if the stack forks there.
func (w *pushed) pop(length int) (top int32, ok bool) {
	if length < w.n {
		w.n -= length
		return w.room[w.n-1], true
	}
	for length -= w.n; length > 0; length-- {
		if w.base.NumUnder() != 1 {
			return 0, false
		}
		w.base = w.base.Under(0)
	}
	w.n = 0
	return w.base.State, true
}

// follow adds those of the terminals t.terms[at:] that are shifted in the end, with state on top of
// w; false if that takes the general algorithm.
func (t *taker) follow(out []uint64, w pushed, state int32, at int) bool {
	width := len(out)
	for {
		left := false
		terms := t.terms[at : at+width]
		for i, s := range t.tables.Shiftable(state) {
			out[i] |= s & terms[i]
			terms[i] &^= s
			left = left || terms[i] != 0
		}
		if !left {
			return true
		}
		list := t.reductions[state]
		for k := 0; k < len(list)-1; k++ {
			if !t.split(list[k].Terms, at, width) {
				continue
			}
			next, state, ok := t.reduce(w, list[k].Rule)
			if !ok || !t.follow(out, next, state, at+width) {
				return false
			}
			t.terms = t.terms[:at+width]
		}
		if len(list) == 0 {
			return true
		}
		last := &list[len(list)-1]
		left = false
		for i, r := range last.Terms {
			t.terms[at+i] &= r
			left = left || t.terms[at+i] != 0
		}
		if !left {
			return true
		}
		var ok bool
		if w, state, ok = t.reduce(w, last.Rule); !ok {
			return false
		}
	}
}

// split appends those of t.terms[at:] that are in some others to t.terms, and tells whether there
// are any.
func (t *taker) split(others []uint64, at, width int) bool {
	some := false
	for i, r := range others {
		r &= t.terms[at+i]
		t.terms = append(t.terms, r)
		some = some || r != 0
	}
	if !some {
		t.terms = t.terms[:at+width]
	}
	return some
}

// reduce makes a reduction on w.
func (t *taker) reduce(w pushed, rule int32) (_ pushed, state int32, ok bool) {
	lhs, length := t.tables.Rule(rule)
	under, ok := w.pop(length)
	if !ok || w.n == maxPushed {
		return w, 0, false
	}
	state = t.tables.Goto(under, lhs)
	if state < 0 {
		return w, 0, false
	}
	w.room[w.n] = state
	w.n++
	return w, state, true
}
