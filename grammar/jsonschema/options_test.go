package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// check runs texts through a compiled schema.
func check(t *testing.T, schema string, opt Options, valid, invalid []string) {
	t.Helper()
	r := compiled(t, schema, opt)
	for _, text := range valid {
		if err := r.Check([]byte(text)); err != nil {
			t.Errorf("%s refuses %s: %v", schema, text, err)
		}
	}
	for _, text := range invalid {
		if r.Check([]byte(text)) == nil {
			t.Errorf("%s accepts %s", schema, text)
		}
	}
}

func TestWhiteSpace(t *testing.T) {
	schema := `{"properties": {"a": {"items": {"type": "integer"}}}}`
	check(t, schema, Options{}, []string{`{"a":[1,2]}`, `{"a": [1, 2], "b":{}}`, `{}`, `[]`},
		[]string{` {}`, `{ }`, `{"a" : []}`, `{"a":  []}`, `{"a": [1 ,2]}`, "{\"a\":\n[]}", `{} `})
	check(t, schema, Options{WhiteSpace: AnySpace}, []string{`{"a":[1,2]}`, ` { "a" :	[ 1 , 2 ] } `, "{\n}\n", `[ ]`},
		[]string{`{"a": [1 2]}`, `{"a": [1,]}`, `{"a": ["x"]}`, "{\u00a0}"})
}

func TestOrder(t *testing.T) {
	schema := `{"properties": {"a": {"type": "integer"}, "b": {"type": "null"}, "c": {}}, "required": ["b", "q"]}`
	ordered := []string{`{"a": 1, "b": null, "q": 0}`, `{"b": null, "c": 1, "q": 1, "zz": 2}`}
	others := []string{`{"b": null, "a": 1, "q": 0}`, `{"zz": 1, "q": 0, "b": null}`, `{"q": {}, "c": 1, "b": null, "x": 0, "a": 3}`}
	wrong := []string{`{"a": 1, "q": 0}`, `{"b": null}`, `{"b": null, "b": null, "q": 1}`, `{"a": "x", "b": null, "q": 0}`, `{"b": null, "q": 0, "a": 1, "a": "x"}`}
	twice := `{"b": null, "q": 0, "a": 1, "a": 2}` // every reading of it is valid
	check(t, schema, Options{}, ordered, append(append(wrong, others...), twice))
	check(t, schema, Options{AnyOrder: true}, append(append(others, ordered...), twice), wrong)
	// Order of allOf: its own properties first, then those of the branches in turn.
	check(t, `{"allOf": [{"properties": {"y": {}}}, {"properties": {"x": {}}}], "properties": {"z": {}}, "additionalProperties": true}`, Options{},
		[]string{`{"z": 1, "y": 1, "x": 1}`}, []string{`{"x": 1, "y": 1}`})
}

// TestOrderOfMany says which objects of many keys may have them in any order, and that those that
// may not still have a grammar, which says so.
func TestOrderOfMany(t *testing.T) {
	const kept = "keys must come in the order of the schema"
	texts := func(n int) string { return `"properties": {` + someKeys(n, `%q: {"type": "string"}`) + `}` }
	for _, c := range []struct {
		name, schema   string
		pointer        string // of the keyword that says that the order is kept; "" if it is not
		valid, invalid []string
	}{
		{"12, closed", `{` + texts(12) + `, "additionalProperties": false}`, "",
			[]string{`{}`, `{"p11": "x", "p0": "y"}`, `{"p1": "x", "p1": "x"}`}, []string{`{"q": "x"}`, `{"p1": 1}`, `{"p1": "x", "p1": 1}`}},
		{"12 and others", `{` + texts(12) + `, "required": ["p3", "p7"]}`, "",
			[]string{`{"q": 1, "p7": "x", "r": 1, "s": 1, "p3": "y", "t": 1}`, `{"p7": "x", "p3": "y"}`, `{"q": 1, "p3": "x", "p11": "", "p7": ""}`},
			[]string{`{"p7": "x"}`, `{"p7": "x", "q": 1, "p7": "x", "p3": ""}`, `{"q": 1}`, `{"p3": 1, "p7": ""}`}},
		{"12 and classes of others", `{` + texts(12) + `, "patternProperties": {"^x": {"type": "null"}, "y$": {"type": ["boolean", "null"]}}}`, "",
			[]string{`{"xy": null, "y": true, "p7": "x", "x": null, "p3": "y", "z": 1}`}, []string{`{"p7": "", "xy": true, "p3": ""}`, `{"p7": "", "x": true}`}},
		{"12 and others, some", `{` + texts(12) + `, "minProperties": 3}`, "",
			[]string{`{"q": 1, "p7": "x", "p3": "y"}`, `{"p5": "", "p7": "x", "p3": "y"}`, `{"p5": "", "p7": "x", "p3": "y", "p3": "z"}`},
			[]string{`{"p7": "x", "p3": ""}`, `{"p7": "", "q": 1}`, `{"p7": "", "q": 1, "p7": ""}`}},
		{"one of 100", `{` + texts(100) + `, "minProperties": 1}`, "", []string{`{"p7": ""}`, `{"p7": "", "p3": ""}`}, []string{`{}`}},
		{"three of 100", `{` + texts(100) + `, "minProperties": 3}`, "/properties",
			[]string{`{"p3": "", "p7": "x", "p77": "y"}`}, []string{`{"p3": "", "p77": "x", "p7": "y"}`, `{"p7": "", "p77": "", "p77": ""}`}},
		{"100, below", `{"items": {` + texts(100) + `}}`, "",
			[]string{`[{"p7": "x", "p3": "y"}, {"q": 1, "p3": "x", "p1": ""}]`}, []string{`[{"p7": 1}]`}},
		{"up to 30 of 12 and others", `{` + texts(12) + `, "maxProperties": 30}`, "",
			[]string{`{"p3": "x", "p7": "y", "q": 1}`, `{"p7": "x", "q": 1, "p3": "y"}`}, []string{`{` + someKeys(31, `%q: ""`) + `}`}},
		{"one that brings another", `{` + texts(100) + `, "dependentRequired": {"p9": ["p3"], "p7": ["p9", "p1"]}}`, "",
			[]string{`{"p9": "x", "p3": "y"}`, `{"p3": "", "p7": "", "p1": "", "p9": ""}`, `{"p1": "", "p3": ""}`}, []string{`{"p9": ""}`, `{"p7": "", "p9": "", "p1": ""}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			accepts, result, err := acceptance(c.schema, Options{AnyOrder: true})
			must.OK(t, err)
			for _, text := range c.valid {
				if !accepts(text) {
					t.Errorf("%s is refused", text)
				}
			}
			for _, text := range c.invalid {
				if accepts(text) {
					t.Errorf("%s is accepted", text)
				}
			}
			for _, e := range result.Coverage {
				if strings.HasPrefix(e.Reason, kept) != (e.Pointer == c.pointer) {
					t.Errorf("%s is %s: %s", e.Pointer, e.Status, e.Reason)
				}
			}
		})
	}
}

func TestLenient(t *testing.T) {
	for _, c := range []struct {
		schema, pointer string
		accepted        string // although it is not valid
	}{
		{`{"pattern": "^(a)\\1$"}`, "/pattern", `"b"`},
		{`{"minLength": 70000000}`, "/minLength", `"a"`},
	} {
		result, err := Compile(context.Background(), []byte(c.schema), Options{})
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Pointer != c.pointer || status(result, c.pointer) != Refused {
			t.Errorf("%s: %v, %v", c.schema, err, result.Coverage)
		}
		result, err = Compile(context.Background(), []byte(c.schema), Options{Lenient: true})
		if err != nil || status(result, c.pointer) != Wider {
			t.Errorf("%s, lenient: %v, %v", c.schema, err, result.Coverage)
		}
		check(t, c.schema, Options{Lenient: true}, []string{c.accepted}, nil)
	}
}

func status(r *Result, pointer string) Status {
	for _, c := range r.Coverage {
		if c.Pointer == pointer {
			return c.Status
		}
	}
	return ""
}

// TestCoverage says what is reported of each keyword.
func TestCoverage(t *testing.T) {
	result := must.Get(Compile(context.Background(), []byte(`{
		"title": "ignored", "type": "object",
		"properties": {
			"a": {"type": "integer", "minimum": 1, "format": "int32"},
			"b": {"type": "string", "format": "date", "minLength": 2, "default": "x"},
			"c": {"type": "string", "maxLength": 100000000},
			"d": {"$ref": "#/$defs/d"},
			"e": {"type": "string", "minimum": 5},
			"f/g": {"type": "array", "uniqueItems": true, "items": {"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}
		},
		"required": ["a"], "$defs": {"d": {"type": "null"}, "unused": {"type": "array"}}}`), Options{}))(t)
	var got []string
	for _, c := range result.Coverage {
		got = append(got, fmt.Sprintf("%s %s", c.Pointer, c.Status))
		if (c.Status == Narrower || c.Status == Annotation) != (c.Reason != "") {
			t.Errorf("%s is %s because %q", c.Pointer, c.Status, c.Reason)
		}
	}
	want := strings.Split(`/type enforced
/properties enforced
/properties/a/type narrower
/properties/a/minimum narrower
/properties/a/format annotation
/properties/b/type enforced
/properties/b/format enforced
/properties/b/minLength enforced
/properties/c/type enforced
/properties/c/maxLength narrower
/properties/d/$ref enforced
/properties/e/type enforced
/properties/e/minimum enforced
/properties/f~1g/type enforced
/properties/f~1g/uniqueItems enforced
/properties/f~1g/items enforced
/properties/f~1g/items/enum narrower
/required enforced
/$defs/d/type enforced
/$defs/unused/type unused`, "\n")
	sortedWant, sortedGot := strings.Join(want, "\n"), strings.Join(got, "\n")
	for _, line := range want {
		if !strings.Contains(sortedGot+"\n", line+"\n") {
			t.Errorf("no %q in\n%s", line, sortedGot)
		}
	}
	for _, line := range got {
		if !strings.Contains(sortedWant+"\n", line+"\n") {
			t.Errorf("unexpected %q", line)
		}
	}
}

// TestNegatedNarrow says that a language that is only enforced narrowly is not complemented
// itself: what it leaves out would be accepted.
func TestNegatedNarrow(t *testing.T) {
	long := strings.Repeat("abcdefghi.", 20) + "org"
	check(t, `{"anyOf": [{"type": "null"}, {"not": {"format": "hostname"}}]}`, Options{}, []string{`null`}, []string{`"` + long + `"`, `"a.b"`})
	check(t, `{"type": "string", "not": {"format": "hostname"}}`, Options{}, []string{`"_"`, `"-a"`}, []string{`"` + long + `"`, `"a.b"`})
	_, err := Compile(context.Background(), []byte(`{"type": "string", "not": {"format": "regex"}}`), Options{})
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Errorf("the error is %v", err)
	}
	check(t, `{"type": "string", "not": {"format": "ipv4"}}`, Options{}, []string{`"x"`, `"1.2.3.400"`}, []string{`"1.2.3.4"`})
	check(t, `{"type": "string", "not": {"pattern": "^[^a]$"}}`, Options{}, []string{`"a"`, `"bb"`}, []string{`"b"`, `"\ufdd0"`})
}
