package greatgramma

import (
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// uncover finds the states that a reduction may uncover where the stack is not known.
type uncover struct {
	tables *lr.Tables
	known  map[[2]int32][]int32 // by state and depth: the states that may lie that deep under it
	to     map[[2]int32][]int32 // by state and rule: the states that the reduction may lead to
	seen   []bool
	// landings are by state, depth and rule.
	landings map[[3]int32]*landing
}

func newUncover(t *lr.Tables) *uncover {
	return &uncover{tables: t, known: map[[2]int32][]int32{}, to: map[[2]int32][]int32{}, seen: make([]bool, t.NumStates()), landings: map[[3]int32]*landing{}}
}

// below lists the states that may lie depth states under a state; the state itself at depth 0.
func (u *uncover) below(state, depth int32) []int32 {
	if depth == 0 {
		return []int32{state}
	}
	key := [2]int32{state, depth}
	list, ok := u.known[key]
	if ok {
		return list
	}
	for _, s := range u.below(state, depth-1) {
		for _, p := range u.tables.Predecessors(s) {
			if !u.seen[p] {
				u.seen[p] = true
				list = append(list, p)
			}
		}
	}
	for _, p := range list {
		u.seen[p] = false
	}
	u.known[key] = list
	return list
}

// gotos lists the states that reducing by a rule with state on top may lead to.
func (u *uncover) gotos(state, rule int32) []int32 {
	key := [2]int32{state, rule}
	list, ok := u.to[key]
	if ok {
		return list
	}
	_, length := u.tables.Rule(rule)
	list = u.gotosUnder(state, int32(length), rule)
	u.to[key] = list
	return list
}

// A landing is where a reduction may lead that pops more than is known: the states, and the
// terminals that lead anywhere from them.
type landing struct {
	states []int32
	taken  []uint64
}

// gotosBelow is where a rule's left-hand side may lead from depth under a state.
func (u *uncover) gotosBelow(f *stackFree, state, depth, rule int32) *landing {
	key := [3]int32{state, depth, rule}
	l, ok := u.landings[key]
	if ok {
		return l
	}
	l = &landing{u.gotosUnder(state, depth, rule), make([]uint64, f.canWords)}
	for _, s := range l.states {
		bitset.Unite(l.taken, f.canFrom(s))
	}
	u.landings[key] = l
	return l
}

// gotosUnder lists the states of a landing.
func (u *uncover) gotosUnder(state, depth, rule int32) []int32 {
	var list []int32
	lhs, _ := u.tables.Rule(rule)
	for _, p := range u.below(state, depth) {
		if g := u.tables.Goto(p, lhs); g >= 0 && !u.seen[g] {
			u.seen[g] = true
			list = append(list, g)
		}
	}
	for _, g := range list {
		u.seen[g] = false
	}
	return list
}
