package schemas_test

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// uniques are schemas with items that must differ, or two of which must be equal, and instances in
// which items begin alike.
var uniques = []schemas.Schema{
	{ID: "strings", Text: []byte(`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`), Instances: []schemas.Instance{
		{Text: []byte(`{"tags": ["read", "reader", "write", "writer", "re\u0061d only", ""]}`)},
		{Text: []byte(`{"tags": ["", "", "a"]}`)},
	}},
	{ID: "numbers", Text: []byte(`{"type":"array","items":{"type":"number"},"uniqueItems":true}`), Instances: []schemas.Instance{
		{Text: []byte(`[1, 10, 100, 1.5, 1.50001, -1, 0, 15, 12e3]`)},
		{Text: []byte(`[10, 1e1]`)},
	}},
	{ID: "objects", Text: []byte(`{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}},"uniqueItems":true}`), Instances: []schemas.Instance{
		{Text: []byte(`[{"id": 1, "name": "first"}, {"id": 1, "name": "first one"}, {"id": 1}, {}, {"id": 10, "name": "first"}]`)},
		{Text: []byte(`[{"id": 1, "x": 1, "x": 2}, {"id": 1, "x": 1, "x": 2}]`)},
	}},
	{ID: "anything", Text: []byte(`{"uniqueItems":true}`), Instances: []schemas.Instance{
		{Text: []byte(`[[], [[]], [[[]]], {"a": []}, {"a": [1]}, true, null, "true", [1, 1], [1, "1"]]`)},
		{Text: []byte(`[["a"], ["a", "a"], ["a"]]`)},
	}},
	{ID: "one or the other", Text: []byte(`{"type":"array","items":{"type":["string","integer"]},"oneOf":[{"uniqueItems":true},{"minItems":3}]}`), Instances: []schemas.Instance{
		{Text: []byte(`["a", "b"]`)}, {Text: []byte(`["a", "b", "a", 1]`)}, {Text: []byte(`[1, 2, 3]`)},
	}},
}

// TestUniqueItems holds every algorithm to naive on items that are compared, with all ways of
// compiling a schema: on a part of a vocabulary, and in long runs on all of it.
func TestUniqueItems(t *testing.T) {
	seed.Usual(t)
	tok := must.Get(tokenizers.Load(t.Context(), fmt.Sprintf("o200k_base[:%d]", seed.Rounds(1000, 1500, 200_000)), tokenizers.Options{Offline: true}))(t)
	for i, o := range []jsonschema.Options{{}, {WhiteSpace: jsonschema.AnySpace, AnyOrder: true}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			compareAll(t, &schemas.Comparison{
				Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation, Schema: o,
				Reference: entry(t, "naive", nil), Entries: everyone(t), Limit: compileLimit, Branches: 4, Seed: 4,
			}, uniques)
		})
	}
}

// BenchmarkUniqueItems is a mask and a commit in an array of strings, with and without unique
// items, which begin alike or do not.
func BenchmarkUniqueItems(b *testing.B) {
	tok := must.Get(tokenizers.Load(b.Context(), "o200k_base", tokenizers.Options{Offline: true}))(b)
	for _, items := range []int{10, 100} {
		for _, name := range []string{"item %d of the list", "%d"} {
			list := make([]string, items)
			for i := range list {
				list[i] = fmt.Sprintf("%q", fmt.Sprintf(name, i))
			}
			ids := must.Get(tok.EncodeContinuation([]byte("[" + strings.Join(list, ", ") + "]")))(b)
			for _, schema := range []string{`{"type":"array","items":{"type":"string"},"uniqueItems":true}`, `{"type":"array","items":{"type":"string"}}`} {
				e := openEngine(b, "psc", schema, tok)
				row := make([]uint64, algorithms.MaskWords(tok.Vocabulary().Len()))
				pass := func(b *testing.B) {
					s := e.Start()
					for _, id := range ids {
						algorithms.Deliver(s, row)
						must.OK(b, s.Commit(int(id)))
					}
				}
				pass(b) // what is built is built
				b.Run(fmt.Sprintf("%d/%s/%v", items, name, strings.Contains(schema, "unique")), func(b *testing.B) {
					for b.Loop() {
						pass(b)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/step")
				})
			}
		}
	}
}
