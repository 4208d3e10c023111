package jsontokens

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/automata"
)

// Most states inside strings are a free string's but for a few tokens. In the keys of an object
// these are the tokens that go along the rest of a declared key, in a string of bounded length
// the long ones. So the effect on such a state is computed as a difference. The live state is
// followed together with a base: a state that began in a free string (free.go), either the free
// state of the same automaton, or one in an automaton made for the language that the live state
// is free in. The pair is a product state. Where both are in states that no rest of a token tells
// apart, and nothing else is alive, the subtree need not be looked at: its tokens have the effect
// that they have on the free string. The walk visits the paths of the declared keys through the
// slices, some dozen nodes, or the long tokens. The effect on free strings is found once per
// vocabulary and language.

// maxDeltaNodes is how many nodes are visited before a difference is given up as too large. A
// crawl takes no more time then.
const maxDeltaNodes = 256

// delta is the walk that finds a difference.
type delta struct {
	l     *Lexicon
	kind  sliceKind
	slice *Slice
	stack []productState
	left  int // nodes that may still be looked at
	difference
	moves []moved
}

// A difference is the tokens that leave a base alive and no live state (minus), and those that
// leave a live state alive and no base (plus).
type difference struct{ minus, plus []int32 }

// note adds tokens: was tells whether they leave a base alive, is whether they leave a live state
// alive.
func (d *difference) note(tokens []int32, was, is bool) {
	switch {
	case was && !is:
		d.minus = append(d.minus, tokens...)
	case is && !was:
		d.plus = append(d.plus, tokens...)
	}
}

// A moved is quotes at which the live states that accept are not those whose bases accept.
type moved struct {
	from, to []int32 // by index
	at       []spot
}

// A based is the base of a live state, its language, and the live state's index.
type based struct {
	at       Live // the base
	language *language
	index    int32
}

// delta is the effect on some live states as a difference to the effect on their bases. It is nil
// if they have no bases, or if the difference is too large.
func (l *Lexicon) delta(lives []Live) *Effect {
	left := maxDeltaNodes
	if t := lives[0]; len(lives) == 1 && t.p.phases[t.state] == inside {
		if to := t.p.freeForGood(); to.state != automata.Dead && l.without&Detours == 0 {
			return l.singleDelta(t, to)
		} else if to.state != automata.Dead {
			left = maxSingle
			if (&singleDelta{p: t.p}).differing(t.state, to.state) > maxDiverging {
				return nil
			}
		}
	}
	if l.without&Differs != 0 {
		return nil
	}
	w := delta{l: l, left: left, stack: make([]productState, 0, 2*len(lives)+8)}
	var bases []based
	for i, t := range lives {
		if t.p.phases[t.state] != inside {
			return nil
		}
		x := l.productState(t, int32(i))
		if x.base.state != automata.Dead {
			g := x.language
			if g == nil {
				g = t.p.freeForGood().language
			}
			bases = append(bases, based{x.base, g, int32(i)})
		}
		w.stack = append(w.stack, x)
	}
	if len(bases) == 0 {
		return nil
	}
	base := l.freeEffect(bases)
	if base.Alive == nil {
		return nil
	}
	for k := range l.slices {
		w.kind, w.slice = sliceKind(k), &l.slices[k]
		if !w.settled(0, w.stack) && !w.longer() && !w.below(0, 0, len(w.stack)) {
			return nil
		}
	}
	return w.effect(base, bases)
}

// longer decides the plain tokens where a string of bounded length is the only live state. Tokens
// with more characters than the string is free for are tried one by one, if they are few. The
// base is alive after all.
func (w *delta) longer() bool {
	x := &w.stack[0]
	if w.kind != plainSlice || len(w.stack) > 1 || x.language == nil {
		return false
	}
	from := w.l.upTo[min(int(x.run), len(w.l.upTo)-1)]
	if len(w.l.byLength)-int(from) > maxLonger {
		return false
	}
	for i, id := range w.l.byLength[from:] {
		if runs(x.p.d, x.state, w.l.texts[int(from)+i]) == automata.Dead {
			w.minus = append(w.minus, id)
		}
	}
	return true
}

// maxLonger is how many tokens are tried one by one. Each takes as many steps as the string has
// characters left.
const maxLonger = 400

// freeEffect is the effect on some bases. It sorts them by language; the effect's members are
// places in that order.
func (l *Lexicon) freeEffect(bases []based) *Effect {
	slices.SortStableFunc(bases, func(a, b based) int { return cmp.Compare(a.language.id, b.language.id) })
	var key []byte
	for _, s := range bases {
		key = binary.LittleEndian.AppendUint32(key, s.language.id)
	}
	v := l.free.get(key)
	if v == nil {
		var list []Live
		for _, s := range bases {
			list = append(list, s.at)
		}
		v = l.crawl(list)
		l.free.put(key, v)
	}
	return v
}

// settled tells whether no token below a node tells live states and bases apart.
func (w *delta) settled(i int32, states []productState) bool {
	for k := range states {
		if x := &states[k]; !x.same() && !x.freeFor(w.slice.nodes[i].height) {
			return false
		}
	}
	return true
}

// fewKids is the number of children up to which all of them are tried.
const fewKids = 6

// below goes on to the children of a node, with stack[lo:hi] there, after whose byte live states
// and bases differ. It is false if the difference is too large.
func (w *delta) below(i int32, lo, hi int) bool {
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
	into := w.dispatch(lo, hi)
	for k, set := range some {
		for ; set != 0; set &= set - 1 {
			b := byte(k<<6 + bits.TrailingZeros64(set))
			if kid := w.slice.child(i, b); kid >= 0 && !w.kid(kid, b, into.of(b)) {
				return false
			}
		}
	}
	return true
}

// kid steps product states to a child, and visits it unless it is settled.
func (w *delta) kid(kid int32, b byte, states []productState) bool {
	top := len(w.stack)
	for k := range states {
		x := &states[k]
		state, base := automata.Dead, automata.Dead
		if x.state != automata.Dead && x.p.alive[x.state].has(b) {
			state = x.p.d.Next(x.state, b)
		}
		if x.base.state != automata.Dead {
			base = x.base.p.d.Next(x.base.state, b)
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
func (w *delta) visit(i int32, lo, hi int) bool {
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

// move notes a quote that completes live states or bases.
func (w *delta) move(i int32, stack []productState) {
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

// effect is the base's effect with the difference applied.
func (w *delta) effect(base *Effect, bases []based) *Effect {
	v := &Effect{}
	v.setAlive(base.Alive, w.minus, w.plus)
	for _, c := range base.Closings {
		members := make([]int32, len(c.Members))
		for k, m := range c.Members {
			members[k] = bases[m].index
		}
		slices.Sort(members)
		var without []spot
		for k := range w.moves {
			if slices.Equal(w.moves[k].from, members) {
				without = append(without, w.moves[k].at...)
			}
		}
		v.add(members, w.l.list(listing{base: c.List, without: without}))
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
