package greatgramma

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// The stack-free automaton of the paper's proposition 3.5: the LR automaton with all stacks
// removed. A reduction that pops L states may uncover any state from which L transitions lead
// to the one on top, so from a state on top there are, for each terminal, finitely many states
// that may be on top after it was shifted. A sequence that this automaton rejects is accepted
// by no parser, whatever is on its stack.
//
// Its states, made deterministic, are sets of LR states. They are interned and so are their
// transitions: a sequence that is checked a second time costs one table lookup per terminal.

// A setID is an interned set of LR states, those that may be on top. 0 is the empty set: rejected.
type setID int32

const nothing setID = 0

// stackFree is the stack-free automaton of some tables. It is made once per compilation and is not
// safe for concurrent use.
type stackFree struct {
	tables    *lr.Tables
	terminals int
	after     [][]setID  // by LR state and terminal: where shifting the terminal may lead; nil or unknownSet: not known yet
	can       [][]uint64 // by LR state: the terminals that lead somewhere; nil: not known yet
	reducer   reducer
	canWords  int
	sets      intern.Lists[int32] // members, ascending
	sums      map[[2]setID]setID
	next      [][]setID  // by set: where each terminal leads; -1 not known yet; nil none known
	canOf     [][]uint64 // by set: the terminals that lead somewhere; nil not known yet
	scratch   []uint64
	members   []int32 // scratch
	// Once there are limit sets, every further set is replaced by full, the set of all states
	// that may be on top: a superset, which refuses less.
	limit int
	full  setID
}

// maxSets bounds the sets: SQL's tables need 2,000; at 400 symbols and reaches 65,536 are 50 MB.
const maxSets = 1 << 16

const unknownSet setID = -1

// newStackFree prepares the automaton. Transitions are computed when they are first asked for: of
// the twenty thousand states that a schema may have, its instances meet few.
func newStackFree(t *lr.Tables) *stackFree {
	n := t.NumStates()
	f := &stackFree{
		tables: t, terminals: t.NumTerminals(), canWords: t.SetWords(),
		sums: map[[2]setID]setID{}, limit: maxSets,
	}
	f.scratch = bitset.New(n)
	f.intern(f.scratch)
	for _, s := range t.Tops() {
		bitset.Add(f.scratch, s)
	}
	f.full = f.intern(f.scratch)
	f.after, f.can = make([][]setID, n), make([][]uint64, n)
	f.reducer = reducer{f: f, under: newUncover(t), seen: make([]int32, n)}
	f.enterAll()
	return f
}

// enterAll notes the transitions from the set of all states: a terminal leads to every state that
// is entered on it. (It may be one too many where a conflict was decided against the shift.)
func (f *stackFree) enterAll() {
	entered := make([][]int32, f.terminals)
	can := make([]uint64, f.canWords)
	for s := range int32(f.tables.NumStates()) {
		if sym, ok := f.tables.Accessing(s); ok && sym.IsTerminal() && sym.Terminal() != f.tables.End() {
			x := sym.Terminal()
			entered[x] = append(entered[x], s)
			bitset.Add(can, x)
		}
	}
	row := make([]setID, f.terminals)
	for x, states := range entered {
		clear(f.scratch)
		for _, s := range states {
			bitset.Add(f.scratch, s)
		}
		row[x] = f.intern(f.scratch)
	}
	f.next[f.full], f.canOf[f.full] = row, can
}

// A reducer follows reductions without a stack. seen[s] is the number of the search that came to s
// last.
type reducer struct {
	f      *stackFree
	under  *uncover
	seen   []int32
	search int32
	todo   []int32
}

// shifts is the set of states that x is shifted to, after all reductions that it may call for, from
// a state.
func (r *reducer) shifts(state int32, x grammar.Terminal) setID {
	r.search++
	r.todo = append(r.todo[:0], state)
	r.seen[state] = r.search
	clear(r.f.scratch)
	for len(r.todo) > 0 {
		top := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for _, a := range r.f.tables.Actions(top, x) {
			switch a.Kind() {
			case lr.KindShift:
				bitset.Add(r.f.scratch, a.Target())
			case lr.KindReduce:
				for _, g := range r.under.gotos(top, a.Target()) {
					if r.seen[g] != r.search {
						r.seen[g] = r.search
						r.todo = append(r.todo, g)
					}
				}
			}
		}
	}
	return r.f.intern(r.f.scratch)
}

// intern numbers a set of LR states.
func (f *stackFree) intern(set []uint64) setID {
	f.members = slices.AppendSeq(f.members[:0], bitset.All[int32](set))
	if f.full != nothing && f.sets.Len() >= f.limit {
		if id := f.sets.Find(f.members); id >= 0 {
			return setID(id)
		}
		return f.full
	}
	id, isNew := f.sets.ID(f.members)
	if isNew {
		f.next = append(f.next, nil)
		f.canOf = append(f.canOf, nil)
	}
	return setID(id)
}

// rowAt is a row by terminal, of unknown sets if it was not made before.
func (f *stackFree) rowAt(row *[]setID) []setID {
	if *row == nil {
		*row = slices.Repeat([]setID{unknownSet}, f.terminals)
	}
	return *row
}

// from is where terminal x leads from a single state on top of an unknown stack.
func (f *stackFree) from(state int32, x grammar.Terminal) setID {
	row := f.rowAt(&f.after[state])
	if row[x] == unknownSet {
		row[x] = f.reducer.shifts(state, x)
	}
	return row[x]
}

// canFrom is the set of terminals that lead somewhere from a single state.
func (f *stackFree) canFrom(state int32) []uint64 {
	if f.can[state] == nil {
		can := make([]uint64, f.canWords)
		for x := range bitset.All[grammar.Terminal](f.tables.Live(state)) {
			if x != f.tables.End() && f.from(state, x) != nothing {
				bitset.Add(can, x)
			}
		}
		f.can[state] = can
	}
	return f.can[state]
}

// step is where terminal x leads from a set.
func (f *stackFree) step(set setID, x grammar.Terminal) setID {
	if set == nothing {
		return nothing
	}
	row := f.rowAt(&f.next[set])
	if row[x] == unknownSet {
		to := nothing
		for _, s := range f.sets.At(int32(set)) {
			to = f.union(to, f.from(s, x))
		}
		row[x] = to
	}
	return row[x]
}

// union is the set of the states in either.
func (f *stackFree) union(a, b setID) setID {
	switch {
	case a == b || b == nothing:
		return a
	case a == nothing:
		return b
	case a > b:
		a, b = b, a
	}
	if id, ok := f.sums[[2]setID{a, b}]; ok {
		return id
	}
	clear(f.scratch)
	for _, set := range [2]setID{a, b} {
		for _, s := range f.sets.At(int32(set)) {
			bitset.Add(f.scratch, s)
		}
	}
	id := f.intern(f.scratch)
	f.sums[[2]setID{a, b}] = id
	return id
}

// single is the set of one state.
func (f *stackFree) single(state int32) setID {
	clear(f.scratch)
	bitset.Add(f.scratch, state)
	return f.intern(f.scratch)
}

// accepts tells whether some terminal of a bit set leads anywhere from a set.
func (f *stackFree) accepts(set setID, terms []uint64) bool {
	return set != nothing && bitset.Intersect(f.taken(set), terms)
}

// addTaken adds the terminals that lead anywhere from a set to a bit set.
func (f *stackFree) addTaken(set setID, terms []uint64) {
	if set == nothing {
		return
	}
	bitset.Unite(terms, f.taken(set))
}

// taken is the terminals that lead anywhere from a set.
func (f *stackFree) taken(set setID) []uint64 {
	if f.canOf[set] == nil {
		can := make([]uint64, f.canWords)
		for _, s := range f.sets.At(int32(set)) {
			bitset.Unite(can, f.canFrom(s))
		}
		f.canOf[set] = can
	}
	return f.canOf[set]
}
