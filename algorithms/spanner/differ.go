package spanner

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/automata"
)

// Most states in the keys of an object are a free string's but for a few tokens: those that go along the rest
// of a declared key. So the verdict on such a state is a difference. An ending whose automaton has a sink is
// followed together with a second run that began there, the base; where a token leaves both runs in the same
// state, and nothing else is alive, what comes after it is as after the sink, and need not be looked at. What
// is left is the paths of the declared keys through the slices, some dozen nodes. The verdict on the sinks
// themselves is found once per vocabulary and language.

// maxDiffering is how many nodes are looked at before a difference is given up as too large: a walk of what
// is alive (crawl) takes no more time then.
const maxDiffering = 256

// A twin is an ending, and where its base is: automata.Dead if it has none, or it is dead.
type twin struct {
	ending
	base  int32
	index int32
}

// differ is the walk of a difference.
type differ struct {
	l     *lexicon
	kind  sliceKind
	slice *slice
	stack []twin
	left  int // nodes that may still be looked at
	// minus are the tokens after which a base is alive and no ending, plus those after which it is the other
	// way round.
	minus, plus []int32
	moves       []moved
}

// A moved is quotes after which other endings accept than have a base that does.
type moved struct {
	from, to []int32 // by index
	at       []spot
}

// A sunk is an ending with a sink.
type sunk struct {
	sink
	index int32
}

// differ is the verdict on some endings as a difference to that on their sinks; nil if they have none, or
// differ too much.
func (l *lexicon) differ(endings []ending) *verdict {
	w := differ{l: l, left: maxDiffering, stack: make([]twin, 0, 4*len(endings))}
	var sinks []sunk
	for i, t := range endings {
		if t.p.phases[t.state] != inside {
			return nil
		}
		to := t.p.sinkOf(t.d)
		if to.state != automata.Dead {
			sinks = append(sinks, sunk{to, int32(i)})
		}
		w.stack = append(w.stack, twin{t, to.state, int32(i)})
	}
	if len(sinks) == 0 {
		return nil
	}
	base := l.judgeSinks(sinks, endings)
	if base.alive == nil {
		return nil
	}
	for k := range l.slices {
		w.kind, w.slice = sliceKind(k), &l.slices[k]
		if !w.below(0, 0, len(w.stack)) {
			return nil
		}
	}
	return w.verdict(base, sinks)
}

// judgeSinks is the verdict on some sinks, which it puts in order of their languages: its members are places
// in that.
func (l *lexicon) judgeSinks(sinks []sunk, endings []ending) *verdict {
	slices.SortStableFunc(sinks, func(a, b sunk) int { return cmp.Compare(a.language, b.language) })
	// The key is not one of endings, which have eight bytes each.
	key := []byte{0}
	for _, s := range sinks {
		key = binary.LittleEndian.AppendUint32(key, s.language)
	}
	v := l.found.get(key)
	if v == nil {
		var list []ending
		for _, s := range sinks {
			at := endings[s.index]
			at.state = s.state
			list = append(list, at)
		}
		v = l.crawl(list)
		l.found.put(key, v)
	}
	return v
}

// fewKids is the number of a node's children up to which they are all tried.
const fewKids = 24

// below is at a node, with stack[lo:hi], and goes on to the children that endings and bases differ after. It
// is false if there is too much of it.
func (w *differ) below(i int32, lo, hi int) bool {
	n := &w.slice.nodes[i]
	if n.kidHi-n.kidLo <= fewKids {
		for at, b := range w.slice.bytes[n.kidLo:n.kidHi] {
			if !w.kid(w.slice.kids[int(n.kidLo)+at], b, w.stack[lo:hi]) {
				return false
			}
		}
		return true
	}
	var some byteSet
	for k := lo; k < hi; k++ {
		w.stack[k].addDiffering(&some)
	}
	into := w.deal(lo, hi)
	for k, set := range some {
		for ; set != 0; set &= set - 1 {
			b := byte(k<<6 + bits.TrailingZeros64(set))
			if kid := w.slice.child(i, b); kid >= 0 && !w.kid(kid, b, into.twins(b)) {
				return false
			}
		}
	}
	return true
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
	if hi-lo < manyTwins {
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
		if x := &w.stack[k]; x.base != automata.Dead {
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
		if x := &w.stack[k]; x.base == automata.Dead {
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

// addDiffering adds the bytes that lead an ending and its base to different states.
func (x *twin) addDiffering(some *byteSet) {
	switch {
	case x.state == x.base:
	case x.base == automata.Dead:
		some.unite(&x.p.alive[x.state])
	case x.state == automata.Dead:
		some.unite(&x.p.alive[x.base])
	default:
		base := x.d.Row(x.base)
		for c, to := range x.d.Row(x.state) {
			if to != base[c] {
				some.unite(&x.p.classes[c])
			}
		}
	}
}

// kid steps some twins to a child, and looks at it unless endings and bases are the same there.
func (w *differ) kid(kid int32, b byte, twins []twin) bool {
	top, same := len(w.stack), true
	for k := range twins {
		x := &twins[k]
		if x.base == automata.Dead && !x.p.alive[x.state].has(b) {
			continue
		}
		state, base := x.d.Next(x.state, b), x.d.Next(x.base, b)
		if state != automata.Dead || base != automata.Dead {
			same = same && state == base
			w.stack = append(w.stack, twin{ending{x.d, x.p, state}, base, x.index})
		}
	}
	ok := same || w.visit(kid, top, len(w.stack))
	w.stack = w.stack[:top]
	return ok
}

// visit is at a node with stack[lo:hi].
func (w *differ) visit(i int32, lo, hi int) bool {
	if w.left--; w.left < 0 {
		return false
	}
	was, is, closing := false, false, false
	for k := lo; k < hi; k++ {
		x := &w.stack[k]
		was, is = was || x.base != automata.Dead, is || x.state != automata.Dead
		closing = closing || x.p.phases[max(x.state, x.base)] == closed
	}
	n := &w.slice.nodes[i]
	switch own := w.slice.order[n.lo:n.own]; {
	case was && !is:
		w.minus = append(w.minus, own...)
	case is && !was:
		w.plus = append(w.plus, own...)
	}
	switch {
	case n.kidLo == n.kidHi:
		return true
	case closing:
		w.move(i, w.stack[lo:hi])
		return true
	}
	return w.below(i, lo, hi)
}

// move notes a quote that ends endings or bases.
func (w *differ) move(i int32, stack []twin) {
	var from, to []int32
	for k := range stack {
		if stack[k].base != automata.Dead {
			from = append(from, stack[k].index)
		}
		if stack[k].state != automata.Dead {
			to = append(to, stack[k].index)
		}
	}
	slices.Sort(from)
	slices.Sort(to)
	if slices.Equal(from, to) {
		return
	}
	k := slices.IndexFunc(w.moves, func(m moved) bool { return slices.Equal(m.from, from) && slices.Equal(m.to, to) })
	if k < 0 {
		k = len(w.moves)
		w.moves = append(w.moves, moved{from: from, to: to})
	}
	w.moves[k].at = append(w.moves[k].at, spot{w.kind, i})
}

// verdict is what the walk has found.
func (w *differ) verdict(base *verdict, sinks []sunk) *verdict {
	v := &verdict{}
	v.setAlive(base.alive, w.minus, w.plus)
	for _, c := range base.closers {
		members := make([]int32, len(c.members))
		for k, m := range c.members {
			members[k] = sinks[m].index
		}
		slices.Sort(members)
		var without []spot
		for k := range w.moves {
			if slices.Equal(w.moves[k].from, members) {
				without = append(without, w.moves[k].at...)
			}
		}
		v.add(members, w.l.list(listing{base: c.list, without: without}))
	}
	for k, m := range w.moves {
		if len(m.to) == 0 || slices.ContainsFunc(w.moves[:k], func(o moved) bool { return slices.Equal(o.to, m.to) }) {
			continue
		}
		var with []spot
		for _, o := range w.moves[k:] {
			if slices.Equal(o.to, m.to) {
				with = append(with, o.at...)
			}
		}
		v.add(m.to, w.l.list(listing{with: with}))
	}
	return v
}

// add adds a closer, unless it has no tokens.
func (v *verdict) add(members []int32, list *restList) {
	if len(list.tokens) > 0 {
		v.closers = append(v.closers, closer{members, list})
	}
}
