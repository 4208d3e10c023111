package automata

import "strings"

// A Stepper is a value that is a state of an automaton.
type Stepper[S any] interface {
	comparable
	// Step is the state after a byte; it is not ok where there is none.
	Step(b byte) (S, bool)
	Accepts() bool
	// Outlook is what the state knows of itself.
	Outlook() Outlook
}

// An Outlook is what is known of a state without a look at those that follow. Each has what the
// ones before it say. Like automata are those of numbers, say.
type Outlook uint8

const (
	Unknown Outlook = iota
	Leads           // something is accepted from it
	Endless         // after any digits some text is, with as many more digits as one likes
	Growing         // all that like automata accept is, if it goes on with enough digits
	Free            // all is that like automata accept
)

// A graph has the rows of an automaton whose states are values.
type graph[S Stepper[S]] struct {
	search
	alphabet string
	values   []S
	number   map[S]int32
	classes  []int // by class: its place in the alphabet, -1 for the bytes that are not there
}

// FromSteps is the automaton on demand whose states are the values that follow start by the bytes
// of an alphabet.
func FromSteps[S Stepper[S]](start S, alphabet string) *DFA {
	x := &graph[S]{alphabet: alphabet, number: map[S]int32{}}
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
		x.add(s.Accepts(), s.Outlook() != Unknown)
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
		next, ok := x.values[i].Step(x.alphabet[at])
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

// Outlook implements outlooker.
func (x *graph[S]) Outlook(s int32) Outlook { return x.values[s>>1].Outlook() }

// Alphabet implements alphabeted.
func (x *graph[S]) Alphabet() (set [4]uint64) {
	for i := range len(x.alphabet) {
		set[x.alphabet[i]>>6] |= 1 << (x.alphabet[i] & 63)
	}
	return set
}
