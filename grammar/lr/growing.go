package lr

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/internal/arena"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Tables on demand. A JSON schema has rules by the thousand, and a text of it visits some thirty
// states. So a state's items are closed, and its transitions made, when a parser first looks at it;
// rules that the closure predicts are written then (grammar.Demand).
//
// There are no lookaheads. A reduction is made before every terminal that can follow a nonterminal
// anywhere in the grammar. One that is wrong here is harmless: the stack still spells the beginning
// of a sentence after it, so a terminal that cannot follow is refused when it would have to be
// shifted, before anything is. What lookaheads buy is fewer conflicts, and in grammars of schemas
// they buy none: of 417,733 states of 1,484 schemas of MaskBench 784 have a reduction beside
// another action, and all of these are in conflict in LALR(1) tables too. It takes a grammar that
// keeps its conflicts and that has no useless rules.
//
// Two nonterminals that are the same, as far as their rules are known, are one from the moment that
// both are predicted, and one whose only rule is a symbol is that symbol. A parser that met both
// would have to follow both until something tells them apart, and nothing ever does.

// growing is the automaton that all Tables of one grammar share, as far as it is made. States and
// rules keep their numbers; what is published about a state never changes.
type growing struct {
	mu     sync.Mutex
	g      *grammar.Grammar // the latest; under mu
	grew   func(*Tables)    // is told of Tables that know more; under mu
	latest *Tables

	itemOf   []int32          // by rule: its first item
	itemRule []int32          // by item
	itemNext []grammar.Symbol // by item: the symbol after the dot, absent at the end of the rule
	rulesOf  [][]int32        // by nonterminal
	followed []bool           // by nonterminal: what begins it is in follow
	stands   []grammar.Symbol // by nonterminal: the symbol that stands for it; absent: not known
	rights   intern.Lists[grammar.Symbol]
	lists    intern.Lists[int32] // of numbers in rights
	owners   []grammar.Nonterminal
	kernels  index.Index
	numbers  arena.Arena[int32] // what kernels and rows are cut from
	entries  arena.Arena[Action]

	shapes    atomic.Pointer[[]ruleShape]
	follow    atomic.Pointer[[]uint64] // terminals that come after a nonterminal somewhere
	states    atomic.Int32
	blocks    atomic.Pointer[[]*[stateBlock]growingState]
	conflicts int // states with a reduction beside another action
	changed   bool
	err       atomic.Pointer[error]

	// Scratch of expand.
	seen    []int32 // by nonterminal: 1 + the state whose closure has its rules
	pending []grammar.Nonterminal
	moves   [][]int32 // by number of a symbol: the items after it
	symbols []grammar.Symbol
}

// absent is no symbol: smaller than that of any nonterminal.
const absent grammar.Symbol = -1 << 31

// The items of the augmenting rule, which has the number -1.
const (
	itemStart  = 0
	itemAccept = 1
)

const (
	stateBits  = 6
	stateBlock = 1 << stateBits
)

// growingState is the published part of a state.
type growingState struct {
	kernel []int32
	access grammar.Symbol // absent for the start state
	row    atomic.Pointer[stateRow]
}

// Open prepares the tables of a grammar that keeps its conflicts and has neither useless nor empty
// rules, but for an empty one of a start that no rule has, and makes their first state. What Tables
// say is right as long as no others came after them: a state that is looked at for the first time
// may bring terminals, or the first conflict, of which they know nothing. Then grew is called with
// Tables that do, while the state is not yet seen by anybody. grew must not look at a state that is
// not made.
func Open(g *grammar.Grammar, grew func(*Tables)) (*Tables, error) {
	a := &growing{g: g, grew: grew}
	a.itemRule, a.itemNext = []int32{-1, -1}, []grammar.Symbol{grammar.N(g.Start), absent}
	a.blocks.Store(new([]*[stateBlock]growingState))
	a.shapes.Store(new([]ruleShape))
	a.follow.Store(new([]uint64))
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.learn(g); err != nil {
		return nil, err
	}
	a.state([]int32{itemStart}, absent)
	a.latest = a.tables(newNode(0, nil))
	a.grew = func(t *Tables) {}
	a.expand(0)
	a.grew = grew
	return a.latest, a.Err()
}

// tables are Tables with all states and entries so far.
func (a *growing) tables(bottom *Node) *Tables {
	a.changed = false
	t := &Tables{g: a.g, mode: grammar.KeepConflicts, end: int32(len(a.g.Terminals)), growing: a, bottom: bottom}
	t.plain = a.conflicts == 0
	return t
}

// Err is why a state could not be made; nil if all could.
func (a *growing) Err() error {
	if e := a.err.Load(); e != nil {
		return *e
	}
	return nil
}

// learn takes up the rules that a later grammar has, and has those written that begin what follows
// a nonterminal: what may follow is known before anything is reduced.
func (a *growing) learn(g *grammar.Grammar) error {
	first := len(a.itemOf)
	a.changed = a.changed || len(g.Terminals) > len(a.g.Terminals)
	a.g = g
	more := len(g.Nonterminals) - len(a.rulesOf)
	a.rulesOf, a.stands = append(a.rulesOf, make([][]int32, more)...), append(a.stands, slices.Repeat([]grammar.Symbol{absent}, more)...)
	a.seen, a.followed = append(a.seen, make([]int32, more)...), append(a.followed, make([]bool, more)...)
	a.moves = append(a.moves, make([][]int32, max(0, 2*max(len(g.Terminals), len(g.Nonterminals))-len(a.moves)))...)
	shapes := slices.Grow(*a.shapes.Load(), len(g.Rules)-first)
	for r := first; r < len(g.Rules); r++ {
		rule := &g.Rules[r]
		a.itemOf = append(a.itemOf, int32(len(a.itemNext)))
		for range len(rule.RHS) + 1 {
			a.itemRule = append(a.itemRule, int32(r))
		}
		a.itemNext = append(append(a.itemNext, rule.RHS...), absent)
		a.rulesOf[rule.LHS] = append(a.rulesOf[rule.LHS], int32(r))
		shapes = append(shapes, ruleShape{int32(rule.LHS), int32(len(rule.RHS))})
	}
	a.shapes.Store(&shapes)
	for r := first; r < len(g.Rules); r++ {
		rhs := g.Rules[r].RHS
		for i := 1; i < len(rhs); i++ {
			if rhs[i-1].IsTerminal() {
				continue
			}
			if err := a.follows(rhs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// write has the rules of a nonterminal written.
func (a *growing) write(n grammar.Nonterminal) error {
	d := a.g.Demand
	if d == nil || d.Written(n) {
		return nil
	}
	g, err := d.Write(context.Background(), n)
	if err != nil {
		return err
	}
	return a.learn(g)
}

// follows notes that a symbol comes after a nonterminal.
func (a *growing) follows(s grammar.Symbol) error {
	if s.IsTerminal() {
		if set := *a.follow.Load(); !within(set, int32(s)) {
			grown := make([]uint64, max(len(set), int(s)>>6+1))
			copy(grown, set)
			bitset.Add(grown, int32(s))
			a.follow.Store(&grown)
			a.changed = true
		}
		return nil
	}
	n := s.Nonterminal()
	if a.followed[n] {
		return nil
	}
	a.followed[n] = true
	if err := a.write(n); err != nil {
		return err
	}
	for _, r := range a.rulesOf[n] { // none is empty: only the start has one that is, and no rule has the start
		if err := a.follows(a.g.Rules[r].RHS[0]); err != nil {
			return err
		}
	}
	return nil
}

// state finds the state with this kernel (sorted), or makes it.
func (a *growing) state(kernel []int32, access grammar.Symbol) int32 {
	h := index.Hash(kernel)
	if s := a.kernels.Find(h, func(i int32) bool { return slices.Equal(a.at(i).kernel, kernel) }); s >= 0 {
		return s
	}
	s := a.kernels.Add(h)
	blocks := *a.blocks.Load()
	if int(s)>>stateBits == len(blocks) {
		blocks = append(blocks, new([stateBlock]growingState)) // past the length that readers know
		a.blocks.Store(&blocks)
	}
	at := a.at(s)
	at.kernel, at.access = a.numbers.Clone(kernel), access
	a.states.Store(s + 1)
	return s
}

func (a *growing) at(s int32) *growingState {
	return &(*a.blocks.Load())[s>>stateBits][s&(stateBlock-1)]
}

// row is what a parser does in a state, found out at the first call.
func (a *growing) row(s int32) *stateRow {
	if row := a.at(s).row.Load(); row != nil {
		return row
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expand(s)
}

// expand closes the items of a state and makes its transitions; a.mu is held. If rules cannot be
// written, the state does nothing, and Err says why.
func (a *growing) expand(s int32) *stateRow {
	at := a.at(s)
	if row := at.row.Load(); row != nil {
		return row
	}
	row := &stateRow{}
	if a.Err() == nil {
		if err := a.close(s, row); err != nil {
			a.err.Store(&err)
			*row = stateRow{}
		}
	}
	if len(row.reduces) > 1 || len(row.both) > 0 || len(row.accepts) > 1 {
		a.changed = a.changed || a.conflicts == 0
		a.conflicts++
	}
	if a.changed {
		a.latest = a.tables(a.bottom())
		a.grew(a.latest)
	}
	at.row.Store(row)
	return row
}

func (a *growing) bottom() *Node {
	if a.latest == nil {
		return newNode(0, nil)
	}
	return a.latest.bottom
}

// after tells whether a reduction is made before a terminal.
func (a *growing) after(t int32) bool { return within(*a.follow.Load(), t) }

// close fills a row.
func (a *growing) close(s int32, row *stateRow) error {
	a.symbols, a.pending = a.symbols[:0], a.pending[:0]
	for _, item := range a.at(s).kernel {
		if err := a.visit(s, item, row); err != nil {
			return err
		}
	}
	for i := 0; i < len(a.pending); i++ {
		for _, r := range a.rulesOf[a.pending[i]] {
			if err := a.visit(s, a.itemOf[r], row); err != nil {
				return err
			}
		}
	}
	slices.Sort(row.reduces)
	if row.accepts != nil {
		row.accepts = append(row.accepts, row.reduces...)
	}
	a.transitions(row)
	return nil
}

// visit adds an item to the closure of a state.
func (a *growing) visit(s, item int32, row *stateRow) error {
	x := a.itemNext[item]
	switch {
	case item == itemAccept:
		row.accepts = []Action{accept}
		return nil
	case x == absent:
		row.reduces = append(row.reduces, reduce(a.itemRule[item]))
		return nil
	case !x.IsTerminal():
		var err error
		if x, err = a.standing(x.Nonterminal()); err != nil {
			return err
		}
	}
	i := moveOf(x)
	if len(a.moves[i]) == 0 {
		a.symbols = append(a.symbols, x)
	}
	a.moves[i] = append(a.moves[i], item+1)
	if !x.IsTerminal() && a.seen[x.Nonterminal()] != s+1 {
		a.seen[x.Nonterminal()] = s + 1
		a.pending = append(a.pending, x.Nonterminal())
	}
	return nil
}

// moveOf is the place of a symbol among all: terminals and nonterminals take turns.
func moveOf(x grammar.Symbol) int {
	if x.IsTerminal() {
		return 2 * int(x)
	}
	return 2*int(x.Nonterminal()) + 1
}

// transitions makes the transitions of a row from the items that were moved on.
func (a *growing) transitions(row *stateRow) {
	slices.Sort(a.symbols) // nonterminals descending, and then terminals
	first, n := 0, len(a.symbols)
	for first < n && !a.symbols[first].IsTerminal() {
		first++
	}
	row.gotos, row.entering = a.numbers.Take(first), a.numbers.Take(first)
	row.terminals, row.shifts = a.numbers.Take(n-first), a.entries.Take(n-first)
	for i := n - 1; i >= 0; i-- {
		x := a.symbols[i]
		kernel := a.moves[moveOf(x)]
		slices.Sort(kernel)
		to := a.state(kernel, x)
		a.moves[moveOf(x)] = kernel[:0]
		if i < first {
			row.gotos[first-1-i], row.entering[first-1-i] = int32(x.Nonterminal()), to
		} else {
			row.terminals[i-first], row.shifts[i-first] = int32(x), shift(to)
		}
	}
	if len(row.reduces) == 0 {
		return
	}
	for _, s := range row.shifts {
		row.both = append(row.both, append([]Action{s}, row.reduces...))
	}
}

// standing is the symbol that stands for a nonterminal, whose rules are written if they are not
// there.
func (a *growing) standing(n grammar.Nonterminal) (grammar.Symbol, error) {
	if s := a.stands[n]; s != absent {
		return s, nil
	}
	if err := a.write(n); err != nil {
		return absent, err
	}
	a.stands[n] = grammar.N(n) // for rules that lead back to it
	if rules := a.rulesOf[n]; len(rules) == 1 && len(a.g.Rules[rules[0]].RHS) == 1 && a.g.Start != n {
		s := a.g.Rules[rules[0]].RHS[0]
		if !s.IsTerminal() {
			var err error
			if s, err = a.standing(s.Nonterminal()); err != nil {
				return absent, err
			}
		}
		a.stands[n] = s
		return s, nil
	}
	if a.g.Demand == nil { // all rules are there: what has become equal below makes equal above
		for _, r := range a.rulesOf[n] {
			for _, s := range a.g.Rules[r].RHS {
				if !s.IsTerminal() {
					a.standing(s.Nonterminal()) // which writes no rules, so there is no error
				}
			}
		}
	}
	a.stands[n] = grammar.N(a.owner(n))
	return a.stands[n], nil
}

// owner is the first nonterminal that was met with the rules of n, of which it drops those that
// say what another says.
func (a *growing) owner(n grammar.Nonterminal) grammar.Nonterminal {
	var numbers []int32
	kept := a.rulesOf[n][:0]
	for _, r := range a.rulesOf[n] {
		rhs := slices.Clone(a.g.Rules[r].RHS)
		for i, s := range rhs {
			if !s.IsTerminal() && a.stands[s.Nonterminal()] != absent {
				rhs[i] = a.stands[s.Nonterminal()]
			}
		}
		if number, isNew := a.rights.Take(rhs); isNew || !slices.Contains(numbers, number) {
			numbers, kept = append(numbers, number), append(kept, r)
		}
	}
	a.rulesOf[n] = kept
	slices.Sort(numbers)
	list, isNew := a.lists.Take(numbers)
	if isNew {
		a.owners = append(a.owners, n)
	}
	return a.owners[list]
}

// actions are all actions of a row on a terminal, end standing for the end of the input.
func (a *growing) actions(row *stateRow, term, end int32) []Action {
	if term == end {
		if row.accepts != nil {
			return row.accepts
		}
		return row.reduces
	}
	if i := find(row.terminals, term); i < len(row.terminals) && row.terminals[i] == term {
		if row.both != nil && a.after(term) {
			return row.both[i]
		}
		return row.shifts[i : i+1 : i+1]
	}
	if len(row.reduces) > 0 && a.after(term) {
		return row.reduces
	}
	return nil
}

// stateSets are the sets of the states that were asked for them.
type stateSets struct {
	mu     sync.Mutex
	blocks atomic.Pointer[[]*[stateBlock]atomic.Pointer[twoSets]]
}

type twoSets struct{ live, shiftable []uint64 }

// setsOf are the sets of a state of growing Tables.
func (t *Tables) setsOf(state int32) *twoSets {
	if blocks := t.sets.blocks.Load(); blocks != nil && int(state)>>stateBits < len(*blocks) {
		if x := (*blocks)[state>>stateBits][state&(stateBlock-1)].Load(); x != nil {
			return x
		}
	}
	x := t.makeSets(t.growing.row(state))
	t.sets.mu.Lock()
	defer t.sets.mu.Unlock()
	var blocks []*[stateBlock]atomic.Pointer[twoSets]
	if known := t.sets.blocks.Load(); known != nil {
		blocks = *known
	}
	for int(state)>>stateBits >= len(blocks) {
		blocks = append(blocks, new([stateBlock]atomic.Pointer[twoSets]))
	}
	t.sets.blocks.Store(&blocks)
	blocks[state>>stateBits][state&(stateBlock-1)].Store(x)
	return x
}

func (t *Tables) makeSets(row *stateRow) *twoSets {
	x := &twoSets{t.NewSet(), t.NewSet()}
	for _, term := range row.terminals {
		if term < t.end {
			bitset.Add(x.shiftable, term)
		}
	}
	if row.accepts != nil {
		bitset.Add(x.shiftable, t.end)
	}
	copy(x.live, x.shiftable)
	if len(row.reduces) > 0 {
		for term := range bitset.All[int32](*t.growing.follow.Load()) {
			if term < t.end {
				bitset.Add(x.live, term)
			}
		}
		bitset.Add(x.live, t.end)
	}
	return x
}
