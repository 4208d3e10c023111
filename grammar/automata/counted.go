package automata

import (
	"math"
	"slices"
)

// Counting characters beside an automaton. The product of an automaton with a counter has a state
// for every pair of a state and a count: a pattern of a hundred words with up to 5,000 characters
// has thirteen million, of which a text comes to one for each of its characters. So it is an
// automaton on demand, and a pair is known by its number.
//
// From each state something is accepted. After as many characters as there have to be, that is so
// if what the state still needs fits: its distance to acceptance in characters is found once for
// all counts. Before, it depends on which lengths are possible at all. The states that lead to
// acceptance with so many characters missing follow from those with one less, and from nothing
// else: once there is a set of states for the second time, the sets between the two come again and
// again.

// counted are the rows of the strings of an automaton with some number of characters. State
// s+c*states is state s of the automaton after c whole characters; where there is no limit, c is as
// many as there have to be for all that are more.
type counted struct {
	d           *DFA
	states      int32
	least, most int
	classes     []uint8 // 0, 1, 2 and so on

	between []bool    // by state of d: between characters
	after   [][]int32 // by state of d: those between characters that the rest of one leads to
	rest    []int     // by state of d: the characters that are missing to acceptance, one that has begun included
	early   [][]bool  // by the characters missing to least, less one, and state of d: it leads to acceptance
	needs   []int     // by state of d: the most of rest among the states that characters lead to
	again   int       // what follows the last of early is the one with this number, and so on
}

// manyStates is how many states of an automaton on demand are written down to count beside them.
const manyStates = 1 << 12

// counts tells whether characters are counted beside d by their number.
func (d *DFA) counts() bool { return d.demand == nil || d.Within(manyStates) }

// MostCounted is how many characters WithLength counts beside d: so many that no text has them, as
// long as d is not large.
func (d *DFA) MostCounted() int {
	if !d.counts() {
		d = AnyText()
	}
	return maxBound/max(1, d.NumStates()) - 1
}

// WithLength accepts the strings of d that have least to most characters; most < 0 is for any
// number from least on. It is an automaton on demand, with the classes of d. d must accept valid
// UTF-8 only; least must not be negative, and neither number above d.MostCounted. Errors are
// ErrContext, and a *LimitError if the lengths of the strings of d repeat too late.
func (d *DFA) WithLength(least, most int) (*DFA, error) {
	if d.IsEmpty() || 0 <= most && most < least {
		return emptyDFA(), nil
	}
	if d.HasContexts() {
		return nil, ErrContext
	}
	if !d.counts() {
		text, err := AnyText().WithLength(least, most)
		if err != nil {
			return nil, err
		}
		return d.besideOnDemand(text, InBoth)
	}
	d = d.Whole()
	n := d.NumStates()
	x := &counted{d: d, states: int32(n), least: least, most: most, between: make([]bool, n), after: make([][]int32, n), rest: make([]int, n)}
	for s := range int32(n) {
		x.between[s] = true
		for b := 0x80; b < 0xc0; b++ {
			if d.Next(s, byte(b)) != Dead {
				x.between[s] = false
			}
		}
	}
	x.findRests()
	if err := x.findEarly(); err != nil {
		return nil, err
	}
	if !x.alive(d.Start(), 0) {
		return emptyDFA(), nil
	}
	for c := range d.classes {
		x.classes = append(x.classes, uint8(c))
	}
	return OnDemand(d.classOf, d.classes, x), nil
}

// follow lists the states between characters that the rest of one character leads to from s.
func (x *counted) follow(s int32) []int32 {
	if x.after[s] == nil {
		list := []int32{}
		for _, t := range x.d.Row(s) {
			switch {
			case t == Dead:
			case x.between[t]:
				list = append(list, t)
			default:
				list = append(list, x.follow(t)...)
			}
		}
		slices.Sort(list)
		x.after[s] = slices.Compact(list)
	}
	return x.after[s]
}

// findRests finds the distances to acceptance in characters, from the accepting states on.
func (x *counted) findRests() {
	into := newLists(int(x.states), func(add func(key, value int32)) {
		for s := range x.states {
			for _, t := range x.follow(s) {
				add(t, s)
			}
		}
	})
	var queue []int32
	for s := range x.states {
		x.rest[s] = -1
		if x.d.Accepting(s) {
			x.rest[s] = 0
			queue = append(queue, s)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, s := range into.of(queue[i]) {
			if x.rest[s] < 0 {
				x.rest[s] = x.rest[queue[i]] + 1
				queue = append(queue, s)
			}
		}
	}
	x.findNeeds(queue, into.of)
}

// findNeeds finds, of states in order of their distances, how far from acceptance each can get.
func (x *counted) findNeeds(nearest []int32, before func(s int32) []int32) {
	x.needs = slices.Repeat([]int{-1}, int(x.states))
	for _, far := range slices.Backward(nearest) {
		for todo := []int32{far}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, s := range before(at) {
				if x.needs[s] < 0 {
					x.needs[s] = x.rest[far]
					todo = append(todo, s)
				}
			}
		}
	}
}

// maxEarly bounds the bytes of all sets of states with characters missing.
const maxEarly = 1 << 24

// findEarly finds which states lead to acceptance with some characters missing to least.
func (x *counted) findEarly() error {
	known := map[string]int{}
	key := make([]byte, x.states)
	for missing := 1; missing <= x.least; missing++ {
		now := make([]bool, x.states)
		for s := range x.states {
			now[s] = slices.ContainsFunc(x.after[s], func(t int32) bool { return x.alive(t, x.least-missing+1) })
			key[s] = 0
			if now[s] {
				key[s] = 1
			}
		}
		at, again := known[string(key)]
		if again {
			x.again = at
			return nil
		}
		known[string(key)] = len(x.early)
		x.early = append(x.early, now)
		if len(x.early)*len(now) > maxEarly {
			return &LimitError{"maxEarly", maxEarly, "the lengths of the strings repeat too late", hintStates}
		}
	}
	return nil
}

// alive tells whether state s of the automaton leads to acceptance after some characters.
func (x *counted) alive(s int32, characters int) bool {
	if at := x.least - characters - 1; at >= 0 {
		if n := len(x.early); at >= n {
			at = x.again + (at-x.again)%(n-x.again)
		}
		return x.early[at][s]
	}
	return x.most < 0 || characters+x.rest[s] <= x.most
}

// Row writes the row of a state: see Rows.
func (x *counted) Row(id int32, to []int32) (filled []uint8) {
	filled = x.classes[:0]
	s, n := id%x.states, int(id/x.states)
	for c, t := range x.d.Row(s) {
		if t != Dead {
			t = x.to(t, n)
		}
		if t != Dead {
			to[c] = t
			filled = append(filled, uint8(c))
		}
	}
	return filled
}

// Accepting tells whether a state accepts.
func (x *counted) Accepting(id int32) bool {
	return int(id/x.states) >= x.least && x.d.Accepting(id%x.states)
}

// Bound is a number above those of all states.
func (x *counted) Bound() int { return int(x.states) * (max(x.least, x.most) + 1) }

// Uncounted is the automaton whose characters are counted in d, an automaton of WithLength; d
// itself for any other.
func (d *DFA) Uncounted() *DFA {
	if x, ok := d.Rows().(*counted); ok {
		return x.d
	}
	return d
}

// Uncount is the state of d.Uncounted() that a state of d stands for.
func (d *DFA) Uncount(s int32) int32 {
	if x, ok := d.Rows().(*counted); ok {
		return s % x.states
	}
	return s
}

// Counted is the state of d that stands for a state of d.Uncounted() after as many characters as
// are counted.
func (d *DFA) Counted(s int32) int32 {
	if x, ok := d.Rows().(*counted); ok {
		return s + int32(max(x.least, x.most))*x.states
	}
	return s
}

// Left is how many characters may follow state s of d, an automaton of WithLength, after any of
// which, but for those that are needed, it is as alive as without the count. It is not ok in a
// state that has too few characters yet, or of another automaton.
func (d *DFA) Left(s int32) (left, needed int, ok bool) {
	x, is := d.Rows().(*counted)
	if !is || int(s/x.states) < x.least {
		return 0, 0, false
	}
	if x.most < 0 {
		return math.MaxInt, 0, true
	}
	return x.most - int(s/x.states), max(0, x.needs[s%x.states]), true
}

// AfterCharacter is the state of d that a character leads to from state s, where it leads the
// automaton without the count to state t; Dead if it is refused for the count. Of an automaton that
// counts nothing it is t.
func (d *DFA) AfterCharacter(s, t int32) int32 {
	x, ok := d.Rows().(*counted)
	if !ok {
		return t
	}
	return x.to(t, int(s/x.states))
}

// to is state t of the automaton, which follows one after some characters, with the count; Dead if
// nothing is accepted from there.
func (x *counted) to(t int32, characters int) int32 {
	if x.between[t] && (x.most >= 0 || characters < x.least) {
		characters++
	}
	if !x.alive(t, characters) {
		return Dead
	}
	return t + int32(characters)*x.states
}

// Alphabet implements alphabeted.
func (x *counted) Alphabet() [4]uint64 { return x.d.Alphabet() }
