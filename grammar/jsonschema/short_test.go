package jsonschema

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// All texts up to some length, of an alphabet: whatever random texts never hit.
var shortTexts = []struct {
	schema   string
	alphabet string // of pieces, with spaces between
	pieces   int    // in a text, at most
	refused  string // a pattern for instances that are refused, for one of the reasons in the documentation
}{
	{`{}`, `[ ] { } , : "" 1`, 9, `"".*"":`},
	{`{"type": "array", "items": {"type": "array", "maxItems": 1}}`, `[ ] , 1`, 8, ``},
	{`{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "required": ["b"]}`, `{ } , "a":null "b":[] "c":1`, 7, `"[ac]".*"b"|"[bc]".*"a"`},
	{`{"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "minProperties": 2}`, `{ } , "a":1 "b":1 "c":1`, 7, `"b".*"a"`},
	{`{"type": "string", "minLength": 1, "maxLength": 2}`, `" a é 😀 \n \u0061 \ud83d \ude00`, 5, `\\ud83d($|[^\\]|\\[^u])|\\ud83d\\u(0|d8)|(^|[^d]|[^3]d)\\ude00`},
	{`{"type": "string", "pattern": "^a?b|c$"}`, `" a b c \u0062 \\`, 5, ``},
	{`{"type": "string", "pattern": "\\bab\\b"}`, `" a b - _ \t`, 6, ``},
	{`{"type": "string", "not": {"pattern": "aa"}, "minLength": 2}`, `" a b`, 7, ``},
	{`{"type": "number", "minimum": -1, "exclusiveMaximum": 10}`, `- 0 1 9 . e +`, 6, `e`},
	{`{"type": "integer", "not": {"const": 1}}`, `- 0 1 . e 2`, 6, `e`},
	{`{"type": "number", "multipleOf": 0.25}`, `- 0 2 5 . 1`, 6, ``},
	{`{"type": "integer", "multipleOf": 12}`, `0 1 2 4 6 e .`, 5, `e`},
	{`{"enum": ["", "a", [], [1], {}, {"a": 1}, 1]}`, `"a" "" [ ] 1 { } : ,`, 6, ``},
	{`{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true, "contains": {"const": 2}}`, `[ ] , 1 2 3`, 8, ``},
	{`{"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}, "maxItems": 4}`, `[ ] , 1 2 3`, 9, ``},
	{`{"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 2, "items": {"enum": [1, 2]}}`, `[ ] , 1 2`, 9, ``},
	{`{"type": "object", "propertyNames": {"pattern": "^a"}, "maxProperties": 1}`, `{ } , "a":1 "ab":1 "b":1`, 7, ``},
	{`{"oneOf": [{"type": "array", "items": {"const": 1}}, {"type": "array", "items": {"const": 2}, "minItems": 1}, {"maxItems": 1}]}`, `[ ] , 1 2 3`, 7, ``},
	{`{"type": "array", "items": {"$ref": "#"}, "maxItems": 2}`, `[ ] , 1`, 9, ``},
	{`{"if": {"type": "array", "maxItems": 0}, "then": false, "else": {"items": {"const": 1}}}`, `[ ] , 1 2`, 7, ``},
	{`{"anyOf": [{"const": "ab"}, {"const": "abc"}, {"pattern": "^abcd", "type": "string"}]}`, `" a b c d`, 7, ``},
	{`{"type": "string", "format": "ipv4"}`, `" 1 255 . 0`, 9, ``},
}

// TestShortTexts asks about all of them: what is accepted must be JSON, and an instance to the
// other validator; what is an instance must be accepted, but for the order of keys and what else
// the row says.
func TestShortTexts(t *testing.T) {
	seed.Usual(t)
	for _, c := range seed.Some(t, shortTexts, 8, 1, 1) {
		accepts, _, err := acceptance(c.schema, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		valid, err := judge(c.schema)
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		refused := regexp.MustCompile(c.refused + `|^$`)
		yes, all := 0, 0
		everyText(strings.Fields(c.alphabet), c.pieces, func(text string) {
			all++
			got := accepts(text)
			yes += btoi(got)
			want := json.Valid([]byte(text)) && !repeatsKey(text) && valid(text)
			if got && !want || want && !got && (c.refused == "" || !refused.MatchString(text)) {
				t.Errorf("%s: %s is an instance: %v, accepted: %v", c.schema, text, want, got)
			}
		})
		if yes == 0 {
			t.Errorf("%s accepts none of %d texts", c.schema, all)
		}
		t.Logf("%s: %d of %d", c.schema, yes, all)
	}
}

// everyText calls f for all texts of so many pieces at most, but those that begin with another of
// them that begins no JSON text.
func everyText(pieces []string, most int, f func(text string)) {
	var grow func(text string, left int)
	grow = func(text string, left int) {
		f(text)
		if left == 0 || !begins(text) {
			return
		}
		for _, p := range pieces {
			grow(text+p, left-1)
		}
	}
	grow("", most)
}

// begins tells whether a text begins some JSON text, or is one.
func begins(text string) bool {
	err := json.Unmarshal([]byte(text), new(any))
	// The end of a text in the middle of a number is reported as a space there.
	return err == nil || strings.HasPrefix(err.Error(), "unexpected end") || strings.HasPrefix(err.Error(), "invalid character ' '") && !strings.Contains(text, " ")
}

// repeatsKey tells whether a key that these schemas declare comes twice in one object, of the flat
// ones here.
func repeatsKey(text string) bool {
	for _, key := range []string{`"a":`, `"b":`, `"ab":`} {
		if strings.Count(text, key) > 1 {
			return true
		}
	}
	return false
}
