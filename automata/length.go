package automata

import (
	"slices"

	"gcdbench/internal/index"
)

// Counting characters beside a pattern. The product of an automaton with a counter has a state for every pair of
// a state and a count, of which most turn out to be equivalent: where a pattern of at most 99 words has 60
// characters left, it does not matter whether 40 or 80 words are. So the product is built from its end. A layer
// has the states that so many characters can lead to; what a state accepts from there on depends on the layer
// behind it only, which is known, so that equivalent states are found at once and nothing has to be
// minimized: no more states are ever held than the result has.

// A lengthBuilder builds the layers, the last one first.
type lengthBuilder struct {
	d       *DFA
	budget  *budget
	between []bool    // by state of d: between characters
	after   [][]int32 // by state of d: those between characters that the rest of one leads to; nil if not known yet
	raw     rawDFA
	seen    index.Index
	next    []int32 // by state of d between characters: its state in the layer behind
	here    []int32 // by state of d: its state in the layer at hand, or unknown
	rows    [4][]int32
}

// WithLength accepts the strings of d that have least to most characters. d must accept valid UTF-8 only, and
// least must not be negative. The result has at most |d|(most+1) states, and exceeding limits takes no longer
// than reaching them.
func (d *DFA) WithLength(least, most int, lim Limits) (*DFA, error) {
	if d.IsEmpty() || most < least {
		return emptyDFA(), nil
	}
	l := newLengthBuilder(d, newBudget(lim))
	layers, err := l.layers(most)
	if err != nil {
		return nil, err
	}
	for i := len(layers) - 1; i >= 0; i-- {
		if err := l.layer(layers[i], i >= least, i == most); err != nil {
			return nil, err
		}
	}
	return l.result(l.next[d.Start()]), nil
}

func newLengthBuilder(d *DFA, b *budget) *lengthBuilder {
	n := d.NumStates()
	l := &lengthBuilder{
		d: d, budget: b, between: make([]bool, n), after: make([][]int32, n), raw: rawDFA{classOf: d.classOf, classes: d.classes},
		next: slices.Repeat([]int32{Dead}, n), here: slices.Repeat([]int32{unknown}, n),
	}
	for i := range l.rows {
		l.rows[i] = make([]int32, d.classes)
	}
	for s := range int32(n) {
		l.between[s] = true
		for b := 0x80; b < 0xc0; b++ {
			if d.Next(s, byte(b)) != Dead {
				l.between[s] = false
			}
		}
	}
	return l
}

// layers lists the states that 0, 1, 2 and so on characters lead to, up to most or to where there are none.
func (l *lengthBuilder) layers(most int) ([][]int32, error) {
	list := [][]int32{{l.d.Start()}}
	member := make([]int, l.d.NumStates()) // the last layer that a state is in
	for i := 1; i <= most; i++ {
		var layer []int32
		before := list[i-1]
		if err := l.budget.step(len(before)); err != nil {
			return nil, err
		}
		for _, s := range before {
			for _, t := range l.follow(s) {
				if member[t] != i {
					member[t] = i
					layer = append(layer, t)
				}
			}
		}
		if len(layer) == 0 {
			break
		}
		slices.Sort(layer)
		if slices.Equal(layer, before) { // and so are all that follow
			layer = before
		}
		if err := l.budget.hold(4 * len(layer)); err != nil {
			return nil, err
		}
		list = append(list, layer)
	}
	return list, nil
}

// follow lists the states between characters that the rest of one character leads to from s.
func (l *lengthBuilder) follow(s int32) []int32 {
	if l.after[s] == nil {
		list := []int32{}
		for _, t := range l.d.Row(s) {
			switch {
			case t == Dead:
			case l.between[t]:
				list = append(list, t)
			default:
				list = append(list, l.follow(t)...)
			}
		}
		slices.Sort(list)
		l.after[s] = slices.Compact(list)
	}
	return l.after[s]
}

// layer adds the states of a layer; accepting says whether strings may end there, and last that they must.
func (l *lengthBuilder) layer(states []int32, accepting, last bool) error {
	for _, s := range states {
		ends := accepting && l.d.Accepting(s)
		if last {
			for c := range l.rows[0] {
				l.rows[0][c] = Dead
			}
			l.here[s] = l.intern(l.rows[0], ends)
		} else if err := l.state(s, ends, 0); err != nil {
			return err
		}
		if err := l.budget.states(len(l.raw.accepting)); err != nil {
			return err
		}
	}
	l.next, l.here = l.here, l.next
	for s := range l.here { // it was the layer behind
		l.here[s] = unknown
	}
	return nil
}

// state adds one state, with those inside of the characters that follow it.
func (l *lengthBuilder) state(s int32, ends bool, bytes int) error {
	if err := l.budget.step(l.d.classes); err != nil {
		return err
	}
	row := l.rows[bytes]
	for c, t := range l.d.Row(s) {
		switch {
		case t == Dead:
			row[c] = Dead
		case l.between[t]:
			row[c] = l.next[t]
		default:
			if l.here[t] == unknown {
				if err := l.state(t, false, bytes+1); err != nil {
					return err
				}
			}
			row[c] = l.here[t]
		}
	}
	l.here[s] = l.intern(row, ends)
	return nil
}

// intern is the state with a row; Dead if nothing is accepted from it.
func (l *lengthBuilder) intern(row []int32, ends bool) int32 {
	live := ends
	h := uint64(0)
	if ends {
		h = 1
	}
	for _, t := range row {
		live = live || t != Dead
		h = index.Mix(h ^ uint64(uint32(t)))
	}
	if !live {
		return Dead
	}
	id := l.seen.Find(h, func(o int32) bool { return l.raw.accepting[o] == ends && slices.Equal(l.raw.row(o), row) })
	if id < 0 {
		id = l.seen.Add(h)
		l.raw.accepting = append(l.raw.accepting, ends)
		l.raw.table = append(l.raw.table, row...)
	}
	return id
}

// result is the automaton that begins in a state.
func (l *lengthBuilder) result(start int32) *DFA {
	if start == Dead {
		return emptyDFA()
	}
	r := &l.raw
	for i, t := range r.table { // the start is number 0
		switch t {
		case 0:
			r.table[i] = start
		case start:
			r.table[i] = 0
		}
	}
	r.accepting[0], r.accepting[start] = r.accepting[start], r.accepting[0]
	if start != 0 {
		first, row := r.row(0), r.row(start)
		for c := range first {
			first[c], row[c] = row[c], first[c]
		}
	}
	return r.minimal()
}
