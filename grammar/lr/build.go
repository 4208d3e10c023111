package lr

import (
	"context"

	"gcdbench/grammar"
	"gcdbench/internal/arena"
)

// Options change how tables are built.
type Options struct {
	// Conflicts overrides what the grammar says about conflicts; nil leaves it.
	Conflicts *grammar.ConflictMode
	// OnDemand makes the tables of a grammar that keeps its conflicts as tables on demand of which all
	// states are visited (Open), if it has only rules that these take. That takes a fraction of the
	// time, and nonterminals that are the same become one: some that the grammar has do not occur, a
	// terminal that is refused may be so some reductions later, and what is accepted stays the same.
	OnDemand bool
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
	if opt.OnDemand && mode == grammar.KeepConflicts {
		if t, ok, err := whole(&budget{ctx: ctx, grammar: g.Name}, g); ok || err != nil {
			return t, err
		}
	}
	l, err := analyse(ctx, g)
	if err != nil {
		return nil, err
	}
	return newTables(l, mode)
}

// newTables makes tables of lookaheads.
func newTables(l *lookaheads, mode grammar.ConflictMode) (*Tables, error) {
	t := startTables(l, mode)
	if err := t.fill(l); err != nil {
		return nil, err
	}
	if bad := unresolved(t.clashes); len(bad) > 0 {
		told, err := describe(l, bad)
		if err != nil {
			return nil, err
		}
		return nil, &ConflictError{Grammar: l.src.Name, Conflicts: told}
	}
	return t, t.findLoops(l)
}

// analyse finds the lookaheads of a grammar.
func analyse(ctx context.Context, g *grammar.Grammar) (*lookaheads, error) {
	c, err := newCFG(ctx, g)
	if err != nil {
		return nil, err
	}
	a, err := newAutomaton(c)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return newLookaheads(a)
}

func startTables(l *lookaheads, mode grammar.ConflictMode) *Tables {
	n := len(l.kernels)
	t := &Tables{
		g: l.src, mode: mode, end: l.end,
		rules: make([]ruleShape, len(l.rules)), rows: make([]stateRow, n),
		access: make([]grammar.Symbol, n), predecessors: l.under,
		warnings: l.warnings,
		bottom:   newNode(0, nil),
	}
	for i, r := range l.rules {
		t.rules[i] = ruleShape{int32(l.source(r.lhs)), int32(len(r.rhs))}
	}
	for s, sym := range l.access {
		switch {
		case sym < 0:
			t.access[s] = absent
		case l.isTerminal(sym):
			t.access[s] = grammar.T(grammar.Terminal(sym))
		default:
			t.access[s] = grammar.N(l.source(sym))
		}
	}
	return t
}

// fill makes the rows from transitions and lookaheads, and decides conflicts.
func (t *Tables) fill(l *lookaheads) error {
	var numbers arena.Arena[int32]
	var actions arena.Arena[Action]
	var sets arena.Arena[[]uint64]
	for s := range t.rows {
		r, edges, done := &t.rows[s], l.edges[s], l.complete[s]
		shifts := 0
		for shifts < len(edges) && l.isTerminal(edges[shifts].sym) { // terminals come first
			shifts++
		}
		r.terminals, r.shifts = numbers.Take(shifts), actions.Take(shifts)
		for i, e := range edges[:shifts] {
			r.terminals[i], r.shifts[i] = e.sym, shift(e.to)
		}
		r.gotos, r.entering = numbers.Take(len(edges)-shifts), numbers.Take(len(edges)-shifts)
		for i, e := range edges[shifts:] {
			r.gotos[i], r.entering[i] = int32(l.source(e.sym)), e.to
		}
		r.reduces, r.before = actions.Take(len(done))[:0], sets.Take(len(done))[:0]
		for i, rule := range done {
			if int(rule) == len(l.rules)-1 { // the augmenting rule
				r.terminals, r.shifts = append(r.terminals, l.end), append(r.shifts, accept)
				continue
			}
			r.reduces, r.before = append(r.reduces, reduce(rule)), append(r.before, l.lookahead(int32(s), int32(i)))
		}
		if err := t.decide(l, int32(s), r); err != nil {
			return err
		}
	}
	return nil
}

// clashCells is how many cells a clash takes.
const clashCells = 8

// decide settles what a state does on each terminal, and records its conflicts.
func (t *Tables) decide(l *lookaheads, s int32, r *stateRow) error {
	clashes := len(t.clashes)
	r.settle(t, func(x int32, all []Action) {
		c := clash{state: s, terminal: x, actions: all, outcome: Kept}
		if t.mode != grammar.KeepConflicts {
			c.chosen, c.outcome = t.resolve(all)
		}
		if c.outcome == Kept {
			r.keep(x, all)
			t.forked = true
		} else {
			r.choose(x, c.chosen)
		}
		t.clashes = append(t.clashes, c)
	})
	if len(t.clashes) > clashes {
		r.trim()
	}
	if err := l.holdSets(2, len(r.live)); err != nil {
		return err
	}
	return l.hold(len(r.terminals) + len(r.reduces) + len(r.gotos) + clashCells*(len(t.clashes)-clashes))
}

// resolve decides between actions as Lark does: first between the reductions, where the highest
// priority wins if it is strictly the highest, then for the shift.
func (t *Tables) resolve(all []Action) (Action, Outcome) {
	reductions := all
	if all[0].Kind() != KindReduce {
		reductions = all[1:]
	}
	best, tie := reductions[0], false
	for _, a := range reductions[1:] {
		switch p, q := t.priority(a), t.priority(best); {
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

func (t *Tables) priority(a Action) int { return t.g.Rules[a.Target()].Priority }
