package lr

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/search"
)

// Tables without conflicts always get on: after finitely many reductions they shift, accept or
// refuse. Where conflicts were resolved they need not. Of the cyclic grammar
//
//	s: a    a: a | X
//
// or of rules that derive nothing over and over, resolution can leave a parser that reduces for
// ever and reads nothing more. As it never comes to shift the terminal, the terminal is refused.
//
// Such a run settles on a state p that it never again pops; from then on it is determined by p,
// the nonterminal n it goes to from p, and the terminal, whatever lies under p. So there are
// finitely many ways to fall into one, found here, and the parser refuses at the door.
//
// Few grammars can have them at all. If the run comes back to the same stack, a nonterminal was
// reduced to itself: the grammar is cyclic. If instead the stack grows, symbols that derive nothing
// were pushed without end, and the items of the states on the stack lead from some nonterminal
// down to itself past such symbols: the grammar has hidden left recursion.

// A loop is an endless reduction: going to nonterminal n from state p before the terminal.
type loop struct {
	p, n, terminal int32
}

// Loops tells whether a parser that goes from state p to n, its next terminal being term, would
// reduce for ever. It is always false where conflicts are kept, as a graph-structured stack ends.
func (t *Tables) Loops(p int32, n grammar.Nonterminal, term grammar.Terminal) bool {
	_, is := t.loops[loop{p, int32(n), int32(term)}]
	return is
}

// A run is how the parser gets on from a stack of p and goto(p, n).
type run struct {
	fate fate
	pops int32 // fateLeaves: states still to pop, p being the first
	lhs  int32 // fateLeaves: the nonterminal to go to then
}

type fate uint8

const (
	fateOpen   fate = iota // being found out
	fateStops              // shifts, accepts or refuses above p
	fateLeaves             // reduces by a rule that pops p
	fateLoops              // neither, ever
)

// A loopFinder follows runs before one terminal.
type loopFinder struct {
	*Tables
	terminal int32
	runs     map[[2]int32]run // by p and n
}

// findLoops looks for endless reductions, which need a resolved conflict to exist.
func (t *Tables) findLoops(l *lookaheads) error {
	if len(t.clashes) == 0 || t.mode == grammar.KeepConflicts {
		return nil
	}
	if may, err := l.mayLoop(); !may || err != nil {
		return err
	}
	return t.searchLoops(l)
}

// mayLoop tells whether the grammar is cyclic or has hidden left recursion.
func (c *cfg) mayLoop() (bool, error) {
	tails := c.nullableTails()
	left := make([][]int32, c.numSyms)  // x: y if x -> nullables y anything
	alone := make([][]int32, c.numSyms) // x: y if x -> nullables y nullables
	var hidden [][2]int32               // those of left with some nullables
	var within [][2]int32               // those of alone
	for x, rules := range c.rulesOf {
		for _, r := range rules {
			for k, y := range c.rules[r].rhs {
				if c.isTerminal(y) {
					break
				}
				left[x] = append(left[x], y)
				if k > 0 {
					hidden = append(hidden, [2]int32{int32(x), y})
				}
				if tails[r] <= int32(k)+1 {
					alone[x] = append(alone[x], y)
					within = append(within, [2]int32{int32(x), y})
				}
				if !c.nullable[y] {
					break
				}
			}
		}
	}
	if may, err := c.onCycle(left, hidden); may || err != nil {
		return may, err
	}
	return c.onCycle(alone, within)
}

// onCycle tells whether one of some pairs of a relation lies on a cycle of it.
func (c *cfg) onCycle(relation [][]int32, pairs [][2]int32) (bool, error) {
	component := make([]int32, len(relation))
	s := search.New(len(relation), c.step)
	s.Successors = func(dst []int32, x int32) []int32 { return append(dst, relation[x]...) }
	s.Closed = func(members []int32) error {
		for _, y := range members {
			component[y] = members[0]
		}
		return nil
	}
	err := s.All()
	return slices.ContainsFunc(pairs, func(p [2]int32) bool { return component[p[0]] == component[p[1]] }), err
}

func (t *Tables) searchLoops(l *lookaheads) error {
	for x := int32(0); x <= t.end; x++ {
		f := &loopFinder{Tables: t, terminal: x, runs: make(map[[2]int32]run)}
		for i, p := range l.from {
			if f.lightly(l.to_[i]) {
				f.follow(p, int32(l.source(l.sym[i])))
			}
		}
		f.report()
		if err := l.step(len(l.from) + len(l.src.Nonterminals) + runSteps*len(f.runs)); err != nil {
			return err
		}
	}
	return nil
}

// runSteps is how many steps it takes to find a run.
const runSteps = 16

// lightly tells whether state reduces without popping what is under it: only then can a run that
// starts with it fail to leave.
func (f *loopFinder) lightly(state int32) bool {
	a := f.action(state, f.terminal)
	return a.Kind() == KindReduce && f.rules[a.Target()].length <= 1
}

// A pendingRun is a run that waits for the one after it.
type pendingRun struct {
	p, n int32
	top  int32 // goto(p, n)
	wait waitsFor
}

type waitsFor uint8

const (
	waitsForNothing waitsFor = iota // not begun
	waitsForEmpty                   // for the run after an empty rule, on top
	waitsForRest                    // for the run that it goes on with, in its place
)

// follow finds the run from p on n. A run that comes back to where one is being followed has not
// popped below it, and so will come back for ever. Runs wait for each other in a list, as chains of
// them are as long as those of the grammar's rules.
func (f *loopFinder) follow(p, n int32) {
	var last run // the one found last
	for waiting := []pendingRun{{p: p, n: n}}; len(waiting) > 0; {
		w := &waiting[len(waiting)-1]
		key := [2]int32{w.p, w.n}
		r := last
		switch w.wait {
		case waitsForNothing:
			var begun bool
			if r, begun = f.runs[key]; begun {
				if r.fate == fateOpen {
					r.fate = fateLoops
				}
				break
			}
			f.runs[key] = run{}
			w.top = f.goTo(w.p, w.n)
			if r = f.reduction(w.top); r.fate == fateLeaves && r.pops == 0 {
				w.wait = waitsForEmpty
				waiting = append(waiting, pendingRun{p: w.top, n: r.lhs})
				continue
			}
			fallthrough
		case waitsForEmpty:
			if r.fate != fateLeaves {
				break
			}
			if r.pops--; r.pops > 0 { // the top itself
				break
			}
			w.wait = waitsForRest
			waiting = append(waiting, pendingRun{p: w.p, n: r.lhs})
			continue
		}
		f.runs[key], last = r, r
		waiting = waiting[:len(waiting)-1]
	}
}

// reduction is what a state on top of the stack does: pops is the length of the rule that it
// reduces by.
func (f *loopFinder) reduction(top int32) run {
	a := f.action(top, f.terminal)
	if a.Kind() != KindReduce {
		return run{fate: fateStops}
	}
	rule := f.rules[a.Target()]
	return run{fateLeaves, rule.length, rule.lhs}
}

// report records the loops and warns once per nonterminal.
func (f *loopFinder) report() {
	warned := make(map[int32]bool)
	for key, r := range f.runs {
		if r.fate != fateLoops {
			continue
		}
		if f.loops == nil {
			f.Tables.loops = make(map[loop]struct{})
		}
		f.loops[loop{key[0], key[1], f.terminal}] = struct{}{}
		warned[key[1]] = true
	}
	for n := range f.g.Nonterminals {
		if warned[int32(n)] {
			f.Tables.warnings = append(f.Tables.warnings, Warning{f.g.Nonterminals[n].Pos, fmt.Sprintf(
				"with its conflicts resolved, a parser that has read %s can reduce for ever before %s; it refuses it there (%%conflicts keep would not)",
				f.g.Nonterminals[n].Name, f.g.TerminalName(grammar.Terminal(f.terminal)))})
		}
	}
}
