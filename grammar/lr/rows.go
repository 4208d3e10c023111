package lr

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// A stateRow has a parser's actions in a state. In most states that is one reduction, whatever
// comes next of some terminals; so a row has the reductions with the set of terminals before each,
// and only the shifts one by one.
type stateRow struct {
	live      []uint64 // of tables that know all states: terminals with any action
	terminals []int32  // those that are shifted, ascending, and the end of the input if it is accepted
	reduces   []Action // by ascending rule
	shifts    []Action // by place in terminals
	gotos     []int32  // nonterminals, ascending
	entering  []int32  // by place in gotos: the state

	// Of tables that know all states:
	before    [][]uint64         // by place in reduces: the terminals before which that is done
	shiftable []uint64           // those in terminals
	several   map[int32][]Action // by terminal, where conflicts are kept: its actions, if there are several

	// Of tables on demand (growing.go):
	accepts []Action   // at the end of the input, if the text is a sentence: accept, then reduces
	both    [][]Action // by place in terminals: the shift and then all reductions; nil without reductions
}

// several stands for more than one action.
const several Action = -1

// actions are all actions on a terminal: a shift or accept first.
func (r *stateRow) actions(term int32) []Action {
	if !bitset.Has(r.live, term) {
		return nil
	}
	if list := r.several[term]; list != nil {
		return list
	}
	if i := find(r.terminals, term); i < len(r.terminals) && r.terminals[i] == term {
		return r.shifts[i : i+1 : i+1]
	}
	i := 0
	for i+1 < len(r.reduces) && !bitset.Has(r.before[i], term) {
		i++
	}
	return r.reduces[i : i+1 : i+1]
}

// goTo is the state that is gone to on a nonterminal; 0 if there is none.
func (r *stateRow) goTo(n int32) int32 {
	if i := find(r.gotos, n); i < len(r.gotos) && r.gotos[i] == n {
		return r.entering[i]
	}
	return 0
}

// find is the place of x in an ascending list, or of what is next to it. It takes no branch that
// depends on the list: those would be guessed wrong half of the time.
func find(list []int32, x int32) int {
	at := 0
	for n := len(list); n > 1; {
		half := n >> 1
		if list[at+half] <= x {
			at += half
		}
		n -= half
	}
	return at
}

// only is the rule that is reduced by whatever comes next, -1 if that is not so.
func (r *stateRow) only() int32 {
	if len(r.reduces) == 1 && len(r.terminals) == 0 && r.accepts == nil {
		return r.reduces[0].Target()
	}
	return -1
}

// settle makes the sets of a row of t from its shifts and reductions. It tells decide of each
// terminal that has several actions.
func (r *stateRow) settle(t *Tables, decide func(x int32, all []Action)) {
	if len(r.terminals) < 2 {
		r.shiftable = t.small(r.terminals)
	} else {
		r.shiftable = t.NewSet()
		bitset.AddAll(r.shiftable, r.terminals)
	}
	switch {
	case len(r.before) == 0:
		r.live = r.shiftable
		return
	case len(r.terminals) == 0 && len(r.before) == 1:
		r.live = r.before[0]
		return
	}
	r.live = slices.Clone(r.shiftable)
	var clashing []uint64
	for _, before := range r.before {
		for w, word := range before {
			if twice := r.live[w] & word; twice != 0 {
				if clashing == nil {
					clashing = t.NewSet()
				}
				clashing[w] |= twice
			}
			r.live[w] |= word
		}
	}
	for x := range bitset.All[int32](clashing) {
		decide(x, r.all(x))
	}
}

// small is the set of one terminal or none, which most states shift. Such sets are cut from zeros
// on both sides of a word with one bit: a grammar with thousands of terminals has as many states,
// and a set of its own for each would take most of the memory.
func (t *Tables) small(terms []int32) []uint64 {
	n, word, bit := t.SetWords(), 0, int32(-1)
	if len(terms) > 0 {
		word, bit = int(terms[0]>>6), terms[0]&63
	}
	zeros := t.zeros[bit]
	if zeros == nil {
		if t.zeros == nil {
			t.zeros = map[int32][]uint64{}
		}
		zeros = make([]uint64, 2*n-1)
		if bit >= 0 {
			bitset.Add(zeros[n-1:], bit)
		}
		t.zeros[bit] = zeros
	}
	return zeros[n-1-word:][:n:n]
}

// all lists the actions on a terminal.
func (r *stateRow) all(x int32) []Action {
	var list []Action
	if i, ok := slices.BinarySearch(r.terminals, x); ok {
		list = append(list, r.shifts[i])
	}
	for i, before := range r.before {
		if bitset.Has(before, x) {
			list = append(list, r.reduces[i])
		}
	}
	return list
}

// keep has all actions on a terminal be taken.
func (r *stateRow) keep(x int32, all []Action) {
	if r.several == nil {
		r.several = map[int32][]Action{}
	}
	r.several[x] = all
}

// choose takes the other actions on a terminal than one away. The sets may be those of other states
// too.
func (r *stateRow) choose(x int32, chosen Action) {
	for i, a := range r.reduces {
		if a != chosen && bitset.Has(r.before[i], x) {
			r.before[i] = slices.Clone(r.before[i])
			bitset.Remove(r.before[i], x)
		}
	}
}

// trim drops reductions that are made before no terminal.
func (r *stateRow) trim() {
	n := 0
	for i, before := range r.before {
		if !bitset.Empty(before) {
			r.reduces[n], r.before[n] = r.reduces[i], before
			n++
		}
	}
	r.reduces, r.before = r.reduces[:n], r.before[:n]
}

// bytes is the memory of a row, roughly.
func (r *stateRow) bytes() int {
	n := 8*len(r.terminals) + 8*len(r.gotos) + 16*len(r.live) + 8*len(r.live)*len(r.before)
	for _, list := range r.several {
		n += 40 + 4*len(list)
	}
	return n
}

// whole makes the tables on demand of a grammar, and then all of their states, after which they are
// tables like others. ok is false if the grammar has not what they ask for (Open).
func whole(b *budget, g *grammar.Grammar) (_ *Tables, ok bool, err error) {
	if !useful(g) {
		return nil, false, nil
	}
	grown, err := Open(g, func(*Tables) {})
	if err != nil {
		return nil, false, err
	}
	a := grown.growing
	for s := int32(0); s < a.states.Load(); s++ {
		r := a.row(s)
		if err := b.checkStates(int(s)); err != nil {
			return nil, false, err
		}
		if err := b.hold(len(a.at(s).kernel) + len(r.terminals) + len(r.gotos)); err != nil {
			return nil, false, err
		}
	}
	t, err := a.flat(b)
	return t, err == nil, err
}

// flat are tables of all states of an automaton.
func (a *growing) flat(b *budget) (*Tables, error) {
	n, end := a.states.Load(), int32(len(a.g.Terminals))
	t := &Tables{g: a.g, mode: grammar.KeepConflicts, end: end, visited: true, rules: append(*a.shapes.Load(), ruleShape{}), rows: make([]stateRow, n), access: make([]grammar.Symbol, n), bottom: newNode(0, nil)}
	follow := bitset.New(int(end) + 1)
	copy(follow, *a.follow.Load())
	bitset.Add(follow, end)
	for s := range n {
		r := &t.rows[s]
		*r = *a.at(s).row.Load()
		if r.accepts != nil {
			r.terminals, r.shifts = append(r.terminals, end), append(r.shifts, accept)
		}
		r.accepts, r.both = nil, nil
		for range r.reduces {
			r.before = append(r.before, follow)
		}
		r.settle(t, func(x int32, all []Action) {
			t.clashes = append(t.clashes, clash{state: s, terminal: x, actions: all, outcome: Kept})
			r.keep(x, all)
		})
		t.access[s] = a.at(s).access
		if err := b.holdSets(1, len(follow)); err != nil {
			return nil, err
		}
	}
	t.forked = len(t.clashes) > 0
	t.findPredecessors()
	return t, nil
}

// useful tells whether tables on demand can be made of a grammar: nothing is said of what may come
// after a rule, every rule has a sentence, and none is empty but that of a start that no rule has.
func useful(g *grammar.Grammar) bool {
	derives := make([]bool, len(g.Nonterminals))
	unknown := func(x grammar.Symbol) bool {
		return x.IsTerminal() && int(x) >= len(g.Terminals) || !x.IsTerminal() && int(x.Nonterminal()) >= len(derives)
	}
	underivable := func(x grammar.Symbol) bool { return !x.IsTerminal() && !derives[x.Nonterminal()] }
	startEmpty, startUsed := false, false
	for _, r := range g.Rules {
		if r.NotBefore != nil || len(r.RHS) == 0 && r.LHS != g.Start || unknown(grammar.N(r.LHS)) || slices.ContainsFunc(r.RHS, unknown) {
			return false
		}
		startEmpty = startEmpty || len(r.RHS) == 0
		startUsed = startUsed || slices.Contains(r.RHS, grammar.N(g.Start))
	}
	left := len(g.Rules)
	for pass := 0; pass < maxPasses && left > 0; pass++ {
		left = 0
		for i := range g.Rules {
			if pass%2 == 0 { // most grammars go from the whole to its parts
				i = len(g.Rules) - 1 - i
			}
			if slices.ContainsFunc(g.Rules[i].RHS, underivable) {
				left++
			} else {
				derives[g.Rules[i].LHS] = true
			}
		}
	}
	return left == 0 && !unknown(grammar.N(g.Start)) && derives[g.Start] && !(startEmpty && startUsed)
}

// maxPasses bounds how often the rules are looked through for those that have a sentence. Grammars
// that take more passes are rare, and are built as others are.
const maxPasses = 16
