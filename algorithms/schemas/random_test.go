package schemas_test

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"gcdbench/algorithms/realtext"
	"gcdbench/algorithms/schemas"
)

// TestRandom holds every algorithm to naive on small random schemas: along instances, and on random walks.
// SCHEMAS_SEED runs one seed.
func TestRandom(t *testing.T) {
	first, seeds := uint64(1), uint64(300)
	if realtext.Full() {
		seeds = 5000
	}
	if v, err := strconv.ParseUint(os.Getenv("SCHEMAS_SEED"), 10, 64); err == nil {
		first, seeds = v, 1
	}
	list := everyone(t)
	compared, positions, masks := 0, 0, 0
	for seed := first; seed < first+seeds; seed++ {
		s := schemas.Random(seed)
		v, err := s.Vocabulary()
		if err != nil {
			t.Fatal(err)
		}
		c := &schemas.Comparison{
			Vocabulary: v, Split: s.Split, Reference: contestant(t, "naive", nil), Contestants: list,
			Walks: 3, Steps: 20, Branches: 4, Commits: seed%8 == 0, Seed: seed, Limit: compileLimit,
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
	t.Logf("seeds %d to %d: %d schemas, %d positions, %d masks", first, first+seeds-1, compared, positions, masks)
	if seeds > 1 && compared < int(seeds)*3/4 {
		t.Errorf("only %d of %d random schemas compile: the generator is no good", compared, seeds)
	}
}
