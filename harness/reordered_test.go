package harness

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/ask"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// grammarFor is the recognizer of a schema, nil if it has none.
func grammarFor(t *testing.T, s *datasets.Schema, loose bool) *recognizer.Recognizer {
	t.Helper()
	_, r, err := prepare.CompileSchema(t.Context(), prepare.CompileText, s, jsonschema.Options{Name: s.ID, LooseOrder: loose})
	if err != nil {
		return nil
	}
	return r
}

// TestOrdersAgree: an instance with its keys in order is taken by the schema's grammar where a
// grammar that leaves the order open takes the instance itself, for the most part, and nowhere
// else. A key that occurs twice, which the loose grammar forgives as well, no order mends.
func TestOrdersAgree(t *testing.T) {
	seed.Usual(t)
	path := filepath.Join("..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("needs a corpus of schemas: ", err)
	}
	src := must.Get(datasets.Open("maskbench", path, ""))(t)
	limit := seed.Rounds(300, 300, 0)
	set := must.Get(datasets.Load(context.Background(), src, datasets.Query{Limit: limit, Sample: true, Seed: 7}))(t)
	both, looseOnly, askedOnly := 0, 0, 0
	for i := range set.Samples {
		s := &set.Samples[i]
		if s.Negative {
			continue
		}
		strict := grammarFor(t, s.Schema, false)
		if strict == nil || prepare.Accepts(strict, s.Content) {
			continue
		}
		loose := grammarFor(t, s.Schema, true)
		forgiven := loose != nil && prepare.Accepts(loose, s.Content)
		asked := false
		for _, text := range ask.Reordered(s.Schema.Text, s.Content) {
			asked = asked || prepare.Accepts(strict, text)
		}
		both += stats.Truth(forgiven && asked)
		looseOnly += stats.Truth(forgiven && !asked)
		askedOnly += stats.Truth(!forgiven && asked)
		if forgiven != asked {
			t.Logf("%s: by the loose grammar %v, asked again %v", s.ID, forgiven, asked)
		}
	}
	t.Logf("refused for the order of keys by both rules: %d, by the loose grammar only: %d, asked again only: %d", both, looseOnly, askedOnly)
	share := seed.Rounds(3, 3, 10) // of a sample as small as that, one in three may be missed
	if both == 0 || askedOnly > 0 || looseOnly*share > both {
		t.Errorf("%d, %d and %d", both, looseOnly, askedOnly)
	}
}
