package jsonschema

import (
	"fmt"
	"testing"
)

// TestNegations negates each keyword: what it refuses of its kind is then all that is accepted.
func TestNegations(t *testing.T) {
	for _, c := range []struct {
		kind, keywords string
		in, out        []string // of the negation
	}{
		{"boolean", `"const": true`, []string{`false`}, []string{`true`, `1`}},
		{"number", `"minimum": 2`, []string{`1.9`, `-5e3`}, []string{`2`, `3`}},
		{"number", `"exclusiveMinimum": 2`, []string{`2`, `1`}, []string{`2.1`}},
		{"number", `"maximum": 2`, []string{`2.1`, `1e9`}, []string{`2`, `-1`}},
		{"number", `"exclusiveMaximum": 2`, []string{`2`, `2.0`}, []string{`1.9`}},
		{"number", `"minimum": 1, "maximum": 2`, []string{`0.9`, `2.1`}, []string{`1`, `1.5`, `2`}},
		{"number", `"multipleOf": 0.5`, []string{`0.25`, `-1.75`}, []string{`0`, `0.5`, `-2`}},
		{"number", `"enum": [1, 2.5]`, []string{`2`, `0`, `1.01`}, []string{`1`, `1.0`, `25e-1`}},
		{"string", `"minLength": 2`, []string{`""`, `"é"`}, []string{`"ab"`}},
		{"string", `"maxLength": 1`, []string{`"ab"`}, []string{`""`, `"a"`}},
		{"string", `"minLength": 1, "maxLength": 2`, []string{`""`, `"abc"`}, []string{`"a"`, `"ab"`}},
		{"string", `"pattern": "^a|b$"`, []string{`""`, `"ba"`}, []string{`"a"`, `"cb"`}},
		{"string", `"format": "date"`, []string{`""`, `"2023-02-29"`}, []string{`"2024-02-29"`}},
		{"string", `"enum": ["a", "b"]`, []string{`"c"`, `""`}, []string{`"a"`, `"\u0062"`}},
		{"array", `"minItems": 1`, []string{`[]`}, []string{`[1]`}},
		{"array", `"maxItems": 1`, []string{`[1, 2]`}, []string{`[]`, `[1]`}},
		{"array", `"items": {"type": "null"}`, []string{`[1]`, `[null, 1]`}, []string{`[]`, `[null]`}},
		{"array", `"prefixItems": [{"type": "null"}, {"type": "boolean"}]`, []string{`[1]`, `[null, 1, 2]`}, []string{`[]`, `[null]`, `[null, true, 3]`}},
		{"array", `"contains": {"type": "null"}`, []string{`[]`, `[1]`}, []string{`[null]`, `[1, null]`}},
		{"array", `"contains": {"type": "null"}, "maxContains": 1`, []string{`[]`, `[1]`, `[null, null]`}, []string{`[null]`, `[1, null]`}},
		{"array", `"const": [1, "a"]`, []string{`[]`, `[1]`, `[1, "b"]`, `[1, "a", 2]`}, []string{`[1, "a"]`, `[1.0, "a"]`}},
		{"object", `"required": ["a", "b"]`, []string{`{}`, `{"a": 1}`, `{"b": 1}`}, []string{`{"a": 1, "b": 1}`}},
		{"object", `"properties": {"a": {"type": "null"}, "b": {"type": "null"}}`, []string{`{"a": 1}`, `{"b": 1}`}, []string{`{}`, `{"a": null}`, `{"c": 1}`}},
		{"object", `"additionalProperties": {"type": "null"}`, []string{`{"a": 1}`}, []string{`{}`, `{"a": null}`}},
		{"object", `"patternProperties": {"^a": {"type": "null"}, "b$": {"type": "null"}}`, []string{`{"ax": 1}`, `{"b": 1}`}, []string{`{}`, `{"ab": null}`, `{"c": 1}`}},
		{"object", `"propertyNames": {"pattern": "^a"}`, []string{`{"b": 1}`}, []string{`{}`, `{"ab": 1}`}},
		{"object", `"minProperties": 1`, []string{`{}`}, []string{`{"a": 1}`}},
		{"object", `"maxProperties": 1`, []string{`{"a": 1, "b": 2}`}, []string{`{}`, `{"a": 1}`}},
		{"object", `"dependentRequired": {"a": ["b"]}`, []string{`{"a": 1}`}, []string{`{}`, `{"b": 1}`, `{"a": 1, "b": 1}`}},
		{"object", `"dependentSchemas": {"a": {"maxProperties": 1}}`, []string{`{"a": 1, "b": 1}`}, []string{`{"a": 1}`, `{"b": 1, "c": 1}`}},
		{"object", `"const": {"a": 1}`, []string{`{}`, `{"a": 2}`, `{"a": 1, "b": 1}`}, []string{`{"a": 1}`, `{"a": 1.0}`}},
	} {
		negated := fmt.Sprintf(`{"type": %q, "not": {%s}}`, c.kind, c.keywords)
		twice := fmt.Sprintf(`{"type": %q, "not": {"not": {%s}}}`, c.kind, c.keywords)
		again := fmt.Sprintf(`{"type": %q, "%s": [{%s}, true]}`, c.kind, "oneOf", c.keywords) // the other branch always holds
		holds(t, []row{{c.keywords, negated, c.in, c.out}, {c.keywords + " in oneOf", again, c.in, c.out}, {c.keywords + " twice", twice, ofKind(c.kind, c.out), c.in}})
	}
}

// ofKind drops the texts of other kinds.
func ofKind(kind string, texts []string) (list []string) {
	for _, text := range texts {
		if kind != "boolean" || text != "1" {
			list = append(list, text)
		}
	}
	return list
}

// TestNarrower is a table of keywords that are enforced narrowly: the reason, a right text that is
// accepted and one that is refused.
func TestNarrower(t *testing.T) {
	many := listed(20, "%d.5")
	for _, c := range []struct {
		schema, pointer, reason string
		opt                     Options
		accepted, refused       string
	}{
		{`{"type": "integer"}`, "/type", "integers must be written plainly", Options{}, `12e3`, `0.00000000000000000012e20`},
		{`{"minimum": 1.5}`, "/minimum", "or with an exponent behind a short mantissa", Options{}, `15e-1`, `0.00000000015e10`},
		{`{"minimum": 1.23456789}`, "/minimum", "to be compared with so many digits", Options{}, `1.3e0`, `13e-1`},
		{`{"multipleOf": 7}`, "/multipleOf", "behind few digits after the point, to be divided", Options{}, `1.4e1`, `1.400000000e1`},
		{`{"enum": [12.5]}`, "/enum", "or with an exponent behind a short mantissa", Options{}, `125e-1`, `0.0000125e6`},
		{`{"enum": [` + many + `]}`, "/enum", "to be compared with so many digits", Options{}, `5e-1`, `50e-2`},
		{`{"type": "string", "maxLength": 100000000}`, "/maxLength", "strings of more characters than are counted are refused", Options{}, `"a"`, ""},
		{`{"format": "idn-hostname"}`, "/format", "at most 3 labels", Options{}, `"é.fr"`, `"a.b.c.d"`},
		{`{"format": "time"}`, "/format", "a leap second of an offset", Options{}, `"00:29:60+00:30"`, `"\u0030\u0030:00:60+00:01"`},
		{`{"type": "object", "required": [` + someKeys(70, "%q") + `]}`, "/required", "keys must come in the order of the schema", Options{AnyOrder: true}, "", `{}`},
		{`{"type": "object", "patternProperties": {` + listed(10, `"%d": {"type": "null"}`) + `}}`, "/patternProperties", "of the patterns are left out", Options{}, `{"12": null}`, `{"0123456789": null}`},
	} {
		accepts, result, err := acceptance(c.schema, c.opt)
		if err != nil {
			t.Errorf("%.60s: %v", c.schema, err)
			continue
		}
		found := false
		for _, x := range result.Coverage {
			found = found || x.Pointer == c.pointer && x.Status == Narrower && contained(x.Reason, c.reason)
		}
		if !found {
			t.Errorf("%.60s: %s is not narrower because %s: %+v", c.schema, c.pointer, c.reason, result.Coverage)
		}
		if c.accepted != "" && !accepts(c.accepted) || c.refused != "" && accepts(c.refused) {
			t.Errorf("%.60s: %s is accepted: %v, %s: %v", c.schema, c.accepted, accepts(c.accepted), c.refused, accepts(c.refused))
		}
	}
}
