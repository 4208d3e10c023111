package completion

import (
	"container/heap"
	"context"
	"gcdbench/grammar/layout"
	"slices"

	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/items"
)

// The search is A*: of all texts that were begun, the one is extended next whose length and least
// rest are the smallest together, and of those the longest, so that it goes straight on as long as
// the bound is exact. The first text that may end is a shortest one, since the bound is never too
// high.

// A node is a text that was tried: its state, and the text before its last byte.
type node struct {
	state  recognizer.State
	place  *place // before the pending lexeme
	parent int32  // -1 at the root
	length int32
	last   byte
}

// A branch is a byte that a node can go on with. It is read when it is taken.
type branch struct {
	estimate int32 // bytes of the whole text, at least; weighted in a hurried search
	length   int32
	order    int32 // of being found
	parent   int32
	rest     cost
	last     byte
}

// branches is a heap: the smallest estimate first, then the longest text, then the first found.
type branches []branch

func (h branches) Len() int      { return len(h) }
func (h branches) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h branches) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	switch {
	case a.estimate != b.estimate:
		return a.estimate < b.estimate
	case a.length != b.length:
		return a.length > b.length
	}
	return a.order < b.order
}
func (h *branches) Push(x any) { *h = append(*h, x.(branch)) }
func (h *branches) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// A configuration is all that the future of a text depends on.
type configuration struct {
	place int32
	lexer lexer.State
	line  layout.Line
	items *items.Register // of texts with items that are compared no two are alike
}

// A search is one run.
type search struct {
	*places
	weight int32 // of the rest in the estimate: 1 for a shortest text, more for a hurried search
	nodes  []node
	open   branches
	best   map[configuration]int32 // the length of the shortest text that leads there
	order  int32
	ends   []*place // scratch: where a new lexeme begins
	most   int      // nodes at most, work on forked stacks included
}

// run searches from a state. The errors are ErrDeadEnd, a *LimitError and that of the context; the
// number of nodes is told in any case.
func (s *search) run(ctx context.Context, from recognizer.State) (Completion, error) {
	s.best = map[configuration]int32{}
	s.add(node{state: from, place: s.of(from), parent: -1})
	s.work = 0 // what led here is done
	if s.r.End(from) {
		return s.completion(0), nil
	}
	s.expand(0)
	for len(s.open) > 0 {
		b := heap.Pop(&s.open).(branch)
		n, ok := s.take(b)
		if !ok {
			continue
		}
		if b.rest == 0 && s.r.End(s.nodes[n].state) {
			return s.completion(n), nil
		}
		if len(s.nodes)+s.work >= s.most {
			return Completion{Nodes: len(s.nodes)}, &LimitError{Grammar: s.r.Grammar.Name, Nodes: len(s.nodes)}
		}
		if err := ctx.Err(); err != nil {
			return Completion{Nodes: len(s.nodes)}, err
		}
		s.expand(n)
	}
	return Completion{Nodes: len(s.nodes)}, ErrDeadEnd
}

// take reads the byte of a branch. It is not ok if that is illegal, or leads to where a shorter
// text led.
func (s *search) take(b branch) (number int32, ok bool) {
	n := s.nodes[b.parent]
	from := n.state
	if s.r.Lexer.Next(n.state.Lexer, b.last) == lexer.None && s.r.Pending(n.state) {
		s.ends = n.place.behind(s.ends[:0], n.state)
		i := slices.IndexFunc(s.ends, func(x *place) bool { return s.r.Lexer.Next(x.state.Lexer, b.last) != lexer.None })
		if i < 0 {
			return 0, false
		}
		n.place = s.ends[i]
		n.state = n.place.state
	}
	if from.Items == nil { // a place knows nothing of items
		from = n.state
	}
	state, ok := s.r.Step(from, b.last)
	if !ok {
		return 0, false
	}
	return s.add(node{state, n.place, b.parent, b.length, b.last})
}

// add keeps a node unless there is a better one.
func (s *search) add(n node) (number int32, ok bool) {
	c := configuration{place: n.place.number, lexer: n.state.Lexer, items: n.state.Items}
	if l := s.r.Layout; l != nil {
		c.line = n.state.Layout.Line()
	}
	if length, known := s.best[c]; known && length <= n.length {
		return 0, false
	}
	s.best[c] = n.length
	s.nodes = append(s.nodes, n)
	return int32(len(s.nodes) - 1), true
}

// expand adds the branches of a node.
func (s *search) expand(number int32) {
	n := s.nodes[number]
	pending := s.r.Pending(n.state)
	if s.ends = append(s.ends[:0], n.place); pending {
		s.ends = n.place.behind(s.ends[:0], n.state)
	}
	for _, x := range s.ends {
		if x.starts == nil {
			x.findStarts()
		}
	}
	v := s.lengths.look(n.state.Lexer, n.place.wants)
	for i, b := range s.bytes {
		if pending {
			list, alive := s.lengths.after(s.list[:0], v, b)
			s.list = list
			if alive {
				s.branch(number, b, n.place.least(list, s.r.Layout.Read(n.state.Layout, b)))
				continue
			}
		}
		for _, x := range s.ends {
			s.branch(number, b, x.starts[i])
		}
	}
}

// branch adds a branch with a text of a least rest.
func (s *search) branch(parent int32, b byte, rest cost) {
	if rest == unreachable {
		return
	}
	length := s.nodes[parent].length + 1
	s.order++
	heap.Push(&s.open, branch{length + s.weight*rest, length, s.order, parent, rest, b})
}

// completion is the bytes that lead to a node.
func (s *search) completion(number int32) Completion {
	text := []byte{}
	for n := s.nodes[number]; n.parent >= 0; n = s.nodes[n.parent] {
		text = append(text, n.last)
	}
	slices.Reverse(text)
	return Completion{text, true, len(s.nodes)}
}
