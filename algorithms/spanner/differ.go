package spanner

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/automata"
)

// Most states inside of strings are a free string's but for a few tokens: in the keys of an object, those
// that go along the rest of a declared key; in a string of bounded length, those that are longer. So the
// verdict on such a state is a difference. An ending is followed together with a second run, its base,
// that began in a free string (sink.go): in the sink of its own automaton, or in an automaton of the language that
// it is free in. Where a token leaves both in states that the rest of no token tells apart, and nothing else is alive,
// what comes after it is as in the free string, and need not be looked at. What is left is the paths of the declared
// keys through the slices, some dozen nodes, or those of long tokens. The verdict on free strings themselves
// is found once per vocabulary and language.

// maxDiffering is how many nodes are looked at before a difference is given up as too large: a walk of what
// is alive (crawl) takes no more time then.
const maxDiffering = 256

// differ is the walk of a difference.
type differ struct {
	l     *lexicon
	kind  sliceKind
	slice *slice
	stack []twin
	left  int // nodes that may still be looked at
	difference
	moves []moved
}

// A difference is the tokens after which a base is alive and no ending (minus), and those after which it is the other way
// round (plus).
type difference struct{ minus, plus []int32 }

// note adds tokens after which a base was alive, or an ending is.
func (d *difference) note(tokens []int32, was, is bool) {
	switch {
	case was && !is:
		d.minus = append(d.minus, tokens...)
	case is && !was:
		d.plus = append(d.plus, tokens...)
	}
}

// A moved is quotes after which other endings accept than have a base that does.
type moved struct {
	from, to []int32 // by index
	at       []spot
}

// A sunk is an ending with a base.
type sunk struct {
	at       ending // the base
	language *language
	index    int32
}

// differ is the verdict on some endings as a difference to that on their bases; nil if they have none, or
// differ too much.
func (l *lexicon) differ(endings []ending) *verdict {
	left := maxDiffering
	if t := endings[0]; len(endings) == 1 && t.p.phases[t.state] == inside {
		if to := t.p.sinkOf(t.d); to.state != automata.Dead && l.without&Detours == 0 {
			return l.detour(t, to)
		} else if to.state != automata.Dead {
			left = maxDetour
			if (&detour{d: t.d, p: t.p}).differing(t.state, to.state) > maxDiverging {
				return nil
			}
		}
	}
	if l.without&Differs != 0 {
		return nil
	}
	w := differ{l: l, left: left, stack: make([]twin, 0, 2*len(endings)+8)}
	var sinks []sunk
	for i, t := range endings {
		if t.p.phases[t.state] != inside {
			return nil
		}
		x := l.twin(t, int32(i))
		if x.base.state != automata.Dead {
			g := x.language
			if g == nil {
				g = t.p.sinkOf(t.d).language
			}
			sinks = append(sinks, sunk{x.base, g, int32(i)})
		}
		w.stack = append(w.stack, x)
	}
	if len(sinks) == 0 {
		return nil
	}
	base := l.judgeSinks(sinks)
	if base.alive == nil {
		return nil
	}
	for k := range l.slices {
		w.kind, w.slice = sliceKind(k), &l.slices[k]
		if !w.settled(0, w.stack) && !w.longer() && !w.below(0, 0, len(w.stack)) {
			return nil
		}
	}
	return w.verdict(base, sinks)
}

// longer decides the plain tokens of a string of bounded length that is the only ending: those of more characters than it
// is free for are looked at one by one, if they are few. The base is alive after all.
func (w *differ) longer() bool {
	x := &w.stack[0]
	if w.kind != plainSlice || len(w.stack) > 1 || x.language == nil {
		return false
	}
	from := w.l.upTo[min(int(x.run), len(w.l.upTo)-1)]
	if len(w.l.byLength)-int(from) > maxLonger {
		return false
	}
	for i, id := range w.l.byLength[from:] {
		if runs(x.d, x.state, w.l.texts[int(from)+i]) == automata.Dead {
			w.minus = append(w.minus, id)
		}
	}
	return true
}

// maxLonger is how many tokens are looked at one by one; each takes as many steps as the string has characters left.
const maxLonger = 400

// judgeSinks is the verdict on some bases, which it puts in order of their languages: its members are places
// in that.
func (l *lexicon) judgeSinks(sinks []sunk) *verdict {
	slices.SortStableFunc(sinks, func(a, b sunk) int { return cmp.Compare(a.language.id, b.language.id) })
	// The key is not one of endings, which have eight bytes each.
	key := []byte{0}
	for _, s := range sinks {
		key = binary.LittleEndian.AppendUint32(key, s.language.id)
	}
	v := l.found.get(key)
	if v == nil {
		var list []ending
		for _, s := range sinks {
			list = append(list, s.at)
		}
		v = l.crawl(list)
		l.found.put(key, v)
	}
	return v
}

// settled tells whether no token below a node tells endings and bases apart.
func (w *differ) settled(i int32, twins []twin) bool {
	for k := range twins {
		if x := &twins[k]; !x.same() && !x.freeFor(w.slice.nodes[i].height) {
			return false
		}
	}
	return true
}

// fewKids is the number of a node's children up to which they are all tried.
const fewKids = 6

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

// kid steps some twins to a child, and looks at it unless it is settled.
func (w *differ) kid(kid int32, b byte, twins []twin) bool {
	top := len(w.stack)
	for k := range twins {
		x := &twins[k]
		state, base := automata.Dead, automata.Dead
		if x.state != automata.Dead && x.p.alive[x.state].has(b) {
			state = x.d.Next(x.state, b)
		}
		if x.base.state != automata.Dead {
			base = x.base.d.Next(x.base.state, b)
		}
		if state != automata.Dead || base != automata.Dead {
			w.stack = append(w.stack, *x)
			to := &w.stack[len(w.stack)-1]
			to.state, to.base.state = state, base
		}
	}
	ok := w.settled(kid, w.stack[top:]) || w.visit(kid, top, len(w.stack))
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
		if x.base.state != automata.Dead {
			was, closing = true, closing || x.base.p.phases[x.base.state] == closed
		}
		if x.state != automata.Dead {
			is, closing = true, closing || x.p.phases[x.state] == closed
		}
	}
	n := &w.slice.nodes[i]
	w.note(w.slice.order[n.lo:n.own], was, is)
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
		if stack[k].base.state != automata.Dead {
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
