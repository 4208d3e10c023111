package automata

import "strings"

// A graph has the rows of an automaton whose states are values, with a function that says what
// follows one.
type graph[S comparable] struct {
	search
	alphabet string
	step     func(S, byte) (S, bool)
	accepts  func(S) bool
	values   []S
	number   map[S]int32
	classes  []int // by class: its place in the alphabet, -1 for the bytes that are not there
}

// FromSteps is the automaton on demand whose states are the values that step leads to from start,
// by the bytes of an alphabet. It is not ok where a byte leads nowhere.
func FromSteps[S comparable](start S, alphabet string, step func(S, byte) (S, bool), accepts func(S) bool) *DFA {
	x := &graph[S]{alphabet: alphabet, step: step, accepts: accepts, number: map[S]int32{}}
	x.expand = x.after
	var classOf [256]uint8
	for b, class := 0, map[int]uint8{}; b < 256; b++ {
		at := strings.IndexByte(alphabet, byte(b))
		if _, known := class[at]; !known {
			class[at] = uint8(len(x.classes))
			x.classes = append(x.classes, at)
		}
		classOf[b] = class[at]
	}
	if x.node(start); !x.leads(0) {
		return emptyDFA()
	}
	return OnDemand(classOf, len(x.classes), x)
}

// node is the number of a value.
func (x *graph[S]) node(s S) int32 {
	i, known := x.number[s]
	if !known {
		i = int32(len(x.values))
		x.values, x.number[s] = append(x.values, s), i
		x.add(x.accepts(s), false)
	}
	return i
}

// after lists the nodes after one, by class.
func (x *graph[S]) after(i int32) []int32 {
	row := make([]int32, len(x.classes))
	var last S
	to := Dead
	for c, at := range x.classes {
		row[c] = Dead
		if at < 0 {
			continue
		}
		next, ok := x.step(x.values[i], x.alphabet[at])
		if !ok {
			continue
		}
		if to == Dead || next != last { // else as on the byte before
			last, to = next, x.node(next)
		}
		row[c] = to
	}
	return row
}

// Alphabet implements alphabeted.
func (x *graph[S]) Alphabet() (set [4]uint64) {
	for i := range len(x.alphabet) {
		set[x.alphabet[i]>>6] |= 1 << (x.alphabet[i] & 63)
	}
	return set
}
