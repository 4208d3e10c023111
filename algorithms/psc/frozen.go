package psc

import (
	"slices"

	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/hugepages"
	"gcdbench/internal/index"
)

// Once every state is built, a walk down the stack needs little of them: by the symbol read, what
// is put out and where to go on. As objects of their own, a transition is a chain of five or more
// reads of memory that nothing has touched since the last mask: the state, its list, the list's
// symbols, its targets, what the target puts out. So the states are frozen: written into one array,
// each as a record.
//
//   - What a state puts out stands at the transitions into it. So states that differ in nothing
//     else share a record; and so do all that go on alike (the paper's minimization).
//   - Where most symbols lead to the same place, that is the record's default, and only the others
//     are listed: a stack has no symbol that a state cannot read.
//   - Records are written behind those that they lead to, so that a walk finds neighbours.
//
// (Java and Llama 3: 83,939 states with 28,484 lists of 768,084 transitions are 29,613 records in
// 6.4 MB; Python: 595,592 states with 68,123 lists are 84,634 records in 50 MB.)
//
// Only walks from the starts that were built find the symbols that records have. What is built
// later has states of its own, beside the frozen ones.

// frozen is the automaton of an engine that has built everything.
type frozen struct {
	code   []int32 // the records
	starts []start // by number
	deltas []delta // by number of an output
	// first are the starts by lexer state and top of the stack: the number, plus one. There are none
	// with a layout, where they depend on its registers as well.
	first []int32
	tops  int // states of the parser
}

// start is the start of a lexer state with x on top of the stack, nil if it is not among those.
func (f *frozen) start(q lexer.State, x int32) *start {
	if f == nil || f.first == nil {
		return nil
	}
	if i := f.first[int(q)*f.tops+int(x)]; i > 0 {
		return &f.starts[i-1]
	}
	return nil
}

// A record is, from its place in the code on:
//
//	how many symbols are passed over before the next one that is read
//	how many symbols are listed, n
//	the default: an output, and the record that it leads to
//	n symbols, ascending
//	n outputs and records
const (
	recordSkip = iota
	recordLen
	recordDefault
	recordSymbols = recordDefault + 2
)

// doneRecord is the place of the record of all states in which everything is decided.
const doneRecord int32 = 0

// descend walks from a record down the stack under n and adds what is put out on the way to
// g.deltas, and to their hash. It is not ok where the stack forks.
func (f *frozen) descend(g *gen, at int32, n *lr.Node, hash *uint64) (depth int, ok bool) {
	depth = 1
	for at != doneRecord {
		r := f.code[at:]
		under, ok := pass(n, r[recordSkip]+1)
		if under == nil {
			return depth, ok
		}
		n = under
		depth += int(r[recordSkip]) + 1
		to := (*[2]int32)(r[recordDefault:])
		if many := int(r[recordLen]); many > 0 {
			if i := indexOf(r[recordSymbols:recordSymbols+many], n.State); i >= 0 {
				to = (*[2]int32)(r[recordSymbols+many+2*i:])
			}
		}
		if at = to[1]; to[0] != 0 {
			g.deltas = append(g.deltas, &f.deltas[to[0]])
			*hash = mixOut(*hash, to[0])
		}
	}
	return depth, true
}

// A freezer writes the records.
type freezer struct {
	*frozen
	at []int32 // by state: its record, unwritten, or open while what it leads to is written
	// byList are the records by what their states share.
	byList map[listKey]int32
	// places are those of the records by number, and known are their numbers: equal ones are one.
	places []int32
	known  interned
	// later are the targets that were open when they were written: on cycles.
	later []lateTarget
	ways  []way // scratch
}

// A listKey is what states with one record share: a list, and how many symbols they pass over.
type listKey struct {
	list *edgeList[state]
	skip int32
}

// States without a record.
const (
	unwritten int32 = -1
	open      int32 = -2
)

// A way is where a symbol leads: what is put out, and the record; of a state whose record is open,
// the complement of its number.
type way struct{ out, to, symbol int32 }

// A lateTarget is a place in the code for the record of a state.
type lateTarget struct{ at, state int32 }

// settle prepares for the masks to come, once what is built offline is built. Nobody may walk
// meanwhile.
func (c *core) settle() {
	m := c.composer
	if m == nil {
		return
	}
	m.kept.masks.prepare(len(m.scratch))
	if c.builtStates == c.problem.Lexer.NumStates() {
		c.freeze()
		c.slim()
	}
}

// freeze freezes the states that the starts of all rows lead to.
func (c *core) freeze() {
	m, p := c.composer, c.problem
	f := &freezer{frozen: &frozen{tops: p.Tables.NumStates()}, byList: map[listKey]int32{}}
	f.code = make([]int32, recordSymbols, recordSymbols+(c.auto.transitions-c.auto.shared)*11/4) // mostly enough
	f.at = slices.Repeat([]int32{unwritten}, len(c.auto.states))
	for _, s := range c.auto.states {
		if s.done() {
			f.at[s.id] = doneRecord
		}
	}
	f.starts = make([]start, len(m.list))
	for _, s := range m.list {
		f.starts[s.id] = *s
	}
	for i := range f.starts { // in the order of lexer states
		s := &f.starts[i]
		s.after, s.inside = f.write(s.state), doneRecord
		if s.within != nil {
			s.inside = f.write(s.within)
		}
	}
	for _, t := range f.later {
		f.code[t.at] = f.at[t.state]
	}
	f.deltas = make([]delta, len(m.deltas))
	for i, d := range m.deltas {
		if d != nil {
			f.deltas[i] = *d
		}
	}
	c.useStarts(f.frozen)
	hugepages.Advise(f.code)
	hugepages.Advise(f.first)
	hugepages.Advise(f.starts)
	hugepages.Advise(f.deltas)
	c.frozen.Store(f.frozen)
}

// useStarts has all starts be those of a frozen automaton.
func (c *core) useStarts(f *frozen) {
	for key, s := range c.composer.list {
		c.composer.list[key] = &f.starts[s.id]
	}
	if c.problem.Layout == nil {
		f.first = make([]int32, c.problem.Lexer.NumStates()*f.tops)
	}
	for q := range c.entries.entries() {
		e := c.entries.get(int32(q))
		switch {
		case e == nil:
		case e.plain != nil:
			for x := range f.tops {
				if s := e.plain.states.get(int32(x)); s != nil {
					f.first[q*f.tops+x] = s.id + 1
				}
			}
		default:
			for _, r := range *e.rows.Load() {
				for x := range int32(f.tops) {
					if s := r.states.get(x); s != nil {
						r.states.set(x, &f.starts[s.id])
					}
				}
			}
		}
	}
}

// slim drops what a frozen automaton is instead of: transitions, and where starts are found.
// Without a layout and without forks no walk begins at anything but the starts that are there; one
// that should all the same makes the transitions anew.
func (c *core) slim() {
	p := c.problem
	if c.frozen.Load().first == nil || c.auto.emitsSets || !p.Tables.Deterministic() {
		return
	}
	for _, s := range c.auto.states {
		s.edges.list.Store(nil)
	}
	c.auto.shared = c.auto.transitions
	c.composer.list = map[startKey]*start{}
	for q := range c.entries.entries() {
		if e := c.entries.get(int32(q)); e != nil {
			c.rows -= e.plain.states.bytes()
			e.plain.states = pages[start]{}
			c.rows += e.plain.states.bytes()
		}
	}
}

// write is the record of a state, which is written if it is not there, after those that it leads
// to.
func (f *freezer) write(s *state) int32 {
	if f.at[s.id] != unwritten {
		return f.at[s.id]
	}
	l := s.edges.list.Load()
	if l == nil { // nothing lies under it
		f.at[s.id] = doneRecord
		return doneRecord
	}
	if at, ok := f.byList[listKey{l, s.skip}]; ok {
		f.at[s.id] = at
		return at
	}
	f.at[s.id] = open
	for i, to := range l.to {
		if i == 0 || to != l.to[i-1] { // neighbours mostly lead to the same state
			f.write(to)
		}
	}
	f.ways = f.ways[:0]
	var w way
	for i, to := range l.to {
		if i == 0 || to != l.to[i-1] {
			if w.out, w.to = to.out, f.at[to.id]; w.to == open {
				w.to = ^to.id
			}
		}
		w.symbol = l.symbols[i]
		f.ways = append(f.ways, w)
	}
	at := f.record(s.skip)
	f.at[s.id], f.byList[listKey{l, s.skip}] = at, at
	return at
}

// record writes a record with the ways in the scratch.
func (f *freezer) record(skip int32) int32 {
	usual := f.usual()
	f.ways = slices.DeleteFunc(f.ways, func(w way) bool { return w.out == usual.out && w.to == usual.to })
	at := int32(len(f.code))
	f.code = append(f.code, skip, int32(len(f.ways)))
	f.lead(usual)
	for _, w := range f.ways {
		f.code = append(f.code, w.symbol)
	}
	for _, w := range f.ways {
		f.lead(w)
	}
	return f.unique(at)
}

// unique is the place of the first record that equals the one written last, at a place, which is
// dropped then. Records are written behind those that they lead to. So where those are one, records
// that go on alike are equal, and what remains is minimal, but for cycles: on these a record is
// written while the places of others are not known yet.
func (f *freezer) unique(at int32) int32 {
	made := f.code[at:]
	h := index.Hash(made)
	id := f.known.find(h, func(id int32) bool {
		at := f.places[id]
		return slices.Equal(f.code[at:int(at)+len(made)], made)
	})
	if id >= 0 {
		f.code = f.code[:at]
		for n := len(f.later); n > 0 && f.later[n-1].at >= at; n-- {
			f.later = f.later[:n-1]
		}
		return f.places[id]
	}
	f.known.add(h)
	f.places = append(f.places, at)
	return at
}

// lead writes where a way leads.
func (f *freezer) lead(w way) {
	f.code = append(f.code, w.out, w.to)
	if w.to < 0 {
		f.later = append(f.later, lateTarget{int32(len(f.code) - 1), ^w.to})
	}
}

// usual is a way like which more than half of those in the scratch are, if there is one (the
// majority vote of Boyer and Moore), else any.
func (f *freezer) usual() (w way) {
	votes := 0
	for _, x := range f.ways {
		switch {
		case votes == 0:
			w, votes = x, 1
		case x.out == w.out && x.to == w.to:
			votes++
		default:
			votes--
		}
	}
	return w
}

// bytes is the memory held.
func (f *frozen) bytes() int64 {
	if f == nil {
		return 0
	}
	return 4*int64(cap(f.code)+len(f.first)) + 112*int64(len(f.deltas)) + 48*int64(len(f.starts))
}
