package psc

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gcdbench/algorithms/lexical/spanner"
)

// The lexer states of a grammar with many keywords differ in little: the tokens that go on with
// the lexeme, and what the lexeme is then. Whatever ends the lexeme is the same for all prefixes
// of keywords that are names so far. In one automaton for both, each combination of what is open
// in the one and in the other is a state. So where all states are built, the two are apart: a
// start has a state for what comes behind the pending lexeme, and one for the groups of the
// lexer state's own node, and a mask walks down the stack with both. States then add up instead
// of multiplying.

// halves are the numbers of what the two states of a start depend on besides the top of the stack.
type halves struct {
	after, within int32
}

// halvesOf are the halves of a row; c.mu is held.
func (c *core) halvesOf(r *row) *halves {
	if r.halves != nil {
		return r.halves
	}
	r.root = c.auto.spans.Shared(r.q)
	n := c.auto.spans.Node(r.root)
	key := append([]byte{0}, r.key...)
	for _, k := range n.Kids {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(k.Symbol)), int64(k.Node))
	}
	if lex := c.problem.Lexer; c.problem.Layout == nil {
		key = fmt.Append(key, lex.Begins(r.q))
		for _, end := range lex.Ends(r.q) {
			key = fmt.Append(key, end.AtEnd, end.Set)
		}
	}
	h := &halves{after: c.composer.shape(key), within: -1}
	if len(n.Leaves) > 0 {
		key = append(key[:0], 1)
		if c.auto.lines.dropped(r.class) {
			key[0] = 2
		}
		for _, l := range n.Leaves {
			key = binary.AppendVarint(key, int64(l.Reach))
		}
		h.within = c.composer.shape(key)
		of := c.composer.within[h.within]
		if of == nil {
			of = &withinHalf{}
			c.composer.within[h.within] = of
		}
		if !slices.Contains(of.roots, r.root) {
			of.roots = append(of.roots, r.root)
		}
	}
	r.halves = h
	return h
}

// A withinHalf is the half of starts for the groups of the lexer state's own node: the states that
// it begins with, and the roots that have these groups.
type withinHalf struct {
	states []*state
	roots  []spanner.NodeID
}

// sums makes the sums of own groups of all deltas that masks can meet, as far as there is room.
type sums struct {
	of    *composer
	limit int64 // of what the composer holds, in bytes
	shape int32 // the next one
}

func (m *composer) newSums(room int64) *sums { return &sums{of: m, limit: m.held + room} }

// some makes the sums of a half. It tells whether there is more to do.
func (s *sums) some() (more bool) {
	m := s.of
	if h := m.within[s.shape]; h != nil {
		if deltas := h.deltas(); len(deltas) > 0 {
			for _, root := range h.roots {
				m.ownOf(root).sum(m, deltas)
			}
		}
	}
	s.shape++
	return int(s.shape) < len(m.shapes) && m.held <= s.limit
}

// deltas are those with more than a few own groups that the states after the half put out.
func (h *withinHalf) deltas() (list []*delta) {
	todo, seen := slices.Clone(h.states), map[*state]bool{}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		l := s.edges.list.Load()
		if l == nil {
			continue
		}
		for _, to := range l.to {
			if seen[to] {
				continue
			}
			seen[to] = true
			todo = append(todo, to)
			if d := to.delta.Load(); d != nil && len(d.own) > fewOwn && !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}

// shape numbers a key.
func (m *composer) shape(key []byte) int32 {
	id, ok := m.shapes[string(key)]
	if !ok {
		id = int32(len(m.shapes))
		m.shapes[string(key)] = id
		m.held += int64(len(key)) + 40
	}
	return id
}

// makeStart is the start of a row at top x; c.mu is held.
func (c *core) makeStart(r *row, x int32) *start {
	var s *start
	if c.composer != nil {
		s = c.halved(r, x)
	} else {
		made := c.begin(r, x)
		s = &made
	}
	c.rows += r.states.set(x, s)
	c.startCount++
	return s
}

// A startKey is what a start consists of. The root is 0 where none of its own groups matter.
type startKey struct {
	root          spanner.NodeID
	state, within int32
}

// halved is the start of a row at top x where masks are composed. Rows with equal starts share
// them.
func (c *core) halved(r *row, x int32) *start {
	m, h := c.composer, c.halvesOf(r)
	s := start{root: r.root, after: unwritten, inside: unwritten}
	s.state = c.half(h.after, x, func() *state { return c.auto.startAfter(r.root, r, x) })
	key, base := startKey{state: s.state.id, within: -1}, baseKey{out: s.state.out}
	if h.within >= 0 {
		within := c.half(h.within, x, func() *state {
			s := c.auto.startWithin(r.root, r.class, x)
			m.within[h.within].states = append(m.within[h.within].states, s)
			return s
		})
		if within.out != 0 || !within.done() {
			s.within, s.own = within, m.ownOf(r.root)
			key.root, key.within = r.root, within.id
		}
		if within.out != 0 {
			base.root, base.within = r.root, within.out
		}
	}
	if found := m.list[key]; found != nil {
		return found
	}
	s.mask, s.id = m.base(base), int32(len(m.list))
	m.list[key] = &s
	return &s
}

// half is the state of a half at top x, made if it is not there.
func (c *core) half(shape, x int32, make func() *state) *state {
	key := pair(shape, x)
	id := c.composer.starts.get(key)
	if id == absent {
		s := make()
		id = s.id
		c.composer.starts.put(key, id)
	}
	return c.auto.states[id]
}

// startAfter is the half of a start for what comes behind the pending lexeme, the end of the text
// included.
func (a *automaton) startAfter(root spanner.NodeID, r *row, x int32) *state {
	a.starts++
	a.begin(x)
	a.kids(a.sym.baseOf(x), a.spans.Node(root), r.class)
	if a.problem.Layout == nil {
		a.startEnd(a.sym.baseOf(x), r.q)
	}
	return a.finish()
}

// startWithin is the half of a start for the groups of the lexer state's own node.
func (a *automaton) startWithin(root spanner.NodeID, lines, x int32) *state {
	a.starts++
	a.begin(x)
	for i, l := range a.spans.Node(root).Leaves {
		a.leaf(a.sym.baseOf(x), l.Reach, ownLeaf+int32(i), lines)
	}
	return a.finish()
}
