package schemas_test

import (
	"errors"
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// variants are options that must make no difference to masks, some for each algorithm.
var variants = map[string][]algorithms.Options{
	"psc":         {{"compile": "eager"}, {"cache": "off"}, {"memo": "off", "prune": "off"}},
	"greatgramma": {{"tables": "lazy"}, {"memo": "off", "prune": "off"}, {"share": "off", "always": "off"}, {"slices": "off"}},
	"legality":    {{"rows": "eager"}, {"basis": "terminal"}, {"joint": "off"}, {"stack": "2"}, {"slices": "off"}, {"always": "off", "never": "off"}},
	"parserdwa":   {{"determinize": "eager"}, {"determinize": "none"}, {"slices": "off"}},
	"trie":        {{"slices": "off"}},
}

// varied is everyone with the options whose turn it is.
func varied(list map[string]conformance.Entry, turn uint64) map[string]conformance.Entry {
	out := map[string]conformance.Entry{}
	for name, c := range list {
		out[name] = c
		if more := variants[name]; len(more) > 0 {
			c.Options = more[turn%uint64(len(more))]
			out[fmt.Sprintf("%s %v", name, c.Options)] = c
		}
	}
	return out
}

// TestRandom holds every algorithm to naive on small random schemas, with all variants of options,
// both builds of the lexer, and white space anywhere or not: along instances, and on random walks.
func TestRandom(t *testing.T) {
	seeds := seed.Rounds(20, 40, 2000)
	list := everyone(t)
	compared, positions, masks := 0, 0, 0
	for seed := range seed.Each(t, seeds) {
		s := schemas.Random(seed)
		v, err := s.Vocabulary()
		must.OK(t, err)
		c := &schemas.Comparison{
			Vocabulary: v, Split: s.Split, Reference: entry(t, "naive", nil), Entries: varied(list, seed/2),
			Walks: 3, Steps: 20, Branches: 4, Commits: seed%8 == 0, Seed: seed, Limit: compileLimit,
			Ahead: seed%2 == 0, Schema: jsonschema.Options{WhiteSpace: jsonschema.WhiteSpace(seed / 2 % 2), AnyOrder: seed%5 == 0},
		}
		o, err := c.Compare(t.Context(), s.Schema)
		var d *schemas.Difference
		if errors.As(err, &d) {
			t.Fatalf("seed %d: %v\nvocabulary %q", seed, d, s.Tokens)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.Schema.Text)
		}
		if o.Refused != nil {
			t.Logf("seed %d: %v: %s", seed, o.Refused, s.Schema.Text)
			continue
		}
		for name, err := range o.Missing {
			t.Errorf("seed %d: %s took no part: %v", seed, name, err)
		}
		compared++
		positions += o.Positions
		masks += o.Masks
	}
	t.Logf("%d seeds: %d schemas, %d positions, %d masks", seeds, compared, positions, masks)
	if compared < seeds*3/4 {
		t.Errorf("only %d of %d random schemas compile: the generator is no good", compared, seeds)
	}
}
