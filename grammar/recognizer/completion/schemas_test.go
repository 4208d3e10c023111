package completion_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestSchemas cuts valid instances of JSON schemas at random places: the completed text is
// accepted, and a validator that shares no code with the compiler of schemas says that it is valid.
func TestSchemas(t *testing.T) {
	list, err := schemas.Samples(t.Context())
	must.OK(t, err)
	more, err := schemas.Development(t.Context(), filepath.Join("..", "..", ".."), 10)
	if err != nil && !errors.Is(err, schemas.ErrUnavailable) {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	var all tally
	judged, compiled := 0, 0
	for _, s := range seed.Some(t, append(list, more...), 8, 2, 1) {
		r := schema(t, s.Text)
		if r == nil {
			continue
		}
		compiled++
		c := completion.New(r, completion.Options{})
		judge, err := labels.New(s.Text)
		if err != nil {
			judge = nil
		}
		for _, x := range s.Instances {
			if !x.Valid || r.Check(x.Text) != nil {
				continue
			}
			for range 4 {
				at := rng.IntN(len(x.Text) + 1)
				whole := all.cut(t, r, c, x.Text, at, s.ID)
				if judge == nil || whole == nil {
					continue
				}
				judged++
				if why, err := judge.Explain(whole); err != nil || why != "" && !jsontext.RepeatsKey(whole) {
					t.Errorf("%s: %s + %s: %s %v", s.ID, x.Text[:at], whole[at:], why, err)
				}
			}
		}
	}
	t.Logf("%d schemas, %d completions judged", compiled, judged)
	all.report(t)
}

// TestSchemaCases is schemas with the completion of a prefix.
func TestSchemaCases(t *testing.T) {
	for _, c := range []struct{ schema, prefix, want string }{
		{`{"type":"string","minLength":5,"maxLength":7}`, `"ab`, `aaa"`},
		{`{"type":"string","minLength":1000}`, ``, `"` + strings.Repeat("a", 1000) + `"`},
		{`{"type":"string","pattern":"^[0-9]{3}-[A-Z]{2,}$"}`, `"1`, `00-AA"`},
		{`{"type":"string","format":"date"}`, `"2024-1`, `0-01"`},
		{`{"type":"string","format":"uuid"}`, `"`, `aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"`},
		{`{"type":"integer","minimum":120,"maximum":4999}`, `4`, `e2`},
		{`{"type":"integer","minimum":120,"maximum":4999}`, `12`, `0`},
		{`{"type":"integer","multipleOf":25,"minimum":1}`, `3`, `e2`},
		{`{"type":"number","exclusiveMinimum":3}`, `3`, `0`},
		{`{"enum":["red","orange","orange juice"]}`, `"o`, `range"`},
		{`{"enum":["red","orange","orange juice"]}`, `"orange `, `juice"`},
		{`{"type":"array","items":{"type":"integer"},"minItems":100}`, `[7`, strings.Repeat(",0", 99) + `]`},
		{`{"type":"array","prefixItems":[{"const":1},{"const":"x"}],"minItems":2,"items":false}`, `[`, `1,"x"]`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"null"}},"required":["b"]}`, `{`, `"b":null}`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"null"}},"required":["b"]}`, `{"a`, `":"","b":null}`},
		{`{"oneOf":[{"properties":{"k":{"const":1},"long":{"minLength":9,"type":"string"}},"required":["k","long"]},
		  {"properties":{"k":{"const":2},"z":{"type":"boolean"}},"required":["k","z"]}]}`, `{"k":`, `2,"z":true}`},
		{`{"$defs":{"t":{"properties":{"next":{"$ref":"#/$defs/t"}},"required":["v"],"type":"object"}},"$ref":"#/$defs/t"}`, `{"next":{"next":{`, `"v":0},"v":0},"v":0}`},
	} {
		r := schema(t, []byte(c.schema))
		if r == nil {
			t.Fatalf("%s has no grammar", c.schema)
		}
		got, err := completion.New(r, completion.Options{}).Shortest(t.Context(), after(t, r, c.prefix))
		if err != nil || string(got.Text) != c.want || !got.Exact {
			t.Errorf("%s\n%s + %q, %v, %v; want %q", c.schema, c.prefix, got.Text, got.Exact, err, c.want)
		}
		judge := must.Get(labels.New([]byte(c.schema)))(t)
		if ok, err := judge.Valid([]byte(c.prefix + string(got.Text))); !ok {
			t.Errorf("%s\n%s%s is not valid: %v", c.schema, c.prefix, got.Text, err)
		}
	}
}

// schema compiles a JSON schema; nil if it has no grammar.
func schema(t testing.TB, text []byte) *recognizer.Recognizer {
	result, err := jsonschema.Compile(t.Context(), bytes.TrimSpace(text), jsonschema.Options{})
	if err != nil {
		return nil
	}
	r := must.Get(recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true}))(t)
	return r
}

// TestUniqueItems: no item of a completion is there already.
func TestUniqueItems(t *testing.T) {
	r := schema(t, []byte(`{"type": "array", "items": {"type": ["integer", "string"], "maximum": 1}, "uniqueItems": true, "minItems": 4}`))
	c := completion.New(r, completion.Options{})
	for _, prefix := range []string{``, `["a", "`, `[0,1,`, `["", 0`, `[1,-1,"a","`} {
		s, ok := r.Read(r.Start(), []byte(prefix))
		if !ok {
			t.Fatal(prefix)
		}
		got, err := c.Shortest(t.Context(), s)
		if text := prefix + string(got.Text); err != nil || r.Check([]byte(text)) != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
