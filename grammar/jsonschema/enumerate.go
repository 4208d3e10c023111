package jsonschema

import (
	"math/big"
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/jsontext"
)

// Schemas with few values, written out: enumerations, booleans, integers between bounds, strings of
// a pattern without repeats, and arrays and objects of them. The list must miss no value. It may
// have too many, since callers take each value together with the schema again.

// A valueSet is a list of different values.
type valueSet struct {
	list []*jsontext.Value
	seen map[string]bool
}

func newValueSet() *valueSet { return &valueSet{seen: map[string]bool{}} }

// add is false if there are too many.
func (s *valueSet) add(v *jsontext.Value) bool {
	if key := keyOf(v); !s.seen[key] {
		s.seen[key] = true
		s.list = append(s.list, v)
	}
	return len(s.list) <= maxSubsetValues
}

// enumerateDepth bounds the nesting of arrays and objects that are enumerated, and maxParts their
// items and properties.
const (
	enumerateDepth = 2
	maxParts       = 16
)

// enumerate adds the values that satisfy refs; false if it does not find them to be few.
func (c *normalizer) enumerate(refs []ref, all *valueSet, depth int) bool {
	if depth > enumerateDepth {
		return false
	}
	for k := range jsontext.NumKinds {
		form, err := c.clausesOf(refs, outermost(k))
		if err != nil || form.partial || c.ctx.Err() != nil {
			return false
		}
		for _, x := range form.clauses {
			if !c.enumerateClause(x, k, all, depth) {
				return false
			}
		}
	}
	return true
}

func (c *normalizer) enumerateClause(x clause, k jsontext.Kind, all *valueSet, depth int) bool {
	switch k {
	case jsontext.Null:
		return all.add(&jsontext.Value{})
	case jsontext.Bool:
		for i := range 2 {
			if (len(x) == 0 || x[0].n == i) && !all.add(&jsontext.Value{Kind: jsontext.Bool, Truth: i == 1}) {
				return false
			}
		}
		return true
	case jsontext.Number:
		numbers, ok := finiteNumbers(x)
		if !ok {
			numbers, ok = multiplesBetween(x)
		}
		for _, d := range numbers {
			ok = ok && all.add(&jsontext.Value{Kind: jsontext.Number, Text: d.String()})
		}
		return ok
	case jsontext.String:
		strs, ok := finiteStrings(x)
		if !ok {
			strs, ok = c.stringsOf(x)
		}
		for _, s := range strs {
			ok = ok && all.add(&jsontext.Value{Kind: jsontext.String, Text: s})
		}
		return ok
	case jsontext.Array:
		return c.enumerateArrays(x, all, depth)
	}
	return c.enumerateObjects(x, all, depth)
}

// multiplesBetween lists the numbers of a clause that has bounds on both sides and a divisor.
func multiplesBetween(x clause) (list []number.Decimal, ok bool) {
	var low, high, step *big.Rat
	places := 0
	for _, l := range x {
		switch {
		case l.op == opWhole && !l.not && step == nil:
			step = big.NewRat(1, 1)
		case l.op == opMultiple && !l.not && step == nil:
			_, fraction := l.num.Parts()
			step, places = l.num.Rat(), len(fraction)
		case l.op == opCompare && l.rel >= number.Greater && (low == nil || l.num.Rat().Cmp(low) > 0):
			low = l.num.Rat()
		case l.op == opCompare && l.rel < number.Greater && (high == nil || l.num.Rat().Cmp(high) < 0):
			high = l.num.Rat()
		}
	}
	if low == nil || high == nil || step == nil {
		return nil, false
	}
	first, last := floorQuo(low, step), floorQuo(high, step)
	if new(big.Int).Sub(last, first).Cmp(big.NewInt(maxSubsetValues)) > 0 {
		return nil, false
	}
	for i := first; i.Cmp(last) <= 0; i = new(big.Int).Add(i, big.NewInt(1)) {
		r := new(big.Rat).Mul(new(big.Rat).SetInt(i), step)
		if d := number.Parse(r.FloatString(places)); !slices.ContainsFunc(x, func(l *literal) bool { return !l.allowsNumber(d) }) {
			list = append(list, d)
		}
	}
	return list, true
}

// floorQuo is the greatest integer that is at most a/b.
func floorQuo(a, b *big.Rat) *big.Int {
	q := new(big.Rat).Quo(a, b)
	return new(big.Int).Div(q.Num(), q.Denom())
}

// stringsOf lists the strings of a clause whose automaton has no cycle.
func (c *normalizer) stringsOf(x clause) ([]string, bool) {
	if len(x) == 0 {
		return nil, false
	}
	l, err := c.clauseLanguage(x, jsontext.String)
	if err != nil {
		return nil, false
	}
	return stringsIn(l.d, maxSubsetValues)
}

// longestText bounds the bytes of strings that are listed.
const longestText = 1 << 16

// stringsIn lists the strings of an automaton, if there are at most so many.
func stringsIn(d *automata.DFA, most int) (list []string, ok bool) {
	if d.IsEmpty() {
		return nil, true
	}
	var text []byte
	var visit func(s int32) bool
	visit = func(s int32) bool {
		if d.Accepting(s) {
			list = append(list, string(text))
		}
		if len(list) > most || len(text) > min(d.Bound(), longestText) { // so long a text has been around a cycle
			return false
		}
		for b := range 256 {
			if next := d.Next(s, byte(b)); next != automata.Dead {
				text = append(text, byte(b))
				if !visit(next) {
					return false
				}
				text = text[:len(text)-1]
			}
		}
		return true
	}
	return list, visit(d.Start())
}

// enumerateArrays adds the arrays of a clause: lists of the values at each place.
func (c *normalizer) enumerateArrays(x clause, all *valueSet, depth int) bool {
	items := literalsOf(x, opItems)
	least, most := limits(x)
	lists := [][]*jsontext.Value{nil}
	for i := 0; ; i++ {
		if i >= least {
			for _, items := range lists {
				if !all.add(&jsontext.Value{Kind: jsontext.Array, Items: items}) {
					return false
				}
			}
		}
		if i == most || i > maxParts {
			return i == most
		}
		here := newValueSet()
		if !c.enumerate(itemValues(items, i), here, depth+1) || len(here.list)*len(lists) > maxSubsetValues {
			return false
		}
		if lists = products(lists, here.list); len(lists) == 0 {
			return true
		}
	}
}

// products appends to each list each of the values.
func products(lists [][]*jsontext.Value, values []*jsontext.Value) [][]*jsontext.Value {
	var all [][]*jsontext.Value
	for _, list := range lists {
		for _, v := range values {
			all = append(all, append(list[:len(list):len(list)], v))
		}
	}
	return all
}

// enumerateObjects adds the objects of a clause: each key without, or with one of its values.
func (c *normalizer) enumerateObjects(x clause, all *valueSet, depth int) bool {
	s, err := c.shapeOf(x)
	if err != nil || len(s.extras) > 0 || len(s.keys) > maxParts {
		return false
	}
	objects := []*jsontext.Value{{Kind: jsontext.Object}}
	for i, key := range s.keys {
		here := newValueSet()
		if !c.enumerate(s.values[i], here, depth+1) || (len(here.list)+1)*len(objects) > maxSubsetValues {
			return false
		}
		var longer []*jsontext.Value
		if !s.required[i] {
			longer = objects
		}
		for _, o := range objects {
			for _, v := range here.list {
				longer = append(longer[:len(longer):len(longer)], &jsontext.Value{Kind: jsontext.Object,
					Keys: append(o.Keys[:len(o.Keys):len(o.Keys)], key), Items: append(o.Items[:len(o.Items):len(o.Items)], v)})
			}
		}
		objects = longer
	}
	for _, o := range objects {
		if !all.add(o) {
			return false
		}
	}
	return true
}
