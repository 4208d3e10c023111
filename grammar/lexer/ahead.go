package lexer

import (
	"context"
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
)

// DFA is the combined automaton built ahead of time and minimized. It is immutable.
type DFA struct {
	classes    [256]uint8
	numClasses int
	table      []State // NumStates rows of numClasses
	ends       [][]End // by state
	begins     []bool  // by state: whether it is a start state
	uniform    bool
	pairs      [][2]grammar.Terminal
	reach      []ReachID
	sets       [][]grammar.Terminal
	ignored    []bool
	reaches    []*Reach
}

// Build explores the whole combined automaton of g and minimizes it. Errors are a *grammar.Error
// for a terminal that cannot be used, a *LimitError, or ctx's.
func Build(ctx context.Context, g *grammar.Grammar, limits Limits) (*DFA, error) {
	p, err := newProduct(ctx, g, limits)
	if err != nil {
		return nil, err
	}
	table, err := p.explore(ctx)
	if err != nil {
		return nil, err
	}
	block, first, err := p.minimize(ctx, table)
	if err != nil {
		return nil, err
	}
	return p.freeze(ctx, table, block, first)
}

// checkEvery is how many states are dealt with between two looks at the context: less than a
// millisecond with few terminals, and some with thousands.
const checkEvery = 64

// explore makes all states, and returns their transitions: a row of a class each for every state.
func (p *product) explore(ctx context.Context) (table []int32, err error) {
	for q := State(0); int(q) < len(p.live); q++ {
		for c := range p.repr {
			table = append(table, int32(p.step(q, c)))
		}
		if p.err != nil {
			return nil, p.err
		}
		if len(table) > maxTable {
			return nil, &LimitError{p.g.Name, "transitions", maxTable, hintOverlap}
		}
		if q%checkEvery == 0 {
			if err := stopped(ctx, p.g); err != nil {
				return nil, err
			}
		}
	}
	return table, nil
}

// minimize returns for each state its block in the coarsest partition that respects ends and
// transitions, and one state of each block. Start states are kept apart: being there means that no
// lexeme is pending. Blocks are numbered in order of their first state, so the start's is 0.
//
// In LexAll mode there is nothing to join: what a state accepts later tells the pairs apart that it
// is made of, since each terminal's DFA is minimal and trimmed.
func (p *product) minimize(ctx context.Context, table []int32) (block []int32, first []State, err error) {
	if p.g.Lexer == grammar.LexAll {
		block = make([]int32, len(p.live))
		for q := range block {
			block[q], first = int32(q), append(first, State(q))
		}
		return block, first, nil
	}
	table, width := p.withStarts(table)
	block, n, err := automata.Equivalent(ctx, table, width, p.colours())
	if err != nil {
		return nil, nil, stopped(ctx, p.g)
	}
	number := slices.Repeat([]int32{-1}, n)
	for q, b := range block {
		if number[b] < 0 {
			number[b] = int32(len(first))
			first = append(first, State(q))
		}
		block[q] = number[b]
	}
	return block, first, nil
}

// colours tells states apart by whether they are start states, and by what their ends are emitted
// as and whether the text may end there.
func (p *product) colours() []int32 {
	colour, known := make([]int32, len(p.live)), map[string]int32{}
	var key []byte
	for q := range colour {
		key = key[:0]
		for _, end := range p.ends[q] {
			key = binary.AppendUvarint(key, uint64(end.Set))
			if end.AtEnd {
				key = append(key, 1)
			} else {
				key = append(key, 0)
			}
		}
		if _, ok := known[string(key)]; !ok {
			known[string(key)] = int32(len(known)) + 1
		}
		if colour[q] = known[string(key)]; p.begins[q] {
			colour[q] = 0
		}
	}
	return colour
}

// withStarts adds to the transitions of each state the start states of its ends, if these are not
// all the same.
func (p *product) withStarts(table []int32) (wide []int32, width int) {
	n, most := len(p.repr), 0
	if p.uniform {
		return table, n
	}
	for _, ends := range p.ends {
		most = max(most, len(ends))
	}
	for q, ends := range p.ends {
		wide = append(wide, table[q*n:(q+1)*n]...)
		for i := range most {
			to := int32(None)
			if i < len(ends) {
				to = int32(ends[i].Start)
			}
			wide = append(wide, to)
		}
	}
	return wide, n + most
}

// freeze writes the minimized automaton into flat tables.
func (p *product) freeze(ctx context.Context, table, block []int32, first []State) (*DFA, error) {
	d := &DFA{classes: p.classes, numClasses: len(p.repr), sets: p.sets, ignored: p.ignored, uniform: p.uniform, pairs: alternatives(p.g, p.dfas)}
	d.table = make([]State, 0, len(first)*d.numClasses)
	for _, q := range first {
		for _, to := range table[int(q)*d.numClasses : (int(q)+1)*d.numClasses] {
			if State(to) != None {
				to = block[to]
			}
			d.table = append(d.table, State(to))
		}
		ends := p.ends[q]
		if !p.uniform {
			ends = slices.Clone(ends)
			for i := range ends {
				ends[i].Start = State(block[ends[i].Start])
			}
		}
		d.ends, d.begins = append(d.ends, ends), append(d.begins, p.begins[q])
	}
	return d, d.computeReach(ctx, p)
}

// computeReach finds reach(q) of every state at once, backwards: the terminals that q's own
// acceptance or any successor's reach contributes, to a fixed point. In LexAll mode this equals the
// terminals alive in q, since every DFA is trimmed.
func (d *DFA) computeReach(ctx context.Context, p *product) error {
	n, words := d.NumStates(), bitset.Words(len(p.dfas)+1)
	if n*words > maxReachWords {
		return &LimitError{p.g.Name, "words of 64 bits for what its states can become, one bit for each terminal", maxReachWords, hintFewer}
	}
	reaches := make([]uint64, n*words)
	for q := range n {
		for _, end := range d.ends[q] {
			for _, t := range d.sets[end.Set] {
				bitset.Add(reaches[q*words:], t)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for q := n - 1; q >= 0; q-- {
			if q%checkEvery == 0 {
				if err := stopped(ctx, p.g); err != nil {
					return err
				}
			}
			changed = d.passReach(reaches, words, q) || changed
		}
	}
	return d.internReaches(ctx, p, reaches, words)
}

// passReach adds the reach of a state's successors to its own, and tells whether it grew.
func (d *DFA) passReach(reaches []uint64, words, q int) (grew bool) {
	mine := reaches[q*words : (q+1)*words]
	for _, to := range d.Row(State(q)) {
		if to == None {
			continue
		}
		grew = bitset.Unite(mine, reaches[int(to)*words:(int(to)+1)*words]) || grew
	}
	return grew
}

// internReaches numbers the reaches of all states.
func (d *DFA) internReaches(ctx context.Context, p *product, reaches []uint64, words int) error {
	for q := range d.NumStates() {
		if q%checkEvery == 0 {
			if err := stopped(ctx, p.g); err != nil {
				return err
			}
		}
		r := &p.scratch.reach
		clear(r.Parser)
		r.Ignored = false
		for t := range bitset.All[grammar.Terminal](reaches[q*words : (q+1)*words]) {
			p.include(r, t)
		}
		d.reach = append(d.reach, p.internReach(r))
	}
	d.reaches = p.reaches
	return nil
}

// Start implements Automaton.
func (d *DFA) Start() State { return 0 }

// NumStates implements Automaton.
func (d *DFA) NumStates() int { return len(d.ends) }

// Classes implements Automaton.
func (d *DFA) Classes() *[256]uint8 { return &d.classes }

// NumClasses implements Automaton.
func (d *DFA) NumClasses() int { return d.numClasses }

// Row implements Automaton.
func (d *DFA) Row(q State) []State {
	i := int(q) * d.numClasses
	return d.table[i : i+d.numClasses : i+d.numClasses]
}

// Next implements Automaton.
func (d *DFA) Next(q State, b byte) State { return d.table[int(q)*d.numClasses+int(d.classes[b])] }

// Stays implements Automaton.
func (d *DFA) Stays(q State, b byte) bool { return d.Next(q, b) == q }

// Ends implements Automaton.
func (d *DFA) Ends(q State) []End { return d.ends[q] }

// Begins implements Automaton.
func (d *DFA) Begins(q State) bool { return d.begins[q] }

// Uniform implements Automaton.
func (d *DFA) Uniform() bool { return d.uniform }

// Alternatives implements Automaton.
func (d *DFA) Alternatives() [][2]grammar.Terminal { return d.pairs }

// Reach implements Automaton.
func (d *DFA) Reach(q State) ReachID { return d.reach[q] }

// NumSets implements Automaton.
func (d *DFA) NumSets() int { return len(d.sets) }

// Members implements Automaton.
func (d *DFA) Members(s Set) []grammar.Terminal { return d.sets[s] }

// Ignored implements Automaton.
func (d *DFA) Ignored(s Set) bool { return d.ignored[s] }

// NumReaches implements Automaton.
func (d *DFA) NumReaches() int { return len(d.reaches) }

// ReachSet implements Automaton.
func (d *DFA) ReachSet(r ReachID) *Reach { return d.reaches[r] }

// Err implements Automaton; a DFA is complete, so it is always nil.
func (d *DFA) Err() error { return nil }

// Table is the transitions of all states, row after row of NumClasses entries, for hot loops that
// cannot afford a call. It is shared: read only.
func (d *DFA) Table() []State { return d.table }
