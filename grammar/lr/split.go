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
// are not its own, and without reductions that lead to those alone. States, rules and gotos stay as
// they are. t must know all of its states.
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
	l := &splitLookaheads{t: t, split: s, into: into, copiesOf: copiesOf}
	if err := l.spread(b); err != nil {
		return nil, err
	}
	f := splitter{t: s, into: into, live: newSetTableBuilder(n, int(end)+1), shifts: newSetTableBuilder(n, int(end)+1), rows: newSparse(n, 2*n)}
	for state := range int32(n) {
		f.lookaheads = l.of(state)
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

// splitLookaheads finds before which copies a state reduces: those that the parser can shift after
// the reduction, as far as an LALR(1) automaton tells. It is the relation of lookahead.go between
// nonterminal transitions, over tables that are there.
type splitLookaheads struct {
	t, split *Tables
	into     func(x grammar.Terminal, state int32) bool
	copiesOf func(x int32) []grammar.Terminal

	number map[[2]int32]int32 // of a transition, by state and nonterminal
	follow [][]uint64         // by transition: the copies that can come after it
}

// spread finds the sets follow.
func (l *splitLookaheads) spread(b *budget) error {
	l.number = map[[2]int32]int32{}
	var transitions [][2]int32
	for r := range int32(l.t.NumStates()) {
		if x, ok := l.t.Accessing(r); ok && !x.IsTerminal() {
			for _, p := range l.t.Predecessors(r) {
				at := [2]int32{p, int32(x.Nonterminal())}
				l.number[at] = int32(len(transitions))
				transitions = append(transitions, at)
			}
		}
	}
	width := int(l.split.end) + 1
	if err := b.holdSets(len(transitions), bitset.Words(width)); err != nil {
		return err
	}
	// A transition has what can be shifted in the state that it enters, and, of what that state
	// reduces before, what can come after the transition that the reduction makes.
	type include struct {
		from    int32
		allowed []uint64
	}
	includes := make([][]include, len(transitions))
	reductions := map[int32][]Reduction{}
	l.follow = make([][]uint64, len(transitions))
	for i, at := range transitions {
		l.follow[i] = bitset.New(width)
		r := l.t.goTo(at[0], at[1])
		for x := range bitset.All[int32](l.t.Shiftable(r)) {
			to := l.t.Actions(r, grammar.Terminal(x))[0]
			for _, c := range l.copiesOf(x) {
				if to.Kind() != KindShift || l.into(c, to.Target()) {
					bitset.Add(l.follow[i], c)
				}
			}
		}
		if _, ok := reductions[r]; !ok {
			reductions[r] = l.t.Reductions(r, l.t.Live(r))
			for k := range reductions[r] {
				reductions[r][k].Terms = l.copies(reductions[r][k].Terms)
			}
		}
		for _, red := range reductions[r] {
			shape := l.t.shape(red.Rule)
			bases := []int32{r}
			if shape.length > 0 {
				bases = l.below(at[0], shape.length-1)
			}
			for _, base := range bases {
				if from, ok := l.number[[2]int32{base, shape.lhs}]; ok {
					includes[i] = append(includes[i], include{from, red.Terms})
				}
			}
			if err := b.hold(len(bases)); err != nil {
				return err
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(includes) - 1; i >= 0; i-- {
			for _, in := range includes[i] {
				for w, word := range l.follow[in.from] {
					if more := word & in.allowed[w] &^ l.follow[i][w]; more != 0 {
						l.follow[i][w] |= more
						changed = true
					}
				}
			}
			if err := b.step(len(includes[i]) * bitset.Words(width)); err != nil {
				return err
			}
		}
	}
	return nil
}

// copies is a set of terminals as the set of their copies.
func (l *splitLookaheads) copies(terms []uint64) []uint64 {
	set := bitset.New(int(l.split.end) + 1)
	for x := range bitset.All[int32](terms) {
		bitset.AddAll(set, l.copiesOf(x))
	}
	return set
}

// below lists the states that lie a number of states under a state.
func (l *splitLookaheads) below(state, depth int32) []int32 {
	list := []int32{state}
	for range depth {
		var under []int32
		for _, s := range list {
			under = append(under, l.t.Predecessors(s)...)
		}
		slices.Sort(under)
		list = slices.Compact(under)
	}
	return list
}

// of is the copies before which a state reduces, by rule.
func (l *splitLookaheads) of(state int32) map[int32][]uint64 {
	sets := map[int32][]uint64{}
	for _, red := range l.t.Reductions(state, l.t.Live(state)) {
		set := bitset.New(int(l.split.end) + 1)
		shape := l.t.shape(red.Rule)
		for _, base := range l.below(state, shape.length) {
			if from, ok := l.number[[2]int32{base, shape.lhs}]; ok {
				bitset.Unite(set, l.follow[from])
			}
		}
		sets[red.Rule] = set
	}
	return sets
}

// A splitter writes the action table row by row.
type splitter struct {
	t            *Tables
	into         func(x grammar.Terminal, state int32) bool
	lookaheads   map[int32][]uint64 // by rule that the state reduces by: the copies before which it does
	row          []combEntry        // of the state that is being written
	rows         sparse
	live, shifts *setTableBuilder
}

// add adds the actions of a terminal to the row, for all of its copies.
func (f *splitter) add(all []Action, copies []grammar.Terminal) {
	for _, c := range copies {
		var own []Action
		for _, a := range all {
			switch {
			case a.Kind() == KindShift && !f.into(c, a.Target()):
			case a.Kind() == KindReduce && !bitset.Has(f.lookaheads[a.Target()], c):
			default:
				own = append(own, a)
			}
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
