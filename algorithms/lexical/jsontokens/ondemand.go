package jsontokens

import (
	"sync"
	"sync/atomic"

	"gcdbench/grammar/automata"
)

// The terminals of JSON schemas are automata on demand, which are made of an automaton over the
// characters of strings. What a profile wants to know about all states is found out from that,
// which has a third of the states, or by the number of a state.

// A textMaker is what makes the rows of an automaton on demand whose texts are JSON strings. State
// 0 is before the quote, and first-1 after the second. The states of the automaton over characters
// are inside the string, known by their numbers and first. As many numbers after those are states
// after a backslash. Any other state is inside of an escape. Of an automaton that counts characters
// (automata.DFA.WithLength) nothing is asked about each of its states, which may be millions, that
// the automaton without the count knows as well. A character may be written in each way that JSON
// has for it.
type textMaker interface {
	Characters() (d automata.Machine, first int32)
}

// textRows is what is known about the states of an automaton on demand.
type textRows struct {
	closed  int32
	first   int32 // the first state between the quotes
	escaped int32 // the first state after a backslash
	end     int32 // the first state after those
	letter  uint8 // the class of the letter a over characters
	over    automata.Machine
	once    sync.Once
	strict  bool
	base    int32          // the states of over; of one that counts characters, those of what it counts in
	steps   []uint8        // by state of over, modulo base: its step of a character
	read    *charReader    // those of over, without its count
	targets []atomic.Int32 // by state of over, modulo base, and kind: see target; the same and 3, 0 if unknown
}

// profileOnDemand is the profile of an automaton on demand; nil if its texts are no JSON strings.
func profileOnDemand(d *automata.DFA) *Profile {
	maker, ok := d.Rows().(textMaker)
	if !ok {
		return nil
	}
	over, first := maker.Characters()
	n := int32(over.Bound())
	classOf, _ := over.Classes()
	t := &textRows{closed: first - 1, first: first, escaped: first + n, end: first + 2*n, letter: classOf['a'], over: over, base: int32(withoutCount(over).Bound())}
	p := &Profile{d: d, text: t}
	p.classes, p.runs = classBytes(d), runsOf(d)
	return p
}

// strictly is Profile.strict. The first call looks at all states, of an automaton that counts
// characters without the count.
func (t *textRows) strictly() bool {
	t.once.Do(func() {
		uncounted := withoutCount(t.over)
		t.strict = t.findSteps(uncounted)
		t.read, t.targets = newCharReader(uncounted), make([]atomic.Int32, int(t.base)*numKinds)
	})
	return t.strict
}

// target is Profile.target for a state between two characters, in the automaton over characters. It
// is mixed if that is so without the count.
func (t *textRows) target(s int32, kind uint8) int32 {
	at := s - t.first
	known := &t.targets[int(at%t.base)*numKinds+int(kind)]
	to := known.Load() - 3
	if to == -3 {
		to = t.read.target(at%t.base, kind)
		known.Store(to + 3)
	}
	if d, ok := t.over.(*automata.DFA); ok && to >= 0 {
		to = d.AfterCharacter(at, to)
	}
	if to >= 0 {
		to += t.first
	}
	return to
}

// withoutCount is what over counts characters in, if it counts any, else over itself.
func withoutCount(over automata.Machine) automata.Machine {
	if d, ok := over.(*automata.DFA); ok {
		return d.Uncounted()
	}
	return over
}

// findSteps finds out at which step of a character each state of over is, which is without a count.
// It is false if one is at several.
func (t *textRows) findSteps(over automata.Machine) bool {
	classOf, classes := over.Classes()
	sets := make([]byteSet, classes)
	for b, c := range classOf {
		if ordinary.has(byte(b)) {
			sets[c].add(byte(b))
		}
	}
	next := make([][numSteps]uint8, classes)
	for c := range sets {
		if sets[c] != (byteSet{}) { // else its characters are only written as escapes, which end between two
			next[c] = stepsOfClass(&sets[c])
		}
	}
	t.steps = make([]uint8, t.base)
	seen := make([]bool, t.base)
	seen[0] = true
	todo := append(make([]int32, 0, t.base), 0)
	for i := 0; i < len(todo); i++ {
		step := t.steps[todo[i]]
		for c, to := range over.Row(todo[i]) {
			switch {
			case to == automata.Dead:
			case next[c][step] == noStep, seen[to] && t.steps[to] != next[c][step]:
				return false
			case !seen[to]:
				seen[to] = true
				t.steps[to] = next[c][step]
				todo = append(todo, to)
			}
		}
	}
	return true
}

// phase is the phase of a state.
func (t *textRows) phase(s int32) phase {
	switch {
	case s == 0:
		return opening
	case s == t.closed:
		return closed
	case t.escaped <= s && s < t.end:
		return escaped
	}
	return inside
}

// between tells whether a state is between two characters, if the profile is strict.
func (t *textRows) between(s int32) bool {
	return t.first <= s && s < t.escaped && t.steps[(s-t.first)%t.base] == 0
}

// returns tells whether a letter leads from a state between the quotes back to it.
func (t *textRows) returns(s int32) bool {
	if s < t.first || s >= t.escaped {
		return false
	}
	at := s - t.first
	return t.over.Row(at)[t.letter] == at
}

// states bounds the numbers of the states that strings are in between two characters.
func (p *Profile) states() int {
	if p.text != nil {
		return int(p.text.escaped)
	}
	return len(p.whole.phases)
}

// loops bounds the numbers of the states inside of a string that a character may lead back to. Of
// an automaton that counts characters these are the states of its last count.
func (p *Profile) loops() (lo, hi int32) {
	if p.text != nil {
		return p.text.escaped - p.text.base, p.text.escaped
	}
	return 0, int32(len(p.whole.phases))
}

// statesOf is how many states of an automaton something is known about.
func statesOf(d *automata.DFA) int {
	if maker, ok := d.Rows().(textMaker); ok {
		over, _ := maker.Characters()
		return withoutCount(over).Bound()
	}
	return d.NumStates()
}
