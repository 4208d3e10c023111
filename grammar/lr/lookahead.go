package lr

import (
	"slices"

	"gcdbench/internal/bitset"
)

// LALR(1) lookaheads by the method of DeRemer and Pennello ("Efficient computation of LALR(1)
// look-ahead sets", TOPLAS 4(4), 1982). Over the nonterminal transitions (p,A) of the LR(0)
// automaton:
//
//	DR(p,A)      the terminals that can be read right after the transition
//	reads        (p,A) reads (r,C) if p goes to r on A, and C, nullable, leaves r
//	includes     (p,A) includes (p',B) if B -> beta A gamma, gamma nullable, p' goes to p on beta
//	lookback     (q, B -> omega) looks back to (p,B) if p goes to q on omega
//
// Read is DR closed under reads, Follow is Read closed under includes, and the lookahead of a
// reduction is the union of Follow over its lookback. Both closures are one depth-first search
// that finds strongly connected components and unites sets along the way, so each edge is
// followed once.

// lookaheads computes and holds the relations and the sets.
type lookaheads struct {
	*automaton
	first    []int32 // by state: number of its first nonterminal transition; one more at the end
	from     []int32 // by nonterminal transition: the state it leaves
	sym      []int32 // by nonterminal transition: its symbol
	to_      []int32 // by nonterminal transition: the state it enters
	includes [][]include
	entered  []int32   // by state: its row of read; -1 if no nonterminal transition enters it
	read     bitMatrix // by state that a nonterminal transition enters
	follow   bitMatrix // by nonterminal transition

	redFirst []int32    // by state: number of its first reduction; one more at the end
	lookback [][]int32  // by reduction: nonterminal transitions
	sets     [][]uint64 // by reduction: its lookahead set, which may be that of others too
}

// lookahead is the set of the terminals before which the i-th reduction of state s is made.
func (l *lookaheads) lookahead(s, i int32) []uint64 { return l.sets[l.redFirst[s]+i] }

// An include is an edge of the relation includes: to transition to, by the rule whose dot
// stands before the symbol of the including transition.
type include struct {
	to   int32
	rule int32
	dot  int32
}

func newLookaheads(a *automaton) (*lookaheads, error) {
	l := &lookaheads{automaton: a}
	l.number()
	if err := l.findRead(); err != nil {
		return nil, err
	}
	l.includes = make([][]include, len(l.from))
	l.lookback = make([][]int32, l.redFirst[len(l.kernels)])
	if err := l.relate(); err != nil {
		return nil, err
	}
	if err := l.findFollow(); err != nil {
		return nil, err
	}
	return l, l.unite()
}

// findRead computes the sets Read. DR and reads of a transition are those of the state that it
// enters, and so is Read: it is found once for each such state, not for each transition.
func (l *lookaheads) findRead() (err error) {
	l.entered = slices.Repeat([]int32{-1}, len(l.kernels))
	var states []int32 // by row
	for _, s := range l.to_ {
		if l.entered[s] < 0 {
			l.entered[s] = int32(len(states))
			states = append(states, s)
		}
	}
	if l.read, err = l.newSets(len(states)); err != nil {
		return err
	}
	if err := l.directReads(states); err != nil {
		return err
	}
	return digraph(l.budget, l.read, func(dst []int32, row int32) []int32 {
		for _, e := range l.edges[states[row]] {
			if !l.isTerminal(e.sym) && l.nullable[e.sym] {
				dst = append(dst, l.entered[e.to])
			}
		}
		return dst
	})
}

// readBy is the set Read of nonterminal transition x.
func (l *lookaheads) readBy(x int32) []uint64 { return l.read.row(l.entered[l.to_[x]]) }

// findFollow computes the sets Follow.
func (l *lookaheads) findFollow() (err error) {
	if l.follow, err = l.newSets(len(l.from)); err != nil {
		return err
	}
	for x := range int32(len(l.from)) {
		copy(l.follow.row(x), l.readBy(x))
	}
	return digraph(l.budget, l.follow, func(dst []int32, x int32) []int32 {
		for _, y := range l.includes[x] {
			dst = append(dst, y.to)
		}
		return dst
	})
}

// number numbers the nonterminal transitions and the reductions, state by state.
func (l *lookaheads) number() {
	n, total := len(l.kernels), len(l.under.values)
	l.first = make([]int32, n+1)
	l.redFirst = make([]int32, n+1)
	l.from, l.sym, l.to_ = make([]int32, 0, total), make([]int32, 0, total), make([]int32, 0, total)
	for s := range n {
		for _, e := range l.edges[s] {
			if !l.isTerminal(e.sym) {
				l.from = append(l.from, int32(s))
				l.sym = append(l.sym, e.sym)
				l.to_ = append(l.to_, e.to)
			}
		}
		l.first[s+1] = int32(len(l.from))
		l.redFirst[s+1] = l.redFirst[s] + int32(len(l.complete[s]))
	}
}

// transition is the number of the nonterminal transition (p,sym), which must exist.
func (l *lookaheads) transition(p, sym int32) int32 {
	i, _ := slices.BinarySearch(l.sym[l.first[p]:l.first[p+1]], sym)
	return l.first[p] + int32(i)
}

// reduction is the number of the reduction of state s by rule r, which must exist.
func (l *lookaheads) reduction(s, r int32) int32 {
	i, _ := slices.BinarySearch(l.complete[s], r)
	return l.redFirst[s] + int32(i)
}

// directReads fills the rows of states with DR: the end of input is read after the start symbol. No
// other transition enters the state that it leads to.
func (l *lookaheads) directReads(states []int32) error {
	for i, s := range states {
		if err := l.step(len(l.edges[s])); err != nil {
			return err
		}
		row := l.read.row(int32(i))
		for _, e := range l.edges[s] {
			if l.isTerminal(e.sym) {
				bitset.Add(row, e.sym)
			}
		}
	}
	start := l.transition(0, l.rules[len(l.rules)-1].rhs[0])
	bitset.Add(l.readBy(start), l.end)
	return nil
}

// relate fills includes and lookback by running every rule of B from every transition on B.
func (l *lookaheads) relate() error {
	nullableFrom := l.nullableTails()
	for x, p := range l.from {
		for _, r := range l.rulesOf[l.sym[x]] {
			s, held := p, 1
			for k, sym := range l.rules[r].rhs {
				if !l.isTerminal(sym) && nullableFrom[r] <= int32(k)+1 {
					y := l.transition(s, sym)
					l.includes[y] = append(l.includes[y], include{int32(x), r, int32(k)})
					held++
				}
				s = l.to(s, sym)
			}
			red := l.reduction(s, r)
			l.lookback[red] = append(l.lookback[red], int32(x))
			if err := l.step(len(l.rules[r].rhs)); err != nil {
				return err
			}
			if err := l.hold(held); err != nil {
				return err
			}
		}
	}
	return nil
}

// nullableTails is, by rule, the first place from where on the right-hand side is nullable.
func (c *cfg) nullableTails() []int32 {
	from := make([]int32, len(c.rules))
	for r, rule := range c.rules {
		k := len(rule.rhs)
		for k > 0 && c.nullable[rule.rhs[k-1]] {
			k--
		}
		from[r] = int32(k)
	}
	return from
}

// unite makes the lookahead sets from Follow; one that looks back to one transition is that of the
// transition. The augmenting rule looks back to nothing: it is "reduced" at the end of input, which
// is to accept.
func (l *lookaheads) unite() error {
	l.sets = make([][]uint64, len(l.lookback))
	for red, xs := range l.lookback {
		if len(xs) == 1 {
			l.sets[red] = l.follow.row(xs[0])
			continue
		}
		one, err := l.newSets(1)
		if err != nil {
			return err
		}
		l.sets[red] = one.words
		for _, x := range xs {
			bitset.Unite(one.words, l.follow.row(x))
		}
		if err := l.step(len(xs) * one.width); err != nil {
			return err
		}
	}
	l.restrict()
	return nil
}

// restrict takes the terminals out of the lookahead sets that may not come after a rule. This is
// how a follow restriction is kept in tables (M. van den Brand et al., Disambiguation filters for
// scannerless generalized LR parsers, 2002).
func (l *lookaheads) restrict() {
	for s, rules := range l.complete {
		for i, r := range rules {
			if int(r) < len(l.src.Rules) && l.src.Rules[r].NotBefore != nil {
				set := &l.sets[l.redFirst[s]+int32(i)]
				*set = slices.Clone(*set)
				bitset.RemoveAll(*set, l.src.Rules[r].NotBefore)
			}
		}
	}
}
