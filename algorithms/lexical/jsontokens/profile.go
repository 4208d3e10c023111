package jsontokens

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/grammar/automata"
)

// A Profile, a string profile, is what is known about the DFA of a terminal that is a JSON
// string: a quote, characters and escapes, a quote. All such terminals end at the same byte, the
// first quote without a backslash before it. However many of them are alive, a lexeme ends where
// one of them accepts, so each can be followed without the others.
type Profile struct {
	l     *Lexicon
	d     *automata.DFA
	id    uint32     // no other profile of the Lexicon has it
	whole *wholeRows // of a DFA with all its rows
	text  *textRows  // of a DFA on demand

	freeOnce sync.Once
	free     freeState

	reactions atomic.Pointer[reactions]
}

// A phase is how far a string has come.
type phase uint8

const (
	unseen  phase = iota
	opening       // before the quote
	inside        // between the quotes, and not after a backslash
	escaped       // after a backslash
	closed        // after the second quote
)

// wholeRows has the findings about each state of a DFA with all its rows.
type wholeRows struct {
	phases []phase
	steps  []uint8   // of a character, if the profile is strict
	alive  []byteSet // the bytes it goes on with
	strict bool
}

// strict tells whether each state is always at the same step of a character's bytes
// (characterSteps). The texts of a strict DFA are UTF-8.
func (p *Profile) strict() bool {
	if p.text != nil {
		return p.text.strictly()
	}
	return p.whole.strict
}

// phase is the phase of a state.
func (p *Profile) phase(s int32) phase {
	if p.text != nil {
		return p.text.phase(s)
	}
	return p.whole.phases[s]
}

// alive is the set of bytes that a state goes on with.
func (p *Profile) alive(s int32) byteSet {
	if p.text != nil {
		return p.d.Live(s)
	}
	return p.whole.alive[s]
}

// between tells whether a state is inside a string and between two characters, which is where
// target may be asked.
func (p *Profile) between(s int32) bool {
	if p.text != nil {
		return p.strict() && p.text.between(s)
	}
	return p.whole.strict && p.whole.phases[s] == inside && p.whole.steps[s] == 0
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
func (s *byteSet) add(b byte)     { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) unite(o *byteSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s byteSet) meets(o *byteSet) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}

func (s byteSet) holds(o *byteSet) bool {
	return o[0]&^s[0]|o[1]&^s[1]|o[2]&^s[2]|o[3]&^s[3] == 0
}

func (s byteSet) count() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func bytesOf(f func(b byte) bool) *byteSet {
	s := &byteSet{}
	for b := range 256 {
		if f(byte(b)) {
			s.add(byte(b))
		}
	}
	return s
}

var (
	controls = bytesOf(func(b byte) bool { return b < ' ' })
	quotes   = bytesOf(func(b byte) bool { return b == '"' })
	slashes  = bytesOf(func(b byte) bool { return b == '\\' })
	ordinary = bytesOf(func(b byte) bool { return b >= ' ' && b != '"' && b != '\\' })
	// plainASCII are the plain characters of one byte.
	plainASCII = bytesOf(func(b byte) bool { return b >= ' ' && b < 0x80 && b != '"' && b != '\\' })
)

// Profile is the string profile of a DFA, nil if its texts are no JSON strings.
func (l *Lexicon) Profile(d *automata.DFA) *Profile {
	p := l.profiles.about(d, func(id uint32) *Profile {
		make := profileOf
		if d.Rows() != nil {
			make = profileOnDemand
		}
		p := make(d)
		if p != nil {
			p.l, p.id = l, id
		}
		return p
	})
	return p
}

// profileOf finds out whether the texts of a DFA are JSON strings, and if so makes its profile.
func profileOf(d *automata.DFA) *Profile {
	if d.NumStates() == 0 {
		return nil
	}
	n := d.NumStates()
	w := &wholeRows{phases: make([]phase, n), steps: make([]uint8, n), alive: make([]byteSet, n), strict: true}
	p := &Profile{d: d, whole: w}
	classes := classBytes(d)
	kinds := make([]classKind, len(classes))
	steps := make([][numSteps]uint8, len(classes))
	for c := range classes {
		kinds[c], steps[c] = kindOfClass(&classes[c]), stepsOfClass(&classes[c])
	}
	w.phases[0] = opening
	live, last := make([]uint8, 0, len(classes)), []uint8(nil)
	var bytes byteSet
	for s := range int32(n) { // each state but the first is led to by one with a smaller number
		if d.Accepting(s) != (w.phases[s] == closed) {
			return nil
		}
		live = live[:0]
		after, step := &afterClass[w.phases[s]], w.steps[s]
		for c, to := range d.Row(s) {
			if to == automata.Dead {
				continue
			}
			next, step := after[kinds[c]], steps[c][step]
			switch {
			case next == unseen:
				return nil
			case w.phases[to] == unseen:
				w.phases[to], w.steps[to] = next, step
			case w.phases[to] != next:
				return nil
			}
			if step != w.steps[to] || step == noStep {
				w.strict = false
			}
			live = append(live, uint8(c))
		}
		if !slices.Equal(live, last) { // most states go on with the same bytes as the one before
			bytes, last = byteSet{}, append(last[:0], live...)
			for _, c := range live {
				bytes.unite(&classes[c])
			}
		}
		w.alive[s] = bytes
	}
	return p
}

// stepsOfClass is the step that the bytes of a class lead to from each step of a character;
// noStep where they do not all lead to the same one.
func stepsOfClass(class *byteSet) (to [numSteps]uint8) {
	for step, sets := range stepSets {
		to[step] = noStep
		for next := range sets {
			if sets[next].holds(class) {
				to[step] = uint8(next)
			}
		}
	}
	return to
}

// A classKind says what the bytes of a class are to a JSON string.
type classKind uint8

const (
	controlClass  classKind = iota // a control character among them
	quoteClass                     // the quote
	slashClass                     // the backslash
	ordinaryClass                  // others
	mixedClass                     // several of these
)

func kindOfClass(class *byteSet) classKind {
	switch {
	case class.meets(controls):
		return controlClass
	case quotes.holds(class):
		return quoteClass
	case slashes.holds(class):
		return slashClass
	case ordinary.holds(class):
		return ordinaryClass
	}
	return mixedClass
}

// afterClass is the phase that the bytes of a class lead to; unseen where a JSON string cannot
// have all of them.
var afterClass = [...][mixedClass + 1]phase{
	opening: {quoteClass: inside},
	inside:  {quoteClass: closed, slashClass: escaped, ordinaryClass: inside},
	escaped: {quoteClass: inside, slashClass: inside, ordinaryClass: inside, mixedClass: inside},
	closed:  {},
}

// classBytes are the bytes of each class of a DFA.
func classBytes(d *automata.DFA) []byteSet {
	of, n := d.Classes()
	classes := make([]byteSet, n)
	for b, c := range of {
		classes[c].add(byte(b))
	}
	return classes
}

// numSteps is the number of places in a UTF-8 character at which different bytes may follow. Step
// 0 is between two characters. noStep stands for no step.
const (
	numSteps = 8
	noStep   = numSteps
)

// characterSteps are the bytes of plain characters: from a step, bytes lo to hi lead to another.
var characterSteps = [numSteps][]struct {
	lo, hi byte
	to     uint8
}{
	{{' ', '!', 0}, {'#', '[', 0}, {']', 0x7f, 0}, {0xc2, 0xdf, 1}, {0xe0, 0xe0, 4}, {0xe1, 0xec, 2}, {0xed, 0xed, 5}, {0xee, 0xef, 2}, {0xf0, 0xf0, 6}, {0xf1, 0xf3, 3}, {0xf4, 0xf4, 7}},
	{{0x80, 0xbf, 0}},
	{{0x80, 0xbf, 1}},
	{{0x80, 0xbf, 2}},
	{{0xa0, 0xbf, 1}},
	{{0x80, 0x9f, 1}},
	{{0x90, 0xbf, 2}},
	{{0x80, 0x8f, 2}},
}

// stepSets are the bytes that lead from a step to another, those of quotes and escapes included.
var stepSets = func() (sets [numSteps][numSteps]byteSet) {
	for step, ranges := range characterSteps {
		for _, r := range ranges {
			for b := int(r.lo); b <= int(r.hi); b++ {
				sets[step][r.to].add(byte(b))
			}
		}
	}
	sets[0][0].add('"')
	sets[0][0].add('\\')
	return sets
}()

// after is the state after a text.
func (x Live) after(text []byte) int32 {
	s := x.state
	for k := 0; k < len(text) && s != automata.Dead; k++ {
		s = x.p.d.Next(s, text[k])
	}
	return s
}
