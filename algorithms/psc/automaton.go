package psc

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/lexer"
)

// The stack automaton reads a parser stack from the top and says which groups of tokens the stack
// accepts (the paper's A of equation 5, without the last step that names a token).
//
// A state is what is still undecided: a set of items, each a goal of the symbolic parser and a place in
// the trees of terminal sequences, which is where the goal's terminal leads once shifted. Reading a
// symbol lets every item run on: into a place further down its tree, where leaves are decided and
// children become items in their turn; into another goal; or to nothing. The groups decided in favour
// on entering a state are its output; a stack accepts the union of the outputs on its way.
//
// Two states with the same items, the same output and the same symbol read are one, whatever lexer
// state they came from: that is what keeps the automaton small, and why the items do not remember
// what was accepted before (the paper's determinization does, and multiplies by it).

// A state of the stack automaton.
type state struct {
	id int32
	// x is the symbol read last; the next one is among tables.Predecessors(x).
	x int32
	// items are what is pending, ascending: goal<<32 | place. None: everything is decided.
	items []uint64
	// out is the interned list of the groups accepted on entering, by number; 0 is the empty list.
	out int32
	// next is by index in Predecessors(x); nil where the transition was not built.
	next []atomic.Pointer[state]
}

func (s *state) done() bool { return len(s.items) == 0 }

// eosLeaf is the number of the group of the EOS ids, and eosPlace the place behind the lexeme that is
// pending as the text ends. Both are out of the range of the spanner's own numbers.
const (
	eosLeaf  = math.MaxInt32
	eosPlace = math.MaxInt32
)

// A place is where a shifted terminal leads to in a grammar with a layout: a node of a tree, the
// registers there, and how many indents (+1) or dedents (-k) are still to be shifted before. Without
// a layout a place is just the number of its node.
type place struct {
	node   spanner.NodeID
	lines  int32
	levels int32
}

// automaton builds the stack automaton, state by state. It is not safe for concurrent use, except that
// state.next may be read at any time.
type automaton struct {
	problem *algorithms.Problem
	tables  *lr.Tables
	spans   *spanner.Spanner
	sym     *symbolic
	forks   bool    // several members, or conflicts: a step may come to one place on several ways
	reach   []int32 // by ReachID: the interned set of its terminals, -1 not made
	end     int32   // the interned set of the end of input

	states  []*state
	byHash  map[uint64][]*state
	outs    [][]int32
	byOut   map[string]int32
	places  []place
	byPlace map[place]int32
	lines   lineTable
	decider decider

	// Scratch of a step.
	items   []uint64
	accepts []int32
	seen    map[uint64]struct{}
	key     []byte

	transitions int
	slots       int
	itemCount   int
	outCount    int
}

func newAutomaton(p *algorithms.Problem, options spanner.Options) *automaton {
	a := &automaton{
		problem: p, tables: p.Tables, spans: spanner.New(p.Recognizer, p.Vocabulary, options), sym: newSymbolic(p.Tables),
		forks:  !p.Tables.Deterministic() || p.Grammar.Lexer == grammar.LexAll,
		byHash: map[uint64][]*state{}, byOut: map[string]int32{}, byPlace: map[place]int32{},
		seen: map[uint64]struct{}{},
	}
	a.outs = append(a.outs, nil)
	a.byOut[""] = 0
	a.end = a.sym.setOf(p.Tables.NewSet(p.Tables.End()))
	a.lines.init(a)
	return a
}

// start is the state after the lexer state, with the given registers, and the top of the stack were
// read.
func (a *automaton) start(q lexer.State, lines int32, x int32) *state {
	a.begin()
	c := a.sym.baseOf(x)
	a.expand(c, a.spans.Shared(q), lines)
	if a.problem.Layout == nil {
		a.startEnd(c, q)
	}
	return a.finish(x)
}

// startEnd adds the end of the text to a start: EOS is a group like others, behind the lexeme pending.
// (With a layout the end is more than a lexeme, and is asked of the recognizer.)
func (a *automaton) startEnd(c int32, q lexer.State) {
	lex := a.problem.Lexer
	if q == lex.Start() {
		a.judge(c, a.end, eosLeaf)
		return
	}
	set := lex.Accept(q)
	if set == lexer.NoSet {
		return
	}
	if lex.Ignored(set) {
		a.judge(c, a.end, eosLeaf)
	}
	for _, t := range lex.Members(set) {
		if !a.problem.Grammar.Terminals[t].Ignored {
			a.take(a.sym.shift(c, t), eosPlace)
		}
	}
}

// step is the state after symbol x is read in state from.
func (a *automaton) step(from *state, x int32) *state {
	a.begin()
	for _, item := range from.items {
		id, at := int32(item>>32), int32(uint32(item))
		r := a.sym.follow(id, x)
		if !a.sym.goals[id].leaf {
			a.take(r, at)
		} else if r == accepted {
			a.accepts = append(a.accepts, at)
		} else {
			a.wait(r, at)
		}
	}
	return a.finish(x)
}

func (a *automaton) begin() {
	a.items, a.accepts = a.items[:0], a.accepts[:0]
	if len(a.seen) > 0 {
		clear(a.seen)
	}
}

// wait adds the goals of a result as items.
func (a *automaton) wait(r result, at int32) {
	if r.kind() == resultGoal {
		a.items = append(a.items, pair(r.value(), at))
		return
	}
	if r.kind() == resultList {
		for _, part := range a.sym.lists[r.value()] {
			a.wait(part, at)
		}
	}
}

// take goes on from a result of shifting: cells go to the place at once, goals wait.
func (a *automaton) take(r result, at int32) {
	switch r.kind() {
	case resultCell:
		a.arrive(r.value(), at)
	case resultGoal:
		a.items = append(a.items, pair(r.value(), at))
	case resultList:
		for _, part := range a.sym.lists[r.value()] {
			a.take(part, at)
		}
	}
}

// arrive goes on from a place with a cell on top.
func (a *automaton) arrive(c, at int32) {
	if a.forks {
		key := pair(c, at)
		if _, seen := a.seen[key]; seen {
			return
		}
		a.seen[key] = struct{}{}
	}
	if at == eosPlace {
		a.judge(c, a.end, eosLeaf)
		return
	}
	if a.problem.Layout == nil {
		a.expand(c, spanner.NodeID(at), 0)
		return
	}
	p := a.places[at]
	if p.levels != 0 {
		a.block(c, p)
		return
	}
	a.expand(c, p.node, p.lines)
}

// judge decides a group, with the terminals of which one must be accepted.
func (a *automaton) judge(c, set, leaf int32) {
	if r := a.sym.leaf(c, set); r == accepted {
		a.accepts = append(a.accepts, leaf)
	} else {
		a.wait(r, leaf)
	}
}

// expand decides the groups of a node and goes on to its children.
func (a *automaton) expand(c int32, node spanner.NodeID, class int32) {
	n := a.spans.Node(node)
	for _, l := range n.Leaves {
		reach := a.problem.Lexer.ReachSet(l.Reach)
		if reach.Ignored || a.lines.dropped(class) && reach.Has(a.problem.Layout.Newline()) {
			a.accepts = append(a.accepts, int32(l.ID))
			continue
		}
		a.judge(c, a.setOf(l.Reach), int32(l.ID))
	}
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
				a.take(a.sym.shift(c, m), int32(k.Node))
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
		a.reach[r] = a.sym.setOf(set)
	}
	return a.reach[r]
}

// finish interns the state that the scratch describes.
func (a *automaton) finish(x int32) *state {
	a.settle(x)
	slices.Sort(a.items)
	a.items = slices.Compact(a.items)
	slices.Sort(a.accepts)
	a.accepts = slices.Compact(a.accepts)
	out := a.outOf(a.accepts)
	if len(a.items) == 0 || len(a.tables.Predecessors(x)) == 0 {
		// Nothing more is read. (At the bottom of the stack nothing can be: what is pending is void.)
		x, a.items = -1, a.items[:0]
	}
	h := spread(pair(x, out))
	for _, i := range a.items {
		h = spread(h ^ i)
	}
	for _, s := range a.byHash[h] {
		if s.x == x && s.out == out && slices.Equal(s.items, a.items) {
			return s
		}
	}
	s := &state{id: int32(len(a.states)), x: x, items: slices.Clone(a.items), out: out}
	if x >= 0 {
		s.next = make([]atomic.Pointer[state], len(a.tables.Predecessors(x)))
		a.slots += len(s.next)
	}
	a.itemCount += len(s.items)
	a.states = append(a.states, s)
	a.byHash[h] = append(a.byHash[h], s)
	return s
}

// outOf interns an ascending list of groups.
func (a *automaton) outOf(list []int32) int32 {
	a.key = a.key[:0]
	for _, i := range list {
		a.key = binary.LittleEndian.AppendUint32(a.key, uint32(i))
	}
	id, ok := a.byOut[string(a.key)]
	if !ok {
		id = int32(len(a.outs))
		a.outs = append(a.outs, slices.Clone(list))
		a.outCount += len(list)
		a.byOut[string(a.key)] = id
	}
	return id
}

// transition is the state after symbol x is read in state from, built if need be. from must not be done,
// and x must be the i-th of the symbols that can come next.
func (a *automaton) transition(from *state, i int, x int32) *state {
	if to := from.next[i].Load(); to != nil {
		return to
	}
	to := a.step(from, x)
	a.transitions++
	from.next[i].Store(to)
	return to
}

// setTokens sets the tokens of an output in words.
func (a *automaton) setTokens(words []uint64, out int32) {
	for _, leaf := range a.outs[out] {
		if leaf == eosLeaf {
			for _, id := range a.problem.Vocabulary.EOS() {
				words[id>>6] |= 1 << (uint(id) & 63)
			}
			continue
		}
		a.spans.SetLeaf(words, spanner.LeafID(leaf))
	}
}

// bytes is the memory held, roughly.
func (a *automaton) bytes() int64 {
	return a.spans.Stats().Bytes + a.sym.bytes() + int64(len(a.states))*(80+24+8) + 8*int64(a.slots+a.itemCount) +
		int64(a.outCount)*8 + int64(len(a.outs))*80 + a.lines.bytes()
}

// indexOf finds x in the ascending list of the symbols that can come next; -1 if it is not there.
func indexOf(list []int32, x int32) int {
	if len(list) <= 8 {
		for i, y := range list {
			if y == x {
				return i
			}
		}
		return -1
	}
	i, ok := slices.BinarySearchFunc(list, x, cmp.Compare[int32])
	if !ok {
		return -1
	}
	return i
}

// describe prints an item, for tests and messages.
func (a *automaton) describe(item uint64) string {
	g := a.sym.goals[item>>32]
	return fmt.Sprintf("pop %d, go to %s, then %d", g.pops, a.problem.Grammar.Nonterminals[g.lhs].Name, uint32(item))
}
