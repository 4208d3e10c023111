package lr

import (
	"slices"

	"gcdbench/internal/bitset"
)

// Lookaheads where they are needed.
//
// Most states of an LR automaton have just one action, whatever terminal comes next. The other
// states can reduce by two rules, or reduce and shift. For most of these it is enough to know the
// terminals that can follow a nonterminal anywhere: FOLLOW sets, as in SLR(1) tables, which take
// time linear in the grammar. Only where FOLLOW sets overlap are the terminals needed that can
// follow in the state itself. In the grammar of a JSON schema these are some states in a hundred,
// so the exact sets (lookahead.go) are followed backwards from there, only to the transitions that
// they depend on. All other reductions get the FOLLOW set of their left-hand side.
//
// These tables accept the same terminals. A reduction before a terminal that cannot follow here is
// harmless: the stack still spells the beginning of a sentence after it, so the terminal is refused
// when it would have to be shifted, if not before. The refusal only comes later, after the few
// reductions that lie between. The conflicts are the same too: an exact set is part of the FOLLOW
// set, and where FOLLOW sets overlap the sets are exact. Where conflicts are kept the general
// algorithm ends whatever the lookaheads are; where they are resolved, wrong reductions after a
// wrong resolution need not end, so that there the exact sets are used throughout.

// newNeededLookaheads computes the lookaheads of a, exact where they decide something. It has no
// includes and no lookback, which only reports of conflicts need.
func newNeededLookaheads(a *automaton) (_ *lookaheads, err error) {
	l := &lookaheads{automaton: a}
	l.number()
	if l.sets, err = l.followSets(); err != nil {
		return nil, err
	}
	l.slot = make([]int32, l.redFirst[len(l.kernels)])
	var f *followFinder
	seen := bitset.New(int(l.end) + 1)
	for s := range int32(len(l.kernels)) {
		exact := l.inadequate(s) && l.overlap(s, seen)
		for i, r := range l.complete[s] {
			red := l.redFirst[s] + int32(i)
			switch {
			case !exact || int(r) == len(l.rules)-1:
				l.slot[red] = l.rules[r].lhs
			default:
				if f == nil {
					f = newFollowFinder(l)
				}
				if l.slot[red], err = f.lookahead(s, r); err != nil {
					return nil, err
				}
			}
		}
	}
	if f != nil {
		l.sets = f.sets
	}
	return l, nil
}

// inadequate tells whether what state s does depends on what comes next.
func (a *automaton) inadequate(s int32) bool {
	switch done := a.complete[s]; len(done) {
	case 0:
		return false
	case 1:
		return len(a.edges[s]) > 0 && a.isTerminal(a.edges[s][0].sym)
	}
	return true
}

// overlap tells whether the FOLLOW sets of what state s reduces to overlap, or one of them and what
// the state shifts. It is given a scratch set.
func (l *lookaheads) overlap(s int32, seen []uint64) bool {
	clear(seen)
	for _, e := range l.edges[s] {
		if !l.isTerminal(e.sym) {
			break // terminals come first
		}
		bitset.Add(seen, e.sym)
	}
	for _, r := range l.complete[s] {
		follow := l.sets.row(l.rules[r].lhs)
		if int(r) == len(l.rules)-1 { // accepts, at the end of input
			if bitset.Has(seen, l.end) {
				return true
			}
			bitset.Add(seen, l.end)
			continue
		}
		if bitset.Intersect(seen, follow) {
			return true
		}
		bitset.Unite(seen, follow)
	}
	return false
}

// A followFinder computes the sets Follow of single nonterminal transitions (p,A), by the same
// depth-first search that digraph does for all.
type followFinder struct {
	*lookaheads
	sets   bitMatrix // those of the grammar's symbols, then what was found
	tails  []int32
	begins listTable // by symbol: the rules that begin with it and are nullable after it
	row    []int32   // by nonterminal transition: its set
	search *search   // among nonterminal transitions
	states []int32   // scratch of back
	mark   []int32   // by state: the last call of back, and step of it, that met it
	marks  int32
}

func newFollowFinder(l *lookaheads) *followFinder {
	f := &followFinder{lookaheads: l, sets: l.sets, tails: l.nullableTails()}
	f.row, f.mark = make([]int32, len(l.from)), make([]int32, len(l.kernels))
	f.search = newSearch(len(l.from), func(n int) error { return l.holdSets(1, l.sets.width) })
	f.search.successors = func(dst []int32, x int32) []int32 {
		f.row[x] = f.readFrom(x)
		return f.included(dst, x)
	}
	f.search.edge = func(x, y int32) { bitset.Unite(f.sets.row(f.row[x]), f.sets.row(f.row[y])) }
	f.search.closed = func(members []int32) error {
		for _, y := range members[1:] {
			f.row[y] = f.row[members[0]]
		}
		return nil
	}
	f.begins = newListTable(int(l.numSyms), func(add func(list, value int32)) {
		for _, rules := range l.rulesOf {
			for _, r := range rules {
				if rhs := l.rules[r].rhs; len(rhs) > 0 && f.tails[r] <= 1 {
					add(rhs[0], r)
				}
			}
		}
	})
	return f
}

// add makes another set and returns its number.
func (f *followFinder) add() int32 {
	n := int32(len(f.sets.words) / f.sets.width)
	f.sets.words = append(f.sets.words, make([]uint64, f.sets.width)...)
	return n
}

// lookahead makes the lookahead set of the reduction of state s by rule r.
func (f *followFinder) lookahead(s, r int32) (int32, error) {
	set := f.add()
	rule := f.rules[r]
	for _, p := range slices.Clone(f.back(s, int32(len(rule.rhs)))) {
		x := f.transition(p, rule.lhs)
		if err := f.search.from(x); err != nil {
			return 0, err
		}
		bitset.Unite(f.sets.row(set), f.sets.row(f.row[x]))
	}
	return set, f.holdSets(1, f.sets.width)
}

// back is the states that lie length states below s on some stack: for an item of s whose dot is
// after so many symbols, those where the reading of its rule may have begun. The result is scratch.
func (f *followFinder) back(s, length int32) []int32 {
	f.states = append(f.states[:0], s)
	for ; length > 0; length-- {
		f.marks++
		n := len(f.states)
		for _, q := range f.states[:n] {
			for _, p := range f.under.of(q) {
				if f.mark[p] != f.marks {
					f.mark[p] = f.marks
					f.states = append(f.states, p)
				}
			}
		}
		f.states = f.states[:copy(f.states, f.states[n:])]
	}
	return f.states
}

// readFrom makes the set Read of transition x.
func (f *followFinder) readFrom(x int32) int32 {
	set := f.add()
	row := f.sets.row(set)
	if f.from[x] == 0 && f.sym[x] == f.rules[len(f.rules)-1].rhs[0] {
		bitset.Add(row, f.end)
	}
	states := []int32{f.to_[x]}
	for i := 0; i < len(states); i++ {
		for _, e := range f.edges[states[i]] {
			switch {
			case f.isTerminal(e.sym):
				bitset.Add(row, e.sym)
			case f.nullable[e.sym] && !slices.Contains(states, e.to):
				states = append(states, e.to)
			}
		}
	}
	return set
}

// included appends the transitions (p',B) that (p,A) includes: those of rules that can end with
// this A.
func (f *followFinder) included(list []int32, x int32) []int32 {
	p, a := f.from[x], f.sym[x]
	for _, item := range f.kernels[p] {
		r := f.itemRule[item]
		dot := item - f.itemOf[r]
		if f.itemNext[item] != a || f.tails[r] > dot+1 || f.rules[r].lhs == f.start {
			continue
		}
		for _, q := range f.back(p, dot) {
			list = append(list, f.transition(q, f.rules[r].lhs))
		}
	}
	for _, r := range f.begins.of(a) {
		if y, ok := f.findTransition(p, f.rules[r].lhs); ok {
			list = append(list, y)
		}
	}
	return list
}
