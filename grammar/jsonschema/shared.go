package jsonschema

import (
	"sync"
	"sync/atomic"

	"gcdbench/automata"
)

// What does not depend on the schema is built once per process: the automata of formats and of strings
// of bounded length, over characters and over JSON text.

// sharedEncodings has the JSON text of automata that several compiles use, by automaton over characters.
var sharedEncodings sync.Map // *automata.DFA -> func() (*automata.DFA, error)

// share makes the JSON text of d a thing that is computed once.
func share(d *automata.DFA) {
	sharedEncodings.Store(d, sync.OnceValues(func() (*automata.DFA, error) {
		return encodeStrings(d, automata.DefaultLimits)
	}))
}

// sharedLengths has the automata of strings by length.
var (
	sharedLengths sync.Map // [2]int -> *automata.DFA
	numLengths    atomic.Int32
)

// maxLengths bounds sharedLengths: at up to 2 MB each, and few KB mostly.
const maxLengths = 100

// A boundKey is a bound on numbers.
type boundKey struct {
	rel relation
	num decimal
}

// sharedBounds has the automata of bounds.
var (
	sharedBounds sync.Map // boundKey -> *automata.DFA
	numBounds    atomic.Int32
)

// maxBounds bounds sharedBounds, at a few KB each.
const maxBounds = 500

// boundedBy is bounded, shared.
func boundedBy(rel relation, num decimal) (*automata.DFA, error) {
	key := boundKey{rel, num}
	if d, ok := sharedBounds.Load(key); ok {
		return d.(*automata.DFA), nil
	}
	d, err := bounded(num, rel.holds)
	if err == nil && numBounds.Add(1) <= maxBounds {
		sharedBounds.Store(key, d)
	}
	return d, err
}

// textBetween is textOfLength, shared.
func textBetween(n, m int) (*automata.DFA, error) {
	key := [2]int{n, m}
	if d, ok := sharedLengths.Load(key); ok {
		return d.(*automata.DFA), nil
	}
	d, err := textOfLength(n, m)
	if err == nil && numLengths.Add(1) <= maxLengths {
		share(d)
		sharedLengths.Store(key, d)
	}
	return d, err
}
