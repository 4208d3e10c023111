package parserdwa

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/intern"
)

// The determinized automaton. A state is a set of items, those that are alive on the one path that
// a stack takes from a start state; an arc's weight is the tokens that reading its symbol accepts.
// As the items' weights are theirs by construction (compose.go), subsets carry no residual weights,
// and states are shared by whatever leads to the same items.
//
// States and arcs are added while others read. A state's arcs are a hash table whose slots only
// ever go from nil to an arc, or a larger table that takes its place; building happens under the
// automaton's lock, reading takes none.
type automaton struct {
	mu       sync.Mutex
	composer *composer
	weights  *weights
	roots    atomic.Pointer[[]*roots] // by lexer state; nil entries and states beyond its end are not built
	states   []*state
	sets     intern.Lists[int32] // the items of states
	dead     []*arc              // by symbol
	made     int                 // arcs, those shared counted once
	arcs     int
	slots    int
	members  int      // items of all states
	mask     []uint64 // scratch
	next     []int32
	limit    int         // bytes
	over     atomic.Bool // more is held than limit
}

// roots are the start states of a lexer state.
type roots struct {
	plain *state
	// line is the node for the sequences that depend on the layout registers, -1 if there are none,
	// with its start states by registers.
	line   int32
	byRegs map[int32]*state
}

// A state of the determinized automaton.
type state struct {
	items []int32
	// root and registers are set in a start state, root being a node of the terminal DWA; else root
	// is noRoot.
	root, registers int32
	string          *pendingString // in the start state of a string, instead of root
	table           atomic.Pointer[table]
	number          int32 // arcs in table; under the lock
}

const noRoot = -1

// An arc reads a symbol of the stack.
type arc struct {
	symbol int32
	weight *weight // accepted by it
	to     *state  // nil if everything is decided then
}

// A table is an open-addressed hash table of arcs, its size a power of two.
type table []atomic.Pointer[arc]

// newAutomaton is an automaton with nothing built.
func newAutomaton(p *algorithms.Problem, limit int, sliced bool) *automaton {
	size := algorithms.MaskWords(p.Vocabulary.Len())
	ws := newWeights(size, p.Vocabulary.Trie().Equal())
	a := &automaton{weights: ws, composer: newComposer(p, ws, sliced), mask: make([]uint64, size), limit: limit}
	a.roots.Store(new([]*roots))
	return a
}

// root is the start states of a lexer state.
func (a *automaton) root(q lexer.State) *roots {
	if all := *a.roots.Load(); int(q) < len(all) && all[q] != nil {
		return all[q]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.makeRoot(q)
}

func (a *automaton) makeRoot(q lexer.State) *roots {
	old := *a.roots.Load()
	if int(q) < len(old) && old[q] != nil {
		return old[q]
	}
	all := make([]*roots, max(len(old), int(q)+1))
	copy(all, old)
	r := &roots{line: -1}
	if s := a.composer.terminals.pending(q); s != nil {
		r.plain = &state{root: noRoot, string: s}
	} else {
		var plain int32
		plain, r.line = a.composer.terminals.root(q)
		r.plain = &state{root: plain}
	}
	if r.line >= 0 {
		r.byRegs = map[int32]*state{}
	}
	all[q] = r
	a.roots.Store(&all)
	return r
}

// lineRoot is the start state for the sequences that depend on the layout registers, or nil.
func (a *automaton) lineRoot(r *roots, q lexer.State, regs layout.Registers) *state {
	if r.line < 0 {
		return nil
	}
	p := a.composer.problem
	if !p.Lexer.ReachSet(p.Lexer.Reach(q)).Has(p.Layout.Newline()) {
		regs = p.Layout.Begin(regs)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	id := a.composer.registers.intern(regs)
	s := r.byRegs[id]
	if s == nil {
		s = &state{root: r.line, registers: id}
		r.byRegs[id] = s
	}
	return s
}

// step is the arc of s that reads symbol.
func (a *automaton) step(s *state, symbol int32) *arc {
	if found := s.find(symbol); found != nil {
		return found
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if found := s.find(symbol); found != nil {
		return found
	}
	made := a.build(s, symbol)
	a.insert(s, made)
	if a.bytes() > a.limit {
		a.over.Store(true)
	}
	return made
}

// full tells whether the automaton holds more than its limit.
func (a *automaton) full() bool { return a.over.Load() }

// find looks an arc up.
func (s *state) find(symbol int32) *arc {
	t := s.table.Load()
	if t == nil {
		return nil
	}
	mask := uint32(len(*t) - 1)
	for i := slot(symbol) & mask; ; i = (i + 1) & mask {
		found := (*t)[i].Load()
		if found == nil || found.symbol == symbol {
			return found
		}
	}
}

func slot(symbol int32) uint32 { return uint32(symbol) * 0x9E3779B1 >> 7 }

// insert adds an arc; a.mu is held. At most half the slots are in use, so that find ends.
func (a *automaton) insert(s *state, made *arc) {
	t := s.table.Load()
	if t == nil || int(s.number+1)*2 > len(*t) {
		grown := make(table, 1<<bits.Len(uint(s.number+1)*2))
		a.slots += len(grown)
		if t != nil {
			a.slots -= len(*t)
			for i := range *t {
				if old := (*t)[i].Load(); old != nil {
					grown.put(old)
				}
			}
		}
		grown.put(made)
		s.table.Store(&grown)
	} else {
		t.put(made)
	}
	s.number++
	a.arcs++
}

func (t table) put(made *arc) {
	mask := uint32(len(t) - 1)
	i := slot(made.symbol) & mask
	for t[i].Load() != nil {
		i = (i + 1) & mask
	}
	t[i].Store(made)
}

// build composes the arc of s that reads symbol; a.mu is held.
func (a *automaton) build(s *state, symbol int32) *arc {
	c := a.composer
	if s.string != nil {
		o := c.enterString(s.string, symbol)
		return a.arc(symbol, o.accepted, o.next)
	}
	if s.root != noRoot {
		o := c.enterRoot(s.root, s.registers, symbol)
		return a.arc(symbol, o.accepted, o.next)
	}
	a.next = a.next[:0]
	var only *weight
	united := false
	for _, id := range s.items {
		var accepted *weight
		accepted, a.next = c.read(id, symbol, a.next)
		switch {
		case accepted == nil || accepted == only:
		case only == nil:
			only = accepted
		default:
			accepted.orInto(a.mask)
			united = true
		}
	}
	if united {
		only.orInto(a.mask)
		only = a.weights.take(a.mask)
	}
	slices.Sort(a.next)
	return a.arc(symbol, only, slices.Compact(a.next))
}

// arc is an arc to the state of a set of items.
func (a *automaton) arc(symbol int32, accepted *weight, next []int32) *arc {
	if accepted == nil && len(next) == 0 {
		return a.deadArc(symbol)
	}
	made := &arc{symbol: symbol, weight: accepted}
	if len(next) > 0 {
		made.to = a.intern(next)
	}
	a.made++
	return made
}

// deadArc is the arc that reads symbol, accepts nothing and leads nowhere. All states share it: one
// arc in three of an eager compile is dead.
func (a *automaton) deadArc(symbol int32) *arc {
	for int(symbol) >= len(a.dead) {
		a.dead = append(a.dead, nil)
	}
	if a.dead[symbol] == nil {
		a.dead[symbol] = &arc{symbol: symbol}
		a.made++
	}
	return a.dead[symbol]
}

// intern is the state of a set of items, given in order.
func (a *automaton) intern(ids []int32) *state {
	s, isNew := a.sets.ID(ids)
	if isNew {
		a.states = append(a.states, &state{items: a.sets.At(s), root: noRoot})
		a.members += len(ids)
	}
	return a.states[s]
}

// bytes is the memory a holds, as it counts it; a.mu is held.
func (a *automaton) bytes() int {
	c := a.composer
	return a.weights.held + c.terminals.bytes() + c.templates.bytes() + c.items.bytes() +
		24*a.made + 8*a.slots + 120*len(a.states) + 8*a.members
}
