package jsonschema

import (
	"slices"

	"gcdbench/automata"
)

// An objectShape is a clause about objects, made explicit: the keys it names, in order, and what
// the others may be.
type objectShape struct {
	keys     []string
	values   [][]ref // by key
	required []bool
	extras   []extraKeys
	n, m     int
	exists   []*literal
	accepts  [][]bool // by exists literal and key: the key counts
}

// extraKeys are keys that the clause does not name, with what their values must satisfy.
type extraKeys struct {
	d      *automata.DFA // over characters; nil for all keys that are not named
	values []ref
	counts []bool // by exists literal
}

// How the keys that are not named are cut: by each pattern of patternProperties, and by each literal that asks for
// some key, into those that it is about and the others. n patterns that overlap in every way make 2^n classes,
// each an automaton that goes into a terminal; patterns that people write are mostly disjoint, and make n+1.

// maxSplits bounds the classes of other keys that patterns cut.
const maxSplits = 256

// shapeOf makes a clause explicit. What propertyNames says restricts the automaton of other keys and takes
// declared keys away, so that nothing has to be checked twice.
func (c *compiler) shapeOf(x clause) (*objectShape, error) {
	s := &objectShape{}
	s.n, s.m = limits(x)
	var names []ref
	for _, l := range x {
		if l.op == opExists {
			s.exists = append(s.exists, l)
		}
		if l.op == opNames {
			names = append(names, l.goal)
		}
	}
	s.nameKeys(x)
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
		s.declareFew()
	}
	return s, nil
}

// maxDeclared bounds the other keys that are declared because there are few.
const maxDeclared = 16

// declareFew makes declared keys of other keys where their names are few and properties are counted: one that comes
// twice would count twice.
func (s *objectShape) declareFew() {
	var left []extraKeys
	for _, k := range s.extras {
		names, few := []string(nil), false
		if k.d != nil {
			names, few = stringsIn(k.d, maxDeclared)
		}
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

// nameKeys lists the keys: those of properties first, then those that are only required.
func (s *objectShape) nameKeys(x clause) {
	index := map[string]int{}
	add := func(key string, required bool) {
		i, ok := index[key]
		if !ok {
			i = len(s.keys)
			index[key] = i
			s.keys = append(s.keys, key)
			s.required = append(s.required, false)
		}
		s.required[i] = s.required[i] || required
	}
	for _, l := range x {
		if l.op == opProps {
			for _, key := range l.props.keys {
				add(key, false)
			}
		}
	}
	for _, l := range x {
		if l.op == opRequired {
			add(l.strs[0], true)
		}
	}
}

// declaredValues finds what the value of each named key must satisfy: what every table of the clause says of it,
// by name, by pattern or as an additional key.
func (c *compiler) declaredValues(s *objectShape, x clause, allowed *automata.DFA) error {
	s.values = make([][]ref, len(s.keys))
	tables := tablesOf(x)
	for i, key := range s.keys {
		var err error
		for _, l := range tables {
			if s.values[i], err = l.props.valueOf(key, s.values[i]); err != nil {
				return err
			}
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

// splitExtras cuts the keys that are not named into classes by the patterns that they match.
func (c *compiler) splitExtras(s *objectShape, x clause, allowed *automata.DFA) error {
	d, err := (*automata.DFA)(nil), error(nil)
	if allowed != anyText() || !plainExtras(x) {
		if d, err = outside(allowed, s.keys, nil); err != nil {
			return err
		}
		if d.IsEmpty() { // else a comma after the last key could be followed by nothing
			return nil
		}
	}
	classes := []extraKeys{{d: d}}
	for _, l := range x {
		if l.op != opProps {
			continue
		}
		if classes, err = c.splitByTable(classes, l.props); err != nil {
			return err
		}
	}
	for _, l := range s.exists {
		yes, no := &extraKeys{counts: []bool{true}}, &extraKeys{counts: []bool{false}}
		if classes, err = c.split(classes, l.lang, yes, no); err != nil {
			return err
		}
	}
	s.extras = classes
	return nil
}

// plainExtras tells whether all keys that a clause does not name are alike to it.
func plainExtras(x clause) bool {
	for _, l := range x {
		if l.op == opExists || l.op == opProps && len(l.props.langs) > 0 {
			return false
		}
	}
	return true
}

// splitByTable adds what one schema's properties say to each class.
func (c *compiler) splitByTable(classes []extraKeys, table *propTable) ([]extraKeys, error) {
	if len(table.langs) == 0 {
		return appendRefs(classes, table.extra), nil
	}
	var others []extraKeys
	rest := classes
	// First by how many patterns match; then those that none matches get the additional schema.
	for i, lang := range table.langs {
		var err error
		mark := ref(-1 - i)
		yes := &extraKeys{values: []ref{table.under[i], mark}}
		if rest, err = c.split(rest, lang, yes, &extraKeys{}); err != nil {
			return nil, err
		}
	}
	for _, k := range rest {
		matched := slices.ContainsFunc(k.values, func(r ref) bool { return r < 0 })
		k.values = slices.DeleteFunc(slices.Clone(k.values), func(r ref) bool { return r < 0 })
		if !matched {
			k.values = append(k.values, table.extra)
		}
		if !slices.Contains(k.values, falseRef) {
			others = append(others, k)
		}
	}
	return others, nil
}

func appendRefs(classes []extraKeys, r ref) []extraKeys {
	if r == falseRef {
		return nil
	}
	for i := range classes {
		classes[i].values = append(slices.Clone(classes[i].values), r)
	}
	return classes
}

// split cuts every class in two, the keys in lang and the others, and appends to each what yes and no hold.
func (c *compiler) split(classes []extraKeys, lang *language, yes, no *extraKeys) ([]extraKeys, error) {
	o, err := lang.automaton()
	if err != nil {
		return nil, err
	}
	var all []extraKeys
	for _, k := range classes {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		in, err := intersect(k.d, o, false)
		if err != nil {
			return nil, err
		}
		out, err := intersect(k.d, o, true)
		if err != nil {
			return nil, err
		}
		for _, half := range []struct {
			d     *automata.DFA
			extra *extraKeys
		}{{in, yes}, {out, no}} {
			if !half.d.IsEmpty() {
				all = append(all, extraKeys{half.d, append(slices.Clone(k.values), half.extra.values...), append(slices.Clone(k.counts), half.extra.counts...)})
			}
		}
		if len(all) > maxSplits {
			return nil, refusal("too many classes of keys", "the patterns of patternProperties cut the keys into more than %d", maxSplits)
		}
	}
	return all, nil
}
