package lr

import (
	"cmp"
	"context"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Split makes tables for a grammar that has copies of the terminals of t's grammar. copies lists
// those of each terminal, the first of which has the terminal's own number; into tells whether a
// copy may be shifted into a state. A copy has the actions of its terminal, without the shifts that
// are not its own. States, rules and gotos stay as they are. t must know all of its states.
func (t *Tables) Split(ctx context.Context, g *grammar.Grammar, copies [][]grammar.Terminal,
	into func(x grammar.Terminal, state int32) bool) (*Tables, error) {
	b := &budget{ctx: ctx, grammar: g.Name}
	n, end := t.NumStates(), int32(len(g.Terminals))
	s := &Tables{
		g: g, unsplit: t, mode: t.mode, folded: t.folded, end: end, rules: t.rules, gotos: t.gotos,
		access: make([]int32, n), predecessors: t.predecessors, defaults: t.defaults,
		clashes: t.clashes, warnings: t.warnings, bottom: t.bottom,
	}
	copiesOf := func(x int32) []grammar.Terminal {
		if x == t.end {
			return []grammar.Terminal{grammar.Terminal(end)}
		}
		return copies[x]
	}
	for state, x := range t.access {
		switch {
		case x > t.end:
			x += end - t.end
		case x >= 0:
			// No copy of an ignored terminal may be shifted, and none ever is.
			own := slices.IndexFunc(copies[x], func(c grammar.Terminal) bool { return into(c, int32(state)) })
			x = int32(copies[x][max(0, own)])
		}
		s.access[state] = x
	}
	f := splitter{t: s, into: into, live: newSetTableBuilder(n, int(end)+1), shifts: newSetTableBuilder(n, int(end)+1), rows: newSparse(n, 2*n)}
	for state := range int32(n) {
		for x := range bitset.All[int32](t.Live(state)) {
			f.add(t.Actions(state, grammar.Terminal(x)), copiesOf(x))
		}
		words := len(f.live.sets.words) + len(f.shifts.sets.words)
		if err := b.hold(f.endRow(t.defaults[state])); err != nil {
			return nil, err
		}
		if err := b.holdSets(1, len(f.live.sets.words)+len(f.shifts.sets.words)-words); err != nil {
			return nil, err
		}
	}
	s.live, s.shifts = f.live.setTable, f.shifts.setTable
	f.rows.any = &s.live
	if t.loops != nil {
		s.loops = map[loop]struct{}{}
		for l := range t.loops {
			for _, c := range copiesOf(l.terminal) {
				s.loops[loop{l.p, l.n, int32(c)}] = struct{}{}
			}
		}
	}
	var err error
	s.actions, err = newMatrix(b, f.rows, int(end)+1, true)
	return s, err
}

// A splitter writes the action table row by row.
type splitter struct {
	t            *Tables
	into         func(x grammar.Terminal, state int32) bool
	row          []combEntry // of the state that is being written
	rows         sparse
	live, shifts *setTableBuilder
}

// add adds the actions of a terminal to the row, for all of its copies.
func (f *splitter) add(all []Action, copies []grammar.Terminal) {
	for _, c := range copies {
		own := all
		if a := all[0]; a.Kind() == KindShift && !f.into(c, a.Target()) {
			own = all[1:] // a shift comes first
		}
		switch {
		case len(own) == 1:
			f.row = append(f.row, combEntry{int32(c), own[0]})
		case len(own) > 1:
			f.t.lists = append(f.t.lists, own)
			f.row = append(f.row, combEntry{int32(c), Action(^(len(f.t.lists) - 1))})
		}
	}
}

// endRow ends a row, whose entries are all the reduction by a rule unless it is -1, and returns the
// number of its entries.
func (f *splitter) endRow(only int32) int {
	width := int(f.t.end) + 1
	live, shifts := bitset.New(width), bitset.New(width)
	slices.SortFunc(f.row, func(a, b combEntry) int { return cmp.Compare(a.column, b.column) })
	for _, e := range f.row {
		bitset.Add(live, e.column)
		a := e.value
		if a < 0 {
			a = f.t.lists[^a][0]
		}
		if a.Kind() != KindReduce {
			bitset.Add(shifts, e.column)
		}
		if only < 0 {
			f.rows.add(e.column, e.value)
		}
	}
	if only >= 0 && len(f.row) > 0 {
		f.rows.add(anyColumn, reduce(only))
	}
	f.row = f.row[:0]
	f.live.add(live)
	f.shifts.add(shifts)
	return f.rows.endRow()
}
