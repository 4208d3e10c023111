package lr

import (
	"math/bits"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// Stacks is the state of a parser: what it has read, as the set of all its possible stacks. It is
// an immutable value, two words large where there is one stack; copies are free, and parsing on
// from one leaves it as it was. The zero value has no stack and accepts nothing.
//
// The terminals read so far are reduced only when the next one is known, so the top of each stack
// is the state after a shift (or the start state).
type Stacks struct {
	top  *Node
	rest []*Node // more tops, of other states; top and rest by ascending state
}

// Start is the parser that has read nothing.
func (t *Tables) Start() Stacks { return Stacks{top: t.bottom} }

// Shift reads one lexeme: each member of terms is reduced for and shifted by every stack that can,
// and the results are united. Usually terms is a single terminal; it has several members where a
// lexeme matches several terminals and all are to be tried. Shift is false if no member can be
// shifted on any stack, and then, as always, s itself can still be used. End() cannot be shifted.
//
// With one stack and one terminal, and no conflict met, it allocates the new nodes at once.
func (t *Tables) Shift(s Stacks, terms ...grammar.Terminal) (Stacks, bool) {
	if len(terms) == 1 && s.top != nil && s.rest == nil {
		var w walk
		switch out := t.settle(&w, s.top, int32(terms[0])); out {
		case refused, accepted:
			return Stacks{}, false
		case unsure:
		default:
			return Stacks{top: w.build(int32(out))}, true
		}
	}
	return t.shiftForest(s, terms)
}

// Accepts tells whether Shift(s, term) would succeed, or for End() whether the input is a sentence.
// It builds nothing; on a plain stack it allocates nothing.
func (t *Tables) Accepts(s Stacks, term grammar.Terminal) bool {
	if s.top == nil || t.accepts(s.top, int32(term)) {
		return s.top != nil
	}
	for _, top := range s.rest {
		if t.accepts(top, int32(term)) {
			return true
		}
	}
	return false
}

// AcceptsEnd tells whether what was read is a whole sentence.
func (t *Tables) AcceptsEnd(s Stacks) bool { return t.Accepts(s, t.End()) }

// AcceptsAny tells whether at least one member of a set of terminals (which may have End() in it;
// see NewSet for the layout) would be accepted. It is faster than asking one by one.
func (t *Tables) AcceptsAny(s Stacks, terms []uint64) bool {
	if s.top == nil || t.acceptsAny(s.top, terms) {
		return s.top != nil
	}
	for _, top := range s.rest {
		if t.acceptsAny(top, terms) {
			return true
		}
	}
	return false
}

// Acceptable appends the terminals that would be accepted to dst, ascending; the last is End() if
// what was read is a whole sentence.
func (t *Tables) Acceptable(s Stacks, dst []grammar.Terminal) []grammar.Terminal {
	if s.top == nil {
		return dst
	}
	live := slices.Clone(t.Live(s.top.State))
	for _, top := range s.rest {
		bitset.Unite(live, t.Live(top.State))
	}
	for x := range bitset.All[grammar.Terminal](live) {
		if t.Accepts(s, x) {
			dst = append(dst, x)
		}
	}
	return dst
}

// An outcome of settle: the state that is shifted to, or one of the following.
type outcome int32

const (
	refused  outcome = -1 // the terminal is refused
	accepted outcome = -2 // the end of input, and it is accepted
	unsure   outcome = -3 // a conflict, or a fork in the stack: the general algorithm must decide
)

// A walk is a stack in the course of reductions: the part of base that is still there, and the
// states pushed on it since. A reduction replaces what it pops by one state, so most walks have
// pushed but one or two states at any time; empty rules add to them. (The states are not in one
// slice that starts out in room: a walk that pointed to itself would be put on the heap.)
type walk struct {
	base  *Node
	n     int32 // number of pushed states
	room  [walkRoom]int32
	spill []int32 // those that room has no place for
}

// walkRoom is the number of pushed states that need no allocation.
const walkRoom = 14

func (w *walk) push(state int32) {
	if w.n < walkRoom {
		w.room[w.n] = state
	} else {
		w.spill = append(w.spill[:w.n-walkRoom], state)
	}
	w.n++
}

func (w *walk) at(i int32) int32 {
	if i < walkRoom {
		return w.room[i]
	}
	return w.spill[i-walkRoom]
}

// pop takes k states off and returns the one then on top; -1 if the stack forks there.
func (w *walk) pop(k int32) int32 {
	if k < w.n {
		w.n -= k
		return w.at(w.n - 1)
	}
	for k -= w.n; k > 0; k-- {
		if w.base.more != nil {
			return -1
		}
		w.base = w.base.prev
	}
	w.n = 0
	return w.base.State
}

// build makes the nodes of a walk with state on top, in one allocation.
func (w *walk) build(state int32) *Node {
	if w.n == 0 {
		return newNode(state, w.base)
	}
	nodes := make([]Node, w.n+1)
	prev := w.base
	for i := range w.n {
		nodes[i].put(w.at(i), prev)
		prev = &nodes[i]
	}
	last := &nodes[w.n]
	last.put(state, prev)
	return last
}

// maxSteps bounds the reductions on one terminal before settle gives up and leaves the case to
// the general algorithm, which ends always. A run that ends takes some tens of steps.
const maxSteps = 1 << 12

// settle reduces on top of base until term can be shifted, is accepted or is refused. It handles
// plain stacks and single actions, the common case.
func (t *Tables) settle(w *walk, base *Node, term int32) outcome {
	w.base = base
	top := base.State
	for range maxSteps {
		a := t.action(top, term)
		switch {
		case a < 0:
			return unsure
		case a.Kind() == KindShift:
			return outcome(a.Target())
		case a.Kind() == KindNone:
			return refused
		case a.Kind() == KindAccept:
			return accepted
		}
		rule := t.shape(a.Target())
		under := w.pop(rule.length)
		if under < 0 {
			return unsure
		}
		if t.loops != nil && t.Loops(under, grammar.Nonterminal(rule.lhs), grammar.Terminal(term)) {
			return refused
		}
		top = t.goTo(under, rule.lhs)
		w.push(top)
	}
	return unsure
}

// accepts is Accepts for one top.
func (t *Tables) accepts(top *Node, term int32) bool {
	var w walk
	switch t.settle(&w, top, term) {
	case refused:
		return false
	case unsure:
		return t.forestAccepts(top, term)
	}
	return true
}

// acceptsAny is AcceptsAny for one top. As long as a state has one reduction for whatever comes
// next, all members are reduced for together.
func (t *Tables) acceptsAny(top *Node, terms []uint64) bool {
	var w walk
	w.base = top
	state := top.State
	for range maxSteps {
		row, live := t.row(state), t.Live(state)
		if !bitset.Intersect(live, terms) {
			return false
		}
		r := row.only()
		if r < 0 && bitset.Intersect(t.Shiftable(state), terms) {
			return true
		}
		if r < 0 || t.loops != nil {
			break
		}
		rule := t.shape(r)
		under := w.pop(rule.length)
		if under < 0 {
			break
		}
		state = t.goTo(under, rule.lhs)
		w.push(state)
	}
	return t.acceptsOne(top, t.Live(state), terms)
}

// acceptsOne tries the members of two sets one by one. Tables that grow may have more terminals
// than the second knows.
func (t *Tables) acceptsOne(top *Node, live, terms []uint64) bool {
	for i, word := range live[:min(len(live), len(terms))] {
		for word &= terms[i]; word != 0; word &= word - 1 {
			if t.accepts(top, int32(i<<6+bits.TrailingZeros64(word))) {
				return true
			}
		}
	}
	return false
}

// Top is the top state if all stacks share it, as a plain stack's does; false if there is none or
// more than one.
func (s Stacks) Top() (int32, bool) {
	if s.top == nil || s.rest != nil {
		return 0, false
	}
	return s.top.State, true
}

// Tops are the top nodes, of different states, by ascending state.
func (s Stacks) Tops() []*Node {
	if s.top == nil {
		return nil
	}
	return append([]*Node{s.top}, s.rest...)
}

// NumTops is the number of top nodes.
func (s Stacks) NumTops() int {
	if s.top == nil {
		return 0
	}
	return 1 + len(s.rest)
}

// TopNode is the i-th top node, without allocating.
func (s Stacks) TopNode(i int) *Node {
	if i == 0 {
		return s.top
	}
	return s.rest[i-1]
}

// Equal tells whether s and o hold the same stacks (by structure; see Node.Equal).
func (s Stacks) Equal(o Stacks) bool {
	if s.NumTops() != o.NumTops() {
		return false
	}
	var c comparison
	for i := range s.NumTops() {
		if !c.same(s.TopNode(i), o.TopNode(i)) {
			return false
		}
	}
	return true
}

// Key is a hash: equal Stacks have equal keys. It is kept up to date node by node and costs
// nothing.
func (s Stacks) Key() uint64 {
	if s.rest == nil {
		if s.top == nil {
			return 0
		}
		return s.top.key
	}
	sum := index.Mix(s.top.key)
	for _, n := range s.rest {
		sum += index.Mix(n.key)
	}
	return index.Mix(sum)
}

// maxDescribed bounds how many stacks Describe lists, and maxForks how many nodes with several
// below it looks at for them: the number of ways through a graph can be exponential.
const (
	maxDescribed = 16
	maxForks     = 1 << 16
)

// Describe lists the stacks, as LR states, bottom first and top last. Of many it lists some; a
// cycle of the graph is not followed.
func (s Stacks) Describe() [][]int32 {
	var all [][]int32
	var path []*Node
	forks := 0
	var visit func(n *Node)
	visit = func(n *Node) {
		if n.more != nil {
			forks++
		}
		if forks > maxForks || len(all) == maxDescribed || n.more != nil && slices.Contains(path, n) {
			return
		}
		path = append(path, n)
		if n.prev == nil {
			all = appendNew(all, path)
		}
		for i := range n.NumUnder() {
			visit(n.Under(i))
		}
		path = path[:len(path)-1]
	}
	for i := range s.NumTops() {
		visit(s.TopNode(i))
	}
	return all
}

// appendNew appends the states of a path from top to bottom, unless they are there.
func appendNew(all [][]int32, path []*Node) [][]int32 {
	stack := make([]int32, len(path))
	for i, n := range path {
		stack[len(path)-1-i] = n.State
	}
	if slices.ContainsFunc(all, func(o []int32) bool { return slices.Equal(o, stack) }) {
		return all
	}
	return append(all, stack)
}
