package constraints

import (
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

func schemaOptions() SchemaOptions {
	return SchemaOptions{Repeat: 1, Naive: 1, Kept: jsonschema.NewKept(), Engines: new([5]algorithms.Kept), Timeout: time.Minute}
}

func load(t *testing.T, name string) *tokenizers.Tokenizer {
	t.Helper()
	tok := must.Get(tokenizers.Load(t.Context(), name, tokenizers.Options{Offline: true}))(t)
	return tok
}

// TestMeasureSchema: what is regular is compared and timed, and what is not has its reason.
func TestMeasureSchema(t *testing.T) {
	tok := load(t, "r50k_base[:2000]")
	for _, c := range []struct{ name, text, outcome, detail string }{
		{"closed", `{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"enum": ["x", null]}}, "required": ["a"], "additionalProperties": false}`, Regular, ""},
		{"further keys", `{"type": "object", "properties": {"a": {"type": "array"}}, "additionalProperties": {"type": "string"}}`, Recursive, "leads back to the rule"},
		{"a tree", `{"type": "object", "properties": {"of": {"$ref": "#"}}, "additionalProperties": false}`, Recursive, "leads back to the rule"},
		{"long", `{"type": "object", "properties": {"a": {"type": "array", "minItems": 200, "maxItems": 200, "items": {"type": "string", "minLength": 300, "maxLength": 300}}}, "required": ["a"], "additionalProperties": false}`, TooLarge, "too many"},
		{"no schema", `{"type": "odd"}`, NotGrammar, "no such type"},
	} {
		instances := [][]byte{[]byte(`{"a": [1, 22], "b": "x"}`), []byte(`{"a": [1.5]}`), []byte(`{}`)}
		row, err := MeasureSchema(t.Context(), &datasets.Schema{ID: c.name, Text: []byte(c.text)}, instances, tok, schemaOptions())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if row.Outcome != c.outcome || !strings.Contains(row.Detail, c.detail) || row.Instances != 3 {
			t.Errorf("%s: %s, %q, expected %s, %q", c.name, row.Outcome, row.Detail, c.outcome, c.detail)
		}
		if c.outcome != Regular {
			continue
		}
		if row.Accepted != 1 || row.Positions < 10 || row.Asked != row.Positions || row.States < 10 || row.Rules < 3 ||
			len(row.Finite.First) < 5 || len(row.Finite.Again) != len(row.Finite.First) || len(row.Stack.First) != len(row.Finite.First) || row.Finite.CompileNS <= 0 || row.Finite.Bytes <= 0 {
			t.Errorf("%s: %+v", c.name, row)
		}
	}
}

// TestSchemaDifference: a mask that is not psc's is found, and one that is not naive's.
func TestSchemaDifference(t *testing.T) {
	tok := load(t, "r50k_base[:500]")
	s := &datasets.Schema{ID: "s", Text: []byte(`{"enum": ["x"]}`)}
	for name, spoil := range map[string]func(*schemaMeasure){
		"psc true":    func(m *schemaMeasure) { m.stack[0] = flipped{m.stack[0]} },
		"naive true":  func(m *schemaMeasure) { m.naive = flipped{m.naive} },
		"psc false":   func(m *schemaMeasure) { m.finite[0] = flipped{m.finite[0]} },
		"naive false": func(m *schemaMeasure) { m.finite[0], m.stack[0] = flipped{m.finite[0]}, flipped{m.stack[0]} },
	} {
		m := &schemaMeasure{row: &SchemaRow{}, tok: tok}
		if ok, err := m.compile(t.Context(), s, schemaOptions()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		must.Get(m.compare(t.Context(), nil, 1))(t)
		spoil(m)
		if _, err := m.compare(t.Context(), nil, 1); err == nil || !strings.Contains(err.Error(), `"~"`) && !strings.Contains(err.Error(), "after 0 tokens") || !strings.HasSuffix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
