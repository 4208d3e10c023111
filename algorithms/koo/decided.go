package koo

import "sync"

// decided remembers the masks of groups by what they depend on: the lexical state, and the LR
// states on top of the stack as far as the mask's making looked at them (reads). That is a tree
// of LR states for each lexical state. The states seen so far decide whether the next one is
// looked at, so a path through the tree ends where the mask is certain, whatever lies below on
// the stack. It is safe for concurrent use.
type decided struct {
	mu    sync.RWMutex
	roots map[*lexical]*decision
	count int // masks remembered
}

// A decision is a node of the tree: a mask, or what the next state below decides.
type decision struct {
	words []uint64
	next  map[int32]*decision
}

func newDecided() *decided { return &decided{roots: map[*lexical]*decision{}} }

// find is the mask of a group with a plain stack, nil if it is not known.
func (d *decided) find(g group) []uint64 {
	if g.stacks.NumTops() != 1 {
		return nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	at := d.roots[g.at]
	for n := g.stacks.TopNode(0); at != nil; n = n.Under(0) {
		if at.words != nil {
			return at.words
		}
		if at = at.next[n.State]; n.NumUnder() != 1 {
			break // the bottom, or a fork: what is below a fork is not one stack
		}
	}
	if at != nil {
		return at.words
	}
	return nil
}

// keep remembers the mask of a group that looked at so much of its stack.
func (d *decided) keep(g group, r *reads, words []uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.roots[g.at]
	if at == nil {
		at = &decision{}
		d.roots[g.at] = at
	}
	for depth := int32(len(r.base)) - 1; depth >= r.lowest; depth-- {
		state := r.base[depth].State
		if at.next == nil {
			at.next = map[int32]*decision{}
		}
		next := at.next[state]
		if next == nil {
			next = &decision{}
			at.next[state] = next
		}
		at = next
	}
	at.words = words
	d.count++
}

// forget drops all masks.
func (d *decided) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roots, d.count = map[*lexical]*decision{}, 0
}

// size is the number of masks remembered.
func (d *decided) size() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.count
}
