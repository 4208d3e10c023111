package jsontokens

import (
	"slices"
	"sync"

	"gcdbench/grammar/automata"
)

// The string "any key but the declared ones" comes to a state that all characters lead back to,
// and that a quote may follow: its free state. The effect of tokens on it depends only on the
// characters and escapes that may occur, the language of the free string. So it is kept for all
// automata that have a free state of the same language.

// languages numbers the languages of free strings by key, from 1 on: any number of characters, each
// written in some of the possible ways.
type languages struct {
	sync.Mutex
	of   map[string]uint32
	last uint32
}

const (
	// maxLanguages bounds the table; a schema brings hardly ever a new one.
	maxLanguages = 1024
	// maxCharacterStates bounds the part of an automaton that reads one character. It has some 20
	// states, for the bytes of characters and the digits of escapes; a larger one is not worth
	// the look.
	maxCharacterStates = 64
)

// uniform tells whether all plain ASCII characters lead from s to the same state.
func (p *Profile) uniform(s, to int32) bool {
	for b := range 128 {
		if plainASCII.has(byte(b)) && p.d.Next(s, byte(b)) != to {
			return false
		}
	}
	return true
}

// returns tells whether a letter leads from a state inside of a string back to it.
func (p *Profile) returns(s int32) bool {
	if p.text != nil {
		return p.text.returns(s)
	}
	return p.whole.phases[s] == inside && p.d.Next(s, 'a') == s
}

// A freeState is the state in which a DFA is free for good, and its language. The state is
// automata.Dead if there is none.
type freeState struct {
	state    int32
	language uint32
}

// freeForGood is the first state that is free for good.
func (p *Profile) freeForGood() freeState {
	p.freeOnce.Do(func() {
		p.free = freeState{state: automata.Dead}
		for _, s := range p.loops() {
			if !p.returns(s) || !p.uniform(s, s) {
				continue
			}
			if g := p.languageFrom(s); g != 0 {
				p.free = freeState{s, g}
				return
			}
		}
	})
	return p.free
}

// A run is adjacent bytes of one class of a DFA: the first of them, and the class. The next run
// ends it.
type run struct{ first, class byte }

// runsOf are the runs of a DFA.
func runsOf(d *automata.DFA) []run {
	of, _ := d.Classes()
	var list []run
	for b, c := range of {
		if b == 0 || c != of[b-1] {
			list = append(list, run{byte(b), c})
		}
	}
	return list
}

// languageFrom is the language of a state that all plain ASCII characters lead back to; 0 if it
// takes too many states. The key is the automaton from that state on in canonical form: states
// numbered as they are found, with the bytes that lead from one to another.
func (p *Profile) languageFrom(s int32) uint32 {
	key, runs := make([]byte, 0, 1024), runsOf(p.d)
	list := append(make([]int32, 0, maxCharacterStates), s)
	for i := 0; i < len(list); i++ { // more are found on the way
		at, count, last := len(key), 0, automata.Dead
		key = append(key, 0, 0, boolByte(p.d.Accepting(list[i])))
		row := p.d.Row(list[i])
		for _, r := range runs {
			to := row[r.class]
			if to == last {
				continue
			}
			n := noTarget
			if last = to; to != automata.Dead {
				if n = slices.Index(list, to); n < 0 {
					n = len(list)
					list = append(list, to)
				}
				if n >= maxCharacterStates {
					return 0
				}
			}
			key = append(key, r.first, byte(n))
			count++
		}
		key[at], key[at+1] = byte(count), byte(count>>8)
	}
	return p.l.languageOf(key)
}

// noTarget stands for the target of bytes that end the string.
const noTarget = 0xff

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// languageOf is the language with a key.
func (l *Lexicon) languageOf(key []byte) uint32 {
	t := &l.languages
	t.Lock()
	defer t.Unlock()
	g := t.of[string(key)]
	if g == 0 {
		if t.of == nil || len(t.of) >= maxLanguages {
			t.of = map[string]uint32{}
		}
		t.last++
		g = t.last
		t.of[string(key)] = g
	}
	return g
}
