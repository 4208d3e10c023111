package jsonschema

import (
	"errors"
	"slices"
	"sync"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/grammar/jsonschema/internal/quoted"
)

// A Kept is what compiles have in common, for a caller that compiles many schemas: the automata of
// keys, formats, patterns, lengths, bounds and their conjunctions, and the expressions of
// terminals. The second schema with one of them finds it made. Equal terminals of two schemas then
// hold the same *automata.Expr, so that readers of grammars may keep what they computed from it.
//
// It is bounded, and safe for concurrent use. The zero value is empty. What is compiled does not
// depend on it, only how long that takes.
type Kept struct {
	keys      shared[string, *automata.DFA]        // JSON text of one key
	others    shared[string, *automata.DFA]        // JSON text of all strings but some
	without   shared[withoutKey, *automata.DFA]    // strings of an automaton but some
	strings   shared[string, *automata.DFA]        // some strings, each with its length before it
	patterns  shared[string, *automata.DFA]        // strings in which a pattern matches
	formats   shared[string, *automata.DFA]        // strings of a format, and more
	counted   shared[countedKey, *automata.DFA]    // strings of an automaton by length
	bounds    shared[boundKey, *automata.DFA]      // numbers that compare with one
	multiples shared[divisorKey, *automata.DFA]    // numbers that one divides
	products  shared[productKey, *automata.DFA]    // conjunctions and differences
	encodings shared[*automata.DFA, *automata.DFA] // JSON text, by automaton over characters
	free      shared[string, *automata.DFA]        // free texts around schemas
	together  shared[togetherKey, cutKeys]         // keys that many patterns cut
	texts     byLanguage[*automata.DFA]
	terminals byLanguage[*automata.Expr]
}

// NewKept is an empty Kept.
func NewKept() *Kept { return &Kept{} }

// maxShared bounds each of the tables in a Kept, in bytes of automata: some ten thousand automata
// of the usual size.
const maxShared = 32 << 20

// A shared is a bounded table of what is made of automata. A full table is emptied, which costs
// only time.
type shared[K comparable, V interface{ Bytes() int }] struct {
	mu   sync.RWMutex
	held int
	m    map[K]result[V]
}

type result[V any] struct {
	v   V
	err error
}

// get is what there is for key, which build makes if it is not there. Concurrent calls may both
// build, and get the same. An error with a place in a schema is not kept.
func (s *shared[K, V]) get(key K, build func() (V, error)) (V, error) {
	s.mu.RLock()
	r, ok := s.m[key]
	s.mu.RUnlock()
	if ok {
		return r.v, r.err
	}
	r.v, r.err = build()
	size := 200 // of the entry
	var refused *UnsupportedError
	switch {
	case r.err == nil:
		size += r.v.Bytes()
	case errors.As(r.err, &refused) && refused.Pointer != "":
		return r.v, r.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.m[key]; ok {
		return old.v, old.err
	}
	if s.m == nil || s.held+size > maxShared {
		s.m, s.held = map[K]result[V]{}, 0
	}
	if size <= maxShared/4 {
		s.m[key] = r
		s.held += size
	}
	return r.v, r.err
}

// has tells whether there is something for key.
func (s *shared[K, V]) has(key K) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.m[key]
	return ok
}

// A togetherKey is an automaton of keys, and the keys of the languages that cut them.
type togetherKey struct {
	of    *automata.DFA
	langs string
}

// cutKeys are the classes of keys that patterns cut, the bytes of their automata and of the key,
// and the number of patterns that a key may match; no classes if these are made one pattern after
// the other.
type cutKeys struct {
	bytes   int
	classes []extraKeys
	most    int
}

// Bytes is the memory held, roughly.
func (c cutKeys) Bytes() int { return c.bytes }

// A countedKey is an automaton, and how many characters its strings have.
type countedKey struct {
	d           *automata.DFA
	least, most int
}

// A boundKey is a bound on numbers.
type boundKey struct {
	rel number.Relation
	num number.Decimal
}

// boundedBy is number.Bounded, kept.
func (k *Kept) boundedBy(rel number.Relation, num number.Decimal) *automata.DFA {
	d, _ := k.bounds.get(boundKey{rel, num}, func() (*automata.DFA, error) { return number.Bounded(num, rel), nil })
	return d
}

// A divisorKey is a number that others are multiples of.
type divisorKey struct {
	num     number.Decimal
	decided bool
}

// multiplesOf is number.Multiples, kept.
func (k *Kept) multiplesOf(num number.Decimal, decided bool) *automata.DFA {
	if num == number.One && !decided {
		return number.Integers()
	}
	d, _ := k.multiples.get(divisorKey{num, decided}, func() (*automata.DFA, error) { return number.Multiples(num, decided), nil })
	return d
}

// FreeText is the automaton of a free text beside embedded schemas, which build makes if it is not
// there. text says what it is. Errors are build's.
func (k *Kept) FreeText(text string, build func() (*automata.DFA, error)) (*automata.DFA, error) {
	if k == nil {
		return build()
	}
	return k.free.get(text, build)
}

// someStrings is the automaton over characters of a list. It is kept.
func (k *Kept) someStrings(list []string) (*automata.DFA, error) {
	return k.strings.get(listKey(list), func() (*automata.DFA, error) { return automata.FromStrings(list, dfa.Limits) })
}

// listKey is a key for a list of strings.
func listKey(list []string) string { return string(appendTexts(nil, list)) }

// ofLength is automata.DFA.WithLength, kept.
func (k *Kept) ofLength(d *automata.DFA, n, m int) (*automata.DFA, error) {
	return k.counted.get(countedKey{d, n, m}, func() (*automata.DFA, error) { return d.WithLength(n, m) })
}

// A productKey is a conjunction of a and b, or of a and not b.
type productKey struct {
	a, b *automata.DFA
	not  bool
}

// intersect is dfa.Product, kept. Every language is of text.
func (k *Kept) intersect(a, b *automata.DFA, not bool) (*automata.DFA, error) {
	if a == automata.AnyText() && !not {
		return b, nil
	}
	return k.products.get(productKey{a, b, not}, func() (*automata.DFA, error) { return dfa.Product(a, b, not) })
}

// encoded is the JSON text of an automaton over characters, the same one for equal automata. It is
// kept.
func (k *Kept) encoded(d *automata.DFA) *automata.DFA {
	if d == automata.AnyText() {
		return quoted.Any()
	}
	text, _ := k.encodings.get(d, func() (*automata.DFA, error) {
		if d.Rows() != nil { // there are too many states to compare
			return quoted.Encode(d), nil
		}
		return k.texts.of(d, func() *automata.DFA { return quoted.Encode(d) }), nil
	})
	return text
}

// A byLanguage has what was made of automata, by fingerprint.
type byLanguage[V any] struct {
	mu   sync.Mutex
	held int
	m    map[uint64][]madeOf[V]
}

// A madeOf is an automaton and what was made of it.
type madeOf[V any] struct {
	d *automata.DFA
	v V
}

// of is what was made of d: the same for equal automata.
func (s *byLanguage[V]) of(d *automata.DFA, build func() V) V {
	h := fingerprint(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, old := range s.m[h] {
		if old.d.Equal(d) {
			return old.v
		}
	}
	size := d.Bytes() + 200
	if s.m == nil || s.held+size > maxShared {
		s.m, s.held = map[uint64][]madeOf[V]{}, 0
	}
	v := build()
	if size <= maxShared/4 {
		s.m[h] = append(s.m[h], madeOf[V]{d, v})
		s.held += size
	}
	return v
}

// terminalOf is an expression for d: the same one for equal automata, and for an automaton of JSON
// text, of which encoded makes no two that are equal.
func (k *Kept) terminalOf(d *automata.DFA) *automata.Expr {
	if d.Rows() != nil {
		return automata.FromDFA(d)
	}
	return k.terminals.of(d, func() *automata.Expr { return automata.FromDFA(d) })
}

// fingerprint is a hash of an automaton's classes and first states.
func fingerprint(d *automata.DFA) uint64 {
	h := uint64(d.NumStates())
	add := func(x uint32) { h = (h ^ uint64(x)) * 1099511628211 }
	classes, _ := d.Classes()
	for _, c := range classes {
		add(uint32(c))
	}
	for s := range int32(min(d.NumStates(), 50)) {
		for _, next := range d.Row(s) {
			add(uint32(next))
		}
	}
	return h
}

// maxKeyBytes bounds the total length of the keys of an object: at about one state a byte, each
// some 50 transitions, this is 20 MB for the table alone.
const maxKeyBytes = 100_000

// checkKeys holds keys to maxKeyBytes.
func checkKeys(keys ...string) error {
	total := 0
	for _, key := range keys {
		total += len(key)
	}
	if total > maxKeyBytes {
		return refusal("keys are too long", "the keys of an object have more than %d bytes in total", maxKeyBytes)
	}
	return nil
}

// otherKeys is quoted.OtherKeys, kept. The keys may be in any order.
func (k *Kept) otherKeys(keys []string) (*automata.DFA, error) {
	if len(keys) == 0 {
		return quoted.Any(), nil
	}
	if err := checkKeys(keys...); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(keys))
	return k.others.get(listKey(sorted), func() (*automata.DFA, error) { return quoted.OtherKeys(sorted) })
}

// A withoutKey is an automaton, and the strings that are taken out of it as listKey has them.
type withoutKey struct {
	d    *automata.DFA
	strs string
}

// except is automata.DFA.Without, kept. The strings may be in any order.
func (k *Kept) except(d *automata.DFA, strs []string) (*automata.DFA, error) {
	var taken []string // those that d accepts
	for _, s := range strs {
		if d.MatchString(s) {
			taken = append(taken, s)
		}
	}
	if len(taken) == 0 {
		return d, nil
	}
	if err := checkKeys(taken...); err != nil {
		return nil, err
	}
	slices.Sort(taken)
	return k.without.get(withoutKey{d, listKey(taken)}, func() (*automata.DFA, error) { return d.Without(taken, dfa.Limits) })
}

// keyAutomaton is the JSON text of a key. It is kept.
func (k *Kept) keyAutomaton(key string) (*automata.DFA, error) {
	if err := checkKeys(key); err != nil {
		return nil, err
	}
	return k.keys.get(key, func() (*automata.DFA, error) {
		d, err := automata.Compile(automata.Literal(key, 0), automata.Limits{})
		if err != nil {
			return nil, err
		}
		return k.encoded(d), nil
	})
}
