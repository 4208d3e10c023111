package jsonschema

import (
	"slices"

	"gcdbench/internal/jsontext"
)

// Schemas and clauses without instances. Two questions are asked, which are not the same. While
// normal forms are made, a clause that is seen to be empty may be dropped: that saves work, and it
// proves that branches of oneOf exclude each other. "Empty" must be certain, and "maybe" is always
// a right answer (alive, inhabited). When the grammar is written, rules that derive nothing are
// trimmed, exactly and whatever the reason (trim.go): that also finds schemas without finite
// instances, such as one that requires itself.

// aliveDepth is how deep a reason is looked for why two schemas have no instance in common. A
// discriminating property is at depth 1.
const aliveDepth = 3

// disjoint tells whether no value satisfies both schemas, as far as is seen. False is always safe,
// since the branches of oneOf are then told apart by negation.
func (c *normalizer) disjoint(x, y ref, s scope) (bool, error) {
	if x == y {
		return false, nil
	}
	both, err := c.clausesOf([]ref{x, y}, s)
	if tooManyCases(both, err) {
		return false, nil
	}
	return err == nil && !slices.ContainsFunc(both.clauses, func(x clause) bool { return c.alive(c.assuming(x, s), s, aliveDepth) }), err
}

// alive is false only if the clause has no instance. Errors count as alive; they are met again
// where they matter.
func (c *normalizer) alive(x clause, s scope, depth int) bool {
	if depth == 0 || len(x) == 0 {
		return true
	}
	switch s.kind {
	case jsontext.Number, jsontext.String:
		if s.kind == jsontext.Number && slices.ContainsFunc(x, func(l *literal) bool { return l.op == opWhole && l.not }) {
			return true // 1 and 1.0 are told apart as texts, and equal as values
		}
		l, err := c.clauseLanguage(x, s.kind)
		return err != nil || !l.d.IsEmpty() || l.narrow && (s.kind == jsontext.Number || c.mayHold(x))
	case jsontext.Array:
		items := literalsOf(x, opItems)
		n, _ := limits(x)
		for i := range min(n, 8) {
			if !c.inhabited(itemValues(items, i), s, depth-1) {
				return false
			}
		}
	case jsontext.Object:
		tables := literalsOf(x, opProps)
		for _, l := range x {
			if l.op != opRequired || len(tables) == 0 || c.ctx.Err() != nil {
				continue
			}
			values, err := valuesOf(tables, l.strs[0])
			if err == nil && !c.inhabited(values, s, depth-1) {
				return false
			}
		}
	}
	return true
}

// literalsOf are the literals of a clause with an op.
func literalsOf(x clause, o op) []*literal {
	var list []*literal
	for _, l := range x {
		if l.op == o {
			list = append(list, l)
		}
	}
	return list
}

// itemValues is what item i must satisfy by some opItems.
func itemValues(items []*literal, i int) []ref {
	var list []ref
	for _, l := range items {
		if i < len(l.prefix) {
			list = append(list, l.prefix[i])
		} else {
			list = append(list, l.rest)
		}
	}
	return list
}

// valuesOf is what the value of a key must satisfy by some opProps.
func valuesOf(tables []*literal, key string) (values []ref, err error) {
	for _, l := range tables {
		if values, err = l.props.valueOf(key, values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// inhabited is false only if no value satisfies all of refs.
func (c *normalizer) inhabited(refs []ref, s scope, depth int) bool {
	if depth == 0 {
		return true
	}
	var some [64]byte
	key := string(appendRefs(append(some[:0], byte(depth)), refs))
	mine := key
	if s.nested {
		mine = "nested" + key // which begins with no such byte
	}
	answer, _ := recall(c, c.shared.answers, c.own.answers, key, mine, func() (bool, error) { return c.findInstance(refs, s, depth), nil })
	return answer
}

func (c *normalizer) findInstance(refs []ref, s scope, depth int) bool {
	for k := range jsontext.NumKinds {
		part := s.part(k)
		form, err := c.clausesOf(refs, part)
		if err != nil || form.partial || slices.ContainsFunc(form.clauses, func(x clause) bool { return c.alive(x, part, depth) }) {
			return true
		}
	}
	return false
}
