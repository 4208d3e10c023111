package parserdwa

import (
	"cmp"
	"slices"
	"sync/atomic"

	"gcdbench/grammar/lr"
)

// Finished masks, kept by path. The mask of a plain stack depends only on the symbols read until
// everything is decided, so the automaton is unfolded into a tree of the paths that were taken,
// each place with the union of the weights so far. A stack read before costs one step of the tree
// for each symbol and no union. Places whose arc accepts nothing share the mask of the place above.
type path struct {
	at   *state // nil: decided
	mask []uint64
	next atomic.Pointer[[]step] // by ascending symbol; replaced as a whole
}

// A step leads on from a path.
type step struct {
	symbol int32
	to     *path
}

// follow is the path that reads symbol next.
func (p *path) follow(a *automaton, symbol int32) *path {
	if to := p.find(symbol); to != nil {
		return to
	}
	arc := a.step(p.at, symbol)
	a.mu.Lock()
	defer a.mu.Unlock()
	if to := p.find(symbol); to != nil {
		return to
	}
	to := &path{at: arc.to, mask: p.mask}
	if !arc.weight.within(p.mask) {
		to.mask = slices.Clone(p.mask)
		arc.weight.orInto(to.mask)
		a.pathBytes += 8 * len(to.mask)
	}
	var steps []step
	if old := p.next.Load(); old != nil {
		steps = *old
	}
	at, _ := slices.BinarySearchFunc(steps, symbol, bySymbol)
	steps = slices.Insert(slices.Clone(steps), at, step{symbol, to})
	p.next.Store(&steps)
	a.paths++
	a.pathBytes += 96
	if a.bytes() > a.limit {
		a.over.Store(true)
	}
	return to
}

func (p *path) find(symbol int32) *path {
	steps := p.next.Load()
	if steps == nil {
		return nil
	}
	if at, ok := slices.BinarySearchFunc(*steps, symbol, bySymbol); ok {
		return (*steps)[at].to
	}
	return nil
}

func bySymbol(s step, symbol int32) int { return cmp.Compare(s.symbol, symbol) }

// read follows a stack to its end, and returns the mask and the number of symbols read; false if
// the stack forks.
func (p *path) read(a *automaton, stacks lr.Stacks) (mask []uint64, read int, ok bool) {
	if stacks.NumTops() != 1 {
		return nil, 0, false
	}
	node := stacks.TopNode(0)
	for {
		p = p.follow(a, node.State)
		read++
		switch under := node.NumUnder(); {
		case p.at == nil || under == 0:
			return p.mask, read, true
		case under > 1:
			return nil, 0, false
		}
		node = node.Under(0)
	}
}
