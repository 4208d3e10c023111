package jsontokens

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/grammar/automata"
	"gcdbench/internal/sparse"
)

// The terminals of JSON schemas are automata on demand, which are made of an automaton over the
// characters of strings. What a profile wants to know about all states is found out from that,
// which has a third of the states, or by the number of a state.

// A textMaker makes the rows of an automaton on demand whose texts are JSON strings. State 0 is
// before the quote, and 1 after the second. The states of the automaton over characters are inside
// the string (Inside, State), and so are those after a backslash. Any other state is inside of an
// escape. Of an automaton that counts characters (automata.DFA.WithLength) nothing is asked about
// each of its states, which may be millions, that the automaton without the count knows as well. A
// character may be written in each way that JSON has for it.
type textMaker interface {
	Characters() *automata.DFA
	// Uncounted is the automaton of the strings of any number of characters.
	Uncounted() *automata.DFA
	Inside(s int32) (at int32, escaped bool)
	State(at int32) int32
}

// textRows has the findings about the states of an automaton on demand.
type textRows struct {
	textMaker
	letter  uint8         // the class of the letter a over characters
	tails   []uint8       // the classes over characters of bytes that continue one
	over    *automata.DFA // over characters
	base    *automata.DFA // what over counts characters in; over if it counts none
	once    sync.Once
	strict  bool
	read    *charReader                          // those of base
	targets sparse.Table[[numKinds]atomic.Int32] // by state of base and kind: see target; the same and 3, 0 if unknown
}

// profileOnDemand is the profile of an automaton on demand; nil if its texts are no JSON strings.
func profileOnDemand(d *automata.DFA) *Profile {
	maker, ok := d.Rows().(textMaker)
	if !ok {
		return nil
	}
	over := maker.Characters()
	classOf, _ := over.Classes()
	t := &textRows{textMaker: maker, letter: classOf['a'], over: over, base: over.Uncounted()}
	for b := 0x80; b < 0xc0; b++ {
		if c := classOf[b]; !slices.Contains(t.tails, c) {
			t.tails = append(t.tails, c)
		}
	}
	return &Profile{d: d, text: t}
}

// maxSteps bounds the states that are looked at for their steps.
const maxSteps = 1 << 14

// strictly is Profile.strict, found out at the first call: by how the automaton was made, or by a
// look at all states, of an automaton that counts characters without the count, and of a product
// those of the factor that it follows. Of very many states it is not known.
func (t *textRows) strictly() bool {
	t.once.Do(func() {
		t.read = newCharReader(t.base)
		t.strict = t.base.Stepped() || stepped(t.base.Wider())
	})
	return t.strict
}

// target is Profile.target for a state between two characters, in the automaton over characters. It
// is mixed if that is so without the count.
func (t *textRows) target(s int32, kind uint8) int32 {
	at, _ := t.Inside(s)
	from := t.over.Uncount(at)
	list := t.targets.At(from)
	if list == nil {
		list = t.targets.Put(from, new([numKinds]atomic.Int32))
	}
	to := list[kind].Load() - 3
	if to == -3 {
		to = t.read.target(from, kind)
		list[kind].Store(to + 3)
	}
	if to >= 0 {
		to = t.over.AfterCharacter(at, to)
	}
	if to >= 0 {
		to = t.State(to)
	}
	return to
}

// stepped tells whether each state of an automaton over characters is at one step of a character.
func stepped(d *automata.DFA) bool {
	classOf, classes := d.Classes()
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
	steps := map[int32]uint8{0: 0}
	for list := []int32{0}; len(list) > 0; {
		at := list[len(list)-1]
		step := steps[at]
		list = list[:len(list)-1]
		last := automata.Dead
		for c, to := range d.Row(at) {
			if to == automata.Dead {
				continue
			}
			after := next[c][step]
			if after == noStep {
				return false
			}
			if to == last && after == steps[to] {
				continue // as on the class before
			}
			known, seen := steps[to]
			if seen && known != after || len(steps) > maxSteps {
				return false
			}
			if last = to; !seen {
				steps[to] = after
				list = append(list, to)
			}
		}
	}
	return true
}

// phase is the phase of a state.
func (t *textRows) phase(s int32) phase {
	switch s {
	case 0:
		return opening
	case 1:
		return closed
	}
	if _, is := t.Inside(s); is {
		return escaped
	}
	return inside
}

// between tells whether a state is between two characters, if the profile is strict: no byte goes
// on that continues one.
func (t *textRows) between(s int32) bool {
	at, after := t.Inside(s)
	if at < 0 || after {
		return false
	}
	row := t.over.Row(at)
	return !slices.ContainsFunc(t.tails, func(c uint8) bool { return row[c] != automata.Dead })
}

// returns tells whether a letter leads from a state between the quotes back to it.
func (t *textRows) returns(s int32) bool {
	at, after := t.Inside(s)
	return at >= 0 && !after && t.over.Row(at)[t.letter] == at
}

// maxLoops bounds the states of an automaton on demand that are looked at for loops.
const maxLoops = 64

// loops are states inside of a string that a character may lead back to: of an automaton on demand
// those near its start, and where it counts characters, after as many as it counts.
func (p *Profile) loops() (list []int32) {
	if p.text == nil {
		for s := range p.whole.phases {
			list = append(list, int32(s))
		}
	} else if p.text.strictly() {
		for _, s := range p.text.base.Near(maxLoops) {
			list = append(list, p.text.State(p.text.over.Counted(s)))
		}
	}
	return list
}

// statesOf counts the states of an automaton with findings.
func statesOf(d *automata.DFA) int {
	if maker, ok := d.Rows().(textMaker); ok {
		return min(maxSteps, maker.Characters().Uncounted().Bound())
	}
	if d.Rows() != nil {
		return usualStates
	}
	return d.NumStates()
}

// usualStates is how many states of a number's automaton on demand are looked at.
const usualStates = 64
