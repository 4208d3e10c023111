package parserdwa

import (
	"slices"

	"gcdbench/internal/intern"
)

// items interns items, and remembers the outcome of reading a symbol for each: the transitions
// of the composition before it is determinized.
type items struct {
	list     intern.Keys[item]
	lower    []int32 // by item: the item with one pop less, -1 if unknown
	visited  lookup  // of (item, symbol); outcomes by number
	outcomes []outcome
	held     int // members of all outcomes
}

// An outcome is the effect of a symbol on an item.
type outcome struct {
	accepted *weight // tokens that are legal now, whatever lies below
	next     []int32 // items that go on below, ascending
}

// id is the number of an item.
func (t *items) id(it item) int32 {
	id, isNew := t.list.ID(it)
	if isNew {
		t.lower = append(t.lower, -1)
	}
	return id
}

// popped is the number of the item that has one pop less.
func (t *items) popped(id int32) int32 {
	if t.lower[id] < 0 {
		it := t.list.At(id)
		it.pops--
		lower := t.id(it) // may move t.lower
		t.lower[id] = lower
	}
	return t.lower[id]
}

// bytes is the memory t holds, roughly.
func (t *items) bytes() int {
	return 90*t.list.Len() + 32*len(t.visited.keys) + 40*len(t.outcomes) + 4*t.held
}

// read reads symbol for an item. It returns the tokens that are accepted, and appends the items
// that go on to next. An answer that a template gives at once is not worth remembering. The
// outcome of a shifted terminal is, as everything after it is composed then.
func (c *composer) read(id, symbol int32, next []int32) (*weight, []int32) {
	it := c.items.list.At(id)
	switch {
	case it.pops > 0:
		return nil, append(next, c.items.popped(id))
	case !c.plain:
	case it.target < 0:
		p := c.templates.overSet(it.terminal, symbol, it.lhs)
		if p.accepts {
			return c.terminals.finals[^it.target].weight, next
		}
		for _, e := range p.pops {
			it.terminal, it.pops, it.lhs = e.label, e.pops, e.lhs
			next = append(next, c.items.id(it))
		}
		return nil, next
	default:
		switch e := c.templates.over(it.terminal, symbol, it.lhs); e.kind {
		case refuse:
			return nil, next
		case pop:
			it.pops, it.lhs = e.pops, e.lhs
			return nil, append(next, c.items.id(it))
		}
	}
	o := c.outcome(id, symbol)
	return o.accepted, append(next, o.next...)
}

// outcome is what reading symbol does to an item without pops, remembered.
func (c *composer) outcome(id, symbol int32) *outcome {
	n, isNew := c.items.visited.number(lookupKey{id, symbol, 0})
	if isNew {
		c.begin()
		c.resume(c.items.list.At(id), symbol)
		c.items.outcomes = append(c.items.outcomes, c.finish())
	}
	return &c.items.outcomes[n]
}

// enterRoot is what reading the top of the stack does in a start node.
func (c *composer) enterRoot(root, registers, top int32) outcome {
	c.begin()
	c.arena = append(c.arena[:0], cell{state: top, under: bottom})
	c.enter(root, []int32{0}, registers)
	return c.finish()
}

// begin prepares for reading a symbol.
func (c *composer) begin() {
	c.accepted, c.pending = c.accepted[:0], c.pending[:0]
	c.steps++
}

// finish unites the weights that were accepted, and drops the items that they decide.
func (c *composer) finish() outcome {
	var o outcome
	c.ids = c.ids[:0]
	for _, it := range c.pending {
		if it.target >= 0 || !c.isDecided(^it.target) {
			c.ids = append(c.ids, c.items.id(it))
		}
	}
	slices.Sort(c.ids)
	if c.ids = slices.Compact(c.ids); len(c.ids) > 0 {
		o.next = slices.Clone(c.ids)
		c.items.held += len(o.next)
	}
	switch len(c.accepted) {
	case 0:
	case 1:
		o.accepted = c.terminals.finals[c.accepted[0]].weight
	default:
		for _, f := range c.accepted {
			c.terminals.finals[f].weight.orInto(c.mask)
		}
		o.accepted = c.weights.take(c.mask)
	}
	return o
}
