package jsonschema

import (
	"slices"
	"testing"
)

// TestArrays is about places, counts and what contains asks for.
func TestArrays(t *testing.T) {
	holds(t, []row{
		{"places and the rest", `{"type": "array", "prefixItems": [{"const": 1}, {"type": "string"}], "items": {"type": "null"}}`,
			[]string{`[]`, `[1]`, `[1, "a"]`, `[1, "a", null, null]`}, []string{`[2]`, `["a"]`, `[1, 1]`, `[1, "a", 1]`}},
		{"places in two schemas", `{"type": "array", "prefixItems": [{"type": "integer"}], "allOf": [{"prefixItems": [{"minimum": 3}, {"type": "null"}]}, {"items": {"enum": [5, null, "x"]}}]}`,
			[]string{`[]`, `[5]`, `[5, null]`, `[5, null, "x"]`}, []string{`[1]`, `[5, "x"]`, `[4]`, `["x"]`}},
		{"counts on both sides", `{"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "null"}}`, []string{`[null, null]`, `[null, null, null]`}, []string{`[]`, `[null]`, `[null, null, null, null]`}},
		{"no place after the last", `{"type": "array", "prefixItems": [{}, {}], "items": false}`, []string{`[]`, `[1, 2]`}, []string{`[1, 2, 3]`}},
		{"a place that nothing can have", `{"type": "array", "prefixItems": [{"const": 1}, false]}`, []string{`[]`, `[1]`}, []string{`[1, 1]`, `[2]`}},
		{"contains", `{"type": "array", "contains": {"const": 1}, "items": {"enum": [1, 2]}}`, []string{`[1]`, `[2, 1]`, `[1, 2, 1]`}, []string{`[]`, `[2]`, `[2, 2]`}},
		{"contains, from and to", `{"type": "array", "contains": {"minimum": 5}, "minContains": 2, "maxContains": 3, "items": {"type": "integer"}}`,
			[]string{`[5, 6]`, `[1, 5, 1, 7]`, `[5, 5, 5, 1]`}, []string{`[]`, `[5]`, `[5, 1]`, `[5, 5, 5, 5]`}},
		{"contains, none needed", `{"type": "array", "contains": {"const": 1}, "minContains": 0, "maxContains": 1}`, []string{`[]`, `[2]`, `[1, 2]`}, []string{`[1, 1]`, `[1, 2, 1.0]`}},
		{"contains, two", `{"type": "array", "contains": {"type": "null"}, "allOf": [{"contains": {"const": true}}], "maxItems": 3}`,
			[]string{`[null, true]`, `[true, 1, null]`}, []string{`[null]`, `[true]`, `[null, true, 1, 1]`}},
		{"contains beside places", `{"type": "array", "prefixItems": [{"type": "string"}], "contains": {"const": "a"}, "items": {"type": "integer"}}`, []string{`["a"]`, `["a", 1]`}, []string{`[]`, `["b"]`, `["b", 1]`}},
		{"not contains", `{"type": "array", "not": {"contains": {"type": "string"}, "minContains": 2}, "items": {"type": ["string", "null"]}}`, []string{`[]`, `["a"]`, `[null, "a", null]`}, []string{`["a", "b"]`}},
		{"not items", `{"type": "array", "not": {"prefixItems": [{"const": 1}], "items": {"const": 2}}}`, []string{`[2]`, `[1, 1]`, `[1, 2, 3]`}, []string{`[]`, `[1]`, `[1, 2]`}},
		{"older items", `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}}`, []string{`[]`, `[1]`, `[1, 2, 2]`}, []string{`[2]`, `[1, 1]`}},
		{"older items without places", `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": {"const": 1}, "additionalItems": false}`, []string{`[]`, `[1, 1]`}, []string{`[2]`}},
	})
}

// TestUnique is about items that must differ.
func TestUnique(t *testing.T) {
	holds(t, []row{
		{"few values", `{"type": "array", "uniqueItems": true, "items": {"enum": ["a", 1, null]}}`, []string{`[]`, `["a", null]`, `[null, 1, "a"]`}, []string{`["a", "a"]`, `[1, 1.0]`, `["b"]`}},
		{"types of few values", `{"type": "array", "uniqueItems": true, "items": {"type": ["boolean", "null"]}, "minItems": 2}`, []string{`[true, false]`, `[null, true]`}, []string{`[true]`, `[true, true]`, `[null, null, true]`}},
		{"bounded integers", `{"type": "array", "uniqueItems": true, "items": {"type": "integer", "minimum": -1, "maximum": 1}}`, []string{`[-1, 0, 1]`, `[1]`}, []string{`[0, -0]`, `[2]`, `[0, 0.0]`}},
		{"multiples", `{"type": "array", "uniqueItems": true, "items": {"multipleOf": 0.5, "exclusiveMinimum": 0, "maximum": 1.5, "type": "number"}}`, []string{`[0.5, 1, 1.5]`}, []string{`[0]`, `[1, 1.0]`, `[0.25]`}},
		{"a short pattern", `{"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[ab]{1,2}$"}}`, []string{`["a", "ab", "b"]`}, []string{`["a", "a"]`, `["abc"]`}},
		{"small arrays", `{"type": "array", "uniqueItems": true, "items": {"type": "array", "items": {"type": "null"}, "maxItems": 2}}`, []string{`[[], [null]]`, `[[null, null]]`}, []string{`[[], []]`, `[[null], [null]]`, `[1]`}},
		{"small objects", `{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false}}`, []string{`[{"a": true}, {"a": false}]`}, []string{`[{"a": true}, {"a": true}]`, `[{}]`}},
		{"places apart", `{"type": "array", "uniqueItems": true, "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}`, []string{`["a", 1]`}, []string{`["a", "a"]`, `[1, 1]`}},
		{"one item", `{"type": "array", "uniqueItems": true, "maxItems": 1}`, []string{`[]`, `[{"a": [1]}]`}, []string{`[1, 2]`}},
		{"strings", `{"type": "array", "uniqueItems": true, "items": {"type": "string"}}`, []string{`["b", "a", ""]`}, []string{`["a", "b", "a"]`}},
		{"places that share values", `{"type": "array", "uniqueItems": true, "prefixItems": [{"enum": [1, 2]}], "items": {"enum": [` + listed(30, "%d") + `]}}`, []string{`[2, 29, 1]`}, []string{`[2, 29, 2]`, `[3]`}},
		{"uniqueItems false", `{"type": "array", "uniqueItems": false, "items": {"type": "null"}}`, []string{`[null, null]`}, []string{`[1]`}},
	})
}

// TestKeys is about keys that are declared, and all others.
func TestKeys(t *testing.T) {
	holds(t, []row{
		{"classes of patterns", `{"type": "object", "patternProperties": {"^a": {"type": "integer"}, "z$": {"minimum": 3}}, "additionalProperties": {"type": "null"}}`,
			[]string{`{}`, `{"a": 1}`, `{"z": 3.5}`, `{"az": 3}`, `{"b": null}`, `{"z": "x"}`}, []string{`{"a": 1.5}`, `{"az": 2}`, `{"az": 3.5}`, `{"z": 2}`, `{"b": 1}`}},
		{"declared keys meet patterns", `{"type": "object", "properties": {"ab": {"minimum": 2}}, "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false}`,
			[]string{`{"ab": 2}`, `{"ab": 3, "ac": 1}`}, []string{`{"ab": 1}`, `{"ab": 2.5}`, `{"b": 1}`, `{"ac": "x"}`}},
		{"a pattern that matches no other key", `{"type": "object", "properties": {"a": {}}, "patternProperties": {"^a$": {"type": "null"}}, "additionalProperties": false}`, []string{`{}`, `{"a": null}`}, []string{`{"a": 1}`, `{"b": null}`}},
		{"names", `{"type": "object", "propertyNames": {"pattern": "^[a-c]{1,2}$"}, "properties": {"a": {"const": 1}, "zz": {}}}`, []string{`{}`, `{"a": 1, "bc": 2}`}, []string{`{"a": 2}`, `{"zz": 1}`, `{"abc": 1}`, `{"": 1}`}},
		{"names, and a key that must be there", `{"type": "object", "propertyNames": {"maxLength": 2}, "required": ["ab"]}`, []string{`{"ab": 1}`, `{"ab": 1, "c": 2}`}, []string{`{}`, `{"ab": 1, "abc": 2}`}},
		{"no names", `{"type": "object", "propertyNames": false}`, []string{`{}`}, []string{`{"a": 1}`}},
		{"not names", `{"type": "object", "not": {"propertyNames": {"maxLength": 1}}}`, []string{`{"ab": 1}`, `{"ab": 1, "c": 2}`}, []string{`{}`, `{"c": 1}`}},
		{"not patterns", `{"type": "object", "not": {"patternProperties": {"^a": {"type": "null"}}}}`, []string{`{"ab": 1}`, `{"ab": 1, "c": 2}`}, []string{`{}`, `{"ab": null}`, `{"c": 1}`}},
		{"few names, counted", `{"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 2}`, []string{`{"b": 1, "a": 1}`, `{"a": 1, "b": 1, "c": 1}`}, []string{`{}`, `{"a": 1}`, `{"a": 1, "d": 1}`}},
		{"counts", `{"type": "object", "minProperties": 1, "maxProperties": 2}`, []string{`{"a": 1}`, `{"a": 1, "b": 2}`}, []string{`{}`, `{"a": 1, "b": 2, "c": 3}`}},
		{"counts of declared keys", `{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "minProperties": 2, "maxProperties": 2}`, []string{`{"a": 1, "c": 1}`, `{"b": 1, "c": 1}`}, []string{`{}`, `{"a": 1}`, `{"a": 1, "b": 1, "c": 1}`}},
		{"required among many", `{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b", "z"]}`, []string{`{"b": 1, "z": 1}`, `{"a": 1, "b": 1, "z": 1, "y": 1}`}, []string{`{"b": 1}`, `{"z": 1}`}},
		{"dependencies", `{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"properties": {"c": {"type": "null"}}}}}`,
			[]string{`{}`, `{"c": 1}`, `{"b": 1, "c": null}`, `{"a": 1, "b": 1}`}, []string{`{"a": 1}`, `{"b": 1, "c": 1}`, `{"a": 1, "b": 1, "c": 2}`}},
		{"older dependencies", `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}}`, []string{`{}`, `{"b": 1}`, `{"c": 1}`}, []string{`{"a": 1}`, `{"c": 1, "d": 1}`}},
		{"demands in cases", `{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "anyOf": [{"required": ["a", "b"]}, {"required": ["c"], "not": {"required": ["a"]}}]}`,
			[]string{`{"a": 1, "b": 1}`, `{"c": 1}`, `{"b": 1, "c": 1}`, `{"a": 1, "b": 1, "c": 1}`}, []string{`{}`, `{"a": 1}`, `{"a": 1, "c": 1}`, `{"b": 1}`}},
		{"unevaluated", `{"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}, "unevaluatedProperties": {"type": "null"}}`, []string{`{"a": 1, "xy": 2, "b": null}`}, []string{`{"b": 1}`}},
	})
}

// TestOpenDemands follows demands on three keys, in order and in any order.
func TestOpenDemands(t *testing.T) {
	var o openDemands
	start := o.intern([]demand{{required: []int{0, 2}}, {required: []int{1}, forbidden: []int{2}}, {required: []int{0, 1, 2}}}, 0)
	if n := len(o.lists[start]); n != 2 {
		t.Errorf("%d demands are open, of which one implies another", n)
	}
	for keys, want := range map[string]bool{"": false, "0": false, "1": true, "2": false, "01": true, "02": true, "12": false, "012": true} {
		id := start
		for at := range 3 {
			if slices.Contains([]byte(keys), byte('0'+at)) {
				id = o.take(id, at)
			} else {
				id = o.skip(id, at)
			}
			if id < 0 {
				break
			}
		}
		if got := id >= 0 && o.met(id); got != want {
			t.Errorf("in order, keys %q: met is %v", keys, got)
		}
		backwards := start
		for i := len(keys) - 1; i >= 0 && backwards >= 0; i-- {
			backwards = o.came(backwards, int(keys[i]-'0'))
		}
		if got := backwards >= 0 && o.met(backwards); got != want {
			t.Errorf("backwards, keys %q: met is %v", keys, got)
		}
	}
}
