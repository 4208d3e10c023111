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

// What a group's goal becomes does not depend on the group, so that the rows of all groups with a
// goal are the one of anyGroup; own says that a row is an item's own.
const (
	anyGroup int32 = 0
	own      int32 = -1
)

// A column is the row of an item of a state: its own, or that of anyGroup for the group at.
type column struct {
	row []int32
	at  int32
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
	fates   table64 // goal, number of a list -> row of fates
	vias    table64 // number of an item, state entered -> move
	unions  table64 // two moves -> move
	moves   []move
	byMove  interned
	alone   table64 // move, of a column with no other -> state
	numItem int32

	entered []entered // scratch of enter, which calls itself

	// Scratch of targets.
	of     []column // by item of the state
	hashes []uint64 // by symbol: of its column
	slots  []int32  // 1 + symbol: a hash table of the columns
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
		goal, at := c.auto.sym.popped(int32(item>>32), s.skip), int32(uint32(item))
		if c.auto.sym.goals[goal].leaf {
			c.of = append(c.of, column{c.rowOf(goal, anyGroup, id), at})
		} else {
			c.of = append(c.of, column{c.rowOf(goal, at, id), own})
		}
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
	for _, of := range c.of {
		for i, m := range of.row {
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
	only, n := pair(noMove, own), 0
	for _, of := range c.of {
		if m := of.row[i]; m != noMove {
			only, n = pair(m, of.at), n+1
			c.add(m, of.at)
		}
	}
	if n > 1 {
		return a.finish()
	}
	if id := c.alone.get(only); id != absent {
		return a.states[id]
	}
	s := a.finish()
	c.alone.put(only, s.id)
	return s
}

// add adds a move to the scratch of the automaton; at is the group that it is for, or own.
func (c *columns) add(m, at int32) {
	a := c.auto
	if at == own {
		a.items = append(a.items, c.moves[m].items...)
		a.accepts = append(a.accepts, c.moves[m].accepts...)
		return
	}
	for _, item := range c.moves[m].items {
		a.items = append(a.items, pair(int32(item>>32), at))
	}
	if len(c.moves[m].accepts) > 0 {
		a.accepts = append(a.accepts, at)
	}
}

// same tells whether two symbols have equal columns.
func (c *columns) same(i, k int) bool {
	for _, of := range c.of {
		if of.row[i] != of.row[k] {
			return false
		}
	}
	return true
}

// rowOf is the row of an item, its goal popped down to what is still to be read, over the symbols
// of a list.
func (c *columns) rowOf(goal, at, list int32) []int32 {
	item := c.itemOf(goal, at)
	id := c.rows.get(pair(item, list))
	if id == absent {
		row := c.makeRow(item, goal, at, list)
		id = int32(len(c.row))
		c.row = append(c.row, row)
		c.rows.put(pair(item, list), id)
	}
	return c.row[id]
}

// itemOf numbers an item.
func (c *columns) itemOf(goal, at int32) int32 {
	item := c.items.get(pair(goal, at))
	if item == absent {
		item = c.numItem
		c.numItem++
		c.items.put(pair(goal, at), item)
	}
	return item
}

// makeRow is rowOf for the first time. Tables that fork, or that may reduce for ever, are run on
// each symbol.
func (c *columns) makeRow(item, goal, at, list int32) []int32 {
	symbols := c.auto.decider.lists[list]
	row := make([]int32, len(symbols))
	switch sym := c.auto.sym; {
	case sym.goals[goal].leaf && at != anyGroup:
		c.tag(row, c.rowOf(goal, anyGroup, list), at)
	case sym.goals[goal].pops > 0:
		c.pass(row, sym.popped(goal, 1), at, list)
	case sym.plain && !sym.loops:
		c.enter(row, item, goal, at, list)
	default:
		for i, y := range symbols {
			row[i] = c.step(goal, at, y)
		}
	}
	return row
}

// tag fills the row of a group from that of anyGroup.
func (c *columns) tag(row, any []int32, at int32) {
	last, tagged := noMove, noMove
	for i, m := range any {
		if m <= noMove {
			row[i] = m
			continue
		}
		if m != last {
			last = m
			c.auto.begin(0)
			c.add(m, at)
			tagged = c.moveOf(c.auto.items, c.auto.accepts)
		}
		row[i] = tagged
	}
}

// pass fills the row of an item that pops one symbol, whichever it is.
func (c *columns) pass(row []int32, goal, at, list int32) {
	last, m := fateRefused, noMove
	for i, f := range c.fatesOf(goal, list) {
		if f != last {
			switch last = f; f {
			case fateRefused:
				m = noMove
			case fateAccepted:
				m = c.moveOf(nil, []int32{at})
			default:
				m = c.moveOf([]uint64{pair(f, at)}, nil)
			}
		}
		row[i] = m
	}
}

// fatesOf is the fates of a goal after each symbol of a list.
func (c *columns) fatesOf(goal, list int32) []int32 {
	id := c.fates.get(pair(goal, list))
	if id == absent {
		symbols := c.auto.decider.lists[list]
		row := make([]int32, len(symbols))
		for i, y := range symbols {
			row[i] = c.auto.fate(goal, y)
		}
		id = int32(len(c.row))
		c.row = append(c.row, row)
		c.fates.put(pair(goal, list), id)
	}
	return c.row[id]
}

// enter fills the row of an item whose goal goes to its nonterminal from the symbol that is read.
// From many symbols it comes to the same state there. What that state comes to is found once, as
// if it were the symbol: its reductions that pop it go on from the symbol itself, by rows of their
// own.
func (c *columns) enter(row []int32, item, goal, at, list int32) {
	a := c.auto
	lhs := grammar.Nonterminal(a.sym.goals[goal].lhs)
	from := len(c.entered)
	for i, y := range a.decider.lists[list] {
		to := a.tables.Goto(y, lhs)
		if to < 0 {
			row[i] = noSymbol
			continue
		}
		k := from
		for k < len(c.entered) && c.entered[k].state != to {
			k++
		}
		if k == len(c.entered) {
			c.entered = append(c.entered, entered{to, c.viaOf(item, goal, at, to, list)})
		}
		v := c.entered[k].via
		m := v.at
		for _, r := range v.rows {
			m = c.unite(m, max(noMove, r[i]))
		}
		row[i] = m
	}
	c.entered = c.entered[:from]
}

// entered is a state that is entered from some symbol, and what it comes to.
type entered struct {
	state int32
	via   via
}

// A via is what an item comes to in the state that it enters: a move whatever the symbol, and the
// rows of what goes on from there.
type via struct {
	at   int32
	rows [][]int32
}

// viaOf is the via of an item and a state over a list.
func (c *columns) viaOf(item, goal, at, to, list int32) via {
	id := c.vias.get(pair(item, to))
	if id == absent {
		a := c.auto
		a.begin(to)
		if g, base := a.sym.goals[goal], a.sym.baseOf(to); g.leaf {
			a.judge(base, g.look, at)
		} else {
			a.take(a.sym.shift(base, grammar.Terminal(g.look)), at)
		}
		id = c.moveOf(distinct(a.items), distinct(a.accepts))
		c.vias.put(pair(item, to), id)
	}
	m := c.moves[id]
	v := via{at: noMove}
	if len(m.accepts) > 0 {
		v.at = c.moveOf(nil, m.accepts)
	}
	for _, item := range m.items {
		v.rows = append(v.rows, c.rowOf(int32(item>>32), int32(uint32(item)), list))
	}
	return v
}

// unite is the union of two moves.
func (c *columns) unite(m, n int32) int32 {
	if m > n {
		m, n = n, m
	}
	if m == noMove || m == n {
		return n
	}
	both := c.unions.get(pair(m, n))
	if both == absent {
		x, y := &c.moves[m], &c.moves[n]
		both = c.moveOf(distinct(slices.Concat(x.items, y.items)), distinct(slices.Concat(x.accepts, y.accepts)))
		c.unions.put(pair(m, n), both)
	}
	return both
}

// step is the move of an item on a symbol.
func (c *columns) step(goal, at, y int32) int32 {
	a := c.auto
	if a.tables.Goto(y, grammar.Nonterminal(a.sym.goals[goal].lhs)) < 0 {
		return noSymbol
	}
	a.begin(y)
	a.read(goal, at)
	return c.moveOf(distinct(a.items), distinct(a.accepts))
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
