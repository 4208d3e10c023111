package legality_test

import (
	"context"
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func compile(t testing.TB, name string, p *algorithms.Problem, o algorithms.Options) algorithms.Engine {
	t.Helper()
	e := must.Get(realtext.Lookup(t, name).Compile(context.Background(), p, o))(t)
	return e
}

// TestRealText compares masks along programs with trie's: of one program of each kind of grammar,
// or if GCDBENCH_FULL is set of several in all languages.
func TestRealText(t *testing.T) {
	type run struct {
		grammar, tokenizer string
		options            algorithms.Options
		onDemand           bool
	}
	runs := []run{
		{"json", "r50k_base", algorithms.Options{"rows": "eager"}, false},
		{"java", "r50k_base", nil, false},
		{"java", "r50k_base", algorithms.Options{"basis": "terminal"}, true},
		{"python", "r50k_base", nil, false},
	}
	documents, positions := 1, 60
	if seed.Full() {
		runs, documents, positions = nil, 5, 200
		for _, grammar := range []string{"json", "java", "go", "python", "sql"} {
			for _, tokenizer := range []string{"o200k_base", "llama3", "gemma3"} {
				runs = append(runs, run{grammar, tokenizer, nil, false}, run{grammar, tokenizer, algorithms.Options{"basis": "terminal"}, true},
					run{grammar, tokenizer, algorithms.Options{"joint": "off"}, false})
			}
		}
	}
	for _, r := range seed.Some(t, runs, 2, 1, 1) {
		t.Run(fmt.Sprint(r.grammar, "/", r.tokenizer, "/", r.options), func(t *testing.T) {
			c := realtext.NeedWith(t, r.grammar, r.tokenizer, documents, recognizer.Options{OnDemand: r.onDemand})
			p := c.Problem
			compared := 0
			want, got := compile(t, "trie", p, nil), compile(t, "legality", p, r.options)
			for _, ids := range c.Texts {
				compared += compare(t, p, want.Start(), got.Start(), ids, 1+len(ids)/positions)
			}
			t.Logf("%d positions; %v", compared, got.Stats())
		})
	}
}

// compare walks both states along a text and compares masks at every so many positions.
func compare(t *testing.T, p *algorithms.Problem, want, got algorithms.State, ids []int32, every int) (compared int) {
	t.Helper()
	for i, id := range ids {
		if i%every == 0 {
			compared++
			if d := got.Mask().FirstDifference(want.Mask()); d >= 0 {
				t.Fatalf("position %d: token %d %q: trie says %v", i, d, p.Vocabulary.Token(d), want.Mask().Has(d))
			}
		}
		for _, s := range []algorithms.State{want, got} {
			if err := s.Commit(int(id)); err != nil {
				t.Fatalf("position %d: %v", i, err)
			}
		}
	}
	return compared
}
