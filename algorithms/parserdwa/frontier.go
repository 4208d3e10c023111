package parserdwa

import "gcdbench/grammar/lr"

// The automaton run as the paper's sketch has it, without determinization: a frontier of items,
// each with the tokens that reached it. Reading a symbol intersects an item's tokens with the
// weight of each of its transitions, and unites what arrives at the same item. Tokens that were
// accepted on any way are decided, and are taken out of the frontier; when it is empty, the mask is
// done.
//
// It is the definition that the determinized automaton is compared with, in tests and in time. All
// its work is done under the automaton's lock.
type frontier struct {
	a    *automaton
	mask []uint64
	free [][]uint64
	seen map[reached]([]uint64)
	todo []wave
	next []int32
	read int
}

// A wave is a frontier that is to read a node of the stacks.
type wave struct {
	node *lr.Node
	sets map[int32][]uint64 // by item
}

// reached is an item that waits for a symbol below a node where the stack forks.
type reached struct {
	node *lr.Node
	item int32
}

// fill writes what is accepted from a start state, and from line unless that is nil, over the words
// of a mask. It returns the number of symbols read.
func (f *frontier) fill(a *automaton, s, line *state, stacks lr.Stacks, mask []uint64) (read int) {
	clear(mask)
	read = f.stacks(a, s, stacks, mask)
	if line != nil {
		read += f.stacks(a, line, stacks, mask)
	}
	return read
}

// stacks unites what the start state s accepts on all stacks into mask. It returns the number of
// symbols read.
func (f *frontier) stacks(a *automaton, s *state, stacks lr.Stacks, mask []uint64) int {
	f.a, f.mask, f.read = a, mask, 0
	clear(f.seen)
	for i := range stacks.NumTops() {
		top := stacks.TopNode(i)
		f.read++
		first := a.step(s, top.State)
		first.weight.orInto(mask)
		if first.to == nil {
			continue
		}
		a.mu.Lock()
		w := wave{top, map[int32][]uint64{}}
		for _, id := range first.to.items {
			f.arrive(w.sets, id, nil)
		}
		f.below(w)
		a.mu.Unlock()
	}
	for len(f.todo) > 0 {
		last := len(f.todo) - 1
		w := f.todo[last]
		f.todo = f.todo[:last]
		a.mu.Lock()
		f.symbol(w)
		a.mu.Unlock()
	}
	return f.read
}

// weight is the weight of a transition into an item: the tokens that lie after it.
func (f *frontier) weight(id int32) *weight {
	t := f.a.composer.terminals
	if target := f.a.composer.items.list.At(id).target; target < 0 {
		return t.finals[^target].weight
	} else {
		return t.tokens(target)
	}
}

// arrive adds to an item of sets those of tokens (nil: all there are) that its weight lets pass and
// that are not decided.
func (f *frontier) arrive(sets map[int32][]uint64, id int32, tokens []uint64) {
	w := f.weight(id)
	if w.within(f.mask) {
		return
	}
	set := sets[id]
	if set == nil {
		set = f.set()
	}
	alive := false
	for i, x := range w.words {
		at := w.place(i)
		if tokens != nil {
			x &= tokens[at]
		}
		x &^= f.mask[at]
		set[at] |= x
		alive = alive || x != 0
	}
	if alive {
		sets[id] = set
	} else if sets[id] == nil {
		f.free = append(f.free, set)
	}
}

// set is an empty token set.
func (f *frontier) set() []uint64 {
	if n := len(f.free); n > 0 {
		set := f.free[n-1]
		f.free = f.free[:n-1]
		clear(set)
		return set
	}
	return make([]uint64, len(f.mask))
}

// symbol reads the state of a node with a frontier.
func (f *frontier) symbol(w wave) {
	f.read++
	out := wave{w.node, map[int32][]uint64{}}
	for id, tokens := range w.sets {
		var accepted *weight
		accepted, f.next = f.a.composer.read(id, w.node.State, f.next[:0])
		accepted.andInto(f.mask, tokens)
		for _, to := range f.next {
			f.arrive(out.sets, to, tokens)
		}
		f.free = append(f.free, tokens)
	}
	f.below(out)
}

// below queues the nodes under a node. Where the stack forks, only tokens that did not come
// this way before go on, so that a graph with cycles is read to its end.
func (f *frontier) below(w wave) {
	if len(w.sets) == 0 {
		return
	}
	n := w.node.NumUnder()
	if n > 1 {
		f.fresh(w)
	}
	for i := range n {
		sets := w.sets
		if i+1 < n {
			sets = map[int32][]uint64{}
			for id, set := range w.sets {
				sets[id] = append(f.set()[:0], set...)
			}
		}
		if len(sets) > 0 {
			f.todo = append(f.todo, wave{w.node.Under(i), sets})
		}
	}
}

// fresh leaves in a wave only the tokens that did not reach its items at its node before.
func (f *frontier) fresh(w wave) {
	if f.seen == nil {
		f.seen = map[reached][]uint64{}
	}
	for id, set := range w.sets {
		at := reached{w.node, id}
		before := f.seen[at]
		if before == nil {
			before = make([]uint64, len(set))
			f.seen[at] = before
		}
		alive := false
		for i := range set {
			set[i] &^= before[i]
			before[i] |= set[i]
			alive = alive || set[i] != 0
		}
		if !alive {
			delete(w.sets, id)
		}
	}
}
