package greatgramma

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/intern"
)

// The paper's own stack-free automaton (proposition 3.5): all stack operations are removed, so that
// a reduction to A is a step without input to every state that any state goes to on A. The engine's
// own (follow.go) asks in addition for a path of the right length in the LR automaton.

// stackless is that automaton, made deterministic as sequences ask for it: its states are sets of
// LR states.
type stackless struct {
	tables  *lr.Tables
	gotos   [][]int32 // by nonterminal: where it leads from anywhere
	sets    intern.Lists[int32]
	next    map[[2]int32]int32 // by set and terminal
	from    map[[2]int32][]int32
	seen    []bool
	todo    []int32
	members []int32
}

func newStackless(states int, p *algorithms.Problem) *stackless {
	f := &stackless{tables: p.Tables, gotos: make([][]int32, len(p.Grammar.Nonterminals)), next: map[[2]int32]int32{},
		from: map[[2]int32][]int32{}, seen: make([]bool, states)}
	for s := range int32(states) {
		if x, ok := p.Tables.Accessing(s); ok && !x.IsTerminal() {
			f.gotos[x.Nonterminal()] = append(f.gotos[x.Nonterminal()], s)
		}
	}
	return f
}

// single is the set of one LR state. The empty set has number 0 or more like any other.
func (f *stackless) single(state int32) int32 {
	id, _ := f.sets.ID([]int32{state})
	return id
}

// shifts lists the states that a terminal may be shifted to from an LR state on top.
func (f *stackless) shifts(state int32, x grammar.Terminal) []int32 {
	key := [2]int32{state, int32(x)}
	if list, ok := f.from[key]; ok {
		return list
	}
	var list []int32
	f.todo = append(f.todo[:0], state)
	visited := []int32{state}
	f.seen[state] = true
	for len(f.todo) > 0 {
		top := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		a := f.tables.Action(top, x)
		switch a.Kind() {
		case lr.KindShift:
			if !slices.Contains(list, a.Target()) {
				list = append(list, a.Target())
			}
		case lr.KindReduce:
			lhs, _ := f.tables.Rule(a.Target())
			for _, g := range f.gotos[lhs] {
				if !f.seen[g] {
					f.seen[g] = true
					visited = append(visited, g)
					f.todo = append(f.todo, g)
				}
			}
		}
	}
	for _, s := range visited {
		f.seen[s] = false
	}
	f.from[key] = list
	return list
}

// step is where a terminal leads from a set; ok is false if it is rejected.
func (f *stackless) step(set int32, x grammar.Terminal) (to int32, ok bool) {
	key := [2]int32{set, int32(x)}
	to, done := f.next[key]
	if !done {
		f.members = f.members[:0]
		for _, s := range f.sets.At(set) {
			f.members = append(f.members, f.shifts(s, x)...)
		}
		slices.Sort(f.members)
		to, _ = f.sets.ID(slices.Compact(f.members))
		f.next[key] = to
	}
	return to, len(f.sets.At(to)) > 0
}

// judge sets the verdicts of all sequences below a node of the tree, itself included. set is where
// the stack-free automaton stands after it. known is the stack above and with the LR state that was
// on top at first, that state first; nil once a reduction asked for what lies under it.
func (f *stackless) judge(verdicts []uint8, tree *spanner.Inverse, node, set int32, known []int32) {
	verdicts[node] = dependent
	if known != nil {
		verdicts[node] = accepted
	}
	for _, kid := range tree.Kids(node) {
		x := tree.Last(kid)
		to, ok := f.step(set, x)
		if !ok {
			continue // and so is all below it
		}
		f.judge(verdicts, tree, kid, to, f.shift(known, x))
	}
}

// shift is a known stack after a terminal; nil if it is not accepted without what lies under it.
func (f *stackless) shift(known []int32, x grammar.Terminal) []int32 {
	if known == nil {
		return nil
	}
	stack := slices.Clone(known)
	for {
		top := stack[len(stack)-1]
		a := f.tables.Action(top, x)
		switch a.Kind() {
		case lr.KindShift:
			return append(stack, a.Target())
		case lr.KindReduce:
			lhs, length := f.tables.Rule(a.Target())
			if length >= len(stack) {
				return nil
			}
			stack = stack[:len(stack)-length]
			to := f.tables.GotoBefore(stack[len(stack)-1], lhs, x)
			if to < 0 {
				return nil
			}
			stack = append(stack, to)
		default:
			return nil
		}
	}
}
