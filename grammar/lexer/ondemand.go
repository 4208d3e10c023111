package lexer

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/arena"
)

// OnDemand is the combined automaton built as texts reach it: a state when a transition leads
// there, a transition when it is first asked for. Of the hundreds of ways on that a state has where
// hundreds of terminals begin, a text takes one.
//
// Readers take no lock for what was asked for before. A transition is computed under the lock, and
// published after the state it leads to; after that it never changes.
//
// The automaton of a grammar whose rules are written on demand gets more terminals (With). Then
// there is one more OnDemand, with another start state, and all have their other states in common.
type OnDemand struct {
	*visited
	start State
	dfas  []*automata.DFA // by terminal, of those that begin in start
	// starting has, by set, the End of a lexeme after which one begins in start; nil if that is the
	// first start state, which the nodes have.
	starting atomic.Pointer[[][]End]
	// generation is what is asked of, in a grammar with modes, where ends and reaches depend on it,
	// and number is its own; nil and 0 in others.
	generation *generation
	number     int64
	// shifted are the literals that the parser shifts wherever they are read, by terminal.
	shifted []bool
}

// lateEnds are the ends of a lexeme in a generation of a grammar.
type lateEnds struct {
	number int64
	list   []End
}

// visited is what was built so far.
type visited struct {
	mu      sync.Mutex
	p       *product
	classes [256]uint8
	states  atomic.Int32                   // how many are published
	blocks  atomic.Pointer[[]*[block]node] // the nodes, some at a time; the slice only grows, by replacement
	tables  atomic.Pointer[tables]
	err     atomic.Pointer[error]
	room    arena.Arena[State] // under mu: what rows are cut from
	numbers int64              // under mu: how many generations have one
}

// block is how many nodes there are in a block.
const (
	blockBits = 5
	block     = 1 << blockBits
)

// node is the published part of one state.
type node struct {
	live   []pair
	ends   []End
	begins bool
	alone  bool // it is its terminals, and nothing else
	// reach is the number of the generation that asked last, and a ReachID; -1 until then.
	reach atomic.Int64
	late  atomic.Pointer[lateEnds] // likewise the ends where they depend on it
	rowed atomic.Uint32            // how far row is: rowNone, rowSome, rowLive or rowWhole
	row   []State                  // by class, read and written atomically; not to be looked at while there is none
	// first are the transitions that were asked for while there is no row: 1 + the class, and the
	// state; 0 behind them. Most states are met by a text or two, which ask for no more.
	first [firstAsked]atomic.Uint64
}

// firstAsked is how many transitions a state has without a row. In schemas of MaskBench that is
// enough for four states in five.
const firstAsked = 4

// to is the transition on a class, or unknown.
func (n *node) to(class uint8) State {
	if n.rowed.Load() != rowNone {
		return State(atomic.LoadInt32((*int32)(&n.row[class])))
	}
	for i := range n.first {
		if x := n.first[i].Load(); x>>32 == uint64(class)+1 {
			return State(int32(uint32(x)))
		}
	}
	return unknown
}

const (
	rowNone  = iota // not there
	rowSome         // some transitions may be unknown
	rowLive         // some may be, but those that are None are known
	rowWhole        // none is
)

// fewLive is how many terminals a state is made of at most for its None transitions to be found at
// once.
const fewLive = 16

// unknown is a transition that was not asked for yet.
const unknown State = -2

// tables is what is published about sets and reaches; it only grows, by replacement.
type tables struct {
	sets    [][]grammar.Terminal
	ignored []bool
	reaches []*Reach
}

// NewOnDemand prepares the combined automaton of g without exploring it. It compiles each
// terminal's own DFA, so the errors are those of Build for terminals that cannot be used, and
// ctx's.
func NewOnDemand(ctx context.Context, g *grammar.Grammar, limits Limits) (*OnDemand, error) {
	p, err := newProduct(ctx, g, limits)
	if err != nil {
		return nil, err
	}
	d := &OnDemand{visited: &visited{p: p, classes: p.classes}, dfas: p.dfas}
	d.begin()
	d.blocks.Store(new([]*[block]node))
	d.tables.Store(new(tables))
	d.publish()
	return d, nil
}

// With is the automaton with the terminals that g has behind those of the grammar of d. States of
// one are states of the other. A lexeme that begins in the start of d is followed by the terminals
// of d alone, one that begins in the start of the result by all. It is for grammars that were
// written on demand and emit all matches (grammar.LexAll), without contexts and modes, or do so in
// one of their modes.
func (d *OnDemand) With(ctx context.Context, g *grammar.Grammar) (*OnDemand, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.p.grow(ctx, g); err != nil {
		d.err.CompareAndSwap(nil, &err)
		return nil, err
	}
	more := &OnDemand{visited: d.visited, start: d.p.first, dfas: d.p.dfas}
	if more.begin(); more.generation == nil {
		more.starting.Store(new([][]End))
	}
	d.publish()
	return more, nil
}

// begin takes up what the product says of the grammar as it is now, if that may change.
func (d *OnDemand) begin() {
	d.shifted = d.p.shifted
	if d.p.lateEnds {
		d.generation, d.number = d.p.generation, d.numbers
		d.numbers++
	}
}

// at has f work on the generation of d; it takes the lock.
func (d *OnDemand) at(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	latest := d.p.generation
	if d.generation != nil {
		d.p.generation = d.generation
	}
	f()
	d.p.generation = latest
	d.publish()
}

// publish makes the states, sets and reaches known to p visible; d.mu is held or d is not shared
// yet.
func (d *OnDemand) publish() {
	// Sets and reaches first: a reader who sees a state looks up what it accepts.
	if t := d.tables.Load(); len(t.sets) < len(d.p.sets) || len(t.reaches) < len(d.p.reaches) {
		d.tables.Store(&tables{d.p.sets, d.p.ignored, d.p.reaches})
	}
	blocks, known := *d.blocks.Load(), int(d.states.Load())
	for q := known; q < len(d.p.live); q++ {
		if q>>blockBits == len(blocks) {
			// Appending writes past the length every reader of the old header knows, so it is safe.
			blocks = append(blocks, new([block]node))
			grown := blocks
			d.blocks.Store(&grown)
		}
		n := &blocks[q>>blockBits][q&(block-1)]
		n.live, n.ends, n.begins = d.p.terminals(d.p.live[q]), d.p.ends[q], d.p.begins[q]
		n.alone = len(n.live) == len(d.p.live[q])
		n.reach.Store(-1)
	}
	d.states.Store(int32(len(d.p.live)))
	if d.p.err != nil && d.err.Load() == nil {
		err := d.p.err
		d.err.Store(&err)
	}
}

func (d *OnDemand) node(q State) *node { return &(*d.blocks.Load())[q>>blockBits][q&(block-1)] }

// Start implements Automaton.
func (d *OnDemand) Start() State { return d.start }

// NumStates implements Automaton.
func (d *OnDemand) NumStates() int { return int(d.states.Load()) }

// Classes implements Automaton.
func (d *OnDemand) Classes() *[256]uint8 { return &d.classes }

// NumClasses implements Automaton.
func (d *OnDemand) NumClasses() int { return len(d.p.repr) }

// Row implements Automaton. It computes all transitions of q, and so all states they lead to:
// whoever needs some of them asks Next.
func (d *OnDemand) Row(q State) []State {
	if n := d.node(q); n.rowed.Load() == rowWhole {
		return n.row
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fill(q)
}

// fill computes what is unknown of the row of q; d.mu is held.
func (d *OnDemand) fill(q State) []State {
	n := d.node(q)
	if n.rowed.Load() == rowWhole {
		return n.row
	}
	d.makeRow(n)
	for c := range d.NumClasses() {
		d.step(n, q, uint8(c))
	}
	n.rowed.Store(rowWhole)
	return n.row
}

// makeRow gives a state its row, with what is known, unless it has one; d.mu is held.
func (d *OnDemand) makeRow(n *node) {
	if n.rowed.Load() != rowNone {
		return
	}
	n.row = d.room.Take(d.NumClasses())
	for i := range n.row {
		n.row[i] = unknown
	}
	for i := range n.first {
		if x := n.first[i].Load(); x != 0 {
			n.row[x>>32-1] = State(int32(uint32(x)))
		}
	}
	n.rowed.Store(rowSome)
}

// step computes a transition unless it is known; d.mu is held.
func (d *OnDemand) step(n *node, q State, class uint8) State {
	if to := n.to(class); to != unknown {
		return to
	}
	asked, rowed := 0, n.rowed.Load()
	for asked < firstAsked && n.first[asked].Load() != 0 {
		asked++
	}
	// A text asks for one transition. Who asks for a second one walks a vocabulary, and will ask
	// for all of them; most are None, and finding those at once costs less than a few calls, unless
	// every byte is a class and some terminal is no literal.
	few := len(n.live) <= fewLive && d.NumClasses() < 256
	if (asked > 0 || rowed == rowSome) && rowed < rowLive && (few || !slices.ContainsFunc(n.live, func(x pair) bool { return !d.p.isText(x.terminal) })) {
		d.makeRow(n)
		d.p.eachDead(q, func(class int) { atomic.StoreInt32((*int32)(&n.row[class]), int32(None)) })
		n.rowed.Store(rowLive)
		if n.row[class] == None {
			return None
		}
	}
	to := d.p.step(q, int(class))
	if len(d.p.live) > int(d.states.Load()) || d.p.err != nil {
		d.publish() // the state must be visible before the transition is
	}
	if asked == firstAsked {
		d.makeRow(n)
	}
	if n.rowed.Load() == rowNone {
		n.first[asked].Store((uint64(class)+1)<<32 | uint64(uint32(to)))
	} else {
		atomic.StoreInt32((*int32)(&n.row[class]), int32(to))
	}
	return to
}

// Next implements Automaton.
func (d *OnDemand) Next(q State, b byte) State {
	n := d.node(q)
	c := d.classes[b]
	if to := n.to(c); to != unknown {
		return to
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.step(n, q, c)
}

// Stays implements Automaton.
func (d *OnDemand) Stays(q State, b byte) bool {
	n := d.node(q)
	if to := n.to(d.classes[b]); to != unknown {
		return to == q
	}
	for _, x := range n.live {
		if d.dfas[x.terminal].Next(x.state, b) != x.state {
			return false
		}
	}
	return d.p.uniform || d.Next(q, b) == q // else there is more to a state than its terminals
}

// Ends implements Automaton.
func (d *OnDemand) Ends(q State) []End {
	n := d.node(q)
	if d.generation != nil {
		return d.lateEnds(n, q)
	}
	ends := n.ends
	known := d.starting.Load()
	if known == nil || len(ends) == 0 {
		return ends
	}
	if set := int(ends[0].Set); set < len(*known) {
		return (*known)[set]
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := *d.starting.Load()
	for set := len(list); set < len(d.p.sets); set++ {
		list = append(list, []End{{Set: Set(set), Start: d.start, AtEnd: true}})
	}
	d.starting.Store(&list)
	return list[ends[0].Set]
}

// lateEnds is Ends where they depend on the generation.
func (d *OnDemand) lateEnds(n *node, q State) []End {
	known := n.late.Load()
	if known == nil || known.number != d.number {
		known = &lateEnds{number: d.number}
		d.at(func() { known.list = d.p.endsAt(q) })
		n.late.Store(known)
	}
	return known.list
}

// Begins implements Automaton.
func (d *OnDemand) Begins(q State) bool { return q == 0 || d.node(q).begins }

// Uniform implements Automaton.
func (d *OnDemand) Uniform() bool { return d.p.uniform }

// Alternatives implements Automaton.
func (d *OnDemand) Alternatives() [][2]grammar.Terminal { return alternatives(d.p.g, d.p.dfas) }

// Reach implements Automaton.
func (d *OnDemand) Reach(q State) (r ReachID) {
	n := d.node(q)
	if known := n.reach.Load(); known>>32 == d.number {
		return ReachID(known)
	}
	d.at(func() { r = d.p.reachOf(q, d.fill) })
	n.reach.Store(d.number<<32 | int64(r))
	return r
}

// NumSets implements Automaton.
func (d *OnDemand) NumSets() int { return len(d.tables.Load().sets) }

// Members implements Automaton.
func (d *OnDemand) Members(s Set) []grammar.Terminal { return d.tables.Load().sets[s] }

// Ignored implements Automaton.
func (d *OnDemand) Ignored(s Set) bool { return d.tables.Load().ignored[s] }

// NumReaches implements Automaton.
func (d *OnDemand) NumReaches() int { return len(d.tables.Load().reaches) }

// ReachSet implements Automaton.
func (d *OnDemand) ReachSet(r ReachID) *Reach { return d.tables.Load().reaches[r] }

// Err implements Automaton.
func (d *OnDemand) Err() error {
	if e := d.err.Load(); e != nil {
		return *e
	}
	return nil
}
