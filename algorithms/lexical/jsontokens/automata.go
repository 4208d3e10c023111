package jsontokens

import (
	"sync"

	"gcdbench/grammar/automata"
)

// maxAutomata bounds the automata that a table knows, in bytes of them and of what is known about
// them: some ten thousand of the usual size.
const maxAutomata = 64 << 20

// bytesOfState is roughly the memory of what is known about a state, without the automaton.
const bytesOfState = 48

// byAutomaton has a value for each DFA that was asked about. Grammars often share a DFA, and the
// second that has it finds what the first found out. A full table is emptied; a value that is
// held elsewhere stays valid. It is safe for concurrent use.
type byAutomaton[V any] struct {
	mu   sync.Mutex
	of   map[*automata.DFA]V
	held int
	last uint32 // the greatest number given
}

// about is the value for d, made by the first caller while others wait. make gets a number that it
// gets for no other DFA.
func (t *byAutomaton[V]) about(d *automata.DFA, make func(id uint32) V) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, known := t.of[d]; known {
		return v
	}
	t.last++
	v := make(t.last)
	size := d.Bytes() + bytesOfState*statesOf(d)
	if t.of == nil || t.held+size > maxAutomata {
		t.of, t.held = map[*automata.DFA]V{}, 0
	}
	t.of[d] = v
	t.held += size
	return v
}
