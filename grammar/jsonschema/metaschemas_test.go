package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
)

// TestMetaSchemas compares the meta-schemas with those of the other validator: on a schema with
// each of many values for each keyword, in each draft.
func TestMetaSchemas(t *testing.T) {
	values := []string{`1`, `-1`, `0`, `1.5`, `true`, `"a"`, `"a b"`, `"["`, `"#"`, `"http://x/y"`, `"http://x/y#"`, `null`, `[]`, `{}`, `["a"]`, `["a", "a"]`, `["b", "a"]`, `{"a": ["b", "b"]}`, `[1]`, `[{}]`, `[true]`, `"string"`, `["string"]`,
		`{"a": {}}`, `{"a": true}`, `{"a": ["b"]}`, `{"a": 1}`, `{"[": {}}`, `{"http://x/y": true}`, `{"type": "text"}`, `[{"type": 1}]`, `{"a": {"minimum": "x"}}`}
	for uri, d := range metaURIs {
		name := uri
		if d <= draft7 {
			name += "#"
		}
		schema := fmt.Sprintf(`{"$schema": %q, "allOf": [{"$ref": %q}]}`, name, name)
		accepts, _, err := acceptance(schema, Options{AnyOrder: true})
		must.OK(t, err)
		judge := must.Get(labels.New([]byte(schema)))(t)
		for _, k := range metaKeywords {
			for _, keyword := range strings.Fields(k.names) {
				// Where its copies of the drafts say something else than those that are published.
				if slices.Contains([]string{"4 $ref", "4 $schema", "6 examples", "7 enum"}, fmt.Sprint(int(d), " ", keyword)) {
					continue
				}
				for _, value := range values {
					text := fmt.Sprintf(`{%q: %s}`, keyword, value)
					want, err := judge.Valid([]byte(text))
					if got := accepts(text); err != nil || got != want {
						t.Errorf("%s: %s: accepted is %v, valid is %v %v", uri, text, got, want, err)
					}
				}
			}
		}
	}
}
