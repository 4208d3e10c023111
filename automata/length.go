package automata

import (
	"slices"

	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// Counting characters beside a pattern. The product of an automaton with a counter has a state for
// every pair of a state and a count, of which most turn out to be equivalent: where a pattern of at
// most 99 words has 60 characters left, it does not matter whether 40 or 80 words are. So the
// product is built from its end. A layer has the states that so many characters can lead to; what a
// state accepts from there on depends on the layer after it only, which is known, so that
// equivalent states are found at once and nothing has to be minimized: no more states are ever held
// than the result has.
//
// After the first few characters of a loop and before the last, all layers are alike: the same
// states are in them, and lead to the same ones in the next. Once two layers are seen to be the
// same but for the numbers of their states, the next one is a copy with other numbers. A class of
// all letters has some hundred states inside of its characters, so that this is what most of the
// time of counting them went to. In layers that differ, these states are made only if no state of
// the same shape has led to the same states before: of a pattern that counts words, most have.

// A lengthBuilder builds the layers, the last one first.
type lengthBuilder struct {
	d       *DFA
	budget  *budget
	between []bool    // by state of d: between characters
	after   [][]int32 // by state of d: those between characters that the rest of one leads to; nil if not known yet
	raw     rawDFA
	seen    index.Index
	ids     []int32 // by number in seen: the state; those that were copied are not in it
	next    []int32 // by state of d between characters: its state in the next layer
	here    []int32 // by state of d: its state in the layer at hand, or unknown
	rows    [4][]int32

	starts  []int   // how many states there were before each layer, in the order of building, and after the last
	earlier []int32 // by state of d between characters: its state in the layer after the next
	regular bool    // the last layer is as the one before it, with other numbers

	shapes   []*shape // by state of d between characters; nil if not known yet
	codes    intern.Lists[int32]
	key      []int32
	keys     [][]int32 // what recall knows: shape, whether strings end, the states after a character
	answers  []int32   // by key: the state
	recalled index.Index
}

// WithLength accepts the strings of d that have least to most characters. d must accept valid UTF-8
// only, and least must not be negative. The result has at most |d|(most+1) states, and exceeding
// limits takes no longer than reaching them.
func (d *DFA) WithLength(least, most int, lim Limits) (*DFA, error) {
	if d.IsEmpty() || most < least {
		return emptyDFA(), nil
	}
	if d.HasContexts() {
		return nil, ErrContext
	}
	d = d.Whole()
	l := newLengthBuilder(d, newBudget(lim))
	layers, err := l.layers(most)
	if err != nil {
		return nil, err
	}
	for i := len(layers) - 1; i >= 0; i-- {
		l.starts = append(l.starts, len(l.raw.accepting))
		if i+2 < min(len(layers), most) && alike(layers[i:i+3]) && (i >= least || i+2 < least) && l.repeats(layers[i]) {
			err = l.copyLayer(layers[i])
		} else {
			l.regular = false
			err = l.layer(layers[i], i >= least, i == most)
		}
		if err != nil {
			return nil, err
		}
	}
	return l.result(l.next[d.Start()]), nil
}

func newLengthBuilder(d *DFA, b *budget) *lengthBuilder {
	n := d.NumStates()
	l := &lengthBuilder{
		d: d, budget: b, between: make([]bool, n), after: make([][]int32, n), raw: rawDFA{classOf: d.classOf, classes: d.classes},
		next: slices.Repeat([]int32{Dead}, n), here: slices.Repeat([]int32{unknown}, n), earlier: slices.Repeat([]int32{Dead}, n),
		shapes: make([]*shape, n),
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

// layers lists the states that 0, 1, 2 and so on characters lead to, up to most or to where there
// are none.
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

// alike tells whether layers have the same states.
func alike(layers [][]int32) bool {
	for _, x := range layers[1:] {
		if !slices.Equal(x, layers[0]) {
			return false
		}
	}
	return true
}

// repeats tells whether the last two layers are the same but for the numbers of their states, all
// of which are new. Then so is the next, if it has the same states: none of it can be equal to one
// that is known, since each leads to a state of the layer before, which nothing else does.
func (l *lengthBuilder) repeats(states []int32) bool {
	if l.regular {
		return true
	}
	n := len(l.starts)
	from, mid, end := l.starts[n-3], l.starts[n-2], l.starts[n-1]
	k := int32(end - mid)
	if k == 0 || mid-from != int(k) {
		return false
	}
	for _, s := range states {
		if was, is := l.earlier[s], l.next[s]; was == Dead && is != Dead || was != Dead && (is != was+k || was < int32(from) || was >= int32(mid)) {
			return false
		}
	}
	c := l.raw.classes
	before, last := l.raw.table[from*c:mid*c], l.raw.table[mid*c:end*c]
	for i, t := range before {
		if t == Dead && last[i] != Dead || t != Dead && last[i] != t+k {
			return false
		}
	}
	l.regular = slices.Equal(l.raw.accepting[from:mid], l.raw.accepting[mid:end])
	return l.regular
}

// copyLayer adds a layer that is as the last one.
func (l *lengthBuilder) copyLayer(states []int32) error {
	n := len(l.starts)
	mid, end := l.starts[n-2], l.starts[n-1]
	k := end - mid
	if err := l.budget.step(k); err != nil {
		return err
	}
	l.raw.accepting = append(l.raw.accepting, l.raw.accepting[mid:end]...)
	c := l.raw.classes
	first := len(l.raw.table)
	l.raw.table = append(l.raw.table, l.raw.table[mid*c:end*c]...)
	for i, t := range l.raw.table[first:] {
		if t != Dead {
			l.raw.table[first+i] = t + int32(k)
		}
	}
	copy(l.earlier, l.next)
	for _, s := range states {
		if l.next[s] != Dead {
			l.next[s] += int32(k)
		}
	}
	return l.budget.states(len(l.raw.accepting))
}

// layer adds the states of a layer; accepting says whether strings may end there, and last that
// they must.
func (l *lengthBuilder) layer(states []int32, accepting, last bool) error {
	for _, s := range states {
		ends := accepting && l.d.Accepting(s)
		if last {
			for c := range l.rows[0] {
				l.rows[0][c] = Dead
			}
			l.here[s] = l.intern(l.rows[0], ends)
		} else if err := l.recall(s, ends); err != nil {
			return err
		}
		if err := l.budget.states(len(l.raw.accepting)); err != nil {
			return err
		}
	}
	l.earlier, l.next, l.here = l.next, l.here, l.earlier
	for s := range l.here { // it was the layer after the next
		l.here[s] = unknown
	}
	return nil
}

// recall is state for one that may have been added already, for this or another state of d: what is
// accepted from it depends on its shape and on the states that a character leads to.
func (l *lengthBuilder) recall(s int32, ends bool) error {
	x := l.shapeOf(s)
	if err := l.budget.step(len(x.leaves)); err != nil {
		return err
	}
	l.key = append(l.key[:0], x.id<<1)
	if ends {
		l.key[0]++
	}
	for _, t := range x.leaves {
		l.key = append(l.key, l.next[t])
	}
	h := index.Hash(l.key)
	if i := l.recalled.Find(h, func(i int32) bool { return slices.Equal(l.keys[i], l.key) }); i >= 0 {
		l.here[s] = l.answers[i]
		return nil
	}
	if err := l.state(s, ends, 0); err != nil {
		return err
	}
	l.recalled.Add(h)
	l.keys, l.answers = append(l.keys, slices.Clone(l.key)), append(l.answers, l.here[s])
	return l.budget.hold(4*len(l.key) + setBytes)
}

// A shape is a state between characters with the states inside of the character after it, but for
// which states that leads to.
type shape struct {
	id     int32
	leaves []int32 // the states between characters, in the order in which they are met
}

// shapeOf is the shape of a state of d between characters.
func (l *lengthBuilder) shapeOf(s int32) *shape {
	if l.shapes[s] != nil {
		return l.shapes[s]
	}
	x := &shape{}
	inside := []int32{s}
	var code []int32
	for i := 0; i < len(inside); i++ {
		for _, t := range l.d.Row(inside[i]) {
			list, sign := &inside, int32(1)
			switch {
			case t == Dead:
				code = append(code, 0)
				continue
			case l.between[t]:
				list, sign = &x.leaves, -1
			}
			at := slices.Index(*list, t)
			if at < 0 {
				at = len(*list)
				*list = append(*list, t)
			}
			code = append(code, sign*int32(at+1))
		}
	}
	x.id, _ = l.codes.ID(code)
	l.shapes[s] = x
	return x
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
	at := l.seen.Find(h, func(o int32) bool { o = l.ids[o]; return l.raw.accepting[o] == ends && slices.Equal(l.raw.row(o), row) })
	if at < 0 {
		at = l.seen.Add(h)
		l.ids = append(l.ids, int32(len(l.raw.accepting)))
		l.raw.accepting = append(l.raw.accepting, ends)
		l.raw.table = append(l.raw.table, row...)
	}
	return l.ids[at]
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
