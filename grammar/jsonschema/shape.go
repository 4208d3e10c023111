package jsonschema

import (
	"gcdbench/grammar/automata"
	"gcdbench/internal/intern"
)

// The keys of a clause about objects. A clause is a list of tables, patterns and demands, which all
// speak of the same keys. Rules need the opposite view: for each declared key the schemas that its
// value must satisfy, and all other keys in classes whose values must satisfy the same.

// An objectShape is a clause about objects, made explicit: the keys it names, in order, and what
// the others may be.
type objectShape struct {
	keys     []string    // declared ones, in the order of the schema
	values   [][]ref     // what their values must satisfy, by key
	required []bool      // by key
	extras   []extraKeys // classes of other keys
	few      []fewKey    // of other keys; only where properties are counted
	n, m     int         // least and most properties; m < 0 for no limit
	exists   []*literal  // opExists of the clause
	accepts  [][]bool    // by exists literal and key: the key counts
}

// extraKeys is a class of keys that the clause does not name, with the schemas that their values
// must satisfy.
type extraKeys struct {
	d      *automata.DFA // over characters; nil for all keys that are not named
	values []ref
	counts []bool // by exists literal
	in     int    // how many patterns they match
	within []bool // which ones
	few    bool   // they are in the list of few keys, too
}

// A fewKey is one of other keys whose names are few. Where properties are counted, the state of an
// object remembers which of them came.
type fewKey struct {
	key   string
	class int // number of the extraKeys that it is of
}

// shapeOf makes a clause explicit. propertyNames restricts the automaton of other keys and takes
// declared keys away, so that nothing has to be checked twice.
func (c *normalizer) shapeOf(x clause) (*objectShape, error) {
	s := &objectShape{exists: literalsOf(x, opExists)}
	s.n, s.m = limits(x)
	var names []ref
	for _, l := range literalsOf(x, opNames) {
		names = append(names, l.goal)
	}
	if s.nameKeys(x); len(s.keys) > c.mostKeys() {
		return nil, refusal("too many keys", "an object has more than %d keys", c.mostKeys())
	}
	allowed, err := c.keyLanguage(names)
	if err != nil {
		return nil, err
	}
	if err := c.declaredValues(s, x, allowed); err != nil {
		return nil, err
	}
	if err := c.splitExtras(s, x, allowed); err != nil {
		return nil, err
	}
	required := 0
	for _, r := range s.required {
		required += btoi(r)
	}
	if s.n > max(1, required) { // else what must be there, or one property, is enough
		s.listFew()
	}
	return s, nil
}

// countsOf tells for each exists literal whether declared key i can be what it asks for.
func (s *objectShape) countsOf(i int) []bool {
	counts := make([]bool, len(s.exists))
	for j := range counts {
		counts[j] = s.accepts[j][i]
	}
	return counts
}

// maxDeclared bounds the other keys that are declared because there are few.
const maxDeclared = 16

// listFew lists the other keys whose names are few, where properties are counted: a key that comes
// twice would count twice. The state of an object is then the set of those that came, until there
// are as many properties as must be. If that makes too many sets, the keys are declared instead,
// which puts them in an order.
func (s *objectShape) listFew() {
	var few []fewKey
	for i := range s.extras {
		k := &s.extras[i]
		names, ok := []string(nil), false
		if k.d != nil {
			names, ok = stringsIn(k.d, maxSubsetValues)
		}
		if k.few = ok; !ok {
			continue
		}
		for _, name := range names {
			few = append(few, fewKey{name, i})
		}
	}
	if subsetRules(len(few), s.n) > maxSubsetRules {
		s.declareFew()
		return
	}
	s.few = few
}

// declareFew makes declared keys of other keys where their names are few.
func (s *objectShape) declareFew() {
	var left []extraKeys
	for _, k := range s.extras {
		names, few := []string(nil), false
		if k.d != nil {
			names, few = stringsIn(k.d, maxDeclared)
		}
		k.few = false
		if !few {
			left = append(left, k)
			continue
		}
		for _, name := range names {
			s.keys, s.values, s.required = append(s.keys, name), append(s.values, k.values), append(s.required, false)
			for j := range s.accepts {
				s.accepts[j] = append(s.accepts[j], k.counts[j])
			}
		}
	}
	s.extras = left
}

// nameKeys lists the keys: first the keys of properties, then the keys that are only required.
func (s *objectShape) nameKeys(x clause) {
	var index intern.Keys[string]
	add := func(key string, required bool) {
		i, isNew := index.ID(key)
		if isNew {
			s.keys = append(s.keys, key)
			s.required = append(s.required, false)
		}
		s.required[i] = s.required[i] || required
	}
	for _, l := range literalsOf(x, opProps) {
		for _, key := range l.props.keys {
			add(key, false)
		}
	}
	for _, l := range literalsOf(x, opRequired) {
		add(l.strs[0], true)
	}
}

// declaredValues finds what the value of each named key must satisfy: by name, by pattern and as an
// additional key, in every table of the clause.
func (c *normalizer) declaredValues(s *objectShape, x clause, allowed *automata.DFA) error {
	s.values = make([][]ref, len(s.keys))
	tables := literalsOf(x, opProps)
	for i, key := range s.keys {
		var err error
		if s.values[i], err = valuesOf(tables, key); err != nil {
			return err
		}
		if !allowed.MatchString(key) {
			s.values[i] = []ref{falseRef}
		}
	}
	for _, l := range s.exists {
		d, err := l.lang.automaton()
		if err != nil {
			return err
		}
		row := make([]bool, len(s.keys))
		for i, key := range s.keys {
			row[i] = d.MatchString(key)
		}
		s.accepts = append(s.accepts, row)
	}
	return nil
}
