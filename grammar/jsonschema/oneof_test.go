package jsonschema

import (
	"fmt"
	"testing"

	"gcdbench/internal/must"
)

// TestOneOf is about branches that a value, a key or nothing tells apart.
func TestOneOf(t *testing.T) {
	tagged := func(n int, more string) string {
		return listed(n, `{"properties": {"t": {"const": "k%[1]d"}, "v": {"const": %[1]d}}`+more+`}`)
	}
	holds(t, []row{
		{"a key that the branches require", `{"type": "object", "oneOf": [` + tagged(6, `, "required": ["t", "v"]`) + `]}`,
			[]string{`{"t": "k0", "v": 0}`, `{"t": "k5", "v": 5, "x": 1}`}, []string{`{}`, `{"t": "k0"}`, `{"t": "k0", "v": 1}`, `{"t": "k6", "v": 6}`, `{"v": 0}`}},
		{"a key that is required around them", `{"type": "object", "required": ["t"], "oneOf": [` + tagged(6, ``) + `]}`,
			[]string{`{"t": "k0", "v": 0}`, `{"t": "k5"}`}, []string{`{}`, `{"v": 0}`, `{"t": "k0", "v": 1}`, `{"t": "x"}`}},
		{"a key that is required by allOf", `{"type": "object", "allOf": [{"required": ["t"]}, {"oneOf": [` + tagged(5, ``) + `]}]}`,
			[]string{`{"t": "k4", "v": 4}`}, []string{`{}`, `{"t": "k4", "v": 3}`}},
		{"a key that is required by allOf beside it", `{"type": "object", "oneOf": [` + tagged(5, ``) + `], "allOf": [{"required": ["t"]}]}`,
			[]string{`{"t": "k4", "v": 4}`}, []string{`{}`, `{"t": "k4", "v": 3}`}},
		{"a branch for any other value", `{"type": "object", "required": ["t"], "oneOf": [{"properties": {"t": {"type": "string", "not": {"enum": ["k0", "k1", "k2", "k3", "k4"]}}}}, ` + tagged(5, ``) + `]}`,
			[]string{`{"t": "x", "v": 0}`, `{"t": "k4", "v": 4}`}, []string{`{}`, `{"t": 1}`, `{"t": "k4", "v": 3}`}},
		{"two branches for other values", `{"type": "object", "required": ["t"], "oneOf": [{"properties": {"t": {"type": "string", "not": {"enum": ["k0", "k1", "k3", "k4", "y"]}}}}, {"properties": {"t": {"const": "y"}}}, ` + tagged(5, ``) + `]}`,
			[]string{`{"t": "x"}`, `{"t": "y"}`, `{"t": "k2", "v": 3}`, `{"t": "k4", "v": 4}`}, []string{`{"t": "k2", "v": 2}`, `{"t": "k2"}`, `{"t": "k3", "v": 2}`}},
		{"a key that may be absent, few branches", `{"type": "object", "oneOf": [` + tagged(2, ``) + `]}`,
			[]string{`{"t": "k0", "v": 0}`, `{"t": "k1"}`, `{"v": 1}`, `{"v": 0}`}, []string{`{}`, `{"t": "k0", "v": 1}`, `{"v": 7}`, `{"t": "x"}`}},
		{"a key that may be absent, many branches", `{"type": "object", "oneOf": [` + tagged(5, ``) + `]}`,
			[]string{`{"t": "k0", "v": 0}`, `{"t": "k4"}`, `{"v": 3}`}, []string{`{}`, `{"v": 9}`, `{"t": "k1", "v": 2}`}},
		{"enumerations that share values", `{"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}, {"enum": ["d"]}, {"enum": ["e", 1]}, {"enum": [1, 2]}]}`,
			[]string{`"a"`, `"c"`, `"d"`, `"e"`, `2`}, []string{`"b"`, `1`, `1.0`, `"f"`, `null`}},
		{"a value in many branches", `{"oneOf": [` + listed(7, `{"enum": ["all", "k%d"]}`) + `]}`,
			[]string{`"k0"`, `"k6"`}, []string{`"all"`, `"k7"`}},
		{"equal branches", `{"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}`, []string{`null`}, []string{`"a"`, `1`}},
		{"a branch in another", `{"oneOf": [{"type": "number"}, {"type": "integer", "minimum": 3}]}`, []string{`1.5`, `2`, `-7`}, []string{`3`, `4.0`, `"x"`}},
		{"types", `{"oneOf": [{"type": ["string", "null"]}, {"type": ["null", "boolean"]}, {"type": "array"}, {"maxItems": 0, "type": "array"}, {"type": "object"}]}`,
			[]string{`"a"`, `true`, `[1]`, `{}`}, []string{`null`, `[]`, `1`}},
		{"always true once", `{"oneOf": [true, {"const": 1}]}`, []string{`2`, `"x"`}, []string{`1`, `1.0`}},
		{"in each other", `{"oneOf": [{"oneOf": [{"minimum": 1}, {"minimum": 3}]}, {"type": "string"}]}`, []string{`1`, `2.5`, `"a"`}, []string{`3`, `0`, `null`}},
		{"negated", `{"not": {"oneOf": [{"minimum": 1}, {"maximum": 3}]}}`, []string{`1`, `2`, `3`, `"a"`}, []string{`0`, `4`}},
		{"of closed objects", `{"type": "object", "oneOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"a": {}, "b": {}}, "additionalProperties": false}]}`,
			[]string{`{"b": 1}`, `{"a": 1, "b": 2}`}, []string{`{}`, `{"a": 1}`, `{"c": 1}`}},
		{"of lengths", `{"type": "string", "oneOf": [{"maxLength": 2}, {"minLength": 2, "maxLength": 4}]}`, []string{`""`, `"a"`, `"abc"`, `"abcd"`}, []string{`"ab"`, `"abcde"`}},
		{"of items", `{"type": "array", "oneOf": [{"items": {"const": 1}}, {"minItems": 2}]}`, []string{`[]`, `[1]`, `[1, 2]`}, []string{`[1, 1]`, `[2]`}},
	})
}

// TestAssumptions: branches are told apart by a key that is known to be there in one place, and
// not in another. What is found out under an assumption is used nowhere else.
func TestAssumptions(t *testing.T) {
	const branches = `"oneOf": [{"properties": {"t": {"const": "a"}}}, {"properties": {"t": {"const": "b"}}}]`
	for i, around := range []string{
		`{"type": "object", "anyOf": [{"required": ["t"], "$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}], "$defs": {"s": {%s}}}`,
		`{"type": "object", "anyOf": [{"$ref": "#/$defs/s"}, {"required": ["t"], "$ref": "#/$defs/s"}], "$defs": {"s": {%s}}}`,
		`{"type": "object", "allOf": [{"anyOf": [{"required": ["t"]}, {"required": ["t", "u"]}]}, {%s}]}`,
		`{"type": "object", "if": {"required": ["t"]}, "then": {%s}, "else": {"required": ["u"]}}`,
		`{"type": "object", "dependentSchemas": {"t": {%s}}}`,
		`{"type": "object", "required": ["t"], "not": {"not": {%s}}}`,
	} {
		schema := fmt.Sprintf(around, branches)
		valid, err := judge(schema)
		if err != nil {
			t.Fatal(schema, err)
		}
		c := row{name: fmt.Sprint(i), schema: schema}
		for name, accepts := range acceptances(t, c) {
			for _, text := range objectsOf([]string{`"t"`, `"u"`}, []string{`"a"`, `"b"`, `1`}) {
				if got, want := accepts(text), valid(text); got && !want || want && !got && name == "in any order" {
					t.Errorf("%s, %s: %s is accepted: %v", schema, name, text, got)
				}
			}
		}
	}
}

// TestPresence is about alternatives that differ in which keys are there.
func TestPresence(t *testing.T) {
	closed := func(keys string) string {
		return `{"properties": {` + keys + `}, "additionalProperties": false}`
	}
	holds(t, []row{
		{"another key, one of one", `{"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "not": ` + closed(`"a": {}`) + `}`,
			[]string{`{"b": 1}`, `{"a": 1, "b": 1}`}, []string{`{}`, `{"a": 1}`, `{"c": 1}`}},
		{"another key, of two", `{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "not": ` + closed(`"a": {}`) + `}`,
			[]string{`{"b": 1}`, `{"c": 1}`, `{"a": 1, "c": 1}`}, []string{`{}`, `{"a": 1}`}},
		{"another key, of none", `{"anyOf": [{"const": 1}, {"type": "object", "properties": {"a": {}}, "additionalProperties": false, "not": ` + closed(`"a": {}, "b": {}`) + `}]}`,
			[]string{`1`}, []string{`{}`, `{"a": 1}`}},
		{"another key, with a value", `{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "additionalProperties": false, "not": {"additionalProperties": {"type": "null"}}}`,
			[]string{`{"b": 1}`, `{"a": null, "b": "x"}`}, []string{`{}`, `{"a": null}`, `{"b": null}`, `{"a": 1}`}},
		{"another key, among patterns", `{"type": "object", "propertyNames": {"enum": ["a", "b"]}, "not": {"patternProperties": {"^a": {}}, "additionalProperties": false}}`,
			[]string{`{"b": 1}`, `{"a": 1, "b": 1}`}, []string{`{}`, `{"a": 1}`, `{"c": 1}`}},
		{"absent, or with another value", `{"type": "object", "properties": {"a": {}}, "not": {"properties": {"a": {"const": 1}}, "required": ["a"]}}`,
			[]string{`{}`, `{"a": 2}`, `{"b": 1}`}, []string{`{"a": 1}`, `{"a": 1.0}`}},
		{"twenty such negations", `{"type": "object", "properties": {` + someKeys(20, `%q: {"type": "integer"}`) + `}, "allOf": [` + someKeys(20, `{"not": {"properties": {%[1]q: {"const": 1}}, "required": [%[1]q]}}`) + `]}`,
			[]string{`{}`, `{"p0": 2, "p19": 3}`}, []string{`{"p0": 1}`, `{"p3": 2, "p7": 1}`}},
		{"one of twelve keys", `{"type": "object", "oneOf": [` + someKeys(12, `{"properties": {%q: {"type": "integer"}}, "additionalProperties": false, "minProperties": 1}`) + `]}`,
			[]string{`{"p0": 1}`, `{"p11": 2}`}, []string{`{}`, `{"p0": "x"}`, `{"p0": 1, "p1": 1}`, `{"q": 1}`}},
	})
}

// TestSwitches is about lists of conditions on one key.
func TestSwitches(t *testing.T) {
	condition := func(values, rest string) string {
		return `{"if": {"properties": {"t": ` + values + `}` + rest
	}
	list := func(conditions ...string) string {
		all := ""
		for i, c := range conditions {
			if i > 0 {
				all += ", "
			}
			all += c
		}
		return `{"type": "object", "properties": {"t": {}}, "allOf": [` + all + `]}`
	}
	holds(t, []row{
		{"by const", list(condition(`{"const": "a"}`, `}, "then": {"required": ["x"]}}`), condition(`{"const": "b"}`, `}, "then": {"required": ["y"]}}`)),
			[]string{`{"t": "a", "x": 1}`, `{"t": "b", "y": 1}`, `{"t": "c"}`, `{"x": 1, "y": 1}`}, []string{`{}`, `{"t": "a"}`, `{"t": "b", "x": 1}`, `{"x": 1}`}},
		{"with the key required", list(condition(`{"const": "a"}`, `, "required": ["t"]}, "then": {"required": ["x"]}}`), condition(`{"const": "b"}`, `, "required": ["t"]}, "then": {"required": ["y"]}}`)),
			[]string{`{}`, `{"t": "a", "x": 1}`, `{"t": 7}`}, []string{`{"t": "a"}`, `{"t": "b"}`}},
		{"values in two conditions", list(condition(`{"enum": ["a", "b"]}`, `, "required": ["t"]}, "then": {"required": ["x"]}}`), condition(`{"enum": ["b", 1]}`, `, "required": ["t"]}, "then": {"required": ["y"]}}`)),
			[]string{`{"t": "a", "x": 1}`, `{"t": "b", "x": 1, "y": 1}`, `{"t": 1, "y": 1}`, `{"t": "c"}`}, []string{`{"t": "b", "x": 1}`, `{"t": "b", "y": 1}`, `{"t": 1.0}`}},
		{"with else", list(condition(`{"const": 1}`, `, "required": ["t"]}, "then": {"required": ["x"]}, "else": {"required": ["z"]}}`), condition(`{"const": 2}`, `, "required": ["t"]}, "else": {"maxProperties": 2}}`)),
			[]string{`{"z": 1}`, `{"t": 1, "x": 1}`, `{"t": 2, "z": 1, "zz": 1}`}, []string{`{}`, `{"t": 1, "z": 1}`, `{"t": 1, "x": 1, "y": 1}`, `{"t": 2}`}},
		{"beside others", list(condition(`{"const": "a"}`, `}, "then": {"required": ["x"]}}`), `{"required": ["t"]}`, condition(`{"const": "b"}`, `}, "then": {"required": ["y"]}}`), condition(`{"type": "null"}`, `}, "then": {"required": ["n"]}}`)),
			[]string{`{"t": "a", "x": 1}`, `{"t": null, "n": 1}`, `{"t": "c"}`}, []string{`{"x": 1, "y": 1}`, `{"t": null}`, `{"t": "b"}`}},
		{"negated", `{"type": "object", "properties": {"t": {}}, "not": ` + list(condition(`{"const": "a"}`, `}, "then": {"required": ["x"]}}`), condition(`{"const": "b"}`, `}, "then": {"required": ["y"]}}`)) + `}`,
			[]string{`{}`, `{"t": "a"}`, `{"t": "b", "x": 1}`}, []string{`{"t": "a", "x": 1}`, `{"t": "c"}`, `{"x": 1, "y": 1}`}},
	})
}

// TestNothingCut: alternatives that a value of one key tells apart are all kept, however many they
// are together.
func TestNothingCut(t *testing.T) {
	nested := `{"type": "object", "oneOf": [{"properties": {"t": {"not": {"enum": [` + listed(13, `"in%[1]d", "out%[1]d"`) + `]}}}}, {"oneOf": [` +
		listed(13, `{"properties": {"p%[1]d": {"type": "string"}}, "oneOf": [{"properties": {"t": {"enum": ["in%[1]d"]}, "d": {"enum": ["i"]}}}, {"properties": {"t": {"enum": ["out%[1]d"]}, "d": {"enum": ["o"]}}}]}`) +
		`]}], "allOf": [{"required": ["t", "d"]}]}`
	unevaluated := `{"type": "object", "properties": {"t": {"enum": [` + listed(40, `"k%d"`) + `]}}, "required": ["t"], "allOf": [` +
		listed(40, `{"if": {"properties": {"t": {"const": "k%[1]d"}}, "required": ["t"]}, "then": {"properties": {"h": {}, "x%[1]d": {"type": "boolean"}}, "required": ["h"]}}`) +
		`], "unevaluatedProperties": false}`
	holds(t, []row{
		{"nested", nested, []string{`{"t": "in3", "d": "i"}`, `{"t": "out12", "d": "o"}`, `{"t": "z", "d": 1}`}, []string{`{"t": "in3", "d": "o"}`, `{"t": "in3"}`, `{"t": "in3", "d": "i", "p3": 1}`}},
		{"unevaluated", unevaluated, []string{`{"t": "k2", "h": 1, "x2": true}`, `{"t": "k39", "h": 1}`}, []string{`{"t": "k2", "h": 1, "x2": 3}`, `{"t": "k2", "h": 1, "x3": true}`, `{"t": "k2"}`, `{"t": "x"}`}},
	})
	for _, schema := range []string{nested, unevaluated} {
		result := must.Get(Compile(t.Context(), []byte(schema), Options{AnyOrder: true}))(t)
		for _, c := range result.Coverage {
			if c.Status != Enforced {
				t.Errorf("%s: %v, %s", c.Pointer, c.Status, c.Reason)
			}
		}
		if result.Cut {
			t.Errorf("%.60s is cut", schema)
		}
	}
}
