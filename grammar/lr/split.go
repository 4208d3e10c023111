package lr

import (
	"context"
	"maps"
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
	s := &Tables{
		g: g, unsplit: t, mode: t.mode, end: int32(len(g.Terminals)), rules: t.rules, rows: slices.Clone(t.rows), forked: t.forked,
		access: slices.Clone(t.access), predecessors: t.predecessors,
		clashes: t.clashes, warnings: t.warnings, bottom: t.bottom,
	}
	f := splitter{t: t, split: s, into: into, copies: append(copies[:t.end:t.end], []grammar.Terminal{s.End()})}
	if err := f.spread(b); err != nil {
		return nil, err
	}
	for state := range s.rows {
		if x := t.access[state]; x != absent && x.IsTerminal() {
			// No copy of an ignored terminal may be shifted, and none ever is.
			own := slices.IndexFunc(copies[x], func(c grammar.Terminal) bool { return into(c, int32(state)) })
			s.access[state] = grammar.T(copies[x][max(0, own)])
		}
		r := &s.rows[state]
		f.divide(int32(state), r)
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

// A splitter makes rows over copies of rows over terminals. It finds before which copies a state
// reduces: those that the parser can shift after the reduction, as far as an LALR(1) automaton
// tells. It is the relation of lookahead.go between nonterminal transitions, over tables that are
// there.
type splitter struct {
	t, split *Tables
	into     func(x grammar.Terminal, state int32) bool
	copies   [][]grammar.Terminal // by terminal, and of the end

	number map[[2]int32]int32 // of a transition, by state and nonterminal
	follow [][]uint64         // by transition: the copies that can come after it
}

// spread finds the sets follow.
func (f *splitter) spread(b *budget) error {
	f.number = map[[2]int32]int32{}
	var transitions [][2]int32
	for r := range int32(f.t.NumStates()) {
		if x, ok := f.t.Accessing(r); ok && !x.IsTerminal() {
			for _, p := range f.t.Predecessors(r) {
				at := [2]int32{p, int32(x.Nonterminal())}
				f.number[at] = int32(len(transitions))
				transitions = append(transitions, at)
			}
		}
	}
	width := bitset.Words(int(f.split.end) + 1)
	if err := b.holdSets(len(transitions), width); err != nil {
		return err
	}
	// A transition has what can be shifted in the state that it enters, and, of what that state
	// reduces before, what can come after the transition that the reduction makes.
	type include struct {
		from    int32
		allowed []uint64
	}
	includes := make([][]include, len(transitions))
	allowed := make([][][]uint64, len(f.t.rows)) // by state and place in its reductions
	f.follow = make([][]uint64, len(transitions))
	for i, at := range transitions {
		f.follow[i] = f.split.NewSet()
		r := f.t.goTo(at[0], at[1])
		row := &f.t.rows[r]
		for c := range f.shifts(row) {
			bitset.Add(f.follow[i], c)
		}
		if allowed[r] == nil {
			for _, before := range row.before {
				allowed[r] = append(allowed[r], f.allCopies(before))
			}
		}
		for k, red := range row.reduces {
			shape := f.t.shape(red.Target())
			bases := []int32{r}
			if shape.length > 0 {
				bases = f.below(at[0], shape.length-1)
			}
			for _, base := range bases {
				if from, ok := f.number[[2]int32{base, shape.lhs}]; ok {
					includes[i] = append(includes[i], include{from, allowed[r][k]})
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
				for w, word := range f.follow[in.from] {
					if more := word & in.allowed[w] &^ f.follow[i][w]; more != 0 {
						f.follow[i][w] |= more
						changed = true
					}
				}
			}
			if err := b.step(len(includes[i]) * width); err != nil {
				return err
			}
		}
	}
	return nil
}

// shifts are the shifts of a row over copies.
func (f *splitter) shifts(r *stateRow) map[int32]Action {
	own := map[int32]Action{}
	for i, x := range r.terminals {
		for _, c := range f.copies[x] {
			if a := r.shifts[i]; a.Kind() != KindShift || f.into(c, a.Target()) {
				own[int32(c)] = a
			}
		}
	}
	return own
}

// allCopies is a set of terminals as the set of their copies.
func (f *splitter) allCopies(terms []uint64) []uint64 {
	set := f.split.NewSet()
	for x := range bitset.All[int32](terms) {
		bitset.AddAll(set, f.copies[x])
	}
	return set
}

// below lists the states that lie a number of states under a state.
func (f *splitter) below(state, depth int32) []int32 {
	list := []int32{state}
	for range depth {
		var under []int32
		for _, s := range list {
			under = append(under, f.t.Predecessors(s)...)
		}
		slices.Sort(under)
		list = slices.Compact(under)
	}
	return list
}

// before is the copies before which a state reduces by a rule, of some.
func (f *splitter) before(state, rule int32, some []uint64) []uint64 {
	set, shape := f.split.NewSet(), f.t.shape(rule)
	for _, base := range f.below(state, shape.length) {
		if from, ok := f.number[[2]int32{base, shape.lhs}]; ok {
			bitset.Unite(set, f.follow[from])
		}
	}
	for w := range set {
		set[w] &= some[w]
	}
	return set
}

// divide makes one row.
func (f *splitter) divide(state int32, r *stateRow) {
	shifts := f.shifts(r)
	r.terminals, r.shifts = slices.Sorted(maps.Keys(shifts)), nil
	for _, c := range r.terminals {
		r.shifts = append(r.shifts, shifts[c])
	}
	r.reduces, r.before = slices.Clone(r.reduces), slices.Clone(r.before)
	for i, before := range r.before {
		r.before[i] = f.before(state, r.reduces[i].Target(), f.allCopies(before))
	}
	r.several = nil
	r.trim()
	r.settle(f.split, r.keep)
}
