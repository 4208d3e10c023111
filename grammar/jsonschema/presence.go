package jsonschema

import "slices"

// Objects that list all of their keys, in properties beside additionalProperties false, are often
// told apart by which of them are there. The negation of such a list asks for some key outside of
// it (opExists). Beside another list that key can only be one of a few; if it can be a single one,
// that key is required. So twelve alternatives of one key each take one clause each, instead of
// eleven questions about other keys that may each be answered in two ways.

// settle replaces each opExists of a clause about objects that only one key can satisfy. It is
// false if no key can satisfy one, so that the clause has no instance.
func (c *normalizer) settle(x clause) (settled clause, changed, ok bool) {
	at := slices.IndexFunc(x, closes)
	if at < 0 {
		return x, false, true
	}
	settled = x
	for _, l := range x {
		if l.op != opExists {
			continue
		}
		key, n := "", 0
		for _, candidate := range c.outside(x[at], l) {
			if n < 2 && c.canHold(candidate, l, x) {
				key = candidate
				n++
			}
		}
		switch n {
		case 0:
			return nil, true, false
		case 1:
			settled, changed = c.replace(settled, l, l.requires(key), l.onKey(key, l.goal)), true
		}
	}
	return settled, changed, true
}

// closes tells whether a literal lets no key be there but those that it names.
func closes(l *literal) bool {
	return l.op == opProps && l.props.extra == falseRef && len(l.props.langs) == 0
}

// outside are the keys of a closed list that may be what an opExists asks for, beside nothing else.
func (c *normalizer) outside(list, l *literal) []string {
	pair := [2]*literal{list, l}
	keys, known := c.asked[pair]
	if !known {
		for _, key := range list.props.keys {
			if in, err := l.lang.has(key); (err != nil || in) && c.canHold(key, l, clause{list}) {
				keys = append(keys, key)
			}
		}
		c.asked[pair] = keys
	}
	return keys
}

// canHold is false if the tables of a clause leave a key no value that an opExists asks for, as far
// as is seen at once.
func (c *normalizer) canHold(key string, l *literal, x clause) bool {
	c.values = append(c.values[:0], l.goal)
	for _, o := range x {
		if o.op != opProps {
			continue
		}
		var err error
		if c.values, err = o.props.valueOf(key, c.values); err != nil {
			return true
		}
	}
	return !contradictory(c.values)
}

// The negation of a schema that requires a key and constrains its value is that the key is not
// there, or is there with another value. As two cases, thirty such negations are 2^30. But a table
// that constrains the value of a key says nothing where the key is absent, so that the two cases
// are one.

// joinPresence makes one clause of two that are alike but for a key: one clause forbids it, the
// other requires it and constrains its value.
func joinPresence(list []clause) []clause {
	byRest := map[string]int{} // clauses that forbid a key: by the key, and by what else they say
	for i, x := range list {
		for _, l := range x {
			if forbids(l) {
				byRest[l.props.keys[0]+"\x00"+x.without(l).key()] = i
			}
		}
	}
	if len(byRest) == 0 {
		return list
	}
	all := slices.Clone(list)
	gone, changed := map[int]bool{}, map[int]bool{}
	for i, y := range list {
		if x, at := withOptional(y, byRest); at >= 0 && at != i && !gone[i] && !gone[at] && !changed[at] {
			all[i] = x
			changed[i], gone[at] = true, true
		}
	}
	var kept []clause
	for i, x := range all {
		if !gone[i] {
			kept = append(kept, x)
		}
	}
	return kept
}

// withOptional is a clause without its demand for a key that another clause, which is alike,
// forbids; at is the number of that clause in byRest, or -1.
func withOptional(y clause, byRest map[string]int) (x clause, at int) {
	for _, l := range y {
		if l.op != opRequired {
			continue
		}
		key := l.strs[0]
		optional := y.without(l)
		for _, o := range optional {
			if !constrainsKey(o, key) || forbids(o) {
				continue
			}
			if i, ok := byRest[key+"\x00"+optional.without(o).key()]; ok {
				return optional, i
			}
		}
	}
	return nil, -1
}

// constrainsKey tells whether a literal only constrains the value of one key.
func constrainsKey(l *literal, key string) bool {
	return l.op == opProps && len(l.props.keys) == 1 && l.props.keys[0] == key && l.props.extra == trueRef && len(l.props.langs) == 0
}

// without is a clause without one literal.
func (x clause) without(l *literal) clause {
	var z clause
	for _, o := range x {
		if o != l {
			z = append(z, o)
		}
	}
	return z
}

// replace is a clause with other literals in place of one. A table that allows any value is left
// out.
func (c *normalizer) replace(x clause, old *literal, others ...literal) clause {
	var z clause
	for _, l := range x {
		if l != old {
			z = append(z, l)
		}
	}
	for _, o := range others {
		if o.op == opProps && o.props.goals[0] == trueRef {
			continue
		}
		if l := c.intern(&o); !slices.Contains(z, l) {
			z = append(z, l)
		}
	}
	return z
}
