package lr

import (
	"context"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Options change how tables are built.
type Options struct {
	// Conflicts overrides what the grammar says about conflicts; nil leaves it.
	Conflicts *grammar.ConflictMode
	// Quick builds tables in a fraction of the time, for a grammar that is compiled for one use. They
	// are looked up a little slower. Where conflicts are kept, nonterminals that are the same are also
	// made one, so that some that the grammar has do not occur, and a terminal that is refused may be
	// so some reductions later: what is accepted stays the same.
	Quick bool
}

// Build makes the LALR(1) tables of g. It fails with a *ConflictError if reduce/reduce conflicts
// are to be resolved and priorities do not decide them, with a *grammar.Error if the start rule
// derives nothing, with a *LimitError if the tables would be too large, and with ctx's error soon
// after ctx ends. Useless rules are left out, with a warning.
func Build(ctx context.Context, g *grammar.Grammar, opt Options) (*Tables, error) {
	mode := g.Conflicts
	if opt.Conflicts != nil {
		mode = *opt.Conflicts
	}
	restricted := slices.ContainsFunc(g.Rules, func(r grammar.Rule) bool { return r.NotBefore != nil })
	lenient := opt.Quick && mode == grammar.KeepConflicts && !restricted
	a, err := analyse(ctx, g, lenient)
	if err != nil {
		return nil, err
	}
	find := newLookaheads
	if lenient {
		find = newNeededLookaheads
	}
	l, err := find(a)
	if err != nil {
		return nil, err
	}
	return newTables(l, mode, opt.Quick, lenient)
}

// newTables makes tables of an automaton with lookaheads.
func newTables(l *lookaheads, mode grammar.ConflictMode, quick, folded bool) (*Tables, error) {
	t := startTables(l, mode)
	t.folded = folded
	if err := t.fillActions(l, !quick); err != nil {
		return nil, err
	}
	if bad := unresolved(t.clashes); len(bad) > 0 {
		told, err := describe(l, bad)
		if err != nil {
			return nil, err
		}
		return nil, &ConflictError{Grammar: l.src.Name, Conflicts: told}
	}
	if err := t.fillGotos(l, !quick); err != nil {
		return nil, err
	}
	return t, t.findLoops(l)
}

// analyse builds what the lookaheads are found from.
func analyse(ctx context.Context, g *grammar.Grammar, fold bool) (*automaton, error) {
	c, err := newCFG(ctx, g)
	if err != nil {
		return nil, err
	}
	if fold {
		if err := c.fold(); err != nil {
			return nil, err
		}
	}
	a, err := newAutomaton(c)
	if err != nil {
		return nil, err
	}
	return a, c.check()
}

func startTables(l *lookaheads, mode grammar.ConflictMode) *Tables {
	n := len(l.kernels)
	t := &Tables{
		g: l.src, mode: mode, end: l.end,
		rules:        make([]ruleShape, len(l.rules)),
		access:       l.access,
		predecessors: l.under,
		defaults:     make([]int32, n),
		warnings:     l.warnings,
	}
	for i, r := range l.rules {
		t.rules[i] = ruleShape{int32(l.source(r.lhs)), int32(len(r.rhs))}
	}
	t.bottom = newNode(0, nil)
	return t
}

// fillActions makes the action table from shifts and lookaheads, and decides conflicts.
func (t *Tables) fillActions(l *lookaheads, pack bool) (err error) {
	n, width := len(l.kernels), int(l.end)+1
	f := rowFiller{
		Tables: t, lookaheads: l, reductions: make([][]int32, width), shift: make([]Action, width),
		live: bitset.New(width), shifts: bitset.New(width), rows: newSparse(n, 2*n),
	}
	live, shifts := newSetTableBuilder(n, width), newSetTableBuilder(n, width)
	held, clashes := 0, 0 // so far: words of sets, clashes
	for s := range int32(n) {
		if r, ok := f.onlyReduction(s); ok {
			la := f.lookahead(s, 0)
			f.rows.add(anyColumn, reduce(r))
			t.defaults[s] = r
			live.add(la)
			shifts.add(f.shifts) // empty
		} else {
			t.defaults[s] = f.row(s)
			live.add(f.live)
			shifts.add(f.shifts)
			clear(f.live)
			clear(f.shifts)
		}
		added := f.rows.endRow() + clashCells*(len(t.clashes)-clashes)
		clashes = len(t.clashes)
		if err := l.hold(added); err != nil {
			return err
		}
		words := len(live.sets.words) + len(shifts.sets.words)
		if err := l.holdSets(1, words-held); err != nil {
			return err
		}
		held = words
	}
	t.live, t.shifts = live.setTable, shifts.setTable
	f.rows.any = &t.live
	t.actions, err = newMatrix(l.budget, f.rows, width, pack)
	return err
}

// clashCells is how many cells a clash takes.
const clashCells = 8

// A rowFiller has the scratch for one row of the action table.
type rowFiller struct {
	*Tables
	*lookaheads
	rows       sparse    // what was filled
	reductions [][]int32 // by terminal: rules to reduce by
	shift      []Action  // by terminal: shift or accept
	live       []uint64  // terminals with any action
	shifts     []uint64  // terminals with a shift or accept
}

// onlyReduction is the rule that state s reduces by if that is all that it can do: so it is in most
// states.
func (f *rowFiller) onlyReduction(s int32) (rule int32, ok bool) {
	done := f.complete[s]
	if len(done) != 1 || int(done[0]) == len(f.lookaheads.rules)-1 || len(f.edges[s]) > 0 && f.isTerminal(f.edges[s][0].sym) {
		return 0, false
	}
	return done[0], true
}

// row appends the entries of state s, and sets live and shifts, which were empty. It returns the
// rule that all entries reduce by, -1 if that is not so.
func (f *rowFiller) row(s int32) (only int32) {
	augmenting := int32(len(f.lookaheads.rules) - 1)
	for _, e := range f.edges[s] {
		if !f.isTerminal(e.sym) {
			break // terminals come first
		}
		f.shift[e.sym] = shift(e.to)
		bitset.Add(f.live, e.sym)
	}
	for i, r := range f.complete[s] {
		if r == augmenting {
			f.shift[f.lookaheads.end] = accept
			bitset.Add(f.live, f.lookaheads.end)
			continue
		}
		la := f.lookahead(s, int32(i))
		bitset.Unite(f.live, la)
		for x := range bitset.All[int32](la) {
			f.reductions[x] = append(f.reductions[x], r)
		}
	}
	first := len(f.rows.values)
	for x := range bitset.All[int32](f.live) {
		f.rows.add(x, f.entry(s, x))
		if f.shift[x] != 0 {
			bitset.Add(f.shifts, x)
		}
		f.shift[x], f.reductions[x] = 0, f.reductions[x][:0]
	}
	return defaultReduction(f.rows.values[first:])
}

// entry decides state s on terminal x, and records a clash if there is one.
func (f *rowFiller) entry(s, x int32) Action {
	var all []Action
	if a := f.shift[x]; a != 0 {
		if len(f.reductions[x]) == 0 {
			return a
		}
		all = append(all, a)
	}
	for _, r := range f.reductions[x] {
		all = append(all, reduce(r))
	}
	if len(all) == 1 {
		return all[0]
	}
	c := clash{state: s, terminal: x, actions: all}
	if f.mode == grammar.KeepConflicts {
		c.outcome = Kept
	} else {
		c.chosen, c.outcome = f.resolve(all)
	}
	f.clashes = append(f.clashes, c)
	if c.outcome == Kept {
		f.lists = append(f.lists, all)
		return Action(^(len(f.lists) - 1))
	}
	return c.chosen
}

// resolve decides between actions as Lark does: first between the reductions, where the highest
// priority wins if it is strictly the highest, then for the shift.
func (f *rowFiller) resolve(all []Action) (Action, Outcome) {
	reductions := all
	if all[0].Kind() != KindReduce {
		reductions = all[1:]
	}
	best, tie := reductions[0], false
	for _, a := range reductions[1:] {
		switch p, q := f.priority(a), f.priority(best); {
		case p > q:
			best, tie = a, false
		case p == q:
			tie = true
		}
	}
	switch {
	case tie:
		return 0, Unresolved
	case all[0].Kind() != KindReduce:
		return all[0], ByShift
	}
	return best, ByPriority
}

func (f *rowFiller) priority(a Action) int { return f.g.Rules[a.Target()].Priority }

// defaultReduction is the rule that all entries of a row reduce by, -1 if that is not so.
func defaultReduction(row []Action) int32 {
	if len(row) == 0 || row[0] < 0 || row[0].Kind() != KindReduce {
		return -1
	}
	for _, a := range row[1:] {
		if a != row[0] {
			return -1
		}
	}
	return row[0].Target()
}

func (t *Tables) fillGotos(l *lookaheads, pack bool) (err error) {
	rows := newSparse(len(l.kernels), len(l.from))
	for s := range l.kernels {
		for x := l.first[s]; x < l.first[s+1]; x++ {
			rows.add(int32(l.source(l.sym[x])), Action(l.to_[x]))
		}
		rows.endRow()
	}
	if err := l.hold(len(l.from)); err != nil {
		return err
	}
	t.gotos, err = newMatrix(l.budget, rows, len(l.src.Nonterminals), pack)
	return err
}
