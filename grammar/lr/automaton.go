package lr

import (
	"slices"

	"gcdbench/internal/arena"
	"gcdbench/internal/index"
)

// An automaton is the LR(0) automaton: states are sets of items, an item is a rule with a dot.
//
// Items are numbered so that moving the dot is adding one: item itemOf[r]+k is rule r with the
// dot before its k-th symbol. Only kernels are kept (the items that are not implied by others),
// states[s] being a slice of kernels.
type automaton struct {
	*cfg
	itemOf   []int32 // by rule: its first item
	itemRule []int32 // by item
	itemNext []int32 // by item: the symbol after the dot, -1 at the end of the rule
	kernels  [][]int32
	access   []int32   // by state: the symbol it is entered on, -1 for the start state
	edges    [][]edge  // by state: its transitions, by ascending symbol
	complete [][]int32 // by state: the rules it can reduce by, ascending
	under    listTable // by state: the states that have an edge to it, ascending
}

// An edge is a transition of the LR(0) automaton.
type edge struct {
	sym, to int32
}

func newAutomaton(c *cfg) (*automaton, error) {
	a := &automaton{cfg: c}
	a.numberItems()
	b := &stateBuilder{
		automaton: a,
		seen:      make([]int32, c.numSyms),
		bucket:    make([][]int32, c.numSyms),
	}
	// Mostly there are up to twice as many states as rules. Lists that had to grow to that would be
	// copied many times.
	n := 2 * len(c.rules)
	a.kernels, a.access = make([][]int32, 0, n), make([]int32, 0, n)
	a.edges, a.complete = make([][]edge, 0, n), make([][]int32, 0, n)
	b.intern([]int32{a.itemOf[len(a.rules)-1]}, -1)
	for s := int32(0); int(s) < len(a.kernels); s++ {
		if err := a.checkStates(len(a.kernels)); err != nil {
			return nil, err
		}
		items := b.expand(s)
		if err := a.step(items); err != nil { // one state may have as many items as the grammar has rules
			return nil, err
		}
		if err := a.hold(len(a.kernels[s]) + len(a.edges[s])); err != nil {
			return nil, err
		}
	}
	a.under = newListTable(len(a.kernels), func(add func(list, value int32)) {
		for p, edges := range a.edges {
			for _, e := range edges {
				add(e.to, int32(p))
			}
		}
	})
	return a, nil
}

func (a *automaton) numberItems() {
	a.itemOf = make([]int32, len(a.rules))
	total := len(a.rules)
	for _, rule := range a.rules {
		total += len(rule.rhs)
	}
	a.itemNext, a.itemRule = make([]int32, 0, total), make([]int32, 0, total)
	for r, rule := range a.rules {
		a.itemOf[r] = int32(len(a.itemNext))
		for _, s := range rule.rhs {
			a.itemNext = append(a.itemNext, s)
			a.itemRule = append(a.itemRule, int32(r))
		}
		a.itemNext = append(a.itemNext, -1)
		a.itemRule = append(a.itemRule, int32(r))
	}
}

// to is the state that state p goes to on sym, -1 if none.
func (a *automaton) to(p, sym int32) int32 {
	edges := a.edges[p]
	i, ok := slices.BinarySearchFunc(edges, sym, func(e edge, sym int32) int { return int(e.sym - sym) })
	if !ok {
		return -1
	}
	return edges[i].to
}

// A stateBuilder holds the scratch of the construction.
type stateBuilder struct {
	*automaton
	index   index.Index // states by kernel
	lists   arena.Arena[int32]
	pairs   arena.Arena[edge]
	seen    []int32   // by symbol: 1 + the last state whose closure has its rules
	bucket  [][]int32 // by symbol: the kernel items of the transition on it
	touched []int32   // the symbols with a bucket in use
	pending []int32   // nonterminals of the closure whose rules are still to be added
	done    []int32   // complete rules
}

// expand closes state s, and makes its transitions. It returns the number of its items.
func (b *stateBuilder) expand(s int32) (items int) {
	b.done = b.done[:0]
	b.touched = b.touched[:0]
	b.pending = b.pending[:0]
	visit := func(item int32) {
		items++
		x := b.itemNext[item]
		if x < 0 {
			b.done = append(b.done, b.itemRule[item])
			return
		}
		if len(b.bucket[x]) == 0 {
			b.touched = append(b.touched, x)
		}
		b.bucket[x] = append(b.bucket[x], item+1)
		if !b.isTerminal(x) && b.seen[x] != s+1 {
			b.seen[x] = s + 1
			b.pending = append(b.pending, x)
		}
	}
	for _, item := range b.kernels[s] {
		visit(item)
	}
	for i := 0; i < len(b.pending); i++ {
		for _, r := range b.rulesOf[b.pending[i]] {
			visit(b.itemOf[r])
		}
	}
	slices.Sort(b.done)
	b.complete[s] = b.lists.Clone(b.done)
	slices.Sort(b.touched)
	edges := b.pairs.Take(len(b.touched))
	for i, x := range b.touched {
		slices.Sort(b.bucket[x])
		edges[i] = edge{x, b.intern(b.bucket[x], x)}
		b.bucket[x] = b.bucket[x][:0]
	}
	b.edges[s] = edges
	return items
}

// intern finds the state with this kernel (sorted), or makes it.
func (b *stateBuilder) intern(kernel []int32, access int32) int32 {
	h := index.Hash(kernel)
	if s := b.index.Find(h, func(i int32) bool { return slices.Equal(b.kernels[i], kernel) }); s >= 0 {
		return s
	}
	s := b.index.Add(h)
	b.kernels = append(b.kernels, b.lists.Clone(kernel))
	b.access = append(b.access, access)
	b.edges = append(b.edges, nil)
	b.complete = append(b.complete, nil)
	return s
}
