package jsontokens

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"gcdbench/automata"
)

// kinds is a set of kinds of characters: letters and digits are five kinds, what is not ASCII is
// one, and any other character is its own.
type kinds uint64

// kindOfByte is the kind of the character that a byte is, or is a part of.
var kindOfByte = func() (of [256]kinds) {
	next := kinds(1 << 6)
	for b := range of {
		switch c := byte(b); {
		case c >= 0x80:
			of[b] = 1
		case c >= '0' && c <= '9':
			of[b] = 1 << 1
		case c >= 'a' && c <= 'f':
			of[b] = 1 << 2
		case c >= 'g' && c <= 'z':
			of[b] = 1 << 3
		case c >= 'A' && c <= 'F':
			of[b] = 1 << 4
		case c >= 'G' && c <= 'Z':
			of[b] = 1 << 5
		case plainASCII.has(c):
			of[b] = next
			next <<= 1
		}
	}
	return of
}()

// An alphabet is some kinds of characters, and by state the number of any of them after which it is
// alive: what depth's least is for all characters. Patterns such as [a-z]{1,63} have one for most
// of their states.
type alphabet struct {
	kinds kinds
	least []depth
}

// maxAlphabetStates bounds the alphabets of a DFA times its states: each takes some 50 ns a state
// to make, or much more in an automaton too large for the caches. A pattern has a handful of
// alphabets; tokens over others are walked.
const maxAlphabetStates = 1 << 15

// A choice is what is known about a state between characters: the alphabet of the kinds all of
// which it goes on with, that of those among them that words are made of, and the kinds that lead
// back to it.
type choice struct {
	some       kinds // those that it goes on with
	loop       kinds
	once       sync.Once
	all, words *alphabet // nil: none; made when first asked for
}

// wordKinds are the kinds of letters, of digits, and of all that is not ASCII.
const wordKinds kinds = 1<<6 - 1

// choice is the choice of state s of d, which p is the profile of.
func (p *Profile) choice(s int32) *choice {
	list := p.choices.Load()
	if list == nil {
		made := make([]atomic.Pointer[choice], p.d.NumStates())
		p.choices.CompareAndSwap(nil, &made)
		list = p.choices.Load()
	}
	if c := (*list)[s].Load(); c != nil {
		return c
	}
	c := &choice{}
	if p.strict && p.phases[s] == inside {
		for i := range kindBytes {
			if k := &kindBytes[i]; p.alive[s].holds(&k.bytes) {
				c.some |= k.kind
				if p.returns(s, k.kind) {
					c.loop |= k.kind
				}
			}
		}
	}
	(*list)[s].Store(c)
	return c
}

// alphabet is the alphabet of some kinds, nil for none.
func (p *Profile) alphabet(some kinds) *alphabet {
	if some == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.alphabets[some]
	if a != nil || (len(p.alphabets)+1)*len(p.phases) > maxAlphabetStates {
		return a
	}
	var after byteSet
	for i := range kindBytes {
		if k := &kindBytes[i]; k.kind&some != 0 {
			after.unite(&k.bytes)
		}
	}
	m := p.explore(some, &after)
	m.leasts(m.refusing)
	if p.alphabets == nil {
		p.alphabets = map[kinds]*alphabet{}
	}
	a = &alphabet{some, m.depths}
	p.alphabets[some] = a
	return a
}

// endures tells whether s, which the choice is of, is alive after any length characters of some
// kinds.
func (c *choice) endures(p *Profile, s int32, some kinds, length int32) bool {
	if some&^c.loop == 0 && p.l.without&Loops == 0 {
		return true
	}
	if some&^c.some != 0 || p.l.without&Alphabets != 0 {
		return false
	}
	c.once.Do(func() { c.all, c.words = p.alphabet(c.some), p.alphabet(c.some&wordKinds) })
	return c.words != nil && some&^c.words.kinds == 0 && c.words.least[s].least >= length ||
		c.all != nil && c.all.least[s].least >= length
}

// returns tells whether all characters of a kind lead from s to itself.
func (p *Profile) returns(s int32, kind kinds) bool {
	var leads func(at int32, step uint8, moves *[numSteps][]move) bool
	leads = func(at int32, step uint8, moves *[numSteps][]move) bool {
		if step == 0 || at == automata.Dead {
			return at == s
		}
		row := p.d.Row(at)
		for _, x := range moves[step] {
			if !leads(row[x.class], x.to, moves) {
				return false
			}
		}
		return true
	}
	row := p.d.Row(s)
	moves := p.movesOfKind(kind)
	for _, x := range moves[0] {
		if !leads(row[x.class], x.to, moves) {
			return false
		}
	}
	return true
}

// movesOfKind is movesOf one kind, remembered.
func (p *Profile) movesOfKind(kind kinds) *[numSteps][]move {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := bits.TrailingZeros64(uint64(kind))
	if p.moves[i] == nil {
		moves := p.movesOf(kind)
		p.moves[i] = &moves
	}
	return p.moves[i]
}

// kindBytes are the bytes that the characters of each kind begin with.
var kindBytes = func() (list []struct {
	kind  kinds
	bytes byteSet
}) {
	at := map[kinds]int{}
	for b, kind := range kindOfByte {
		if kind == 0 || b >= 0x80 && (b < 0xc2 || b > 0xf4) {
			continue
		}
		i, ok := at[kind]
		if !ok {
			i = len(list)
			at[kind] = i
			list = append(list, struct {
				kind  kinds
				bytes byteSet
			}{kind: kind})
		}
		list[i].bytes.add(byte(b))
	}
	return list
}()
