package jsonschema

import "slices"

// Objects that list all of their keys, in properties beside additionalProperties false, are often told apart
// by which of them are there. What the negation of such a list asks for is some other key (opExists), of
// any name; beside a list of its own it can only be one of a few, and if it is a single one, it is
// required. So twelve alternatives of one key each take one clause each, instead of eleven questions about
// other keys that may each be answered in two ways.

// settle answers those questions in a clause about objects, as far as only one key can. It is false if none
// can, so that the clause has no instance.
func (c *compiler) settle(x clause) (settled clause, ok bool) {
	tables := tablesOf(x)
	closed := slices.IndexFunc(tables, func(l *literal) bool { return l.props.extra == falseRef && len(l.props.langs) == 0 })
	if closed < 0 {
		return x, true
	}
	settled = x
	for _, l := range x {
		if l.op != opExists {
			continue
		}
		key, n := "", 0
		for _, candidate := range tables[closed].props.keys {
			if n < 2 && canHold(candidate, l, tables) {
				key = candidate
				n++
			}
		}
		switch n {
		case 0:
			return nil, false
		case 1:
			settled = c.replace(settled, l, literal{op: opRequired, strs: []string{key}, node: l.node, keyword: l.keyword}, l.onKey(key, l.goal))
		}
	}
	return settled, true
}

// canHold is false if a key cannot be what an exists literal asks for, as far as is seen at once.
func canHold(key string, l *literal, tables []*literal) bool {
	if in, err := l.lang.has(key); err == nil && !in {
		return false
	}
	values := []ref{l.goal}
	for _, o := range tables {
		var err error
		if values, err = o.props.valueOf(key, values); err != nil {
			return true
		}
	}
	return !contradictory(values)
}

// replace is a clause with others in place of one literal; those that say nothing are left out.
func (c *compiler) replace(x clause, old *literal, others ...literal) clause {
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
