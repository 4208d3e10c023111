package jsonschema

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

// Ways to say the same. A law of logic gives two schemas that have the same instances, whatever
// the schemas s, t and u in them say; the compiler takes quite different ways to their grammars,
// and needs no other validator to be found out. Each law is two schemas without the braces around
// them.
var laws = []struct{ one, other string }{
	{`"$ref": "#/$defs/s"`, `"allOf": [{"$ref": "#/$defs/s"}]`},
	{`"$ref": "#/$defs/s"`, `"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}, true]`},
	{`"$ref": "#/$defs/s"`, `"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}]`},
	{`"$ref": "#/$defs/s"`, `"anyOf": [false, {"$ref": "#/$defs/s"}]`},
	{`"$ref": "#/$defs/s"`, `"oneOf": [{"$ref": "#/$defs/s"}, false]`},
	{`"$ref": "#/$defs/s"`, `"not": {"not": {"$ref": "#/$defs/s"}}`},
	{`"$ref": "#/$defs/s"`, `"if": {"$ref": "#/$defs/s"}, "else": false`},
	{`"$ref": "#/$defs/s"`, `"if": true, "then": {"$ref": "#/$defs/s"}`},
	{`"$ref": "#/$defs/s"`, `"oneOf": [true, {"not": {"$ref": "#/$defs/s"}}]`},
	{`"$ref": "#/$defs/s"`, `"anyOf": [{"$ref": "#/$defs/s"}, {"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]}]`},
	{`"$ref": "#/$defs/s"`, `"allOf": [{"$ref": "#/$defs/s"}, {"anyOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/s"}]}]`},
	{`"$ref": "#/$defs/s"`, `"anyOf": [{"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]}, {"allOf": [{"$ref": "#/$defs/s"}, {"not": {"$ref": "#/$defs/t"}}]}]`},
	{`"not": {"$ref": "#/$defs/s"}`, `"oneOf": [true, {"$ref": "#/$defs/s"}]`},
	{`"not": {"$ref": "#/$defs/s"}`, `"if": {"$ref": "#/$defs/s"}, "then": false`},
	{`"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"allOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/s"}]`},
	{`"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"$ref": "#/$defs/s", "allOf": [{"$ref": "#/$defs/t"}]`},
	{`"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"not": {"anyOf": [{"not": {"$ref": "#/$defs/s"}}, {"not": {"$ref": "#/$defs/t"}}]}`},
	{`"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"if": {"$ref": "#/$defs/s"}, "then": {"$ref": "#/$defs/t"}, "else": false`},
	{`"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"anyOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/s"}]`},
	{`"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"not": {"allOf": [{"not": {"$ref": "#/$defs/s"}}, {"not": {"$ref": "#/$defs/t"}}]}`},
	{`"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"if": {"$ref": "#/$defs/s"}, "else": {"$ref": "#/$defs/t"}`},
	{`"oneOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}], "not": {"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]}`},
	{`"oneOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]`, `"if": {"$ref": "#/$defs/s"}, "then": {"not": {"$ref": "#/$defs/t"}}, "else": {"$ref": "#/$defs/t"}`},
	{`"if": {"$ref": "#/$defs/s"}, "then": {"$ref": "#/$defs/t"}, "else": {"$ref": "#/$defs/u"}`, `"if": {"not": {"$ref": "#/$defs/s"}}, "then": {"$ref": "#/$defs/u"}, "else": {"$ref": "#/$defs/t"}`},
	{`"if": {"$ref": "#/$defs/s"}, "then": {"$ref": "#/$defs/t"}, "else": {"$ref": "#/$defs/u"}`, `"allOf": [{"anyOf": [{"not": {"$ref": "#/$defs/s"}}, {"$ref": "#/$defs/t"}]}, {"anyOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/u"}]}]`},
	{`"anyOf": [{"$ref": "#/$defs/s"}, {"not": {"$ref": "#/$defs/s"}}]`, ``},
	{`"allOf": [{"$ref": "#/$defs/s"}, {"not": {"$ref": "#/$defs/s"}}]`, `"not": true`},
	{`"oneOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}]`, `"not": true`},
	// A list of conditions on one key, and the same without its being seen (switch.go); and what
	// neither is.
	{`"allOf": [{"if": {"properties": {"a": {"const": 1}}}, "then": {"$ref": "#/$defs/s"}}, {"if": {"properties": {"a": {"enum": ["a", 1]}}}, "then": {"$ref": "#/$defs/t"}}, {"if": {"properties": {"a": {"const": "b"}}, "required": ["a"]}, "else": {"$ref": "#/$defs/u"}}]`, `"allOf": [{"anyOf": [{"not": {"properties": {"a": {"const": 1}}}}, {"$ref": "#/$defs/s"}]}, {"anyOf": [{"not": {"properties": {"a": {"enum": ["a", 1]}}}}, {"$ref": "#/$defs/t"}]}, {"anyOf": [{"properties": {"a": {"const": "b"}}, "required": ["a"]}, {"$ref": "#/$defs/u"}]}]`},
	{`"not": {"allOf": [{"if": {"properties": {"a": {"const": 1}}}, "then": {"$ref": "#/$defs/s"}}, {"if": {"properties": {"a": {"enum": ["a", 1]}}}, "then": {"$ref": "#/$defs/t"}}, {"if": {"properties": {"a": {"const": "b"}}, "required": ["a"]}, "else": {"$ref": "#/$defs/u"}}]}`, `"not": {"allOf": [{"anyOf": [{"not": {"properties": {"a": {"const": 1}}}}, {"$ref": "#/$defs/s"}]}, {"anyOf": [{"not": {"properties": {"a": {"enum": ["a", 1]}}}}, {"$ref": "#/$defs/t"}]}, {"anyOf": [{"properties": {"a": {"const": "b"}}, "required": ["a"]}, {"$ref": "#/$defs/u"}]}]}`},
	// Of arrays and objects: what is said of all members in two ways is said of each.
	{`"type": "array", "items": {"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]}`, `"type": "array", "items": {"$ref": "#/$defs/s"}, "allOf": [{"items": {"$ref": "#/$defs/t"}}]`},
	{`"type": "array", "items": {"$ref": "#/$defs/s"}`, `"type": "array", "not": {"contains": {"not": {"$ref": "#/$defs/s"}}}`},
	{`"type": "array", "contains": {"$ref": "#/$defs/s"}`, `"type": "array", "not": {"items": {"not": {"$ref": "#/$defs/s"}}}`},
	{`"type": "array", "prefixItems": [{"$ref": "#/$defs/s"}], "items": {"$ref": "#/$defs/t"}`, `"type": "array", "allOf": [{"prefixItems": [{"$ref": "#/$defs/s"}]}, {"prefixItems": [true], "items": {"$ref": "#/$defs/t"}}]`},
	{`"type": "object", "additionalProperties": {"$ref": "#/$defs/s"}`, `"type": "object", "patternProperties": {"": {"$ref": "#/$defs/s"}}`},
	{`"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}}`, `"type": "object", "patternProperties": {"^a$": {"$ref": "#/$defs/s"}}`},
	{`"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}}, "required": ["a"]`, `"type": "object", "required": ["a"], "not": {"properties": {"a": {"not": {"$ref": "#/$defs/s"}}}, "required": ["a"]}`},
	{`"type": "object", "dependentSchemas": {"a": {"$ref": "#/$defs/s"}}`, `"type": "object", "if": {"required": ["a"]}, "then": {"$ref": "#/$defs/s"}`},
	{`"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/t"}}`, `"type": "object", "allOf": [{"properties": {"b": {"$ref": "#/$defs/t"}}}, {"properties": {"a": {"$ref": "#/$defs/s"}}}]`},
}

// TestLaws holds random schemas to the laws, on random instances.
func TestLaws(t *testing.T) {
	rounds := seed.Rounds(2, 3, 150)
	d := dice{rand.New(rand.NewPCG(seed.New(t), 21))}
	compared, accepted := 0, 0
	for i, law := range laws {
		for range rounds {
			defs := fmt.Sprintf(`"$defs": {"s": %s, "t": %s, "u": %s, "d": %s}`, d.schema(1), d.schema(1), d.schema(1), d.schema(0))
			one, exact := exactAcceptance(t, with(law.one, defs))
			other, alsoExact := exactAcceptance(t, with(law.other, defs))
			if !exact || !alsoExact {
				continue
			}
			compared++
			for range 30 {
				text := d.instance(2)
				yes := one(text)
				if yes != other(text) {
					t.Errorf("law %d: %s\ninstance %s is accepted: %v; not so by %s", i, with(law.one, defs), text, yes, with(law.other, defs))
				}
				accepted += btoi(yes)
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d pairs compared, %d times accepted", compared, accepted)
	if compared < len(laws)*rounds/2 || accepted < compared {
		t.Error("too few are compared: the test tests nothing")
	}
}

// with is an object of two lists of members.
func with(members, more string) string {
	if members == "" {
		return "{" + more + "}"
	}
	return "{" + members + ", " + more + "}"
}

// exactAcceptance is acceptance, with keys in any order, of schemas that are enforced exactly for
// what a dice writes; others are not ok.
func exactAcceptance(t *testing.T, schema string) (accepts func(text string) bool, ok bool) {
	t.Helper()
	accepts, result, err := acceptance(schema, Options{AnyOrder: true})
	var unsupported *UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil, false
	case errors.Is(err, ErrContradiction):
		return func(string) bool { return false }, true
	case err != nil:
		t.Errorf("%s: %v", schema, err)
		return nil, false
	}
	numeric := []string{"type", "enum", "const", "minimum", "exclusiveMaximum", "multipleOf"} // narrower in ways that no dice writes
	return accepts, !slices.ContainsFunc(result.Coverage, func(c Coverage) bool {
		return c.Status == Narrower && !slices.Contains(numeric, c.Keyword)
	})
}
