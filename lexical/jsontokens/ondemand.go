package jsontokens

import "gcdbench/automata"

// The terminals of JSON schemas are automata on demand, which are made of an automaton over the
// characters of strings. What a profile wants to know about all states is found out from that,
// which has a third of the states, or by the number of a state.

// A textMaker is what makes the rows of an automaton on demand whose texts are JSON strings. State
// 0 is before the quote, and first-1 after the second. The states of the automaton over characters
// are inside the string, known by their numbers and first. As many numbers after those are states
// after a backslash. Any other state is inside of an escape.
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
	steps   []uint8 // by state of over: its step of a character
}

// profileOnDemand is the profile of an automaton on demand; nil if its texts are no JSON strings.
func profileOnDemand(d *automata.DFA) *Profile {
	maker, ok := d.Rows().(textMaker)
	if !ok {
		return nil
	}
	over, first := maker.Characters()
	n := int32(over.NumStates())
	classOf, classes := over.Classes()
	t := &textRows{closed: first - 1, first: first, escaped: first + n, end: first + 2*n, letter: classOf['a'], over: over}
	p := &Profile{d: d, text: t}
	p.classes, p.runs = classBytes(d), runsOf(d)
	p.strict = t.findSteps(&classOf, classes)
	return p
}

// findSteps finds out at which step of a character each state is. It is false if one is at several.
func (t *textRows) findSteps(classOf *[256]uint8, classes int) bool {
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
	n := t.over.NumStates()
	t.steps = make([]uint8, n)
	seen := make([]bool, n)
	seen[0] = true
	todo := append(make([]int32, 0, n), 0)
	for i := 0; i < len(todo); i++ {
		step := t.steps[todo[i]]
		for c, to := range t.over.Row(todo[i]) {
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
	return t.first <= s && s < t.escaped && t.steps[s-t.first] == 0
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

// statesOf is how many states of an automaton something is known about.
func statesOf(d *automata.DFA) int {
	if maker, ok := d.Rows().(textMaker); ok {
		over, _ := maker.Characters()
		return over.NumStates()
	}
	return d.NumStates()
}
