package automata

import (
	"slices"

	"gcdbench/internal/index"
)

// The automaton of a finite language, such as the strings of bounded length, has no cycles. Then
// the states can be taken in an order in which all that follow a state come before it, and two
// states are equivalent exactly if they accept alike and lead to equivalent states by every class:
// one look-up for each state, instead of a refinement in rounds.

// An acyclicMinimizer finds the equivalent states of an automaton without cycles.
type acyclicMinimizer struct {
	*rawDFA
	block []int32 // by state: its block, unknown while it was not visited, entered while it is
	seen  index.Index
	first []int32 // by block: a state
	key   []int32 // scratch: the row of a state in blocks
}

// entered marks a state on the way of the search.
const entered = int32(-3)

// minimizeAcyclic is minimize for a trim automaton without cycles; it is not ok if there is one. On
// a large one with cycles it costs little, as the search for the end of a path mostly runs into
// one.
func (r *rawDFA) minimizeAcyclic() (block []int32, n int, ok bool) {
	m := acyclicMinimizer{rawDFA: r, block: slices.Repeat([]int32{unknown}, len(r.accepting)), key: make([]int32, r.classes)}
	if !m.search() {
		return nil, 0, false
	}
	return m.block, len(m.first), true
}

// search visits all states, those that follow first; false if it comes to a cycle.
func (m *acyclicMinimizer) search() bool {
	type step struct {
		state int32
		class int // the next one to follow
	}
	stack := []step{{state: 0}}
	m.block[0] = entered
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		row := m.row(top.state)
		for top.class < len(row) && (row[top.class] == Dead || m.block[row[top.class]] >= 0) {
			top.class++
		}
		switch {
		case top.class == len(row):
			m.block[top.state] = m.blockOf(top.state, row)
			stack = stack[:len(stack)-1]
		case m.block[row[top.class]] == entered:
			return false
		default:
			m.block[row[top.class]] = entered
			stack = append(stack, step{state: row[top.class]})
		}
	}
	return true
}

// blockOf is the block of a state all of whose successors have theirs.
func (m *acyclicMinimizer) blockOf(s int32, row []int32) int32 {
	h := uint64(m.colour(s))
	for c, t := range row {
		if t != Dead {
			t = m.block[t]
			h = index.Mix(h ^ uint64(c)<<32 ^ uint64(t))
		}
		m.key[c] = t
	}
	b := m.seen.Find(h, func(b int32) bool { return m.same(m.first[b], s) })
	if b < 0 {
		b = m.seen.Add(h)
		m.first = append(m.first, s)
	}
	return b
}

// same tells whether a state is equivalent to s, whose row is in key.
func (m *acyclicMinimizer) same(o, s int32) bool {
	if m.colour(o) != m.colour(s) {
		return false
	}
	for c, t := range m.row(o) {
		if t != Dead {
			t = m.block[t]
		}
		if t != m.key[c] {
			return false
		}
	}
	return true
}
