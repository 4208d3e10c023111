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
// columns have the same target, which is made once. Where an item's reduction enters the same LR
// state from many symbols, what it comes to is found once for that part of the list, by rows over
// the part; lists have many parts in common. Groups, which most items are, need no row of their own
// (groups.go).

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
	row moveRow
	at  int32
	// bunch, if it is not nil, is the groups that the row, of splits then, is for.
	bunch bunch
}

// A waitingBunch is a bunch with the shape of the reduction that it waits for. It may have a
// number.
type waitingBunch struct {
	shape, id int32
	groups    bunch
}

// A bunched is the items of a move by what they wait for.
type bunched struct {
	bunches []waitingBunch
	others  []uint64
}

// noMove is the move of an item that comes to nothing.
const noMove int32 = 0

// columns makes the transitions of a state on a list of symbols at once. It is not safe for
// concurrent use.
type columns struct {
	auto    *automaton
	items   table64 // item after its pops -> number
	rows    table64 // number of an item, number of a list -> row
	list    []moveRow
	room    []int32 // for rows to come
	gotos   table64 // nonterminal, number of a list -> entered
	entered []gotoRow
	vias    table64 // number of an item, state entered -> move
	unions  unions  // of moves
	tags    table64 // move of anyPlace, place -> move
	moves   []move
	byMove  interned
	alone   table64            // move and group, of a column with no other -> state
	bunches map[int32]*bunched // by move
	dealt   table64            // split, bunch -> move
	numItem int32
	held    int64 // bytes of moves
	inRows  int64 // bytes of rows

	// Scratch of targets.
	of      []column // by item of the state
	waiting []waitingBunch
	symbols []int32
	hashes  []uint64 // by symbol: of its column
	slots   []int32  // 1 + symbol: a hash table of the columns
	to      []*state
}

// A moveRow is the moves of an item over a list of symbols.
type moveRow []int32

// A gotoRow is where the gotos of a list of symbols on a nonterminal lead, -1 where there is none.
// Many symbols enter the same state: parts, made when asked for, are the list by these states.
type gotoRow struct {
	to    []int32
	parts []gotoPart
}

// A gotoPart is the symbols of a list that enter the same state: their places in the list, and the
// number of the list that they are.
type gotoPart struct {
	to, list int32
	at       []int32
}

// maxRows bounds the bytes of rows. They are dropped beyond it; what is asked for again is found
// again from vias and unions, which stay.
const maxRows = 64 << 20

// roomFor is how many moves of rows memory is taken for at once.
const roomFor = 1 << 14

func newColumns(a *automaton) *columns {
	c := &columns{auto: a, bunches: map[int32]*bunched{}}
	c.moveOf(nil, nil)
	return c
}

// readable are the symbols of a list that a state can read: every goal whose reduction goes on
// from there must have a goto on it. It returns the number of that list.
func (c *columns) readable(s *state, list int32) int32 {
	a := c.auto
	symbols := a.decider.lists.at(list)
	c.symbols = append(c.symbols[:0], symbols...)
	n, last := len(c.symbols), int32(-1)
	for _, item := range s.pending.items {
		g := &a.sym.goals[item>>32]
		if g.pops != s.skip || g.lhs == last {
			continue
		}
		last = g.lhs
		for i, to := range c.entered[c.gotosOf(g.lhs, list)].to {
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
	return a.decider.lists.of(c.symbols)
}

// gotosOf is the number of the gotoRow of a nonterminal and a list of symbols.
func (c *columns) gotosOf(lhs, list int32) int32 {
	id := c.gotos.get(pair(lhs, list))
	if id == absent {
		symbols := c.auto.decider.lists.at(list)
		to := make([]int32, len(symbols))
		for i, y := range symbols {
			to[i] = c.auto.tables.Goto(y, grammar.Nonterminal(lhs))
		}
		id = int32(len(c.entered))
		c.entered = append(c.entered, gotoRow{to: to})
		c.gotos.put(pair(lhs, list), id)
		c.inRows += 4*int64(len(to)) + 48
	}
	return id
}

// partsOf are the parts of a gotoRow, by number.
func (c *columns) partsOf(id, list int32) []gotoPart {
	row := &c.entered[id]
	if row.parts != nil {
		return row.parts
	}
	symbols := c.auto.decider.lists.at(list)
	order := make([]int32, 0, len(symbols)) // the places, by the state entered
	for i, to := range row.to {
		if to >= 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(i, k int32) int { return int(row.to[i] - row.to[k]) })
	row.parts = []gotoPart{}
	var part []int32
	for from, end := 0, 0; from < len(order); from = end {
		part = part[:0]
		to := row.to[order[from]]
		for end = from; end < len(order) && row.to[order[end]] == to; end++ {
			part = append(part, symbols[order[end]])
		}
		row.parts = append(row.parts, gotoPart{to, c.auto.decider.lists.of(part), order[from:end:end]})
	}
	c.inRows += 4*int64(len(order)) + 32*int64(len(row.parts))
	return row.parts
}

// targets are the states after each symbol of a list is read in state s, which can read all of
// them. The result is valid until the next call.
func (c *columns) targets(s *state, list int32) []*state {
	if c.inRows > maxRows {
		c.rows, c.list, c.room, c.gotos, c.entered, c.inRows = table64{}, nil, nil, table64{}, nil, 0
	}
	c.of, c.waiting = c.of[:0], c.waiting[:0]
	items := s.pending.items
	if c.auto.sym.bunchable() {
		c.waiting, items = c.bunch(c.waiting, items, s.skip)
		for _, b := range c.waiting {
			c.of = append(c.of, column{row: c.auto.splits.rowOf(c, b.shape, list), bunch: b.groups})
		}
	}
	for _, item := range items {
		c.of = append(c.of, c.columnOf(c.auto.sym.popped(int32(item>>32), s.skip), int32(uint32(item)), list))
	}
	n := len(c.auto.decider.lists.at(list))
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

// bunch adds the groups of some items to bunches, n symbols of their goals popped. It returns the
// other items too.
func (c *columns) bunch(dst []waitingBunch, items []uint64, n int32) (bunches []waitingBunch, others []uint64) {
	for _, item := range items {
		g := &c.auto.sym.goals[item>>32]
		if !g.leaf {
			others = append(others, item)
			continue
		}
		shape := c.auto.sym.shapeOf(g.pops-n, g.lhs)
		k := slices.IndexFunc(dst, func(b waitingBunch) bool { return b.shape == shape })
		if k < 0 {
			k = len(dst)
			dst = append(dst, waitingBunch{shape: shape})
		}
		dst[k].groups = append(dst[k].groups, pair(g.look, int32(uint32(item))))
	}
	return dst, others
}

// hash hashes the columns of the first n symbols. Items that come to nothing do not count.
func (c *columns) hash(n int) {
	c.hashes = slices.Grow(c.hashes[:0], n)[:n]
	clear(c.hashes)
	for _, of := range c.of {
		for i, m := range of.row {
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
		switch m := of.row[i]; {
		case m == noMove:
		case of.bunch != nil:
			n += 2
			c.auto.deal(m, of.bunch)
		default:
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
		if of.row[i] != of.row[k] {
			return false
		}
	}
	return true
}

// columnOf is the row of an item over a list.
func (c *columns) columnOf(goal, at, list int32) column {
	if g := &c.auto.sym.goals[goal]; g.leaf || g.pops > 0 {
		return column{row: c.rowOf(goal, anyPlace, list), at: at}
	}
	return column{row: c.rowOf(goal, at, list), at: own}
}

// rowOf is the row of an item, its goal popped down to what is still to be read, over the symbols
// of a list.
func (c *columns) rowOf(goal, at, list int32) moveRow {
	item := c.items.get(pair(goal, at))
	if item == absent {
		item = c.numItem
		c.numItem++
		c.items.put(pair(goal, at), item)
	}
	id := c.rows.get(pair(item, list))
	if id == absent {
		r := c.newRow(len(c.auto.decider.lists.at(list)))
		c.fill(r, item, goal, at, list)
		id = int32(len(c.list))
		c.list = append(c.list, r)
		c.rows.put(pair(item, list), id)
	}
	return c.list[id]
}

// newRow is a row of n times noMove.
func (c *columns) newRow(n int) moveRow {
	c.inRows += 4*int64(n) + 60
	if n > roomFor/8 {
		return make(moveRow, n)
	}
	if len(c.room) < n {
		c.room = make([]int32, roomFor)
	}
	r := c.room[:n:n]
	c.room = c.room[n:]
	return r
}

// fill finds the moves of an item over the symbols of a list.
func (c *columns) fill(r moveRow, item, goal, at, list int32) {
	a := c.auto
	switch g := a.sym.goals[goal]; {
	case g.pops > 0:
		under := a.sym.popped(goal, 1)
		for i, y := range a.decider.lists.at(list) {
			r[i] = c.pass(under, at, y)
		}
	case a.sym.bunchable():
		for _, part := range c.partsOf(c.gotosOf(g.lhs, list), list) {
			c.enter(r, part, c.viaOf(item, goal, at, part.to))
		}
	default: // tables that fork, or may reduce for ever, are run on each symbol
		for i, to := range c.entered[c.gotosOf(g.lhs, list)].to {
			if to >= 0 {
				a.begin(a.decider.lists.at(list)[i])
				a.readOn(a.sym.baseOf(a.x), 0, []uint64{pair(goal, at)})
				r[i] = c.moveOf(distinct(a.items), distinct(a.accepts))
			}
		}
	}
}

// enter fills in the moves on the symbols of a part. Each comes to what m accepts, and the items of
// m go on from the symbol itself.
func (c *columns) enter(r moveRow, part gotoPart, m int32) {
	via := c.moves[m]
	if len(via.accepts) > 0 {
		accepted := c.moveOf(nil, via.accepts)
		for _, i := range part.at {
			r[i] = accepted
		}
	}
	of := c.bunchedOf(m)
	for i := range of.bunches {
		b := &of.bunches[i]
		on := c.auto.splits.rowOf(c, b.shape, part.list)
		last, moved := noSplit, noMove // neighbours mostly come to the same
		for k, i := range part.at {
			if on[k] != last {
				last = on[k]
				moved = c.deal(last, b)
			}
			r[i] = c.unite(r[i], moved)
		}
	}
	for _, item := range of.others {
		on := c.columnOf(int32(item>>32), int32(uint32(item)), part.list)
		last, tagged := noMove, noMove // neighbours mostly come to the same
		for k, i := range part.at {
			if on.row[k] != last {
				last = on.row[k]
				tagged = c.tag(last, on.at)
			}
			r[i] = c.unite(r[i], tagged)
		}
	}
}

// bunchedOf is the items of a move by what they wait for.
func (c *columns) bunchedOf(m int32) *bunched {
	of := c.bunches[m]
	if of == nil {
		of = &bunched{}
		of.bunches, of.others = c.bunch(nil, c.moves[m].items, 0)
		for i := range of.bunches {
			of.bunches[i].id = c.auto.bunches.of(of.bunches[i].groups)
		}
		c.bunches[m] = of
		c.held += 100 + 8*int64(len(c.moves[m].items))
	}
	return of
}

// deal is the move of a bunch by a split.
func (c *columns) deal(split int32, b *waitingBunch) int32 {
	if split == noSplit {
		return noMove
	}
	m := c.dealt.get(pair(split, b.id))
	if m == absent {
		c.auto.begin(0)
		c.auto.deal(split, b.groups)
		m = c.moveOf(distinct(c.auto.items), distinct(c.auto.accepts))
		c.dealt.put(pair(split, b.id), m)
	}
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

// viaOf is what an item comes to in a state that it enters, as if the state were the symbol read:
// a move of which the items, reductions that pop the state, go on from the symbol itself.
func (c *columns) viaOf(item, goal, at, to int32) int32 {
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
	return id
}

// unite is the union of two moves.
func (c *columns) unite(m, n int32) int32 {
	return c.unions.of(m, n, func() int32 {
		x, y := &c.moves[m], &c.moves[n]
		return c.moveOf(distinct(slices.Concat(x.items, y.items)), distinct(slices.Concat(x.accepts, y.accepts)))
	})
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
	for _, t := range []*table64{&c.items, &c.rows, &c.gotos, &c.vias, &c.unions.table64, &c.tags, &c.alone, &c.dealt} {
		n += t.bytes()
	}
	return n + c.byMove.bytes()
}
