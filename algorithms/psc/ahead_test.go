package psc

import (
	"math/rand/v2"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// TestAheadStarts looks at what a compile builds: starts of a JSON schema, no more than it may, and
// nothing where it is switched off, is done eagerly anyway, or has no strings to follow apart.
func TestAheadStarts(t *testing.T) {
	many := `{"type":"object","properties":{`
	for i := range 200 {
		if i > 0 {
			many += ","
		}
		many += `"k` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":{"type":"object","properties":{"a":{"enum":["x","y"]}}}`
	}
	many += `}}`
	v := randomVocabulary(t, rand.New(rand.NewPCG(1, 2)), 300)
	for _, c := range []struct {
		name, schema string
		options      algorithms.Options
		least, most  float64
	}{
		{"an object", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["x","y"]}}}`, nil, 6, maxStarts},
		{"many objects", many, nil, maxStarts / 2, maxStarts}, // equal starts are shared
		{"a boolean", `{"type":"boolean"}`, nil, 0, 0},
		{"switched off", many, algorithms.Options{"ahead": "off"}, 0, 0},
		{"without slices", many, algorithms.Options{"slices": "off"}, 0, 0},
	} {
		e := compile(t, schemaProblem(t, c.schema, v), c.options)
		if n := realtext.Counter(e, "starts"); n > 0 {
			t.Errorf("%s: %v starts are there before the first text", c.name, n)
		}
		for s := e.Start(); algorithms.Idle(s); {
		}
		if n := realtext.Counter(e, "starts"); n < c.least || n > c.most {
			t.Errorf("%s: %v starts built ahead, want %v to %v", c.name, n, c.least, c.most)
		}
	}
}

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
