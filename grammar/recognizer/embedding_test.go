package recognizer_test

import (
	"fmt"
	"reflect"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestEmbedded reads texts of a grammar that embeds schemas, byte by byte.
func TestEmbedded(t *testing.T) {
	for _, c := range []struct {
		name, grammar string
		yes, no       []string
	}{
		{"call", `%lexer contextual
start: (talk call)* rest?
talk: %until "<call>"
rest: %without "<call>"
call: "{\"name\": \"a\", \"arguments\": " %json {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": false} "}</call>"
    | "{\"name\": \"ab\", \"arguments\": " %json {"type": "array", "items": {"enum": ["u", 1]}} "}</call>"
`, []string{"", "hello", "<call", "hi <call>{\"name\": \"a\", \"arguments\": {\"x\": 12}}</call>", "<call>{\"name\": \"ab\", \"arguments\": [\"u\", 1]}</call>bye <call"},
			[]string{"<call>", "hi <call>{\"name\": \"a\", \"arguments\": {\"y\": 12}}</call>", "<call>{\"name\": \"a\", \"arguments\": {\"x\": 12}</call>", "<call>{\"name\": \"ab\", \"arguments\": {\"x\": 1}}</call>"}},
		{"scalar", "%lexer contextual\nstart: \"n=\" %json {\"type\": \"integer\"} \";\" %json {\"type\": \"string\"}\n",
			[]string{`n=12;"x"`, `n=-1;""`}, []string{`n=;""`, `n=1`, `n=1.5;""`, `n=1;x`, `n=1;"x" `}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must.Get(lark.Parse([]byte(c.grammar), lark.Options{File: "test.lark"}))(t)
			r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
			whole := must.Get(r.Whole(t.Context()))(t)
			for _, r := range []*recognizer.Recognizer{r, whole} {
				for _, text := range c.yes {
					if s, ok := r.Read(r.Start(), []byte(text)); !ok || !r.End(s) {
						t.Errorf("%q is refused: read %v (whole %v)", text, ok, r == whole)
					}
				}
				for _, text := range c.no {
					if s, ok := r.Read(r.Start(), []byte(text)); ok && r.End(s) {
						t.Errorf("%q is accepted (whole %v)", text, r == whole)
					}
				}
			}
		})
	}
}

// TestEmbeddedExplained explains every beginning of a text by a recognizer that has not read any of
// it: one that has written the rules before says the same.
func TestEmbeddedExplained(t *testing.T) {
	g := must.Get(lark.Parse([]byte("%lexer contextual\nstart: \"n=\" %json {\"type\": \"object\", \"properties\": {\"key\": {\"type\": \"string\"}}, \"required\": [\"key\"], \"additionalProperties\": false} \"}\"\n"), lark.Options{}))(t)
	text := []byte(`n={"key": "x"}}`)
	for i := range len(text) + 1 {
		for _, token := range []string{"", "?", "\"", "}", "}}", `{"key": "`} {
			r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
			e := must.Get(r.Explain(text[:i], []byte(token)))(t)
			again := must.Get(r.Explain(text[:i], []byte(token)))(t)
			if !reflect.DeepEqual(e, again) {
				t.Errorf("%q, %q: %+v, and once more %+v", text[:i], token, e, again)
			}
			if first, second := r.Check([]byte(string(text[:i])+token)), r.Check([]byte(string(text[:i])+token)); fmt.Sprint(first) != fmt.Sprint(second) {
				t.Errorf("%q, %q: %v, and once more %v", text[:i], token, first, second)
			}
		}
	}
}

// TestEmbeddedTwice makes two recognizers of one grammar, of which each writes its own rules.
func TestEmbeddedTwice(t *testing.T) {
	g := must.Get(lark.Parse([]byte("%lexer contextual\nstart: \"n=\" %json {\"type\": \"array\", \"items\": {\"type\": \"integer\"}} \";\"\n"), lark.Options{}))(t)
	for range 3 {
		r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
		if s, ok := r.Read(r.Start(), []byte("n=[1, 2];")); !ok || !r.End(s) {
			t.Error("refused")
		}
	}
}
