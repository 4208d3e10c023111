package lr

import (
	"context"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Split makes tables for a grammar that has copies of the terminals of t's grammar. copies lists
// those of each terminal, the first of which has the terminal's own number; into tells whether a
// copy may be shifted into a state. A copy has the reductions of its terminal, and of its shifts
// those that are its own: a parser that reduces before a copy which is not taken in the end refuses
// it when it would have to be shifted, before anything is. States, rules and gotos stay as they
// are. t must know all of its states.
func (t *Tables) Split(ctx context.Context, g *grammar.Grammar, copies [][]grammar.Terminal,
	into func(x grammar.Terminal, state int32) bool) (*Tables, error) {
	b := &budget{ctx: ctx, grammar: g.Name}
	s := &Tables{
		g: g, unsplit: t, mode: t.mode, end: int32(len(g.Terminals)), rules: t.rules, rows: slices.Clone(t.rows), forked: t.forked,
		access: slices.Clone(t.access), predecessors: t.predecessors,
		clashes: t.clashes, warnings: t.warnings, bottom: t.bottom,
	}
	f := splitter{from: t, to: s, into: into, copies: append(copies[:t.end:t.end], []grammar.Terminal{s.End()})}
	for state := range s.rows {
		if x := t.access[state]; x != absent && x.IsTerminal() {
			// No copy of an ignored terminal may be shifted, and none ever is.
			own := slices.IndexFunc(copies[x], func(c grammar.Terminal) bool { return into(c, int32(state)) })
			s.access[state] = grammar.T(copies[x][max(0, own)])
		}
		r := &s.rows[state]
		f.split(r)
		if err := b.hold(len(r.terminals)); err != nil {
			return nil, err
		}
		if err := b.holdSets(2+len(r.before), len(r.live)); err != nil {
			return nil, err
		}
	}
	if t.loops != nil {
		s.loops = map[loop]struct{}{}
		for l := range t.loops {
			for _, c := range f.copies[l.terminal] {
				s.loops[loop{l.p, l.n, int32(c)}] = struct{}{}
			}
		}
	}
	return s, b.check()
}

// A splitter makes rows over copies of rows over terminals.
type splitter struct {
	from, to *Tables
	into     func(x grammar.Terminal, state int32) bool
	copies   [][]grammar.Terminal // by terminal, and of the end
}

// split makes one row.
func (f *splitter) split(r *stateRow) {
	type entry struct {
		terminal int32
		shift    Action
	}
	var list []entry
	for i, x := range r.terminals {
		for _, c := range f.copies[x] {
			if a := r.shifts[i]; a.Kind() != KindShift || f.into(c, a.Target()) {
				list = append(list, entry{int32(c), a})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return int(a.terminal - b.terminal) })
	r.terminals, r.shifts = nil, nil
	for _, e := range list {
		r.terminals, r.shifts = append(r.terminals, e.terminal), append(r.shifts, e.shift)
	}
	r.before = slices.Clone(r.before)
	for i, before := range r.before {
		r.before[i] = f.to.NewSet()
		for x := range bitset.All[int32](before) {
			bitset.AddAll(r.before[i], f.copies[x])
		}
	}
	r.several = nil
	r.settle(f.to.end, r.keep)
}
