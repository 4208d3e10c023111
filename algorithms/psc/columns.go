package psc

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/index"
)

// Compiled eagerly, a state steps on every symbol that can come next. Most of that work recurs:
// states have items in common, and an item does the same on a symbol whatever state it is in. So
// the step of an item is made once for each list of symbols, as a row of moves, one a symbol. A
// transition of a state is then a column across the rows of its items, and symbols with equal
// columns have the same target, which is made once.

// A move is what one item becomes when a symbol is read: more items, and groups accepted.
type move struct {
	items   []uint64
	accepts []int32
}

// noMove is the move of an item that comes to nothing, and noSymbol stands for a symbol that
// cannot be read: the item's goal has no goto on it.
const (
	noMove   int32 = 0
	noSymbol int32 = -1
)

// columns makes the transitions of a state on a list of symbols at once. It is not safe for
// concurrent use.
type columns struct {
	auto    *automaton
	items   table64 // item after its pops -> number
	rows    table64 // number of an item, number of a list -> row
	row     [][]int32
	steps   table64 // number of an item, symbol -> move
	moves   []move
	byMove  interned
	alone   table64 // move, of a column with no other -> state
	numItem int32

	// Scratch of targets.
	of     [][]int32 // the rows of the state's items
	hashes []uint64  // by symbol: of its column
	slots  []int32   // 1 + symbol: a hash table of the columns
	list   []*state
}

func newColumns(a *automaton) *columns {
	c := &columns{auto: a}
	c.moveOf(nil, nil)
	return c
}

// targets are the states after each symbol of the list numbered id is read in state s; nil where
// the symbol cannot be read. The result is valid until the next call.
func (c *columns) targets(s *state, id int32) []*state {
	list := c.auto.decider.lists[id]
	c.of = c.of[:0]
	for _, item := range s.items {
		c.of = append(c.of, c.rowOf(c.auto.sym.popped(int32(item>>32), s.skip), int32(uint32(item)), id))
	}
	c.hash(len(list))
	size := 4
	for size < 2*len(list) {
		size *= 2
	}
	c.slots = slices.Grow(c.slots[:0], size)[:size]
	clear(c.slots)
	c.list = slices.Grow(c.list[:0], len(list))[:len(list)]
	for i, y := range list {
		c.list[i] = nil
		if c.hashes[i] != 0 {
			c.list[i] = c.target(i, y)
		}
	}
	return c.list
}

// hash hashes the columns of the first n symbols. Items that come to nothing do not count, and a
// symbol that cannot be read has hash 0.
func (c *columns) hash(n int) {
	c.hashes = slices.Grow(c.hashes[:0], n)[:n]
	for i := range c.hashes {
		c.hashes[i] = 1
	}
	for _, row := range c.of {
		for i, m := range row {
			switch {
			case m == noMove:
			case m == noSymbol || c.hashes[i] == 0:
				c.hashes[i] = 0
			default:
				c.hashes[i] = max(1, index.Mix(c.hashes[i]^uint64(uint32(m))))
			}
		}
	}
}

// target is the state after symbol y, which is number i of its list.
func (c *columns) target(i int, y int32) *state {
	at := c.hashes[i]
	for ; ; at++ {
		k := c.slots[at&uint64(len(c.slots)-1)] - 1
		if k < 0 {
			break
		}
		if c.hashes[k] == c.hashes[i] && c.same(int(k), i) {
			return c.list[k]
		}
	}
	c.slots[at&uint64(len(c.slots)-1)] = int32(i) + 1
	a := c.auto
	a.begin(y)
	only, n := noMove, 0
	for _, row := range c.of {
		if m := row[i]; m != noMove {
			only, n = m, n+1
			a.items = append(a.items, c.moves[m].items...)
			a.accepts = append(a.accepts, c.moves[m].accepts...)
		}
	}
	if n > 1 {
		return a.finish()
	}
	if id := c.alone.get(uint64(only)); id != absent {
		return a.states[id]
	}
	s := a.finish()
	c.alone.put(uint64(only), s.id)
	return s
}

// same tells whether two symbols have equal columns.
func (c *columns) same(i, k int) bool {
	for _, row := range c.of {
		if row[i] != row[k] {
			return false
		}
	}
	return true
}

// rowOf is the row of an item, its goal popped down to what is still to be read, over the symbols
// of a list.
func (c *columns) rowOf(goal, at, list int32) []int32 {
	item := c.items.get(pair(goal, at))
	if item == absent {
		item = c.numItem
		c.numItem++
		c.items.put(pair(goal, at), item)
	}
	id := c.rows.get(pair(item, list))
	if id == absent {
		symbols := c.auto.decider.lists[list]
		row := make([]int32, len(symbols))
		for i, y := range symbols {
			row[i] = c.step(item, goal, at, y)
		}
		id = int32(len(c.row))
		c.row = append(c.row, row)
		c.rows.put(pair(item, list), id)
	}
	return c.row[id]
}

// step is the move of an item on a symbol.
func (c *columns) step(item, goal, at, y int32) int32 {
	a := c.auto
	if g := &a.sym.goals[goal]; g.pops == 0 && a.tables.Goto(y, grammar.Nonterminal(g.lhs)) < 0 {
		return noSymbol
	}
	m := c.steps.get(pair(item, y))
	if m == absent {
		a.begin(y)
		a.read(goal, at)
		m = c.moveOf(distinct(a.items), distinct(a.accepts))
		c.steps.put(pair(item, y), m)
	}
	return m
}

// moveOf interns a move.
func (c *columns) moveOf(items []uint64, accepts []int32) int32 {
	h := index.Hash(items) ^ index.Mix(index.Hash(accepts))
	id := c.byMove.find(h, func(id int32) bool {
		return slices.Equal(c.moves[id].items, items) && slices.Equal(c.moves[id].accepts, accepts)
	})
	if id < 0 {
		id = c.byMove.add(h)
		c.moves = append(c.moves, move{slices.Clone(items), slices.Clone(accepts)})
	}
	return id
}
