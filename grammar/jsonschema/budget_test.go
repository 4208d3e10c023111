package jsonschema

import (
	"fmt"
	"testing"
)

// TestBudget is about schemas whose grammars are too large with all that could be kept: less is
// kept, and the coverage says so.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		in, out      []string
		pointer      string
		reason       string // of the entry at the pointer
	}{
		{"lists in each other", `{"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "array", "maxItems": 9000, "items": {"type": "null"}}}}}}}}`,
			[]string{`[]`, `[[[[[[[null, null]]]]]]]`}, []string{`[null]`, `[[[[[[[1]]]]]]]`}, "/maxItems", "no more than 1000 items are counted"},
		{"properties that are counted", `{"type": "object", "properties": {` + someKeys(300, `%q: {"type": "object", "maxProperties": 2000}`) + `}}`,
			[]string{`{}`, `{"p7": {"a": 1}}`}, []string{`{"p7": 1}`}, "/properties/p0/maxProperties", ""},
		{"one list", `{"type": "array", "maxItems": 9000, "items": {"type": "null"}}`, []string{`[]`, `[null]`}, []string{`[1]`}, "/maxItems", ""},
		{"one list beyond", `{"type": "array", "maxItems": 20000, "items": {"type": "null"}}`, []string{`[]`}, []string{`[1]`}, "/maxItems", "no more than 10000 items are counted"},
	} {
		accepts, result, err := acceptance(c.schema, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for text, want := range (row{in: c.in, out: c.out}).texts() {
			if accepts(text) != want {
				t.Errorf("%s: %s is accepted: %v", c.name, text, !want)
			}
		}
		found := ""
		for _, x := range result.Coverage {
			if x.Pointer == c.pointer {
				found = x.Reason
			}
		}
		if !contained(found, c.reason) || c.reason == "" && found != "" {
			t.Errorf("%s: the reason is %q, want %q", c.name, found, c.reason)
		}
	}
	for level, want := range []string{"1000 100 1", "100 10 1", "10 1 1"} {
		b := &budget{level: level}
		if got := fmt.Sprint(b.of(1000), b.of(100), b.of(1)); got != want {
			t.Errorf("level %d keeps %s", level, got)
		}
	}
}

// TestTrim is about rules that no instance uses.
func TestTrim(t *testing.T) {
	for _, c := range []struct {
		schema string
		rules  int
	}{
		{`{"type": "null"}`, 1},
		{`{"type": ["null", "boolean"]}`, 3},
		{`{"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/anyOf/1"}}}]}`, 1}, // endless objects
		{`{"type": "object", "properties": {"a": {"$ref": "#/$defs/endless"}}, "additionalProperties": false, "$defs": {"endless": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/endless"}}}}`, 1},
	} {
		_, result, err := acceptance(c.schema, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		if n := len(result.Grammar.Rules); n != c.rules {
			t.Errorf("%s: %d rules, want %d", c.schema, n, c.rules)
		}
	}
}
