package jsontokens

import (
	"slices"
	"sync"

	"gcdbench/automata"
)

// Most states inside strings are free for a while: all characters lead to the same state, and a
// quote may come as well. The string "any key but the declared ones" comes to a state that is
// free for good, its free state; a string of at most 1,000 characters is free 1,000 times. The
// effect of tokens on such a state depends only on the characters and escapes that may occur, the
// language of the free string. So the effect on a free string is kept for all automata that are
// free in the same way.

// A language is that of a free string: any number of characters, each written in some of the
// possible ways.
type language struct {
	l   *Lexicon
	id  uint32 // no other language of the Lexicon has it
	key string // the automaton, see languageFrom

	once sync.Once
	at   Live // between two characters of such a string
}

// languages has the languages of free strings by key.
type languages struct {
	sync.Mutex
	of   map[string]*language
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

// A freeRun is what is known about a state: its language, nil if it is not free, and the state
// that all characters lead to.
type freeRun struct {
	language *language
	next     int32
	// run is how many states after this one are known to be free in the same way, and end the
	// last of them.
	run int32
	end int32
}

// freeAt is what is known about state s of d; p.freeMu is held.
func (p *Profile) freeAt(s int32) *freeRun {
	f := p.frees[s]
	if f == nil {
		f = &freeRun{end: s}
		if p.strict && p.phases[s] == inside && p.steps[s] == 0 && p.alive[s].has('"') && p.alive[s].has('a') {
			if f.next = p.d.Next(s, 'a'); p.uniform(s, f.next) {
				f.language = p.languageFrom(s, f.next)
			}
		}
		if p.frees == nil {
			p.frees = map[int32]*freeRun{}
		}
		p.frees[s] = f
	}
	return f
}

// afterAny is the state after any plain character from s; automata.Dead if they do not all lead
// to one state.
func (p *Profile) afterAny(s int32) int32 {
	if !p.strict || p.phases[s] != inside || p.steps[s] != 0 || !p.alive[s].holds(plainASCII) {
		return automata.Dead
	}
	type place struct {
		state int32
		step  uint8
	}
	to := p.d.Next(s, 'a')
	list := []place{{s, 0}}
	for i := 0; i < len(list); i++ { // more are found on the way
		for _, r := range characterSteps[list[i].step] {
			for b := int(r.lo); b <= int(r.hi); b++ {
				next := place{p.d.Next(list[i].state, byte(b)), r.to}
				switch {
				case next.state == automata.Dead || r.to == 0 && next.state != to:
					return automata.Dead
				case r.to != 0 && !slices.Contains(list, next):
					list = append(list, next)
				}
			}
		}
	}
	return to
}

// uniform tells whether all plain ASCII characters lead from s to the same state.
func (p *Profile) uniform(s, to int32) bool {
	row := p.d.Row(s)
	for c := range p.classes {
		if row[c] != to && p.classes[c].meets(plainASCII) {
			return false
		}
	}
	return true
}

// freeFor is the language that s is free in, nil if it is not free, and how many characters are
// known to keep it so, the next one included. If there are wanted of them, it finds at least as
// many.
func (p *Profile) freeFor(s int32, wanted int32) (*language, int32) {
	p.freeMu.Lock()
	defer p.freeMu.Unlock()
	f := p.freeAt(s)
	if f.language == nil {
		return nil, 0
	}
	if f.run+1 >= wanted {
		return f.language, min(f.run+1, endless)
	}
	if f.next == s {
		f.run = endless
		return f.language, endless
	}
	// The states on the way learn as much, so that the next character of a text costs one step.
	var way []mark
	run, end := f.run, f.end
	for run+1 < wanted {
		last := p.freeAt(end)
		if last.run > 0 {
			run, end = min(run+last.run, endless), last.end
			continue
		}
		next := p.freeAt(last.next)
		if next.language != f.language {
			break
		}
		way = append(way, mark{last, run})
		run, end = run+1, last.next
		if next.next == end {
			run = endless
		}
	}
	f.run, f.end = run, end
	for _, m := range way {
		m.free.run, m.free.end = run-m.at, end
	}
	return f.language, min(run+1, endless)
}

// A mark is a free state and its distance from another one.
type mark struct {
	free *freeRun
	at   int32
}

// A freeState is the state in which a DFA is free for good, and its language. The state is
// automata.Dead if there is none.
type freeState struct {
	state    int32
	language *language
}

// freeForGood is the first state that is free for good.
func (p *Profile) freeForGood() freeState {
	p.freeOnce.Do(func() {
		p.free = freeState{state: automata.Dead}
		if p.l.without&Sinks != 0 {
			return
		}
		for s := range int32(p.d.NumStates()) {
			if p.phases[s] != inside || p.d.Next(s, 'a') != s || !p.uniform(s, s) {
				continue
			}
			if g := p.languageFrom(s, s); g != nil {
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

// languageFrom is the language of a state from which all characters lead to state next, itself or
// another; nil if it takes too many states. The key is the automaton that reads one character in
// canonical form: states numbered as they are found, with the bytes that lead from one to
// another; s and next are both 0.
func (p *Profile) languageFrom(s, next int32) *language {
	key := make([]byte, 0, 1024)
	list := append(make([]int32, 0, maxCharacterStates), s)
	for i := 0; i < len(list); i++ { // more are found on the way
		at, count, last := len(key), 0, automata.Dead
		key = append(key, 0, 0, boolByte(p.d.Accepting(list[i])))
		row := p.d.Row(list[i])
		for _, r := range p.runs {
			to := row[r.class]
			if to == last {
				continue
			}
			n := noTarget
			switch last = to; {
			case to == next:
				n = 0
			case to == s:
				return nil
			case to != automata.Dead:
				if n = slices.Index(list, to); n < 0 {
					n = len(list)
					list = append(list, to)
				}
				if n >= maxCharacterStates {
					return nil
				}
			}
			key = append(key, r.first, byte(n))
			count++
		}
		key[at], key[at+1] = byte(count), byte(count>>8)
	}
	return p.l.languageOf(key)
}

// noTarget stands for the target of bytes that end the string of a language's key.
const noTarget = 0xff

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// languageOf is the language with a key.
func (l *Lexicon) languageOf(key []byte) *language {
	t := &l.languages
	t.Lock()
	defer t.Unlock()
	g := t.of[string(key)]
	if g == nil {
		if t.of == nil || len(t.of) >= maxLanguages {
			t.of = map[string]*language{}
		}
		t.last++
		g = &language{l: l, id: t.last, key: string(key)}
		t.of[g.key] = g
	}
	return g
}

// live is a live state of a free string of the language, between two characters, in an automaton
// of its own. Its profile is nil if there is none.
func (g *language) live() Live {
	g.once.Do(func() {
		list := []automata.Transition{{From: 0, Lo: '"', Hi: '"', To: 1}}
		var accepting []int32
		n := int32(1)
		for key := g.key; len(key) > 0; n++ {
			count := int(key[0]) | int(key[1])<<8
			if key[2] != 0 {
				accepting = append(accepting, n)
			}
			key = key[3:]
			for i := range count {
				hi := byte(0xff)
				if i+1 < count {
					hi = key[2*i+2] - 1
				}
				if key[2*i+1] != noTarget {
					list = append(list, automata.Transition{From: n, Lo: key[2*i], Hi: hi, To: int32(key[2*i+1]) + 1})
				}
			}
			key = key[2*count:]
		}
		d, err := automata.FromTransitions(int(n), accepting, list, automata.Limits{})
		if err != nil || d.IsEmpty() {
			return
		}
		g.at = Live{g.l.Profile(d), d.Next(d.Start(), '"')}
	})
	return g.at
}
