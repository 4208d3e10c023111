package jsonschema

import (
	"slices"
	"strings"
)

// What is known of a value while one of its schemas is brought into normal form. Often the key that tells the
// branches of oneOf apart is required, but not by them:
//
//	{"required": ["type"], "oneOf": [{"properties": {"type": {"const": "a"}}}, {"properties": {"type": {"const": "b"}}}]}
//
// Without type, an object would satisfy both, so each branch alone must take care of the other, and
// thirty of them of all others: 2^30 cases, of which none has an instance. So the normal form of a schema is
// that of the values with some required keys, where a schema around it says so: what it is is only right
// in conjunction with that one.

// maxGiven bounds the keys that are taken into account, since each set of them has normal forms of its own.
const maxGiven = 64

// meanwhile sets what is known of the value to what all clauses say that it is combined with. The function
// that it returns goes back.
func (c *compiler) meanwhile(all []clause, k jsonKind) (restore func()) {
	old := c.given
	if k == kindObject {
		c.given = alsoRequired(old, all)
	}
	return func() { c.given = old }
}

// elsewhere forgets what is known, for looking at the parts of a value. The function that it returns goes back.
func (c *compiler) elsewhere() (restore func()) {
	old := c.given
	c.given = nil
	return func() { c.given = old }
}

// alsoRequired is the sorted list of the keys given, and those that all of the clauses require.
func alsoRequired(given []string, all []clause) []string {
	if len(all) == 0 {
		return given
	}
	known := slices.Clone(given)
	for _, l := range all[0] {
		if l.op == opRequired && !slices.ContainsFunc(all[1:], func(x clause) bool { return !slices.Contains(x, l) }) {
			known = append(known, l.strs[0])
		}
	}
	if len(known) == len(given) || len(known) > maxGiven {
		return given
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// givenTo is the part of the key of a normal form that says what it takes for granted.
func (c *compiler) givenTo(n *node) string {
	if len(c.given) == 0 || !c.heeds(n) {
		return ""
	}
	return strings.Join(c.given, "\x00")
}

// heeds tells whether it matters to a schema what is known of the value: if it has oneOf, itself or in
// another schema of the same value.
func (c *compiler) heeds(n *node) bool {
	if yes, known := c.heeding[n]; known {
		return yes
	}
	c.heeding[n] = false // for references in a circle
	yes := n.get("oneOf") != nil
	for _, keyword := range []string{"allOf", "anyOf", "not", "if", "then", "else", "dependencies", "dependentSchemas", "$ref", "$dynamicRef", "$recursiveRef"} {
		v := n.get(keyword)
		if v == nil || yes {
			continue
		}
		if v.kind == kindString {
			target, err := c.doc.resolve(n, keyword, v.text)
			yes = err == nil && c.heeds(target)
			continue
		}
		for _, x := range append(v.items[:len(v.items):len(v.items)], v) {
			if sub := c.doc.byValue[x]; sub != nil && sub != n && !yes {
				yes = c.heeds(sub)
			}
		}
	}
	c.heeding[n] = yes
	return yes
}

// withGiven is a clause with the keys that the value is known to have.
func (c *compiler) withGiven(x clause, k jsonKind) clause {
	if k != kindObject || len(c.given) == 0 {
		return x
	}
	z := slices.Clone(x)
	for _, key := range c.given {
		if l := c.intern(&literal{op: opRequired, strs: []string{key}}); !slices.Contains(z, l) {
			z = append(z, l)
		}
	}
	return z
}
