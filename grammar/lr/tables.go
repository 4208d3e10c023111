package lr

import (
	"slices"
	"sync"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Tables are the LALR(1) tables of a grammar. They are immutable and may be shared between
// goroutines; everything a method returns by reference is read-only.
//
// States are numbered from 0, the start state, in breadth-first order. Rules have the numbers they
// have in the grammar.
type Tables struct {
	g       *grammar.Grammar
	mode    grammar.ConflictMode
	end     int32
	rules   []ruleShape // by rule; the augmenting rule, last, is never reduced by
	rows    []stateRow  // by state
	forked  bool        // an entry has several actions
	visited bool        // they were made on demand (whole)

	zeros map[int32][]uint64 // by bit of a word: see small

	access       []grammar.Symbol // by state: absent for the start state
	predecessors listTable        // by state

	unsplit   *Tables // what these were split from (Split); nil for others
	clashes   []clash
	loops     map[loop]struct{} // nil if there are none
	warnings  []Warning
	bottom    *Node     // the stack of the start state
	growing   *growing  // of tables on demand; nil for others
	plain     bool      // of tables on demand: no conflict was met
	sets      stateSets // of tables on demand
	pool      sync.Pool // of *closure
	narrative struct {
		once      sync.Once
		conflicts []Conflict
	}
}

// A ruleShape is the parser's part of a rule.
type ruleShape struct {
	lhs    int32 // nonterminal, numbered as in the grammar
	length int32
}

// NumStates is the number of LR states; of tables on demand, of those that are known.
func (t *Tables) NumStates() int {
	if t.growing != nil {
		return int(t.growing.states.Load())
	}
	return len(t.rows)
}

// NumTerminals is the number of terminals of the grammar, the end of input not counted.
func (t *Tables) NumTerminals() int { return int(t.end) }

// NumRules is the number of rules of the grammar, useless ones counted.
func (t *Tables) NumRules() int {
	if t.growing != nil {
		return len(*t.growing.shapes.Load())
	}
	return len(t.rules) - 1
}

// shape is what the parser needs of rule r.
func (t *Tables) shape(r int32) ruleShape {
	if t.growing != nil {
		return (*t.growing.shapes.Load())[r]
	}
	return t.rules[r]
}

// row has the parser's actions in a state.
func (t *Tables) row(state int32) *stateRow {
	if t.growing != nil {
		return t.growing.row(state)
	}
	return &t.rows[state]
}

// action is the only action of state on term, 0 if there is none, several if there are.
func (t *Tables) action(state, term int32) Action {
	switch list := t.Actions(state, grammar.Terminal(term)); len(list) {
	case 0:
		return 0
	case 1:
		return list[0]
	}
	return several
}

// goTo is the state that state goes to on a nonterminal, 0 if there is none.
func (t *Tables) goTo(state, n int32) int32 { return t.row(state).goTo(n) }

// Grammar is the grammar the tables were built from.
func (t *Tables) Grammar() *grammar.Grammar { return t.g }

// Mode says what was done about conflicts.
func (t *Tables) Mode() grammar.ConflictMode { return t.mode }

// End is the pseudo terminal for the end of input: one past the last terminal.
func (t *Tables) End() grammar.Terminal { return grammar.Terminal(t.end) }

// SetWords is the number of words of a bit set over terminals and the end of input.
func (t *Tables) SetWords() int { return bitset.Words(int(t.end) + 1) }

// NewSet is a bit set over terminals (bit i%64 of word i/64) with the given members, as
// AcceptsAny takes it.
func (t *Tables) NewSet(terms ...grammar.Terminal) []uint64 {
	s := make([]uint64, t.SetWords())
	for _, x := range terms {
		bitset.Add(s, x)
	}
	return s
}

// Deterministic tells whether no entry has more than one action. A forest of stacks can still
// arise when several terminals are shifted at once. Of tables on demand it is what is known so far.
func (t *Tables) Deterministic() bool {
	if t.growing != nil {
		return t.plain
	}
	return !t.forked
}

// Action is the action of state on term, which may be End(). Where conflicts are kept and an entry
// has several, it is the first of Actions.
func (t *Tables) Action(state int32, term grammar.Terminal) Action {
	if all := t.Actions(state, term); len(all) > 0 {
		return all[0]
	}
	return 0
}

// Actions are all actions of state on term: a shift or accept first, then reductions by ascending
// rule. The slice is read-only and is not newly allocated.
func (t *Tables) Actions(state int32, term grammar.Terminal) []Action {
	if a := t.growing; a != nil {
		return a.actions(a.row(state), int32(term), t.end)
	}
	return t.rows[state].actions(int32(term))
}

// Goto is the state that state goes to on n after a reduction to n, -1 if none.
func (t *Tables) Goto(state int32, n grammar.Nonterminal) int32 {
	if to := t.goTo(state, int32(n)); to != 0 {
		return to
	}
	return -1
}

// GotoBefore is Goto for a parser whose next terminal is term. It is -1 also where tables with
// resolved conflicts would from there on reduce for ever without reading term (see Loops): a parser
// that runs on the tables and uses GotoBefore for every reduction comes to an end.
func (t *Tables) GotoBefore(state int32, n grammar.Nonterminal, term grammar.Terminal) int32 {
	if t.loops != nil && t.Loops(state, n, term) {
		return -1
	}
	return t.Goto(state, n)
}

// Make makes a state of tables on demand, if it is not made yet.
func (t *Tables) Make(state int32) {
	if t.growing != nil {
		t.growing.row(state)
	}
}

// Made tells whether a state is made, as all are but of tables on demand.
func (t *Tables) Made(state int32) bool {
	return t.growing == nil || t.growing.at(state).row.Load() != nil
}

// Err is why a state of tables on demand could not be made: what the grammar's Demand says. It is
// nil if all could.
func (t *Tables) Err() error {
	if t.growing != nil {
		return t.growing.Err()
	}
	return nil
}

// Rule is the left-hand side and the length of the right-hand side of rule r.
func (t *Tables) Rule(r int32) (lhs grammar.Nonterminal, length int) {
	s := t.shape(r)
	return grammar.Nonterminal(s.lhs), int(s.length)
}

// Accessing is the symbol that state is entered on; false for the start state.
func (t *Tables) Accessing(state int32) (grammar.Symbol, bool) {
	sym := absent
	if t.growing != nil {
		sym = t.growing.at(state).access
	} else {
		sym = t.access[state]
	}
	return sym, sym != absent
}

// Predecessors are the states that can lie directly under state in a stack, ascending. Tables on
// demand do not know them.
func (t *Tables) Predecessors(state int32) []int32 { return t.predecessors.of(state) }

// Live is the bit set of the terminals (and the end of input) state has any action on. One that
// is not in it is refused with state on top; one that is in it may be refused further down.
func (t *Tables) Live(state int32) []uint64 {
	if t.growing != nil {
		return t.setsOf(state).live
	}
	return t.rows[state].live
}

// Shiftable is the bit set of the terminals that state shifts, and the end of input if it accepts
// there: they are accepted with state on top, whatever lies under it.
func (t *Tables) Shiftable(state int32) []uint64 {
	if t.growing != nil {
		return t.setsOf(state).shiftable
	}
	return t.rows[state].shiftable
}

// DefaultReduction is the rule that every action of state reduces by, if that is so. Such a state
// can be reduced without looking at the next terminal: one that is wrong is refused later, but
// before anything is shifted.
func (t *Tables) DefaultReduction(state int32) (rule int32, ok bool) {
	r := t.row(state).only()
	return r, r >= 0
}

// A Reduction is a rule that a state reduces by, and the terminals before which it does.
type Reduction struct {
	Rule  int32
	Terms []uint64
}

// Reductions lists the rules that a state reduces by before the members of a set of terminals, each
// with those members. The list is the caller's.
func (t *Tables) Reductions(state int32, terms []uint64) []Reduction {
	live := slices.Clone(t.Live(state))
	for i := range live {
		live[i] &= terms[i]
	}
	if bitset.Empty(live) {
		return nil
	}
	if rule, ok := t.DefaultReduction(state); ok {
		return []Reduction{{rule, live}}
	}
	var list []Reduction
	for x := range bitset.All[grammar.Terminal](live) {
		for _, a := range t.Actions(state, x) {
			if a.Kind() != KindReduce {
				continue
			}
			i := slices.IndexFunc(list, func(r Reduction) bool { return r.Rule == a.Target() })
			if i < 0 {
				i = len(list)
				list = append(list, Reduction{a.Target(), t.NewSet()})
			}
			bitset.Add(list[i].Terms, x)
		}
	}
	return list
}

// Tops lists the states that may be on top of a stack between two terminals: the start state, and
// the states that are entered on a terminal.
func (t *Tables) Tops() []int32 {
	var list []int32
	for s := range int32(t.NumStates()) {
		if sym, ok := t.Accessing(s); !ok || sym.IsTerminal() {
			list = append(list, s)
		}
	}
	return list
}

// Warnings are oddities of the grammar: useless rules, endless reductions.
func (t *Tables) Warnings() []Warning { return t.warnings }

// Bytes is the memory the tables hold, roughly.
func (t *Tables) Bytes() int {
	n := 8*len(t.rules) + 4*len(t.access) + t.predecessors.bytes()
	for i := range t.rows {
		n += t.rows[i].bytes()
	}
	return n
}

// findPredecessors fills in which states lie under which, by their transitions.
func (t *Tables) findPredecessors() {
	t.predecessors = newListTable(len(t.rows), func(add func(list, value int32)) {
		for s := range t.rows {
			r := &t.rows[s]
			for _, a := range r.shifts {
				if a.Kind() == KindShift {
					add(a.Target(), int32(s))
				}
			}
			for _, to := range r.entering {
				add(to, int32(s))
			}
		}
	})
}
