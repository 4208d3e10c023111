package jsonschema

import (
	"slices"
	"strings"

	"gcdbench/internal/jsontext"
)

// Often the key that tells the branches of oneOf apart is required, but not by them:
//
//	{"required": ["type"], "oneOf": [
//	    {"properties": {"type": {"const": "a"}}},
//	    {"properties": {"type": {"const": "b"}}}]}
//
// An object without type satisfies both branches, so each branch alone must exclude the other;
// thirty of them must exclude each other in 2^30 cases, of which none has an instance. A schema is
// therefore normalised under an assumption: the keys that the schemas around it require. The
// normal form is valid only together with those schemas.

// A scope is where a normal form is asked for.
type scope struct {
	kind   jsontext.Kind // of the values that it is about
	given  []string      // keys that these values are assumed to have, sorted
	pairs  int           // how many pairs of clauses the compile may have joined at the end of it
	nested bool          // living asks, which must not ask again: each answer would take others
	run    int           // the number of the run that makes the normal form of a schema
}

// outermost is the scope of all values of a kind.
func outermost(k jsontext.Kind) scope { return scope{kind: k, pairs: maxPairs} }

// part is the scope of values of a kind that are parts of the values of s, or related to them in
// another way: nothing is assumed of them.
func (s scope) part(k jsontext.Kind) scope {
	s.kind, s.given = k, nil
	return s
}

// maxGiven bounds the keys that are assumed, since each set of them has normal forms of its own.
const maxGiven = 64

// beside is the scope of what is combined with all of the clauses: what they require is assumed.
func (s scope) beside(all []clause) scope {
	if s.kind != jsontext.Object || len(all) == 0 {
		return s
	}
	known := slices.Clone(s.given)
	for _, l := range all[0] {
		if l.op == opRequired && !slices.ContainsFunc(all[1:], func(x clause) bool { return !slices.Contains(x, l) }) {
			known = append(known, l.strs[0])
		}
	}
	if len(known) > len(s.given) && len(known) <= maxGiven {
		slices.Sort(known)
		s.given = slices.Compact(known)
	}
	return s
}

// A caseKey is what the normal form of a schema depends on.
type caseKey struct {
	r     ref
	k     jsontext.Kind
	given string // the keys that are assumed, if that matters
	// nested is that of the scope, where the normal form looked at a limit.
	nested bool
}

// within is a key among the findings of a goal.
func (key caseKey) within(s scope) caseKey {
	key.nested = s.nested
	return key
}

func (c *normalizer) caseKey(r ref, s scope) caseKey {
	key := caseKey{r: r, k: s.kind}
	if len(s.given) > 0 && c.heeds(c.doc.nodes[r>>1]) {
		key.given = strings.Join(s.given, "\x00")
	}
	return key
}

// heeds tells whether it matters to a schema what is assumed of the value: whether it has oneOf,
// itself or in another schema of the same value.
func (c *normalizer) heeds(n *node) bool {
	if yes, known := c.heeding[n]; known {
		return yes
	}
	c.heeding[n] = false // for references in a circle
	yes := n.get("oneOf") != nil
	for _, x := range n.union {
		yes = yes || c.heeds(c.doc.nodes[x>>1])
	}
	for _, keyword := range []string{"allOf", "anyOf", "not", "if", "then", "else", "dependencies", "dependentSchemas", "$ref", "$dynamicRef", "$recursiveRef"} {
		v := n.get(keyword)
		if v == nil || yes {
			continue
		}
		if v.Kind == jsontext.String {
			target, err := c.doc.resolve(n, keyword, v.Text)
			yes = err == nil && c.heeds(target)
			continue
		}
		for _, x := range append(v.Items[:len(v.Items):len(v.Items)], v) {
			if sub := c.doc.child(n, x); sub != nil && sub != n && !yes {
				yes = c.heeds(sub)
			}
		}
	}
	c.heeding[n] = yes
	return yes
}

// assuming is a clause with the keys that its scope assumes.
func (c *normalizer) assuming(x clause, s scope) clause {
	z := slices.Clone(x)
	for _, key := range s.given {
		required := literal{op: opRequired, strs: []string{key}}
		if l := c.intern(&required); !slices.Contains(z, l) {
			z = append(z, l)
		}
	}
	return z
}
