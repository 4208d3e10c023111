package lexer

import (
	"context"
	"encoding/binary"

	"gcdbench/grammar"
)

// DFA is the combined automaton built ahead of time and minimized. It is immutable.
type DFA struct {
	classes    [256]uint8
	numClasses int
	table      []State // NumStates rows of numClasses
	accept     []Set
	reach      []ReachID
	sets       [][]grammar.Terminal
	ignored    []bool
	reaches    []*Reach
}

// Build explores the whole combined automaton of g and minimizes it. Errors are a *grammar.Error
// for a terminal that cannot be used, a *LimitError, or ctx's.
func Build(ctx context.Context, g *grammar.Grammar, limits Limits) (*DFA, error) {
	p, err := newProduct(g, limits)
	if err != nil {
		return nil, err
	}
	var rows [][]State
	for q := State(0); int(q) < len(p.live); q++ {
		row := make([]State, len(p.repr))
		for c := range row {
			row[c] = p.step(q, c)
		}
		rows = append(rows, row)
		if p.err != nil {
			return nil, p.err
		}
		if q%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	block, blocks := p.minimize(rows)
	return p.freeze(rows, block, blocks), nil
}

// minimize returns for each state its block in the coarsest partition that respects acceptance and
// transitions (Moore's refinement; the automata are small and shallow, so few rounds are needed),
// and one state of each block. The start state is kept apart: being there means that no lexeme is
// pending. Blocks are numbered in order of their first state, so the start's is 0.
func (p *product) minimize(rows [][]State) (block []int32, first []State) {
	block = make([]int32, len(p.live))
	for q := range block {
		block[q] = int32(p.accept[q]) + 2
	}
	block[0] = 0
	count := 0
	for {
		first = first[:0]
		number := make(map[string]int32, len(block))
		var key []byte
		next := make([]int32, len(block))
		for q := range block {
			key = binary.AppendVarint(key[:0], int64(block[q]))
			for _, to := range rows[q] {
				if to == None {
					key = append(key, 1)
					continue
				}
				key = binary.AppendVarint(key, int64(block[to]))
			}
			id, ok := number[string(key)]
			if !ok {
				id = int32(len(number))
				number[string(key)] = id
				first = append(first, State(q))
			}
			next[q] = id
		}
		block = next
		if len(number) == count {
			return block, first
		}
		count = len(number)
	}
}

// freeze writes the minimized automaton into flat tables.
func (p *product) freeze(rows [][]State, block []int32, first []State) *DFA {
	d := &DFA{classes: p.classes, numClasses: len(p.repr), sets: p.sets, ignored: p.ignored}
	d.table = make([]State, 0, len(first)*d.numClasses)
	for _, q := range first {
		for _, to := range rows[q] {
			if to != None {
				to = State(block[to])
			}
			d.table = append(d.table, to)
		}
		d.accept = append(d.accept, p.accept[q])
	}
	d.computeReach(p)
	return d
}

// computeReach finds reach(q) of every state at once, backwards: the terminals that q's own
// acceptance or any successor's reach contributes, to a fixed point. In LexAll mode this equals the
// terminals alive in q, since every DFA is trimmed.
func (d *DFA) computeReach(p *product) {
	n, words := d.NumStates(), (len(p.dfas)+64)/64
	bits := make([]uint64, n*words)
	for q := range n {
		if s := d.accept[q]; s != NoSet {
			for _, t := range d.sets[s] {
				bits[q*words+int(t>>6)] |= 1 << (uint(t) & 63)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for q := n - 1; q >= 0; q-- {
			for _, to := range d.Row(State(q)) {
				if to == None {
					continue
				}
				for w := range words {
					old := bits[q*words+w]
					bits[q*words+w] |= bits[int(to)*words+w]
					changed = changed || bits[q*words+w] != old
				}
			}
		}
	}
	for q := range n {
		r := &p.scratch.reach
		clear(r.Parser)
		r.Ignored = false
		for t := range p.dfas {
			if bits[q*words+t>>6]&(1<<(uint(t)&63)) != 0 {
				p.include(r, grammar.Terminal(t))
			}
		}
		d.reach = append(d.reach, p.internReach(r))
	}
	d.reaches = p.reaches
}

// Start implements Automaton.
func (d *DFA) Start() State { return 0 }

// NumStates implements Automaton.
func (d *DFA) NumStates() int { return len(d.accept) }

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

// Accept implements Automaton.
func (d *DFA) Accept(q State) Set { return d.accept[q] }

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
