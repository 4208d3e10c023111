package spanner

import (
	"math/bits"

	"gcdbench/automata"
)

// What differ follows is pairs of runs, and most of its time goes into which of them a byte matters to.

// A twin is an ending, and where its base is.
type twin struct {
	ending
	base  ending // its state is automata.Dead if there is none, or it is dead
	home  int32  // where the base began
	index int32
	// language is set for a base in an automaton of its own; run is then how many plain characters at least
	// leave it as free.
	language *language
	run      int32
}

// minFree is how many characters must keep a state free for a base in another automaton: the tokens of more are some
// hundred at most, which is what a difference may have.
const minFree = 20

// twin is an ending with its base, if it has one.
func (l *lexicon) twin(t ending, index int32) twin {
	x := twin{ending: t, base: ending{state: automata.Dead}, index: index}
	if to := t.p.sinkOf(t.d); to.state != automata.Dead {
		x.base, x.home = ending{t.d, t.p, to.state}, to.state
		return x
	}
	if l.without&Frees != 0 {
		return x
	}
	// Where only a quote may not come yet, the state behind the next character is free.
	s, longest := t.state, int32(len(l.upTo))
	g, run := t.p.freeFor(t.d, s, longest)
	if g == nil {
		if s = t.p.afterAny(t.d, s); s != automata.Dead {
			g, run = t.p.freeFor(t.d, s, longest)
			run++
		}
	}
	if run < minFree {
		return x
	}
	if at := g.ending(); at.p != nil {
		x.base, x.home, x.language, x.run = at, at.state, g, run
	}
	return x
}

// same tells whether an ending and its base are in the same state, or both at the end.
func (x *twin) same() bool {
	if x.language == nil {
		return x.state == x.base.state
	}
	return x.state != automata.Dead && x.base.state != automata.Dead && x.p.phases[x.state] == closed && x.base.p.phases[x.base.state] == closed
}

// freeFor tells whether an ending stays as free as its base for so many characters.
func (x *twin) freeFor(height int16) bool {
	if x.language == nil || height < 0 || x.base.state != x.home || x.state == automata.Dead || x.p.phases[x.state] != inside {
		return false
	}
	if height == 0 {
		return true
	}
	g, run := x.p.freeFor(x.d, x.state, int32(height))
	return g == x.language && run >= int32(height)
}

// addDiffering adds the bytes that may lead an ending and its base to different states.
func (x *twin) addDiffering(some *byteSet) {
	if x.language == nil && x.state != automata.Dead && x.base.state != automata.Dead {
		if x.state == x.base.state {
			return
		}
		base := x.d.Row(x.base.state)
		for c, to := range x.d.Row(x.state) {
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

// hands are the twins at a node by the bytes that matter to them: those with a base to all, others to the bytes that they
// go on with.
type hands struct {
	always []twin
	list   []twin // by byte
	ends   *[257]int32
	hand   []twin // scratch
}

// manyTwins is the number from which on dealing them out is faster than to look at all for each byte.
const manyTwins = 6

// deal deals out stack[lo:hi].
func (w *differ) deal(lo, hi int) *hands {
	h := &hands{always: w.stack[lo:hi]}
	if hi-lo < manyTwins || w.l.without&Dispatches != 0 {
		return h
	}
	h.always, h.ends = nil, new([257]int32)
	each := func(x *twin, f func(b byte)) {
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
	h.list = make([]twin, h.ends[256])
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

// twins are those that b matters to, valid until the next call.
func (h *hands) twins(b byte) []twin {
	if h.ends == nil {
		return h.always
	}
	h.hand = append(append(h.hand[:0], h.always...), h.list[h.ends[b]:h.ends[int(b)+1]]...)
	return h.hand
}

// runs is the state after a text.
func runs(d *automata.DFA, s int32, text []byte) int32 {
	for k := 0; k < len(text) && s != automata.Dead; k++ {
		s = d.Next(s, text[k])
	}
	return s
}
