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

// What becomes of a goal does not depend on the item's place until a terminal is shifted there. So
// the items of a goal have one row, that of anyPlace, but for goals that may shift at once; own
// says that a row is an item's own.
const (
	anyPlace int32 = 0
	own      int32 = -1
)

// A column is the row of an item: its own, or that of anyPlace for the place at.
type column struct {
	row *moveRow
	at  int32
}

// noMove is the move of an item that comes to nothing.
const noMove int32 = 0

// columns makes the transitions of a state on a list of symbols at once. It is not safe for
// concurrent use.
type columns struct {
	auto    *automaton
	items   table64 // item after its pops -> number
	rows    table64 // number of an item, number of a list -> row
	list    []*moveRow
	gotos   table64 // nonterminal, number of a list -> entered
	entered [][]int32
	vias    table64 // number of an item, state entered -> move
	unions  table64 // two moves -> move
	tags    table64 // move of anyPlace, place -> move
	moves   []move
	byMove  interned
	alone   table64 // move and group, of a column with no other -> state
	numItem int32
	held    int64 // bytes of moves
	inRows  int64 // bytes of rows

	// Scratch of targets.
	of      []column // by item of the state
	symbols []int32
	hashes  []uint64 // by symbol: of its column
	slots   []int32  // 1 + symbol: a hash table of the columns
	to      []*state
}

// A moveRow is the moves of an item over a list of symbols, as far as they are known.
type moveRow struct {
	goal, at, item, list int32
	moves                []int32
	entered              []int32 // where its goal takes each symbol, if it pops none
	vias                 []via   // by state entered, those met so far
}

// A via is what an item comes to in a state that it enters: a move whatever the symbol, and the
// rows of what goes on from there.
type via struct {
	state int32
	at    int32
	rows  []column
}

// maxRows bounds the bytes of rows. They are dropped beyond it; what is asked for again is found
// again from vias and unions, which stay.
const maxRows = 128 << 20

// unknown is a move that was not asked for.
const unknown int32 = -2

func newColumns(a *automaton) *columns {
	c := &columns{auto: a}
	c.moveOf(nil, nil)
	return c
}

// readable are the symbols of a list that a state can read: every goal whose reduction goes on
// from there must have a goto on it. It returns the number of that list.
func (c *columns) readable(s *state, list int32) int32 {
	a := c.auto
	symbols := a.decider.lists[list]
	c.symbols = append(c.symbols[:0], symbols...)
	n, last := len(c.symbols), int32(-1)
	for _, item := range s.items {
		g := &a.sym.goals[item>>32]
		if g.pops != s.skip || g.lhs == last {
			continue
		}
		last = g.lhs
		for i, to := range c.enteredOf(g.lhs, list) {
			if to < 0 && c.symbols[i] >= 0 {
				c.symbols[i] = -1
				n--
			}
		}
	}
	if n == len(symbols) {
		return list
	}
	c.symbols = slices.DeleteFunc(c.symbols, func(y int32) bool { return y < 0 })
	return a.decider.listOf(c.symbols)
}

// enteredOf is where the gotos of a list of symbols on a nonterminal lead, -1 where there is none.
func (c *columns) enteredOf(lhs, list int32) []int32 {
	id := c.gotos.get(pair(lhs, list))
	if id == absent {
		symbols := c.auto.decider.lists[list]
		to := make([]int32, len(symbols))
		for i, y := range symbols {
			to[i] = c.auto.tables.Goto(y, grammar.Nonterminal(lhs))
		}
		id = int32(len(c.entered))
		c.entered = append(c.entered, to)
		c.gotos.put(pair(lhs, list), id)
		c.inRows += 4*int64(len(to)) + 24
	}
	return c.entered[id]
}

// targets are the states after each symbol of a list is read in state s, which can read all of
// them. The result is valid until the next call.
func (c *columns) targets(s *state, list int32) []*state {
	if c.inRows > maxRows {
		c.rows, c.list, c.gotos, c.entered, c.inRows = table64{}, nil, table64{}, nil, 0
	}
	c.of = c.of[:0]
	for _, item := range s.items {
		c.of = append(c.of, c.columnOf(c.auto.sym.popped(int32(item>>32), s.skip), int32(uint32(item)), list))
	}
	n := len(c.auto.decider.lists[list])
	c.hash(n)
	size := 4
	for size < 2*n {
		size *= 2
	}
	c.slots = slices.Grow(c.slots[:0], size)[:size]
	clear(c.slots)
	c.to = slices.Grow(c.to[:0], n)[:n]
	for i := range c.to {
		c.to[i] = c.target(i)
	}
	return c.to
}

// hash hashes the columns of the first n symbols. Items that come to nothing do not count.
func (c *columns) hash(n int) {
	c.hashes = slices.Grow(c.hashes[:0], n)[:n]
	clear(c.hashes)
	for _, of := range c.of {
		for i, m := range of.row.moves {
			if m == unknown {
				m = c.value(of.row, i)
			}
			if m != noMove {
				c.hashes[i] = index.Mix(c.hashes[i] ^ uint64(uint32(m)))
			}
		}
	}
}

// target is the state after symbol number i of the list.
func (c *columns) target(i int) *state {
	at := c.hashes[i]
	for ; ; at++ {
		k := c.slots[at&uint64(len(c.slots)-1)] - 1
		if k < 0 {
			break
		}
		if c.hashes[k] == c.hashes[i] && c.same(int(k), i) {
			return c.to[k]
		}
	}
	c.slots[at&uint64(len(c.slots)-1)] = int32(i) + 1
	a := c.auto
	a.begin(0)
	only, n := pair(noMove, own), 0
	for _, of := range c.of {
		if m := of.row.moves[i]; m != noMove {
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

// add adds a move to the scratch of the automaton; at is the place that it is for, or own.
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
		if of.row.moves[i] != of.row.moves[k] {
			return false
		}
	}
	return true
}

// columnOf is the row of an item over a list.
func (c *columns) columnOf(goal, at, list int32) column {
	if g := &c.auto.sym.goals[goal]; g.leaf || g.pops > 0 {
		return column{c.rowOf(goal, anyPlace, list), at}
	}
	return column{c.rowOf(goal, at, list), own}
}

// rowOf is the row of an item, its goal popped down to what is still to be read, over the symbols
// of a list.
func (c *columns) rowOf(goal, at, list int32) *moveRow {
	item := c.items.get(pair(goal, at))
	if item == absent {
		item = c.numItem
		c.numItem++
		c.items.put(pair(goal, at), item)
	}
	id := c.rows.get(pair(item, list))
	if id == absent {
		r := &moveRow{goal: goal, at: at, item: item, list: list, moves: make([]int32, len(c.auto.decider.lists[list]))}
		for i := range r.moves {
			r.moves[i] = unknown
		}
		if g := &c.auto.sym.goals[goal]; g.pops == 0 {
			r.entered = c.enteredOf(g.lhs, list)
		}
		id = int32(len(c.list))
		c.list = append(c.list, r)
		c.rows.put(pair(item, list), id)
		c.inRows += 4*int64(len(r.moves)) + 150
	}
	return c.list[id]
}

// value is the move of a row on symbol number i of its list.
func (c *columns) value(r *moveRow, i int) int32 {
	if m := r.moves[i]; m != unknown {
		return m
	}
	sym := c.auto.sym
	m := noMove
	switch g := &sym.goals[r.goal]; {
	case g.pops > 0:
		m = c.pass(sym.popped(r.goal, 1), r.at, c.auto.decider.lists[r.list][i])
	case r.entered[i] < 0:
	case sym.plain && !sym.loops:
		v := c.viaOf(r, r.entered[i])
		m = r.vias[v].at
		for _, on := range r.vias[v].rows {
			m = c.unite(m, c.tag(c.value(on.row, i), on.at))
		}
	default: // tables that fork, or may reduce for ever, are run on each symbol
		c.auto.begin(c.auto.decider.lists[r.list][i])
		c.auto.readOn(c.auto.sym.baseOf(c.auto.x), r.goal, 0, r.at)
		m = c.moveOf(distinct(c.auto.items), distinct(c.auto.accepts))
	}
	r.moves[i] = m
	return m
}

// tag is the move of an item at a place by that of anyPlace; at may be own.
func (c *columns) tag(m, at int32) int32 {
	if m == noMove || at == own {
		return m
	}
	id := c.tags.get(pair(m, at))
	if id == absent {
		c.auto.begin(0)
		c.add(m, at)
		id = c.moveOf(c.auto.items, c.auto.accepts)
		c.tags.put(pair(m, at), id)
	}
	return id
}

// pass is the move of an item that pops symbol y, whichever it is.
func (c *columns) pass(goal, at, y int32) int32 {
	switch f := c.auto.fate(goal, y); f {
	case fateRefused:
		return noMove
	case fateAccepted:
		return c.moveOf(nil, []int32{at})
	default:
		return c.moveOf([]uint64{pair(f, at)}, nil)
	}
}

// viaOf is the via of a row's item and the state that it enters, by number. From many symbols an
// item enters the same state. What it comes to there is found once, as if the state were the
// symbol: the reductions that pop it go on from the symbol itself, by rows of their own.
func (c *columns) viaOf(r *moveRow, to int32) int {
	for k := range r.vias {
		if r.vias[k].state == to {
			return k
		}
	}
	id := c.vias.get(pair(r.item, to))
	if id == absent {
		a := c.auto
		a.begin(to)
		if g, base := a.sym.goals[r.goal], a.sym.baseOf(to); g.leaf {
			a.judge(base, g.look, r.at)
		} else {
			a.take(a.sym.shift(base, grammar.Terminal(g.look)), r.at)
		}
		id = c.moveOf(distinct(a.items), distinct(a.accepts))
		c.vias.put(pair(r.item, to), id)
	}
	m := c.moves[id]
	v := via{state: to, at: noMove}
	if len(m.accepts) > 0 {
		v.at = c.moveOf(nil, m.accepts)
	}
	for _, item := range m.items {
		v.rows = append(v.rows, c.columnOf(int32(item>>32), int32(uint32(item)), r.list))
	}
	r.vias = append(r.vias, v)
	c.inRows += 40 + 16*int64(len(v.rows))
	return len(r.vias) - 1
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

// moveOf interns a move.
func (c *columns) moveOf(items []uint64, accepts []int32) int32 {
	h := index.Hash(items) ^ index.Mix(index.Hash(accepts))
	id := c.byMove.find(h, func(id int32) bool {
		return slices.Equal(c.moves[id].items, items) && slices.Equal(c.moves[id].accepts, accepts)
	})
	if id < 0 {
		id = c.byMove.add(h)
		c.moves = append(c.moves, move{slices.Clone(items), slices.Clone(accepts)})
		c.held += 8*int64(len(items)) + 4*int64(len(accepts)) + 60
	}
	return id
}

// bytes is the memory held, roughly.
func (c *columns) bytes() int64 {
	n := c.held + c.inRows
	for _, t := range []*table64{&c.items, &c.rows, &c.gotos, &c.vias, &c.unions, &c.tags, &c.alone} {
		n += t.bytes()
	}
	return n + c.byMove.bytes()
}
