package lr

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/index"
)

// The graph-structured stack, after Tomita ("Efficient parsing for natural language", 1985) with
// the repair of Nozohoor-Farshi ("GLR parsing for epsilon-grammars", 1991).
//
// Before a terminal, all reductions it allows are made on all stacks at once. States that come to
// lie on top get one node each, fresh; a reduction adds links from fresh nodes down. When a link
// is added to a fresh node whose reductions were made already, there are new ways down, and the
// reductions of fresh nodes are made again until nothing is new. Links from a fresh node to
// another, or to itself, make this exact for empty rules, hidden left recursion and cycles; that
// there is one node for a state and one link for a pair makes it end.
//
// Recognition needs only where the ways of a given length end, not the ways, so a reduction is a
// walk of sets: polynomial even where ways multiply.
//
// Tops of the stacks are never fresh: they were shifted on a terminal, whereas fresh states are
// those entered on a nonterminal. So nodes that others hold are never changed, and Stacks is
// an immutable value here too. What is fresh lives in a closure's scratch; of it, only what lies
// under a shifted terminal is copied out.
//
// Sharing does not stop at one terminal: two links to nodes of equal content, made at different
// times, are one. Otherwise a grammar with many readings of a list would have one link for
// each length of the list, though all lead to the same stacks.

// A closure makes all reductions before one terminal. It is scratch, used again and again.
type closure struct {
	t     *Tables
	term  int32
	fresh []*Node // in use: fresh[:n]
	n     int
	slot  []int32        // by state: 1 + the index of its fresh node, 0 for none
	state []freshState   // by index of fresh node
	todo  []*Node        // nodes with reductions to make
	index map[link]*Node // links of nodes that have many
	found bool           // some node shifts (or accepts on) term
	eager bool           // stop when found
	ends  nodeSet
	next  nodeSet

	frozen []*Node // by index of fresh node: its copy
	order  sccSearch
}

// A freshState is the progress of a fresh node.
type freshState struct {
	queued bool // in todo
	done   bool // its empty reductions have been made
	links  int
}

// A link is a way down from the fresh node of an index to a node of an identity.
type link struct {
	from int32
	to   uint64
}

// manyLinks is the number of links from which on duplicates are found by hash.
const manyLinks = 16

// forestAccepts is accepts by the general algorithm.
func (t *Tables) forestAccepts(top *Node, term int32) bool {
	c := t.closure(term)
	c.eager = true
	c.addTop(top)
	c.run()
	ok := c.found
	c.release()
	return ok
}

// shiftForest is Shift by the general algorithm.
func (t *Tables) shiftForest(s Stacks, terms []grammar.Terminal) (Stacks, bool) {
	var tops []*Node
	for i, x := range terms {
		if s.top != nil && int32(x) < t.end && !slices.Contains(terms[:i], x) {
			tops = t.shiftOne(tops, s, int32(x))
		}
	}
	if len(tops) == 0 {
		return Stacks{}, false
	}
	slices.SortFunc(tops, byContent)
	if len(tops) == 1 {
		return Stacks{top: tops[0]}, true
	}
	return Stacks{top: tops[0], rest: tops[1:len(tops):len(tops)]}, true
}

// shiftOne appends the tops that shifting one terminal makes.
func (t *Tables) shiftOne(tops []*Node, s Stacks, term int32) []*Node {
	if s.rest == nil {
		var w walk
		if out := t.settle(&w, s.top, term); out >= 0 {
			return append(tops, w.build(int32(out)))
		} else if out != unsure {
			return tops
		}
	}
	c := t.closure(term)
	for i := range s.NumTops() {
		c.addTop(s.TopNode(i))
	}
	c.run()
	if c.found {
		tops = c.shift(tops, s)
	}
	c.release()
	return tops
}

// closure takes a closure from the pool.
func (t *Tables) closure(term int32) *closure {
	c, _ := t.pool.Get().(*closure)
	if c == nil {
		c = &closure{t: t, slot: make([]int32, t.NumStates()), index: make(map[link]*Node)}
	}
	c.term, c.found, c.eager = term, false, false
	return c
}

// release clears c and gives it back.
func (c *closure) release() {
	for _, w := range c.fresh[:c.n] {
		c.slot[w.State] = 0
		clear(w.more)
		*w = Node{more: w.more[:0]}
	}
	clear(c.todo)
	clear(c.frozen)
	c.n, c.todo, c.state, c.frozen = 0, c.todo[:0], c.state[:0], c.frozen[:0]
	if len(c.index) > 0 {
		clear(c.index)
	}
	c.ends.reset()
	c.next.reset()
	c.t.pool.Put(c)
}

// addTop takes up a stack that is to be reduced.
func (c *closure) addTop(n *Node) { c.look(n) }

// look takes note of what node n does on the terminal, and queues it if it reduces.
func (c *closure) look(n *Node) {
	reduces := false
	for _, a := range c.t.Actions(n.State, grammar.Terminal(c.term)) {
		if a.Kind() == KindReduce {
			reduces = true
		} else {
			c.found = true
		}
	}
	if reduces {
		c.todo = append(c.todo, n)
		if n.Depth < 0 {
			c.state[-1-n.Depth].queued = true
		}
	}
}

// run makes reductions until nothing new comes of them.
func (c *closure) run() {
	for len(c.todo) > 0 && !(c.eager && c.found) {
		n := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		again := false
		if n.Depth < 0 {
			st := &c.state[-1-n.Depth]
			again, st.queued, st.done = st.done, false, true
		}
		for _, a := range c.t.Actions(n.State, grammar.Terminal(c.term)) {
			if a.Kind() != KindReduce {
				continue
			}
			rule := c.t.shape(a.Target())
			if rule.length > 0 || !again {
				c.reduce(n, rule)
			}
		}
	}
}

// reduce makes one reduction at n, on all ways down.
func (c *closure) reduce(n *Node, rule ruleShape) {
	c.descend(n, rule.length)
	known := c.n
	again := false
	for _, u := range c.ends.list {
		to := c.t.goTo(u.State, rule.lhs)
		w, isNew := c.node(to)
		if c.link(w, u) && int(-1-w.Depth) < known {
			again = true
		}
		if isNew {
			c.look(w)
		}
	}
	if again {
		c.again()
	}
}

// again queues all fresh nodes with reductions: one of them has got another way down, and others
// may lie over it.
func (c *closure) again() {
	for i, w := range c.fresh[:c.n] {
		if st := &c.state[i]; st.done && !st.queued {
			st.queued = true
			c.todo = append(c.todo, w)
		}
	}
}

// descend sets ends to the nodes that length links lead to from n.
func (c *closure) descend(n *Node, length int32) {
	c.ends.reset()
	c.ends.add(n)
	for ; length > 0; length-- {
		c.next.reset()
		for _, x := range c.ends.list {
			for i := range x.NumUnder() {
				c.next.add(x.Under(i))
			}
		}
		c.ends, c.next = c.next, c.ends
	}
}

// node is the fresh node of state.
func (c *closure) node(state int32) (n *Node, isNew bool) {
	for int(state) >= len(c.slot) { // states on demand
		c.slot = append(c.slot, 0)
	}
	if i := c.slot[state]; i != 0 {
		return c.fresh[i-1], false
	}
	if c.n == len(c.fresh) {
		c.fresh = append(c.fresh, new(Node))
	}
	n = c.fresh[c.n]
	c.n++
	c.slot[state] = int32(c.n)
	c.state = append(c.state, freshState{})
	n.State, n.Depth = state, int32(-c.n)
	return n, true
}

// identity is a number that equal targets of a link have in common.
func identity(n *Node) uint64 {
	if n.Depth < 0 {
		return index.Mix(uint64(-int64(n.Depth)))
	}
	return n.key
}

// link adds a link from fresh node w down to u; false if there is one.
func (c *closure) link(w, u *Node) bool {
	st := &c.state[-1-w.Depth]
	switch {
	case st.links < manyLinks:
		if linked(w, u) {
			return false
		}
	case st.links == manyLinks:
		for i := range w.NumUnder() {
			c.index[link{w.Depth, identity(w.Under(i))}] = w.Under(i)
		}
		fallthrough
	default:
		at := link{w.Depth, identity(u)}
		if o := c.index[at]; o == nil {
			c.index[at] = u
		} else if sameTarget(o, u) || linked(w, u) { // if not the same: two identities collide
			return false
		}
	}
	st.links++
	if w.prev == nil {
		w.prev = u
	} else {
		w.more = append(w.more, u)
	}
	return true
}

// linked tells whether w has a link to u.
func linked(w, u *Node) bool {
	for i := range w.NumUnder() {
		if sameTarget(w.Under(i), u) {
			return true
		}
	}
	return false
}

// sameTarget tells whether two nodes stand for the same stacks. Fresh nodes differ by their state.
func sameTarget(a, b *Node) bool {
	return a == b || a.Depth >= 0 && b.Depth >= 0 && a.Equal(b)
}

// A nodeSet is a set of nodes in order of addition.
type nodeSet struct {
	list []*Node
	has  map[*Node]struct{} // in use from manyLinks members on
}

func (s *nodeSet) reset() {
	clear(s.list)
	s.list = s.list[:0]
	if len(s.has) > 0 {
		clear(s.has)
	}
}

func (s *nodeSet) add(n *Node) {
	if len(s.list) < manyLinks {
		if slices.Contains(s.list, n) {
			return
		}
		s.list = append(s.list, n)
		return
	}
	if len(s.list) == manyLinks {
		if s.has == nil {
			s.has = make(map[*Node]struct{})
		}
		for _, o := range s.list {
			s.has[o] = struct{}{}
		}
	}
	if _, ok := s.has[n]; !ok {
		s.has[n] = struct{}{}
		s.list = append(s.list, n)
	}
}
