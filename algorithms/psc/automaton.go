package psc

import (
	"cmp"
	"math"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/table"
	"gcdbench/algorithms/psc/unknown"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// The stack automaton reads a parser stack from the top and says which groups of tokens the stack
// accepts (the paper's A of equation 5, without the last step that names a token).
//
// A state is a set of undecided items. An item is a goal of the symbolic parser together with a
// place in the trees of terminal sequences, where the goal's terminal leads once it is shifted.
// When a symbol is read every item runs on. It comes to a place further down its tree, where
// leaves are decided and children become items in their turn; or to another goal; or to nothing.
// The groups accepted on entering a state are its output. A stack accepts the union of the
// outputs on its way.
//
// Two states with the same items and the same output are one, whatever lexer state and symbols
// led to them. That keeps the automaton small. It is also why an item does not remember what was
// accepted before: the paper's determinization does, and multiplies the states by it. Symbols
// that every goal pops are passed over unread. Leaves that wait for the same reduction are one item
// (groups.go).
//
// States with the same items are twins: they differ in what was put out on entering, and go on
// alike. A transition of one is a transition of all. How many there are is in psc.go.

// A state of the stack automaton.
type state struct {
	id int32
	// skip is how many symbols are passed over before the next one that is read: the least that any
	// goal has to pop. It is -1 where nothing is pending, as everything is decided.
	skip int32
	// out is the interned list of the groups accepted on entering, by number; 0 is the empty list.
	out int32
	// edges are the transitions built so far.
	edges edges[state]
	// pending is what it has in common with its twins, of which twin is the one made before.
	pending *pending
	twin    *state
}

// done tells whether everything is decided.
func (s *state) done() bool { return s.skip < 0 }

// A pending is a set of items, ascending: goal<<32 | place. Where the goal is a leaf's, the place
// is the group, or the complement of the number of a bunch. last is the state made last of those
// that it is pending in.
type pending struct {
	id    int32
	items []uint64
	last  *state
}

// share has the twins of a state share its transitions.
func (s *state) share() {
	list := s.edges.list.Load()
	for t := s.pending.last; t != nil; t = t.twin {
		t.edges.list.Store(list)
	}
}

// eosLeaf is the number of the group of the EOS ids, and eosPlace the place after the lexeme that
// is pending as the text ends. Both are out of the range of the spanner's own numbers.
//
// ownLeaf+i is the i-th group of the lexer state's own node: tokens that end no lexeme. The
// spanner's number of such a group is no other lexer state's. With a number that counts from the
// node instead, lexer states that differ in these groups only (all prefixes of keywords, all
// unfinished UTF-8 sequences) share their states. Only the mask depends on the lexer state, by
// the root of the path.
const (
	eosLeaf  = math.MaxInt32
	eosPlace = math.MaxInt32
	ownLeaf  = 1 << 30
)

// longList is the length from which on an arrival's groups are kept as one entry: the complement
// of the number of an interned list. Lists of outputs stay short that way.
const longList = 4

// A place is where a shifted terminal leads to in a grammar with a layout: a node of a tree, the
// registers there, and the blocks that are still to be shifted before.
// Without a layout the number of the node is the place.
type place struct {
	node   spanner.NodeID
	lines  int32
	blocks layout.Blocks
}

// automaton builds the stack automaton, state by state. It is not safe for concurrent use. Only
// the edges of a state may be read at any time.
type automaton struct {
	problem *algorithms.Problem
	tables  *lr.Tables
	spans   *trees
	sym     *unknown.Parser
	reach   []int32 // by ReachID: the interned set of its terminals, -1 not made
	end     int32   // the interned set of the end of input

	emitsSets bool // a lexeme may be emitted as several terminals at once

	states  []*state
	entered table.Table // pending, output -> state
	sets    []*pending
	bySet   index.Index
	outs    table.Numbered[int32] // lists of groups, ascending
	places  []place
	byPlace map[place]int32
	lines   lineTable
	bunches bunches
	splits  *unknown.Splitter
	// bunching tells whether groups that wait for one reduction are one item: not where most states
	// are met once, as those of a schema are.
	bunching bool

	taken      table.Table  // by state and terminal: spanner.Takes
	partStarts table.Table  // by root and top: the state
	sure       []lexer.Part // scratch of narrow

	// Scratch of a step.
	items   []uint64
	accepts []int32

	// arrivals are the results of arrive, by cell and place; see there.
	arrivals table.Table
	results  []arrival
	kept     struct {
		items   []uint64
		accepts []int32
	}

	starts      int
	transitions int
	shared      int // transitions in lists that other states have too
	itemCount   int
}

func newAutomaton(p *algorithms.Problem, spans *trees) *automaton {
	a := &automaton{problem: p, tables: p.Tables, spans: spans, sym: unknown.New(p.Tables), byPlace: map[place]int32{}, emitsSets: p.Grammar.EmitsSets()}
	a.splits = unknown.NewSplitter(a.sym)
	_, onDemand := p.Lexer.(*lexer.OnDemand)
	a.bunching = a.sym.Plain && !a.sym.Loops && !onDemand
	a.bunches.ofNode, a.bunches.ofRoot = map[spanner.NodeID]nodeBunch{}, map[spanner.NodeID]nodeBunch{}
	a.outs.Of(nil)
	a.end = a.sym.SetOf(p.Tables.NewSet(p.Tables.End()))
	a.lines.init(a)
	return a
}

// start is the state after a lexer state, with the given registers, and the top of the stack were
// read. root is the root of the lexer state's tree.
func (a *automaton) start(root spanner.NodeID, q lexer.State, lines int32, x int32) *state {
	a.starts++
	a.begin()
	c := a.sym.BaseOf(x)
	n := a.spans.Node(root)
	a.leaves(c, root, lines, true)
	a.kids(c, n, lines)
	if a.problem.Layout == nil {
		a.startEnd(c, q)
	}
	return a.finish()
}

// startEnd adds the end of the text to a start. EOS is a group like others, after the pending
// lexeme. With a layout the end is more than a lexeme, and is asked of the recognizer.
func (a *automaton) startEnd(c int32, q lexer.State) {
	lex := a.problem.Lexer
	if lex.Begins(q) {
		a.judge(c, a.end, eosLeaf)
	}
	for _, end := range lex.Ends(q) {
		if end.AtEnd {
			a.lastLexeme(c, end.Set)
		}
	}
}

// lastLexeme adds the end of the text after a lexeme.
func (a *automaton) lastLexeme(c int32, set lexer.Set) {
	lex := a.problem.Lexer
	if lex.Ignored(set) {
		a.judge(c, a.end, eosLeaf)
	}
	for _, t := range lex.Members(set) {
		if !a.problem.Grammar.Terminals[t].Ignored {
			a.take(a.sym.Shift(c, t), eosPlace)
		}
	}
}

// step is the state after symbol x is read in state from, which passed over from.skip symbols
// before.
func (a *automaton) step(from *state, x int32) *state {
	a.begin()
	a.readOn(a.sym.BaseOf(x), from.skip, from.pending.items)
	return a.finish()
}

// readOn goes on with items, ascending, on a cell; n symbols of their goals were popped. Items of
// the same goal lie side by side.
func (a *automaton) readOn(c, n int32, items []uint64) {
	goal, r, leaf := int32(-1), unknown.Nothing, false
	for _, item := range items {
		if at := int32(uint32(item)); at < 0 {
			a.readBunch(c, n, int32(item>>32), ^at)
			continue
		}
		if id := int32(item >> 32); id != goal {
			goal, r, leaf = id, a.sym.FollowOn(id, n, c), a.sym.Goals[id].Leaf
		}
		switch at := int32(uint32(item)); {
		case !leaf:
			a.take(r, at)
		case r == unknown.Accepted:
			a.accepts = append(a.accepts, at)
		default:
			a.wait(r, at)
		}
	}
}

func (a *automaton) begin() { a.items, a.accepts = a.items[:0], a.accepts[:0] }

// pend adds an item.
func (a *automaton) pend(id, at int32) { a.items = append(a.items, table.Pair(id, at)) }

// wait adds the goals of a result as items.
func (a *automaton) wait(r unknown.Result, at int32) {
	if r.Kind() == unknown.ResultGoal {
		a.pend(r.Value(), at)
		return
	}
	if r.Kind() == unknown.ResultList {
		for _, part := range a.sym.Lists[r.Value()] {
			a.wait(part, at)
		}
	}
}

// take goes on from a result of shifting: cells go to the place at once, goals wait.
func (a *automaton) take(r unknown.Result, at int32) {
	switch r.Kind() {
	case unknown.ResultCell:
		a.arrive(r.Value(), at)
	case unknown.ResultGoal:
		a.pend(r.Value(), at)
	case unknown.ResultList:
		for _, part := range a.sym.Lists[r.Value()] {
			a.take(part, at)
		}
	}
}

// An arrival is the result of going on from a place with a cell on top: the items and groups that
// it adds, in automaton.kept.
//
// Cells differ by the symbol that was read last, of which there are hundreds. But what they come to
// is mostly decided by the few states on top: after an opening bracket the same terminals may
// follow wherever it stands. So an arrival is found for the top alone first, and all cells with
// that top share the result. For a cell itself only what it leaves open goes on. A new stack then
// takes a fifth of the parser runs (Java, Llama 3).
type arrival struct {
	items, itemsEnd     int32
	accepts, acceptsEnd int32
}

// arrive goes on from a place with a cell on top. Many states come to the same place with the
// same cell, so the result is kept, without duplicates. That also keeps the work polynomial where
// several members of sets, or forks, lead to one cell in many ways. It returns the result's number.
func (a *automaton) arrive(c, at int32) int32 {
	key := table.Pair(c, at)
	if id := a.arrivals.Get(key); id != table.Absent {
		r := &a.results[id]
		a.items = append(a.items, a.kept.items[r.items:r.itemsEnd]...)
		a.accepts = append(a.accepts, a.kept.accepts[r.accepts:r.acceptsEnd]...)
		return id
	}
	items, accepts := len(a.items), len(a.accepts)
	if a.sym.Plain && a.sym.Cells[c].Under >= 0 {
		a.onTop(c, at)
	} else {
		a.goOn(c, at)
	}
	a.items = append(a.items[:items], distinct(a.items[items:])...)
	a.accepts = append(a.accepts[:accepts], distinct(a.accepts[accepts:])...)
	if len(a.accepts)-accepts >= longList {
		a.accepts = append(a.accepts[:accepts], ^a.outs.Of(a.accepts[accepts:]))
	}
	r := arrival{items: int32(len(a.kept.items)), accepts: int32(len(a.kept.accepts))}
	a.kept.items = append(a.kept.items, a.items[items:]...)
	a.kept.accepts = append(a.kept.accepts, a.accepts[accepts:]...)
	r.itemsEnd, r.acceptsEnd = int32(len(a.kept.items)), int32(len(a.kept.accepts))
	id := int32(len(a.results))
	a.arrivals.Put(key, id)
	a.results = append(a.results, r)
	return id
}

// onTop is arrive for the first time on a cell with more than its base: on its top alone, and then
// on the cells below it. This is for tables with one action per entry.
func (a *automaton) onTop(c, at int32) {
	top, items := a.sym.Cells[c], len(a.items)
	r := &a.results[a.arrive(a.sym.BaseOf(top.State), at)]
	a.items = a.items[:items]
	a.readOn(top.Under, 0, a.kept.items[r.items:r.itemsEnd])
}

// distinct sorts a list and drops duplicates, in place.
func distinct[T cmp.Ordered](list []T) []T {
	if len(list) < 2 {
		return list
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// goOn is arrive for the first time.
func (a *automaton) goOn(c, at int32) {
	if at == eosPlace {
		a.judge(c, a.end, eosLeaf)
		return
	}
	if a.problem.Layout == nil {
		a.expand(c, spanner.NodeID(at), 0)
		return
	}
	p := a.places[at]
	if p.blocks != 0 {
		a.block(c, p)
		return
	}
	a.expand(c, p.node, p.lines)
}

// judge decides a group: one of a set of terminals must be accepted.
func (a *automaton) judge(c, set, leaf int32) {
	if a.sym.Plain {
		var some [8]int32
		goals, yes := a.sym.GoalsOf(some[:0], c, set)
		if yes {
			a.accepts = append(a.accepts, leaf)
		}
		for _, g := range goals {
			a.pend(g, leaf)
		}
		return
	}
	if r := a.sym.Leaf(c, set); r == unknown.Accepted {
		a.accepts = append(a.accepts, leaf)
	} else {
		a.wait(r, leaf)
	}
}

// expand decides the groups of a node and goes on to its children.
func (a *automaton) expand(c int32, node spanner.NodeID, class int32) {
	a.leaves(c, node, class, false)
	a.kids(c, a.spans.Node(node), class)
}

// leaf decides a group by what its last lexeme can still become.
func (a *automaton) leaf(c int32, r lexer.ReachID, leaf, class int32) {
	reach := a.problem.Lexer.ReachSet(r)
	if reach.Ignored || a.lines.dropped(class) && reach.Has(a.problem.Layout.Newline()) {
		a.accepts = append(a.accepts, leaf)
		return
	}
	a.judge(c, a.setOf(r), leaf)
}

// kids goes on to the children of a node.
func (a *automaton) kids(c int32, n *spanner.SharedNode, class int32) {
	for _, k := range n.Kids {
		if a.problem.Layout != nil {
			a.expandLine(c, k, class)
			continue
		}
		if a.spans.Ignored(k.Symbol) {
			a.arrive(c, int32(k.Node))
		}
		for _, m := range a.spans.Members(k.Symbol) {
			if !a.problem.Grammar.Terminals[m].Ignored {
				a.take(a.sym.Shift(c, m), int32(k.Node))
			}
		}
	}
}

// setOf is the interned set of a reach.
func (a *automaton) setOf(r lexer.ReachID) int32 {
	for len(a.reach) <= int(r) {
		a.reach = append(a.reach, -1)
	}
	if a.reach[r] < 0 {
		set := a.tables.NewSet()
		copy(set, a.problem.Lexer.ReachSet(r).Parser)
		a.reach[r] = a.sym.SetOf(set)
	}
	return a.reach[r]
}

// finish interns the state that the scratch describes.
func (a *automaton) finish() *state {
	out := a.outs.Of(distinct(a.accepts))
	p := a.pendingOf(distinct(a.items))
	key := table.Pair(p.id, out)
	if id := a.entered.Get(key); id != table.Absent {
		return a.states[id]
	}
	s := &state{id: int32(len(a.states)), skip: -1, out: out, pending: p, twin: p.last}
	for i, item := range p.items {
		if pops := a.sym.Goals[item>>32].Pops; i == 0 || pops < s.skip {
			s.skip = pops
		}
	}
	if s.twin != nil {
		s.edges.list.Store(s.twin.edges.list.Load())
	}
	p.last = s
	a.states = append(a.states, s)
	a.entered.Put(key, s.id)
	return s
}

// pendingOf interns an ascending list of items.
func (a *automaton) pendingOf(items []uint64) *pending {
	h := index.Hash(items)
	id := a.bySet.Find(h, func(id int32) bool { return slices.Equal(a.sets[id].items, items) })
	if id < 0 {
		id = a.bySet.Add(h)
		a.sets = append(a.sets, &pending{id: id, items: slices.Clone(items)})
		a.itemCount += len(items)
	}
	return a.sets[id]
}

// transition is the state after symbol x is read in state from, built if need be. from must not be
// done.
func (a *automaton) transition(from *state, x int32) *state {
	if to := from.edges.find(x); to != nil {
		return to
	}
	to := a.step(from, x)
	a.transitions++
	from.edges.add(x, to)
	from.share()
	return to
}

// setGroup sets the tokens of a group in words.
func (a *automaton) setGroup(words []uint64, g int32) {
	if g != eosLeaf {
		a.spans.SetLeaf(words, spanner.LeafID(g))
		return
	}
	for _, id := range a.problem.Vocabulary.EOS() {
		bitset.Add(words, id)
	}
}

// bytes is the memory held, roughly.
func (a *automaton) bytes() int64 {
	return a.spans.Stats().Bytes + a.sym.Bytes() + a.entered.Bytes() + a.bySet.Bytes() + int64(len(a.states))*(80+8) + int64(len(a.sets))*(48+8) + 8*int64(a.transitions-a.shared) + 8*int64(a.itemCount) +
		a.outs.Bytes(8) + a.arrivals.Bytes() + a.taken.Bytes() + 16*int64(len(a.results)) + 8*int64(cap(a.kept.items)) + 4*int64(cap(a.kept.accepts)) + a.lines.bytes() + a.bunches.bytes() + a.splits.Bytes() +
		a.partStarts.Bytes() + 12*int64(cap(a.places)) + 40*int64(len(a.byPlace))
}

// forget drops results that can be found again. States, goals, places and bunches keep their
// numbers.
func (a *automaton) forget() {
	a.sym.Forget()
	a.splits = unknown.NewSplitter(a.sym)
	a.arrivals, a.results = table.Table{}, nil
	a.kept.items, a.kept.accepts = nil, nil
}

// forgettable is the memory of what forget drops, roughly.
func (a *automaton) forgettable() int64 {
	return a.sym.Bytes() + a.arrivals.Bytes() + 16*int64(len(a.results)) + 8*int64(cap(a.kept.items)) + 4*int64(cap(a.kept.accepts)) + a.splits.Bytes()
}
