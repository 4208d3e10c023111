package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// objectsOf lists the objects of some keys and values, in all orders of their keys.
func objectsOf(keys, values []string) []string {
	var list []string
	var grow func(rest, members []string)
	grow = func(rest, members []string) {
		list = append(list, "{"+strings.Join(members, ", ")+"}")
		for i, key := range rest {
			for _, value := range values {
				grow(slices.Delete(slices.Clone(rest), i, i+1), append(slices.Clone(members), key+": "+value))
			}
		}
	}
	grow(keys, nil)
	return list
}

// tagged is a oneOf whose branches a key tells apart, mostly, without requiring it.
func (d dice) tagged() string {
	return `{"oneOf": ` + d.list(2, 6, func() string {
		required := d.pick("", "", "", `, "required": ["b"]`, `, "required": ["c"]`)
		return fmt.Sprintf(`{"properties": {%s: {"const": %s}}%s}`, d.pick(`"a"`, `"a"`, `"a"`, `"b"`), d.pick(`"x"`, `"y"`, "1"), required)
	}) + `}`
}

// around is a schema in a place from where it is about the same value.
func (d dice) around(s string) string {
	other := d.pick(`{"required": ["b"]}`, `{"properties": {"a": {"const": "x"}}}`, `{"properties": {"c": {"enum": [1, "y"]}}, "required": ["a"]}`)
	return fmt.Sprintf(d.pick(`{"allOf": [%s, %s]}`, `{"anyOf": [%s, %s]}`, `{"oneOf": [%s, %s]}`, `{"if": %s, "then": %s}`, `{"if": %[2]s, "then": %[1]s}`,
		`{"if": %[2]s, "else": %[1]s}`, `{"not": %[1]s}`, `{"dependentSchemas": {"b": %[1]s}}`, `{"dependentSchemas": {"c": %[1]s, "b": %[2]s}}`), s, other)
}

// use is a reference to a schema beside what is known of the value there.
func (d dice) use() string {
	ref := d.pick(`"$ref": "#/$defs/s"`, `"$ref": "#/$defs/s"`, `"not": {"$ref": "#/$defs/s"}`)
	known := d.pick("", `, "required": ["a"]`, `, "required": ["a"]`, `, "required": ["b"]`, `, "required": ["a", "b"]`, `, "properties": {"b": {"enum": [1, "x"]}}`)
	return "{" + ref + known + "}"
}

// TestGivenDiffers refers to one schema from two places, of which different things are known: what
// is found out in one must not be used in the other. All small objects, in all orders of their
// keys, are judged by another validator as well.
func TestGivenDiffers(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(seed.New(t), 2))}
	objects := objectsOf([]string{`"a"`, `"b"`, `"c"`}, []string{`"x"`, `"y"`, "1"})
	rounds, compared := seed.Rounds(40, 80, 300), 0
	for range rounds {
		s := d.around(d.tagged())
		if d.IntN(2) == 0 {
			s = d.around(s)
		}
		schema := fmt.Sprintf(`{"type": "object", "%s": [%s, %s], "$defs": {"s": %s}}`, d.pick("anyOf", "anyOf", "oneOf"), d.use(), d.use(), s)
		valid, err := judge(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		accepts, _, err := acceptance(schema, Options{})
		if err != nil {
			continue // it has no instance, say
		}
		compared++
		for _, text := range objects {
			if accepts(text) && !valid(text) {
				t.Fatalf("%s accepts %s", schema, text)
			}
		}
	}
	if compared < rounds/2 {
		t.Errorf("%d of %d schemas have grammars", compared, rounds)
	}
}
