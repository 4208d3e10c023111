package automata

import (
	"slices"

	"gcdbench/internal/index"
)

// Difference with a finite language, such as all keys but those that are declared. Once the text is
// no string of the finite one any more, what may follow is what d allows, and d is minimal. So only
// the pairs before that are made, from the ends of the strings to their beginning; each is compared
// with the states of d and with the pairs after it, which is all that minimizing comes to (the
// argument is that of J. Daciuk et al., Incremental construction of minimal acyclic finite-state
// automata, 2000, on top of any minimal automaton). It takes time linear in |o| and |d|.

// acyclic tells whether no state can be reached from itself: the language is finite.
func (d *DFA) acyclic() bool {
	if d.IsEmpty() {
		return true
	}
	d = d.Whole()
	raw := rawDFA{classes: d.classes, table: d.table, accepting: d.accepting}
	m := acyclicMinimizer{rawDFA: &raw, block: slices.Repeat([]int32{unknown}, len(d.accepting)), key: make([]int32, d.classes)}
	return m.search()
}

// A subtraction makes the states of a difference. Ids are those of d, then those of new states.
type subtraction struct {
	d, o    *DFA
	classes pairClasses
	budget  *budget

	pairs   index.Index // that were visited
	visited []statePair
	ids     []int32 // by number in pairs

	states    index.Index // by row, of d and new
	rows      []int32     // of new states, and scratch above
	accepting []bool      // of new states
	number    []int32     // by number in states: the id
}

// without is the difference of d and a finite language.
func (d *DFA) without(o *DFA, b *budget) (*DFA, error) {
	d, o = d.Whole(), o.Whole()
	if d.IsEmpty() || o.IsEmpty() {
		return d, nil
	}
	s := &subtraction{d: d, o: o, classes: newPairClasses(d, o), budget: b}
	for q := range int32(len(d.accepting)) {
		s.states.Add(s.hash(s.row(q, nil), d.accepting[q]))
		s.number = append(s.number, q)
	}
	start, err := s.visit(statePair{d.Start(), o.Start()})
	switch {
	case err != nil:
		return nil, err
	case start == Dead:
		return emptyDFA(), nil
	case start == d.Start():
		return d, nil
	}
	swap := func(id int32) int32 { // the start is 0
		switch id {
		case 0:
			return start
		case start:
			return 0
		}
		return id
	}
	var row []int32
	var filled []uint8
	return FromMinimalRows(s.classes.of, len(s.classes.pairs), len(d.accepting)+len(s.accepting), func(id int32, to []int32) ([]uint8, bool) {
		id = swap(id)
		row, filled = s.row(id, row[:0]), filled[:0]
		for c, t := range row {
			if t != Dead {
				to[c] = swap(t)
				filled = append(filled, uint8(c))
			}
		}
		return filled, s.accepts(id)
	}, b.Limits)
}

// visit is the id of a pair, Dead if nothing is accepted from there.
func (s *subtraction) visit(x statePair) (int32, error) {
	if x.a == Dead || x.b == Dead {
		return x.a, nil
	}
	h := index.Mix(uint64(uint32(x.a))<<32 | uint64(uint32(x.b)))
	if i := s.pairs.Find(h, func(i int32) bool { return s.visited[i] == x }); i >= 0 {
		return s.ids[i], nil
	}
	n := len(s.classes.pairs)
	if err := s.budget.step(n); err != nil {
		return Dead, err
	}
	row := make([]int32, n)
	last, to := statePair{unknown, unknown}, Dead
	for c, class := range s.classes.pairs {
		if next := (statePair{s.d.byClass(x.a, class.a), s.o.byClass(x.b, class.b)}); next != last {
			var err error
			if last = next; next.a == Dead || next.b == Dead {
				to = next.a
			} else if to, err = s.visit(next); err != nil {
				return Dead, err
			}
		}
		row[c] = to
	}
	id, err := s.intern(row, s.d.accepting[x.a] && !s.o.accepting[x.b])
	s.pairs.Add(h)
	s.visited, s.ids = append(s.visited, x), append(s.ids, id)
	return id, err
}

// intern is the state with a row; Dead if nothing is accepted from it.
func (s *subtraction) intern(row []int32, accepting bool) (int32, error) {
	if !accepting && !slices.ContainsFunc(row, func(t int32) bool { return t != Dead }) {
		return Dead, nil
	}
	h := s.hash(row, accepting)
	var scratch []int32
	at := s.states.Find(h, func(i int32) bool {
		id := s.number[i]
		scratch = s.row(id, scratch[:0])
		return s.accepts(id) == accepting && slices.Equal(scratch, row)
	})
	if at >= 0 {
		return s.number[at], nil
	}
	id := int32(len(s.d.accepting) + len(s.accepting))
	s.states.Add(h)
	s.number = append(s.number, id)
	s.rows, s.accepting = append(s.rows, row...), append(s.accepting, accepting)
	if err := s.budget.states(int(id) + 1); err != nil {
		return Dead, err
	}
	return id, s.budget.hold(setBytes + 8*len(row))
}

// row appends the ids that follow an id, by class of the pairs.
func (s *subtraction) row(id int32, dst []int32) []int32 {
	if at := int(id) - len(s.d.accepting); at >= 0 {
		n := len(s.classes.pairs)
		return append(dst, s.rows[at*n:(at+1)*n]...)
	}
	for _, c := range s.classes.pairs {
		dst = append(dst, s.d.byClass(id, c.a))
	}
	return dst
}

func (s *subtraction) accepts(id int32) bool {
	if at := int(id) - len(s.d.accepting); at >= 0 {
		return s.accepting[at]
	}
	return s.d.accepting[id]
}

func (s *subtraction) hash(row []int32, accepting bool) uint64 {
	h := index.Hash(row)
	if accepting {
		h = index.Mix(h)
	}
	return h
}
