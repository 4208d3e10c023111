package lexer

import (
	"sync"
	"sync/atomic"

	"gcdbench/grammar"
)

// OnDemand is the combined automaton built state by state as texts reach them. Readers take no
// lock for a state they have seen before: a state's row is computed whole under the lock and then
// published, after which it never changes.
type OnDemand struct {
	mu      sync.Mutex
	p       *product
	classes [256]uint8
	nodes   atomic.Pointer[[]*node] // by state; the slice only grows, by replacement
	tables  atomic.Pointer[tables]
	err     atomic.Pointer[LimitError]
}

// node is what is published about one state.
type node struct {
	row    atomic.Pointer[[]State]
	accept Set
	reach  atomic.Int32 // ReachID, or -1 until asked for
}

// tables is what is published about sets and reaches; it only grows, by replacement.
type tables struct {
	sets    [][]grammar.Terminal
	ignored []bool
	reaches []*Reach
}

// NewOnDemand prepares the combined automaton of g without exploring it. It compiles each
// terminal's own DFA, so the errors are those of Build for terminals that cannot be used.
func NewOnDemand(g *grammar.Grammar, limits Limits) (*OnDemand, error) {
	p, err := newProduct(g, limits)
	if err != nil {
		return nil, err
	}
	d := &OnDemand{p: p, classes: p.classes}
	d.publish()
	return d, nil
}

// publish makes the states, sets and reaches known to p visible; d.mu is held or d is not shared yet.
func (d *OnDemand) publish() {
	var nodes []*node
	if old := d.nodes.Load(); old != nil {
		nodes = *old
	}
	if len(nodes) < len(d.p.live) {
		for q := len(nodes); q < len(d.p.live); q++ {
			n := &node{accept: d.p.accept[q]}
			n.reach.Store(-1)
			// Appending writes past the length every reader of the old header knows, so it is safe.
			nodes = append(nodes, n)
		}
		d.nodes.Store(&nodes)
	}
	d.tables.Store(&tables{d.p.sets, d.p.ignored, d.p.reaches})
	if e, ok := d.p.err.(*LimitError); ok {
		d.err.Store(e)
	}
}

func (d *OnDemand) node(q State) *node { return (*d.nodes.Load())[q] }

// Start implements Automaton.
func (d *OnDemand) Start() State { return 0 }

// NumStates implements Automaton.
func (d *OnDemand) NumStates() int { return len(*d.nodes.Load()) }

// Classes implements Automaton.
func (d *OnDemand) Classes() *[256]uint8 { return &d.classes }

// NumClasses implements Automaton.
func (d *OnDemand) NumClasses() int { return len(d.p.repr) }

// Row implements Automaton.
func (d *OnDemand) Row(q State) []State {
	n := d.node(q)
	if row := n.row.Load(); row != nil {
		return *row
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	row := d.p.row(q)
	d.publish() // the states that the row names must be visible before the row is
	n.row.Store(&row)
	return row
}

// Next implements Automaton.
func (d *OnDemand) Next(q State, b byte) State { return d.Row(q)[d.classes[b]] }

// Accept implements Automaton.
func (d *OnDemand) Accept(q State) Set { return d.node(q).accept }

// Reach implements Automaton.
func (d *OnDemand) Reach(q State) ReachID {
	n := d.node(q)
	if r := n.reach.Load(); r >= 0 {
		return ReachID(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.p.reachOf(q)
	d.publish()
	n.reach.Store(int32(r))
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
		return e
	}
	return nil
}
