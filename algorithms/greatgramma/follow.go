package greatgramma

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// The stack-free automaton of the paper's proposition 3.5: the LR automaton with all stacks removed. A
// reduction that pops L states may uncover any state from which L transitions lead to the one on top, so
// from a state on top there are, for each terminal, finitely many states that may be on top after it was
// shifted. What this automaton rejects no parser accepts, whatever is on its stack.
//
// Its states, made deterministic, are sets of LR states. They are interned and so are their transitions:
// a sequence that is checked a second time costs one table lookup per terminal.

// A setID is an interned set of LR states, those that may be on top. 0 is the empty set: rejected.
type setID int32

const nothing setID = 0

// stackFree is the stack-free automaton of some tables. It is made once per compilation and is not safe for
// concurrent use.
type stackFree struct {
	tables    *lr.Tables
	terminals int
	words     int        // of a set of LR states
	after     [][]setID  // by LR state and terminal: where shifting the terminal may lead; nil or unknownSet: not known yet
	can       [][]uint64 // by LR state: the terminals that lead somewhere; nil: not known yet
	reducer   reducer
	canWords  int
	byKey     map[string]setID
	sets      [][]int32
	sums      map[[2]setID]setID
	next      [][]setID  // by set: where each terminal leads; -1 not known yet; nil none known
	canOf     [][]uint64 // by set: the terminals that lead somewhere; nil not known yet
	scratch   []uint64
	key       []byte
	// Once there are limit sets, all others are taken for full, the set of all states that may be on top: a
	// superset, which refuses less.
	limit int
	full  setID
}

// maxSets bounds the sets: SQL's tables need 2,000; at 400 symbols and reaches 65,536 are 50 MB.
const maxSets = 1 << 16

const unknownSet setID = -1

// newStackFree prepares the automaton. Transitions are computed when they are first asked for: of the twenty
// thousand states that a schema may have, its instances meet few.
func newStackFree(t *lr.Tables) *stackFree {
	n := t.NumStates()
	f := &stackFree{
		tables: t, terminals: t.NumTerminals(), words: (n + 63) / 64, canWords: t.SetWords(),
		byKey: map[string]setID{}, sums: map[[2]setID]setID{}, limit: maxSets,
	}
	f.scratch = make([]uint64, f.words)
	f.intern(f.scratch)
	for _, s := range tops(t) {
		f.scratch[s>>6] |= 1 << (uint(s) & 63)
	}
	f.full = f.intern(f.scratch)
	f.after, f.can = make([][]setID, n), make([][]uint64, n)
	f.reducer = reducer{f: f, under: newUncover(t), seen: make([]int32, n)}
	f.enterAll()
	return f
}

// enterAll notes the transitions from the set of all states: a terminal leads to every state that is entered on it.
// (It may be one too many where a conflict was decided against the shift.)
func (f *stackFree) enterAll() {
	entered := make([][]int32, f.terminals)
	can := make([]uint64, f.canWords)
	for s := range int32(f.tables.NumStates()) {
		if sym, ok := f.tables.Accessing(s); ok && sym.IsTerminal() && sym.Terminal() != f.tables.End() {
			x := sym.Terminal()
			entered[x] = append(entered[x], s)
			can[x>>6] |= 1 << (uint(x) & 63)
		}
	}
	row := make([]setID, f.terminals)
	for x, states := range entered {
		clear(f.scratch)
		for _, s := range states {
			f.scratch[s>>6] |= 1 << (uint(s) & 63)
		}
		row[x] = f.intern(f.scratch)
	}
	f.next[f.full], f.canOf[f.full] = row, can
}

// A reducer follows reductions without a stack. seen[s] is the number of the search that came to s last.
type reducer struct {
	f      *stackFree
	under  *uncover
	seen   []int32
	search int32
	todo   []int32
}

// shifts is the set of states that x is shifted to, after all reductions that it may call for, from a state.
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
				r.f.scratch[a.Target()>>6] |= 1 << (uint(a.Target()) & 63)
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
	key := f.key[:0]
	var members []int32
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			s := int32(i<<6 + bits.TrailingZeros64(w))
			members = append(members, s)
			key = binary.AppendVarint(key, int64(s))
		}
	}
	f.key = key
	if id, ok := f.byKey[string(key)]; ok {
		return id
	}
	if f.full != nothing && len(f.sets) >= f.limit {
		return f.full
	}
	id := setID(len(f.sets))
	f.byKey[string(key)] = id
	f.sets = append(f.sets, members)
	f.next = append(f.next, nil)
	f.canOf = append(f.canOf, nil)
	return id
}

// rowAt is a row by terminal, made of what is not known yet where there is none.
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

// canFrom is the terminals that lead somewhere from a single state.
func (f *stackFree) canFrom(state int32) []uint64 {
	if f.can[state] == nil {
		can := make([]uint64, f.canWords)
		for i, live := range f.tables.Live(state) {
			for ; live != 0; live &= live - 1 {
				x := grammar.Terminal(i<<6 + bits.TrailingZeros64(live))
				if x != f.tables.End() && f.from(state, x) != nothing {
					can[i] |= live & -live
				}
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
		for _, s := range f.sets[set] {
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
		for _, s := range f.sets[set] {
			f.scratch[s>>6] |= 1 << (uint(s) & 63)
		}
	}
	id := f.intern(f.scratch)
	f.sums[[2]setID{a, b}] = id
	return id
}

// single is the set of one state.
func (f *stackFree) single(state int32) setID {
	clear(f.scratch)
	f.scratch[state>>6] |= 1 << (uint(state) & 63)
	return f.intern(f.scratch)
}

// accepts tells whether some terminal of a bit set leads anywhere from a set.
func (f *stackFree) accepts(set setID, terms []uint64) bool {
	return set != nothing && intersect(f.taken(set), terms)
}

// addTaken adds the terminals that lead anywhere from a set to a bit set.
func (f *stackFree) addTaken(set setID, terms []uint64) {
	if set == nothing {
		return
	}
	for i, w := range f.taken(set) {
		terms[i] |= w
	}
}

// taken is the terminals that lead anywhere from a set.
func (f *stackFree) taken(set setID) []uint64 {
	if f.canOf[set] == nil {
		can := make([]uint64, f.canWords)
		for _, s := range f.sets[set] {
			for i, w := range f.canFrom(s) {
				can[i] |= w
			}
		}
		f.canOf[set] = can
	}
	return f.canOf[set]
}

// tops lists the LR states that may be on top between two terminals: the start state and those that are
// entered on a terminal.
func tops(t *lr.Tables) []int32 {
	var list []int32
	for s := range int32(t.NumStates()) {
		if sym, ok := t.Accessing(s); !ok || sym.IsTerminal() {
			list = append(list, s)
		}
	}
	return list
}
