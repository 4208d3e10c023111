package psc

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// TestAheadTrees: a compile builds the trees of all lexer states of a program, and none where that
// is switched off.
func TestAheadTrees(t *testing.T) {
	p := nested(t)
	for ahead, want := range map[string]int{"on": p.Lexer.NumStates(), "off": 0} {
		e, n := compile(t, p, algorithms.Options{"ahead": ahead}), 0
		for q := range p.Lexer.NumStates() {
			if e.core.Load().auto.spans.roots.get(int32(q)) != nil {
				n++
			}
		}
		if n != want {
			t.Errorf("ahead=%s: trees of %d lexer states are built, want %d", ahead, n, want)
		}
	}
}

// TestReadOn: between steps the engine builds what the next mask needs, as far as it can be told:
// the steps of a text then build a few starts. Where that is switched off they build nearly all.
func TestReadOn(t *testing.T) {
	const schema = `{"type":"object","required":["name","port"],"properties":{"name":{"enum":["red","green"]},"port":{"type":"integer"},
		"on":{"type":"boolean"},"in":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}},"additionalProperties":false}`
	v := realtext.Vocabulary(t, `{"`, "name", `":`, ` "`, "red", `",`, "port", " ", "1", ",", "on", " true", "in", ` {"`, "a", "x", `"}`, "}", `"`, ":", "e", "r", "d")
	text := []string{`{"`, "name", `":`, ` "`, "red", `",`, ` "`, "port", `":`, " ", "1", ",", ` "`, "on", `":`, " true", ",", ` "`, "in", `":`, ` {"`, "a", `":`, ` "`, "x", `"}`, "}"}
	for ahead, most := range map[string]int{"on": 4, "off": len(text)} {
		s := compile(t, schemaProblem(t, schema, v), algorithms.Options{"ahead": ahead}).Start()
		e, built := s.(*gen).engine, 0
		for i, token := range text {
			before := realtext.Counter(e, "starts")
			id := -1
			for k := range v.Len() {
				if string(v.Token(k)) == token {
					id = k
				}
			}
			if !s.Mask().Has(id) {
				t.Fatalf("ahead=%s: token %d, %q, is not allowed", ahead, i, token)
			}
			if realtext.Counter(e, "starts") != before {
				built++
			}
			for algorithms.Idle(s) {
			}
			must.OK(t, s.Commit(id))
		}
		if built > most || ahead == "off" && built < len(text)/2 {
			t.Errorf("ahead=%s: %d of %d masks built a start, at most %d are to", ahead, built, len(text), most)
		}
	}
}
