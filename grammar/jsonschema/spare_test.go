package jsonschema

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
)

// TestSpared: what is left out of a oneOf for the time that it takes does not depend on what was
// tried before: runs that came to no end take nothing from the next one.
func TestSpared(t *testing.T) {
	var branches []string
	for i := range 9 {
		branches = append(branches, fmt.Sprintf(`{"type": "object", "properties": {"type": {"enum": ["t%d"]}, "own_%d": {"type": "boolean"}, "label": {"type": "string"}, "help": {"type": "string"}, "size": {"type": "number"}}, "required": ["label"], "additionalProperties": false}`, i, i/2))
	}
	opt := Options{}.withDefaults()
	root := must.Get(parseSchema(opt, fmt.Appendf(nil, `{"oneOf": [%s]}`, strings.Join(branches, ", "))))(t)
	open := func() *emitter { return newEmitter(t.Context(), must.Get(newDocument(root, opt))(t), opt) }
	c, fresh := open(), open()
	for range 200 {
		c.pairs = 0
		if _, err := c.cases(c.doc.start(), scope{kind: jsontext.Object, pairs: 200}); err != errTooLong {
			t.Fatalf("a run of 200 pairs: %v", err)
		}
	}
	c.pairs = 0
	want := must.Get(fresh.cases(fresh.doc.start(), outermost(jsontext.Object)))(t)
	got := must.Get(c.cases(c.doc.start(), outermost(jsontext.Object)))(t)
	if got.partial || want.partial || len(got.clauses) != len(want.clauses) {
		t.Errorf("%d cases (some left out: %v), and %d (%v) after runs that came to no end", len(want.clauses), want.partial, len(got.clauses), got.partial)
	}
}
