package spanner

import (
	"slices"
	"sync"

	"gcdbench/automata"
)

// A sink of a string's automaton is a state between characters that every plain ASCII character leads back to: there the
// string is free. The automaton of "any key but the declared ones" has one, and so has any pattern that only
// looks at the beginning. What is found out about a sink is kept for all automata that go on alike from theirs.

// A sink is the first such state of a DFA, and the number of its language: two sinks with one number can be
// followed by the same strings.
type sink struct {
	state    int32 // automata.Dead: the DFA has none
	language uint32
}

// maxSinkStates bounds the part of an automaton behind a sink. That of free strings has some 20 states, for the bytes of
// characters and the digits of escapes; a larger one is not worth the look.
const maxSinkStates = 64

// sinkOf is the sink of d, which p is the spelling of.
func (p *spelling) sinkOf(d *automata.DFA) sink {
	p.sinkOnce.Do(func() { p.sink = p.findSink(d) })
	return p.sink
}

func (p *spelling) findSink(d *automata.DFA) sink {
	for s := range int32(d.NumStates()) {
		if p.phases[s] == inside && d.Next(s, 'a') == s && p.absorbs(d, s) {
			if language, ok := languageFrom(d, p.runs, s); ok {
				return sink{s, language}
			}
		}
	}
	return sink{state: automata.Dead}
}

// absorbs tells whether all plain ASCII characters lead from s to itself.
func (p *spelling) absorbs(d *automata.DFA, s int32) bool {
	row := d.Row(s)
	for c := range p.classes {
		if row[c] != s && p.classes[c].meets(plainASCII) {
			return false
		}
	}
	return true
}

// A run is bytes side by side that are of one class of a DFA, the first of them; the next run ends it.
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

// languages numbers what can follow states, by the automaton from there on in canonical form: states numbered as they
// are found, with the bytes that lead from one to another. Automata are minimal, so the form is the language's.
var languages struct {
	sync.Mutex
	of   map[string]uint32
	last uint32
}

// maxLanguages bounds the table; a schema brings hardly ever a new one.
const maxLanguages = 4096

// languageFrom is the number of what can follow state s of d; not ok if that has too many states.
func languageFrom(d *automata.DFA, runs []run, s int32) (language uint32, ok bool) {
	key := make([]byte, 0, 1024)
	list := append(make([]int32, 0, maxSinkStates), s)
	for i := 0; i < len(list); i++ { // more are found on the way
		at, count, last := len(key), 0, automata.Dead
		key = append(key, 0, 0, boolByte(d.Accepting(list[i])))
		row := d.Row(list[i])
		for _, r := range runs {
			to := row[r.class]
			if to == last {
				continue
			}
			n := -1
			if last = to; to != automata.Dead {
				if n = slices.Index(list, to); n < 0 {
					n = len(list)
					list = append(list, to)
				}
			}
			if n >= maxSinkStates {
				return 0, false
			}
			key = append(key, r.first, byte(n))
			count++
		}
		key[at], key[at+1] = byte(count), byte(count>>8)
	}
	languages.Lock()
	defer languages.Unlock()
	language, ok = languages.of[string(key)]
	if !ok {
		if languages.of == nil || len(languages.of) >= maxLanguages {
			languages.of = map[string]uint32{}
		}
		languages.last++
		language = languages.last
		languages.of[string(key)] = language
	}
	return language, true
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
