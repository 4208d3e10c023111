package automata

import (
	"math"
	"sync"
	"sync/atomic"

	"gcdbench/internal/arena"
	"gcdbench/internal/bitset"
	"gcdbench/internal/sparse"
)

// Automata on demand. The text of a string of up to a thousand characters takes 25,000 states, of
// which a text comes to some hundred. So the rows of such an automaton are written down when they
// are first asked for.
//
// Readers take no lock for a row that is there. A row is made under the lock and published whole;
// it never changes afterwards.

// Rows are the rows of an automaton on demand. Its states are known by numbers below a bound that
// may grow while rows are made; 0 is the start. Each state leads to acceptance.
type Rows interface {
	// Row writes the states that follow s into to, by class, and returns the classes on which there
	// is one, ascending; the rest of to is not read. It is called once for each state, and by one
	// goroutine at a time. For a number that is no state it may return anything.
	Row(s int32, to []int32) (filled []uint8)
	// Accepting tells whether s accepts. It may be called by several goroutines at any time.
	Accepting(s int32) bool
}

// OnDemand is the automaton with some rows. Classes are numbered by their first bytes, and may be
// finer than they have to be. Unlike other automata it is not numbered canonically, and need not be
// minimal. Operations that need all states, such as NumStates, Equal and products, write down all
// of it: ask Within before, where there may be millions.
//
// Rows are counted (counted.go), product (product.go), sets (sets.go), values (graph.go), and those
// of packages that make automata of others.
func OnDemand(classOf [256]uint8, classes int, rows Rows) *DFA {
	x := &onDemand{rows: rows, to: make([]int32, classes)}
	d := &DFA{classOf: classOf, classes: classes, demand: x}
	x.expr = Expr{op: opAutomaton, dfa: d, depth: 1}
	return d
}

// onDemand is what a DFA has instead of a table.
type onDemand struct {
	rows  Rows
	expr  Expr // of the DFA: the only one
	table sparse.Table[demanded]

	mu    sync.Mutex
	made  int                   // how many rows are there
	to    []int32               // scratch
	room  arena.Arena[int32]    // what rows are cut from
	more  arena.Arena[demanded] // likewise
	whole *DFA                  // all of it, once that was asked for
	all   int                   // how many states there are, once that was asked for
}

// A demanded is a row, with the bytes on which it is not Dead once somebody has asked for them.
type demanded struct {
	to   []int32
	live atomic.Pointer[[4]uint64]
}

// get is the row of a state.
func (x *onDemand) get(s int32) *demanded {
	if r := x.table.At(s); r != nil {
		return r
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.make(s)
}

// make is get under the lock.
func (x *onDemand) make(s int32) *demanded {
	if r := x.table.At(s); r != nil {
		return r
	}
	filled := x.rows.Row(s, x.to)
	r := &x.more.Take(1)[0]
	r.to = x.room.Take(len(x.to))
	for i := range r.to {
		r.to[i] = Dead
	}
	for _, c := range filled {
		r.to[c] = x.to[c]
	}
	x.made++
	return x.table.Put(s, r)
}

// Rows are the rows that an automaton was made of by OnDemand; nil for others.
func (d *DFA) Rows() Rows {
	if d.demand == nil {
		return nil
	}
	return d.demand.rows
}

// Live is the set of the bytes that lead on from a state.
func (d *DFA) Live(s int32) (set [4]uint64) {
	if d.text != "" {
		if int(s) < len(d.text) {
			bitset.Add(set[:], int(d.text[s]))
		}
		return set
	}
	var r *demanded
	if d.demand != nil {
		r = d.demand.get(s)
		if live := r.live.Load(); live != nil {
			return *live
		}
	}
	row := d.Row(s)
	for b, c := range &d.classOf {
		if row[c] != Dead {
			set[b>>6] |= 1 << (b & 63)
		}
	}
	if r != nil {
		kept := set
		r.live.Store(&kept)
	}
	return set
}

func (d *DFA) acceptingOnDemand(s int32) bool { return s >= 0 && d.demand.rows.Accepting(s) }

func (d *DFA) rowOnDemand(s int32) []int32 { return d.demand.get(s).to }

// usualRows is how many rows are made of an automaton that is used.
const usualRows = 64

// size is the memory of the rows made so far, or that will be.
func (x *onDemand) size() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return max(x.made, usualRows)*(4*len(x.to)+60) + 256 + 4*len(x.to)
}

// numStates makes all rows.
func (x *onDemand) numStates() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == 0 {
		for _, s := range x.explore(math.MaxInt) {
			x.all = max(x.all, int(s)+1)
		}
	}
	return x.all
}

// explore makes all rows, under the lock, and lists the states as they are found, breadth first. It
// ends when there are more than most.
func (x *onDemand) explore(most int) []int32 {
	seen := map[int32]bool{0: true}
	found := []int32{0}
	for i := 0; i < len(found) && len(found) <= most; i++ {
		for _, t := range x.make(found[i]).to {
			if t != Dead && !seen[t] {
				seen[t] = true
				found = append(found, t)
			}
		}
	}
	return found
}

// Near lists the states of an automaton: of one on demand as they are found, breadth first, until
// there are more than most.
func (d *DFA) Near(most int) []int32 {
	if x := d.demand; x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.explore(most)
	}
	states := make([]int32, len(d.accepting))
	for s := range states {
		states[s] = int32(s)
	}
	return states
}

// Within tells whether an automaton has at most so many states. No more rows of one on demand than
// that are made.
func (d *DFA) Within(most int) bool {
	x := d.demand
	if x == nil {
		return len(d.accepting) <= most
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.explore(most)) <= most
}

// An outlooker is Rows that know something of a state.
type outlooker interface{ Outlook(s int32) Outlook }

// Outlook is what is known of a state.
func (d *DFA) Outlook(s int32) Outlook {
	x, ok := d.Rows().(outlooker)
	if !ok {
		return Leads
	}
	d.demand.mu.Lock()
	defer d.demand.mu.Unlock()
	return x.Outlook(s)
}

// An alphabeted is Rows that know bytes outside of which no text has any.
type alphabeted interface{ Alphabet() [4]uint64 }

// Alphabet is a set of bytes that has all those of the texts of d: no others, unless d is an
// automaton on demand.
func (d *DFA) Alphabet() (set [4]uint64) {
	if d.demand != nil {
		if x, ok := d.demand.rows.(alphabeted); ok {
			return x.Alphabet()
		}
		return [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	}
	rows := d.rows()
	live := make([]bool, d.classes)
	for c := range live {
		for i := c; i < len(rows) && !live[c]; i += d.classes {
			live[c] = rows[i] != Dead
		}
	}
	for b, c := range d.classOf {
		if live[c] {
			set[b>>6] |= 1 << (b & 63)
		}
	}
	return set
}

// A bounded is Rows whose numbers are known to be below a bound.
type bounded interface{ Bound() int }

// maxBound is a bound on the states of any automaton on demand: 268 million, for which there is no
// memory.
const maxBound = 1 << 28

// Bound is a number above those of all states: NumStates, but where an automaton on demand knows
// one, all of it need not be written down.
func (d *DFA) Bound() int {
	if x, ok := d.Rows().(bounded); ok {
		return x.Bound()
	}
	return d.NumStates()
}

// Whole is d with all rows written down, minimal and numbered canonically. It is d itself unless
// that is an automaton on demand.
func (d *DFA) Whole() *DFA {
	x := d.demand
	if x == nil {
		return d
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.whole == nil {
		found := x.explore(math.MaxInt)
		number := make(map[int32]int32, len(found))
		for i, s := range found {
			number[s] = int32(i)
		}
		raw := &rawDFA{classOf: d.classOf, classes: d.classes, accepting: make([]bool, len(found))}
		for i, s := range found {
			for _, t := range x.make(s).to {
				if t != Dead {
					t = number[t]
				}
				raw.table = append(raw.table, t)
			}
			raw.accepting[i] = x.rows.Accepting(s)
		}
		x.whole = raw.mustFinish()
	}
	return x.whole
}
