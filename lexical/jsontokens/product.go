package jsontokens

import (
	"math/bits"

	"gcdbench/automata"
)

// Most of a delta's time goes into finding the product states that a byte matters to.

// A product state is a live state together with the state of its base.
type productState struct {
	Live
	base  Live  // its state is automata.Dead if there is none, or it is dead
	home  int32 // where the base began
	index int32
	// language is set for a base in an automaton of its own. run is then how many plain
	// characters at least leave the live state as free as the base.
	language *language
	run      int32
}

// minFree is how many characters must leave a state free for a base in another automaton. Longer
// tokens are some hundred at most, as many as a difference may have.
const minFree = 20

// productState is a live state with its base, if it has one.
func (l *Lexicon) productState(t Live, index int32) productState {
	x := productState{Live: t, base: Live{state: automata.Dead}, index: index}
	if to := t.p.freeForGood(); to.state != automata.Dead {
		x.base, x.home = Live{t.p, to.state}, to.state
		return x
	}
	if l.without&Frees != 0 {
		return x
	}
	// Where only a quote may not come yet, the state behind the next character is free.
	s, longest := t.state, int32(len(l.upTo))
	g, run := t.p.freeFor(s, longest)
	if g == nil {
		if s = t.p.afterAny(s); s != automata.Dead {
			g, run = t.p.freeFor(s, longest)
			run++
		}
	}
	if run < minFree {
		return x
	}
	if at := g.live(); at.p != nil {
		x.base, x.home, x.language, x.run = at, at.state, g, run
	}
	return x
}

// same tells whether a live state and its base are in the same state, or both complete.
func (x *productState) same() bool {
	if x.language == nil {
		return x.state == x.base.state
	}
	return x.state != automata.Dead && x.base.state != automata.Dead && x.p.phases[x.state] == closed && x.base.p.phases[x.base.state] == closed
}

// freeFor tells whether a live state stays as free as its base for so many characters.
func (x *productState) freeFor(height int16) bool {
	if x.language == nil || height < 0 || x.base.state != x.home || x.state == automata.Dead || x.p.phases[x.state] != inside {
		return false
	}
	if height == 0 {
		return true
	}
	g, run := x.p.freeFor(x.state, int32(height))
	return g == x.language && run >= int32(height)
}

// addDiffering adds the bytes that may lead a live state and its base to different states.
func (x *productState) addDiffering(some *byteSet) {
	if x.language == nil && x.state != automata.Dead && x.base.state != automata.Dead {
		if x.state == x.base.state {
			return
		}
		base := x.p.d.Row(x.base.state)
		for c, to := range x.p.d.Row(x.state) {
			if to != base[c] {
				some.unite(&x.p.classes[c])
			}
		}
		return
	}
	if x.state != automata.Dead {
		some.unite(&x.p.alive[x.state])
	}
	if x.base.state != automata.Dead {
		some.unite(&x.base.p.alive[x.base.state])
	}
}

// dispatch lists the product states at a node by the next byte. A state that tracks a difference
// to a base must see every byte; any other state sees only the bytes it has a transition on.
type dispatch struct {
	always []productState
	list   []productState // by byte
	ends   *[257]int32
	some   []productState // scratch
}

// manyStates is the number of product states from which on a list for each byte is faster than
// looking at all of them for each byte.
const manyStates = 6

// dispatch makes the lists of stack[lo:hi].
func (w *delta) dispatch(lo, hi int) *dispatch {
	h := &dispatch{always: w.stack[lo:hi]}
	if hi-lo < manyStates || w.l.without&Dispatches != 0 {
		return h
	}
	h.always, h.ends = nil, new([257]int32)
	each := func(x *productState, f func(b byte)) {
		for k, set := range x.p.alive[x.state] {
			for ; set != 0; set &= set - 1 {
				f(byte(k<<6 + bits.TrailingZeros64(set)))
			}
		}
	}
	for k := lo; k < hi; k++ {
		if x := &w.stack[k]; x.base.state != automata.Dead {
			h.always = append(h.always, *x)
		} else {
			each(x, func(b byte) { h.ends[int(b)+1]++ })
		}
	}
	for b := range 256 {
		h.ends[b+1] += h.ends[b]
	}
	h.list = make([]productState, h.ends[256])
	next := *h.ends
	for k := lo; k < hi; k++ {
		if x := &w.stack[k]; x.base.state == automata.Dead {
			each(x, func(b byte) {
				h.list[next[b]] = *x
				next[b]++
			})
		}
	}
	return h
}

// of lists the product states that must see b, valid until the next call.
func (h *dispatch) of(b byte) []productState {
	if h.ends == nil {
		return h.always
	}
	h.some = append(append(h.some[:0], h.always...), h.list[h.ends[b]:h.ends[int(b)+1]]...)
	return h.some
}

// runs is the state after a text.
func runs(d *automata.DFA, s int32, text []byte) int32 {
	for k := 0; k < len(text) && s != automata.Dead; k++ {
		s = d.Next(s, text[k])
	}
	return s
}
