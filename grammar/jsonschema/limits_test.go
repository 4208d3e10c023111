package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"gcdbench/internal/seed"
	"strings"
	"testing"
)

// TestLimits gives the compiler what is large: each schema compiles, or has an outcome that says
// what is too large. Times are not tested; the work is bounded by what is counted.
func TestLimits(t *testing.T) {
	keys := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s\"property_%d\": %s", []string{", ", ""}[btoi(i == 0)], i, value)
		}
		return b.String()
	}
	list := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ", ")
	}
	for _, c := range seed.Some(t, []struct {
		name, schema string
		want         string // in the error; "" if it compiles
	}{
		{"2 MB of annotations", `{"description": "` + strings.Repeat("x", 2<<20) + `"}`, ""},
		{"2 MB of keys", `{"properties": {` + keys(30_000, `{"type": "string", "description": "some text to make it long"}`) + `}}`, "more than 2000 keys"},
		{"1,000 keys", `{"type": "object", "properties": {` + keys(1000, `{"type": "string"}`) + `}, "additionalProperties": false}`, ""},
		{"1,000 keys and others", `{"type": "object", "properties": {` + keys(1000, `{"type": "integer"}`) + `}}`, ""},
		{"1,000 keys that are counted", `{"type": "object", "properties": {` + keys(1000, `{}`) + `}, "maxProperties": 500}`, "more than 60000 rules"},
		{"nested 900 deep", strings.Repeat(`{"items": `, 900) + `{}` + strings.Repeat(`}`, 900), ""},
		{"nested 10,000 deep", strings.Repeat(`{"not": `, 9999) + `{}` + strings.Repeat(`}`, 9999), "schemas are nested more than 1000 deep"},
		{"nested deeper than is read", strings.Repeat(`{"items": `, 10_001), "nested more than 10000 deep"},
		{"maxLength of 100 million", `{"type": "string", "maxLength": 100000000}`, ""},
		{"minLength of 30 million", `{"type": "string", "minLength": 30000000}`, ""},
		{"minLength of 40 million", `{"type": "string", "minLength": 40000000}`, "/minLength: unsupported"},
		{"anyOf with large lengths", `{"anyOf": [{"type": "string", "maxLength": 60000}, {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 65000}]}`, ""},
		{"names with a large length", `{"type": "object", "propertyNames": {"pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 60000}}`, ""},
		{"minLength and maxLength of a pattern", `{"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": 3, "maxLength": 100000}`, ""},
		{"pattern with a large count", `{"pattern": "^(ab|ba){60000}$"}`, ""},
		{"pattern with a very large count", `{"pattern": "^(ab|ba){6000000}$"}`, "/pattern: unsupported"},
		{"pattern that explodes", `{"pattern": "(a|b)*a(a|b){30}c"}`, ""},
		{"5,000 strings", `{"enum": [` + list(5000, `"value number %d"`) + `]}`, ""},
		{"3,000 numbers", `{"enum": [` + list(3000, `%d.5`) + `]}`, ""},
		{"500 objects", `{"enum": [` + list(500, `{"a": %d}`) + `]}`, ""},
		{"5,000 objects", `{"enum": [` + list(5000, `{"a": %d}`) + `]}`, "more than 1000 alternatives"},
		{"maxItems", `{"type": "array", "items": {"type": "null"}, "maxItems": 1000000}`, ""},
		{"minItems", `{"type": "array", "items": {"type": "null"}, "minItems": 1000000}`, "/minItems: unsupported"},
		{"multipleOf", `{"multipleOf": 123456}`, ""},
		{"exponents", `{"minimum": 1e400, "maximum": 1e999999999}`, "/maximum: has an exponent"},
		{"oneOf that explodes", `{"oneOf": [` + list(12, `{"properties": {"a%[1]d": {"type": "string"}, "b%[1]d": {"type": "null"}, "c%[1]d": {}, "d%[1]d": {"minimum": 1}}}`) + `]}`, ""},
		{"anyOf of 500", `{"anyOf": [` + list(500, `{"properties": {"kind": {"const": "k%d"}}, "required": ["kind"]}`) + `]}`, ""},
	}, 3, 1, 1) {

		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(context.Background(), []byte(c.schema), Options{})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestErrors says that each kind of bad input has one clear error, which names the place.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{"", "schema:1:1: the document ends where a JSON value is expected"},
		{"{\n  \"type\": \"string\",\n}", "schema:3:1: expected a key in quotes"},
		{"\ufeff{}", "schema:1:1: the file begins with a byte order mark; save it as UTF-8 without one"},
		{"\xff\xfe{\x00}\x00", "schema:1:1: the file begins with a byte order mark; save it as UTF-8 without one"},
		{"{\"é\": x}", "schema:1:7: no JSON value can begin with 'x'"},
		{"{} {}", "schema:1:4: there is more text"},
		{"{\"a\": 01}", "schema:1:8: expected , or }"},
		{"{\"a\": \"\x01\"}", "control character"},
		{"[]", "/: a schema is an object, true or false"},
		{`{"type": []}`, "/type: must have at least one type"},
		{`{"allOf": [true, {"properties": {"a/b": []}}]}`, "/allOf/1/properties/a~1b: must be a schema"},
		{"Æ", "schema:1:1: no JSON value can begin with 'Æ'"},
		{`{"type": "strin"}`, "/type: there is no such type"},
		{`{"properties": {"a/b": {"minimum": "3"}}}`, "/properties/a~1b/minimum: must be a number"},
		{`{"multipleOf": 0}`, "/multipleOf: must be greater than 0"},
		{`{"minLength": "1e"}`, "/minLength: must be an integer"},
		{`{"minLength": -1}`, "/minLength: must be an integer"},
		{`{"required": [1]}`, "/required: must be an array of strings"},
		{`{"anyOf": []}`, "/anyOf: must be an array of at least one schema"},
		{`{"properties": {"a": 1}}`, "/properties/a: must be a schema"},
		{`{"items": {"$ref": "#/$defs/none"}}`, `/items/$ref: cannot resolve the reference "#/$defs/none": there is nothing at that place`},
		{`{"$ref": "https://example.com/other.json"}`, "nothing is fetched"},
		{`{"$ref": "#name"}`, "there is no such anchor"},
		{`{"$ref": "#"}`, "refers to itself"},
		{`{"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#"}]}}}`, "refers to itself"},
		{`{"pattern": "a("}`, "/pattern: the pattern \"a(\" is not a regular expression: a group does not end at character 3"},
		{`{"pattern": "[b-a]"}`, "a range of characters is in the wrong order"},
		{`{"pattern": "*"}`, "a quantifier has nothing to repeat"},
		{`{"patternProperties": {"[": {}}}`, "/patternProperties: the pattern \"[\""},
		{`{"pattern": "(a)\\1"}`, "/pattern: unsupported: the pattern has what is not regular; back references"},
		{`{"pattern": "(?<!^)a"}`, "/pattern: unsupported: the pattern has what is not regular; an assertion inside of a lookbehind"},
		{`{"const": 1e1000}`, "/const: has an exponent beyond 1000"},
		{`{"not": {"enum": ["a", {"b": [1, 1e-5000]}]}}`, "/not/enum: has an exponent beyond 1000"},
		{`{"uniqueItems": "true"}`, "/uniqueItems: must be true or false"},
		{`{"dependentRequired": {"a": "b"}}`, "/dependentRequired: must be an array of strings"},
		{`{"enum": []}`, "no value satisfies enum"},
		{`{"type": "integer", "minimum": 2, "maximum": 1}`, "contradictory"},
		{`{"type": "string", "minLength": 3, "maxLength": 2}`, "contradictory"},
		{`{"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}`, "contradictory"},
		{`{"type": "object", "required": ["a"], "properties": {"a": false}}`, "contradictory"},
		{`{"type": "array", "minItems": 1, "items": {"$ref": "#"}}`, "contradictory"},
		{`{"allOf": [{"type": "string"}, {"type": "null"}]}`, "contradictory"},
		{`false`, "contradictory"},
	} {
		_, err := Compile(context.Background(), []byte(c.schema), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: the error is %v, want one with %q", c.schema, err, c.want)
		}
	}
}

// TestCancel says that a compile stops when it is told to.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compile(ctx, []byte(`{}`), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRefusedEnum says that an enum of too many objects is what the coverage says is refused.
func TestRefusedEnum(t *testing.T) {
	for _, schema := range []string{`%s`, `{"properties": {"x": %s}}`} {
		result, err := Compile(context.Background(), []byte(strings.ReplaceAll(schema, "%s", `{"enum": [`+listed(1500, `{"a": %d}`)+`]}`)), Options{})
		pointer := map[bool]string{false: "/enum", true: "/properties/x/enum"}[strings.Contains(schema, "x")]
		if err == nil || status(result, pointer) != Refused {
			t.Errorf("%s: %v: %.200v", schema, err, result)
		}
	}
}

// TestReasons says by which text unsupported schemas are counted: a fixed one for each kind.
func TestReasons(t *testing.T) {
	for _, c := range []struct{ schema, keyword, reason string }{
		{`{"pattern": "(?=(a|b)*a(a|b){30}c)\\b"}`, "pattern", "the automaton is too large"},
		{`{"pattern": "(a)\\1"}`, "pattern", "the pattern has what is not regular"},
		{`{"minLength": 70000000}`, "minLength", "a minimum this large is not counted"},
		{`{"minItems": 50000}`, "minItems", "a minimum this large is not counted"},
	} {
		kept := NewKept()
		for range 2 { // what is kept between compiles is not changed by one
			_, err := Compile(context.Background(), []byte(c.schema), Options{Kept: kept})
			var unsupported *UnsupportedError
			if !errors.As(err, &unsupported) || unsupported.Pointer != "/"+c.keyword || unsupported.Keyword != c.keyword || unsupported.Reason != c.reason {
				t.Errorf("%s: %v: %q", c.schema, err, unsupported)
			}
		}
	}
}

// TestLooseOrder says what Options.LooseOrder is for: it accepts what is refused for the order of
// keys.
func TestLooseOrder(t *testing.T) {
	schema := `{"properties": {"a": {"type": "integer"}, "b": {"type": "null"}}, "required": ["b"], "additionalProperties": {"type": "string"}, "maxProperties": 3}`
	check(t, schema, Options{}, []string{`{"a": 1, "b": null, "c": ""}`}, []string{`{"b": null, "a": 1}`, `{"b": null, "b": null}`, `{"c": "", "b": null}`})
	check(t, schema, Options{LooseOrder: true}, []string{`{"a": 1, "b": null, "c": ""}`, `{"b": null, "a": 1}`, `{"b": null, "b": null}`, `{"c": "", "b": null}`, `{}`},
		[]string{`{"a": null}`, `{"b": 1}`, `{"c": 1}`, `[1]x`})
}
