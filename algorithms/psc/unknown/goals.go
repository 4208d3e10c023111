package unknown

import "gcdbench/algorithms/psc/table"

// A Goal is a reduction that has to pop what is not yet known.
type Goal struct {
	Pops int32 // symbols to pop before the one the reduction goes on from
	Lhs  int32 // the nonterminal to go to
	Look int32 // leaf: an interned set, of which one terminal must be accepted; else a terminal
	Leaf bool
}

// A shape is what goals of the same reduction have in common. The goals that one cell leaves open
// are of few shapes, mostly of one, and differ in what they look for. So each shape has a table of
// its own, whose part in use lies in the cache.
type shape struct {
	pops, lhs int32
	// entries are what goals look for and their numbers, hashed by the former: a free one is 0.
	entries []uint64
	used    int
}

// shapeEntries is the entries of a shape's first table, a cache line.
const shapeEntries = 8

// shapeOf is the number of a shape.
func (s *Parser) shapeOf(pops, lhs int32) int32 {
	key := table.Pair(pops, lhs)
	id := s.byShape.Get(key)
	if id == table.Absent {
		id = int32(len(s.shapes))
		s.shapes = append(s.shapes, shape{pops: pops, lhs: lhs, entries: make([]uint64, shapeEntries)})
		s.shapeBytes += 8*shapeEntries + 48
		s.byShape.Put(key, id)
	}
	return id
}

// goalOf interns a goal.
func (s *Parser) goalOf(g Goal) int32 { return s.GoalIn(s.shapeOf(g.Pops, g.Lhs), g.Look, g.Leaf) }

// GoalIn interns a goal of a shape.
func (s *Parser) GoalIn(number, look int32, leaf bool) int32 {
	x := &s.shapes[number]
	key := uint32(look)<<1 | 1<<31 // not 0
	if leaf {
		key++
	}
	e := x.slot(key)
	if *e == 0 {
		if 4*(x.used+1) > 3*len(x.entries) {
			s.shapeBytes += 8 * int64(len(x.entries))
			x.grow()
			e = x.slot(key)
		}
		x.used++
		*e = uint64(key)<<32 | uint64(len(s.Goals))
		s.Goals = append(s.Goals, Goal{x.pops, x.lhs, look, leaf})
	}
	return int32(uint32(*e))
}

// slot is where a key is, or is to be.
func (x *shape) slot(key uint32) *uint64 {
	for i := key * 0x9E3779B1 >> 7; ; i++ {
		if e := &x.entries[int(i)&(len(x.entries)-1)]; *e == 0 || uint32(*e>>32) == key {
			return e
		}
	}
}

// grow doubles the table.
func (x *shape) grow() {
	old := x.entries
	x.entries = make([]uint64, 2*len(old))
	for _, e := range old {
		if e != 0 {
			*x.slot(uint32(e >> 32)) = e
		}
	}
}

// Popped is the goal with n symbols less to pop.
func (s *Parser) Popped(id, n int32) int32 {
	if n == 0 {
		return id
	}
	g := s.Goals[id]
	g.Pops -= n
	return s.goalOf(g)
}
