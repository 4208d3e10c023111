package lr

import "gcdbench/internal/bitset"

// A search is a depth-first search that finds strongly connected components (Tarjan's), without
// recursion: a chain of rules is as deep as the grammar is long.
type search struct {
	// successors appends the nodes that x leads to. It is called once for each node, when it is
	// met.
	successors func(dst []int32, x int32) []int32
	// edge is told of each edge, once all that can be found from y without passing x is known; nil
	// for nobody.
	edge func(x, y int32)
	// closed is told of each component, after those that it leads to. Its root comes first, the
	// list is scratch.
	closed func(members []int32) error
	step   func(n int) error // counts the work

	depth   []int32 // by node: place on the stack, 0 if not met, closedDepth in a component that is found
	stack   []int32
	frames  []searchFrame
	pending []int32 // the successors of the nodes in frames
}

// A searchFrame is a node that the search is in.
type searchFrame struct {
	x, mine   int32
	from, end int // in pending: successors that are still to be followed; the first is being followed
	begin     int // in pending: the first successor
}

const closedDepth = 1<<31 - 1

// newSearch is a search among nodes 0 to n-1.
func newSearch(n int, step func(int) error) *search {
	return &search{depth: make([]int32, n), step: step}
}

// all searches from every node.
func (s *search) all() error {
	for x := range int32(len(s.depth)) {
		if err := s.from(x); err != nil {
			return err
		}
	}
	return nil
}

// from searches from x, unless it was met before.
func (s *search) from(x int32) error {
	if s.depth[x] != 0 {
		return nil
	}
	s.open(x)
	for len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		if f.from == f.end {
			if err := s.leave(*f); err != nil {
				return err
			}
			continue
		}
		y := s.pending[f.from]
		if s.depth[y] == 0 {
			s.open(y) // f is looked at again when all after y is known
			continue
		}
		f.from++
		s.depth[f.x] = min(s.depth[f.x], s.depth[y])
		if s.edge != nil {
			s.edge(f.x, y)
		}
	}
	return nil
}

// open enters a node.
func (s *search) open(x int32) {
	s.stack = append(s.stack, x)
	mine := int32(len(s.stack))
	s.depth[x] = mine
	begin := len(s.pending)
	s.pending = s.successors(s.pending, x)
	s.frames = append(s.frames, searchFrame{x, mine, begin, len(s.pending), begin})
}

// leave ends a node, and the component that it is the root of.
func (s *search) leave(f searchFrame) error {
	s.frames = s.frames[:len(s.frames)-1]
	s.pending = s.pending[:f.begin]
	if err := s.step(1 + f.end - f.begin); err != nil {
		return err
	}
	if s.depth[f.x] != f.mine {
		return nil
	}
	members := s.stack[f.mine-1:]
	s.stack = s.stack[:f.mine-1]
	for _, y := range members {
		s.depth[y] = closedDepth
	}
	return s.closed(members)
}

// digraph closes the sets of m under a relation: each row becomes the union of all rows its own
// is related to, directly or not. Rows of one strongly connected component end up equal.
func digraph(b *budget, m bitMatrix, successors func(dst []int32, x int32) []int32) error {
	rows := 0
	if m.width > 0 {
		rows = len(m.words) / m.width
	}
	s := newSearch(rows, func(n int) error { return b.step(n * m.width) })
	s.successors = successors
	s.edge = func(x, y int32) { bitset.Unite(m.row(x), m.row(y)) }
	s.closed = func(members []int32) error {
		for _, y := range members[1:] {
			copy(m.row(y), m.row(members[0]))
		}
		return nil
	}
	return s.all()
}
