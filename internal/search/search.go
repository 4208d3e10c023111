// Package search finds the strongly connected components of graphs whose nodes are numbers.
package search

// A Search is a depth-first search that finds strongly connected components (Tarjan's), without
// recursion: a chain of rules is as deep as the grammar is long.
type Search struct {
	// Successors appends the nodes that x leads to. It is called once for each node, when it is
	// met.
	Successors func(dst []int32, x int32) []int32
	// Edge is told of each edge, once all that can be found from y without passing x is known; nil
	// for nobody.
	Edge func(x, y int32)
	// Closed is told of each component, after those that it leads to. Its root comes first, the
	// list is scratch.
	Closed func(members []int32) error
	step   func(n int) error // see New

	depth   []int32 // by node: place on the stack, 0 if not met, closedDepth in a component that is found
	stack   []int32
	frames  []frame
	pending []int32 // the successors of the nodes in frames
}

// A frame is a node that the search is in.
type frame struct {
	x, mine   int32
	from, end int // in pending: successors that are still to be followed; the first is being followed
	begin     int // in pending: the first successor
}

const closedDepth = 1<<31 - 1

// New is a search among nodes 0 to n-1. step is told how much work was done, a node or an edge
// being one, and ends the search by an error; nil for nobody.
func New(n int, step func(int) error) *Search {
	return &Search{depth: make([]int32, n), step: step}
}

// All searches from every node. The error is step's or Closed's.
func (s *Search) All() error {
	for x := range int32(len(s.depth)) {
		if err := s.from(x); err != nil {
			return err
		}
	}
	return nil
}

// from searches from x, unless it was met before.
func (s *Search) from(x int32) error {
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
		if s.Edge != nil {
			s.Edge(f.x, y)
		}
	}
	return nil
}

// open enters a node.
func (s *Search) open(x int32) {
	s.stack = append(s.stack, x)
	mine := int32(len(s.stack))
	s.depth[x] = mine
	begin := len(s.pending)
	s.pending = s.Successors(s.pending, x)
	s.frames = append(s.frames, frame{x, mine, begin, len(s.pending), begin})
}

// leave ends a node, and the component that it is the root of.
func (s *Search) leave(f frame) error {
	s.frames = s.frames[:len(s.frames)-1]
	s.pending = s.pending[:f.begin]
	if s.step != nil {
		if err := s.step(1 + f.end - f.begin); err != nil {
			return err
		}
	}
	if s.depth[f.x] != f.mine {
		return nil
	}
	members := s.stack[f.mine-1:]
	s.stack = s.stack[:f.mine-1]
	for _, y := range members {
		s.depth[y] = closedDepth
	}
	return s.Closed(members)
}

// Components numbers the components of nodes 0 to n-1, each after those that it leads to.
func Components(n int, successors func(dst []int32, x int32) []int32) (of []int32, number int32) {
	of = make([]int32, n)
	s := New(n, nil)
	s.Successors = successors
	s.Closed = func(members []int32) error {
		for _, x := range members {
			of[x] = number
		}
		number++
		return nil
	}
	if err := s.All(); err != nil {
		panic(err) // nothing above fails
	}
	return of, number
}
