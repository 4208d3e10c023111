package jsontokens

import (
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/internal/sparse"
)

// Patterns hardly ever tell one letter from another: they are about letters, digits, spaces and
// signs. So plain characters have kinds, and a state of a DFA is asked where all characters of a
// kind lead.

// kinds is a set of kinds of characters, by number: small letters, capital letters and digits are a
// kind each, other ASCII characters are their own, and what is not ASCII is a line separator, a
// space, or neither. Patterns that say "any character" or "no space" mean these.
type kinds uint64

// The numbers of the kinds that are not a single character.
const (
	smallKind = iota
	capitalKind
	digitKind
	otherKind
	spaceKind
	lineKind
	firstSign
	// numKinds is the number of kinds: 32 ASCII characters are neither letter nor digit nor quote nor
	// backslash.
	numKinds = firstSign + 32
)

// kindOfASCII is the kind of a plain ASCII character, kindBytes the bytes of a kind that has some.
var kindOfASCII, kindBytes = func() (of [utf8.RuneSelf]uint8, list [numKinds][]byte) {
	next := uint8(firstSign)
	for b := range byte(utf8.RuneSelf) {
		switch {
		case !plainASCII.has(b):
			continue
		case b >= 'a' && b <= 'z':
			of[b] = smallKind
		case b >= 'A' && b <= 'Z':
			of[b] = capitalKind
		case b >= '0' && b <= '9':
			of[b] = digitKind
		default:
			of[b] = next
			next++
		}
		list[of[b]] = append(list[of[b]], b)
	}
	return of, list
}()

// spaces and lines are the characters of spaceKind and lineKind: those of \s beyond ASCII, and
// those that a dot excludes.
var (
	spaces = []rune("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\ufeff")
	lines  = []rune("\u2028\u2029")
)

// kindOfRune is the kind of a plain character.
func kindOfRune(r rune) uint8 {
	if r < utf8.RuneSelf {
		return kindOfASCII[r]
	}
	switch {
	case r == '\u2028' || r == '\u2029':
		return lineKind
	case r == '\u00a0' || r == '\u1680' || r >= '\u2000' && r <= '\u200a' || r == '\u202f' || r == '\u205f' || r == '\u3000' || r == '\ufeff':
		return spaceKind
	}
	return otherKind
}

// An otherStep is a place in a character of otherKind: where its bytes lead, step 0 being its end.
type otherStep []byteRange

type byteRange struct {
	lo, hi byte
	to     uint8
}

// otherSteps are the places; others begin in the first. They are those of characterSteps, without
// ASCII, and a place for each beginning of a space or a line separator.
var otherSteps = func() (steps []otherStep) {
	for step := range characterSteps {
		var list otherStep
		for _, r := range characterSteps[step] {
			if r.lo >= utf8.RuneSelf {
				list = append(list, byteRange{r.lo, r.hi, r.to})
			}
		}
		steps = append(steps, list)
	}
	places := map[string]uint8{"": 0}
	for _, r := range append(append([]rune{}, spaces...), lines...) {
		text := string(r)
		at := uint8(0)
		for i := range len(text) {
			b := text[i]
			to, known := places[text[:i+1]]
			if !known && i+1 < len(text) {
				to = uint8(len(steps))
				places[text[:i+1]] = to
				steps = append(steps, append(otherStep{}, steps[steps[at].next(b)]...))
			}
			if i+1 == len(text) || !known {
				steps[at] = steps[at].without(b)
			}
			if i+1 < len(text) && !known {
				steps[at] = append(steps[at], byteRange{b, b, to})
			}
			at = to
		}
	}
	return steps
}()

// next is where a byte leads.
func (s otherStep) next(b byte) uint8 {
	for _, r := range s {
		if r.lo <= b && b <= r.hi {
			return r.to
		}
	}
	panic("not a byte of a character")
}

// without is a place without a byte.
func (s otherStep) without(b byte) (out otherStep) {
	for _, r := range s {
		if b < r.lo || b > r.hi {
			out = append(out, r)
			continue
		}
		if r.lo < b {
			out = append(out, byteRange{r.lo, b - 1, r.to})
		}
		if b < r.hi {
			out = append(out, byteRange{b + 1, r.hi, r.to})
		}
	}
	return out
}

// mixed stands for the state that a kind leads to if its characters lead to different ones.
const mixed int32 = -2

// A reaction has the findings about a state between two characters.
type reaction struct {
	to       [numKinds]atomic.Int32 // by kind: see target; the number of the state and 3, 0 if unknown
	follower atomic.Int32           // see follower; the same
	stay     atomic.Pointer[stay]   // see stays
	depth    atomic.Pointer[depth]  // see depth
}

// reactions are the reactions of a profile's DFA by state; how its characters are read; and the
// kinds of the ASCII characters in each class.
type reactions struct {
	states sparse.Table[reaction]
	read   *charReader
	kinds  []kinds
}

// of is the reaction of a state.
func (r *reactions) of(s int32) *reaction {
	if x := r.states.At(s); x != nil {
		return x
	}
	return r.states.Put(s, new(reaction))
}

// A move is a class of bytes that a character can have at a step.
type move struct {
	class byte
	to    uint8
}

// react is the reactions of a profile.
func (p *Profile) react() *reactions {
	if r := p.reactions.Load(); r != nil {
		return r
	}
	r := &reactions{read: newCharReader(p.d), kinds: kindsOfClasses(p.d)}
	p.reactions.CompareAndSwap(nil, r)
	return p.reactions.Load()
}

// target is where the characters of a kind lead from state s, which is between two characters:
// automata.Dead if all of them are refused, mixed if they do not lead to the same state.
func (p *Profile) target(s int32, kind uint8) int32 {
	r := p.react()
	x := &r.of(s).to[kind]
	to := x.Load()
	if to == 0 {
		to = p.findTarget(r, s, kind) + 3
		x.Store(to)
	}
	return to - 3
}

// findTarget is target for the first time. The characters of an automaton on demand are read in the
// one that it is made of, whose rows are there.
func (p *Profile) findTarget(r *reactions, s int32, kind uint8) int32 {
	if p.text != nil && p.text.strictly() {
		if to := p.text.target(s, kind); to != mixed {
			return to
		}
	}
	return r.read.target(s, kind)
}

// A charReader reads characters in an automaton. It has the moves of otherKind at each step of a
// character.
type charReader struct {
	of      *automata.DFA
	classOf [256]uint8
	moves   [][]move
}

// newCharReader makes the charReader of an automaton.
func newCharReader(of *automata.DFA) *charReader {
	x := &charReader{of: of, moves: make([][]move, len(otherSteps))}
	x.classOf, _ = of.Classes()
	for i, step := range otherSteps {
		for _, run := range step {
			last := move{class: 255, to: 255}
			for b := int(run.lo); b <= int(run.hi); b++ {
				if m := (move{x.classOf[b], run.to}); m != last {
					x.moves[i] = append(x.moves[i], m)
					last = m
				}
			}
		}
	}
	return x
}

// target is Profile.target.
func (x *charReader) target(s int32, kind uint8) int32 {
	switch kind {
	case otherKind:
		return x.others(s)
	case spaceKind:
		return x.runes(s, spaces)
	case lineKind:
		return x.runes(s, lines)
	}
	list, row := kindBytes[kind], x.of.Row(s)
	to := row[x.classOf[list[0]]]
	for _, b := range list[1:] {
		if row[x.classOf[b]] != to {
			return mixed
		}
	}
	return to
}

// runes is where some characters lead.
func (x *charReader) runes(s int32, list []rune) int32 {
	to := mixed
	for i, r := range list {
		var bytes [utf8.UTFMax]byte
		at := s
		for _, b := range bytes[:utf8.EncodeRune(bytes[:], r)] {
			if at != automata.Dead {
				at = x.of.Row(at)[x.classOf[b]]
			}
		}
		if i > 0 && at != to {
			return mixed
		}
		to = at
	}
	return to
}

// others is where the characters of otherKind lead from state s. All ways through their bytes are
// followed together, each state once: most bytes lead to the same few states.
func (x *charReader) others(s int32) int32 {
	type place struct {
		state int32
		step  uint8
	}
	var room [24]place
	todo, end := append(room[:0], place{s, 0}), mixed
	for i := 0; i < len(todo); i++ {
		row := x.of.Row(todo[i].state)
		for _, m := range x.moves[todo[i].step] {
			to := place{row[m.class], m.to}
			switch {
			case to.step == 0 || to.state == automata.Dead:
				if end != mixed && end != to.state {
					return mixed
				}
				end = to.state
			case to != todo[len(todo)-1] && !slices.Contains(todo, to):
				todo = append(todo, to)
			}
		}
	}
	return end
}

// foreign are the kinds whose characters are not ASCII.
const foreign kinds = 1<<otherKind | 1<<spaceKind | 1<<lineKind
