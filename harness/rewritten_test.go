package harness

import (
	"context"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
)

// TestVerifyRewritten: a defect that shows only on a grammar that is written in another way is
// found, at the entry of that form, and nothing else is.
func TestVerifyRewritten(t *testing.T) {
	for _, what := range []string{"programs", "schemas"} {
		t.Run(what, func(t *testing.T) {
			w := newSchemaWorld(t, tinySchemas)
			opt := w.options()
			opt.Rewritten = 2
			cfg := w.config(t, "naive, trie, psc, by-name", "warmup: 1")
			if what == "schemas" {
				cfg = w.schemaConfig(t, "naive, trie, psc, by-name", "warmup: 1", "")
			}
			v := must.Get(verify.Verify(context.Background(), cfg, opt))(t)
			if len(v.Cells) != 12 {
				t.Fatalf("%d cells, want 4 algorithms on 3 forms", len(v.Cells))
			}
			for _, c := range v.Cells {
				want := cell.OK
				if strings.HasPrefix(c.Label, "by-name (rewritten") {
					want = cell.WrongMask
				}
				if c.Outcome != want || c.Label != "naive" && c.Reference != "naive" {
					t.Errorf("%s: %s compared with %q, want %s; %s", c.Label, c.Outcome, c.Reference, want, c.Detail)
				}
				if want == cell.OK && c.Label != "naive" && (c.Compared == 0 || c.Compared != c.Masks) {
					t.Errorf("%s: %d of %d masks compared", c.Label, c.Compared, c.Masks)
				}
			}
		})
	}
}

// TestCampaignRewritten: a campaign stops at such a defect, whose witness names the seed.
func TestCampaignRewritten(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "right, by-name", "warmup: 1")
	if _, found, err := w.campaign(t, context.Background(), cfg, 2, nil); err != nil || found != nil {
		t.Fatalf("found %+v, %v without rewriting", found, err)
	}
	s, found, err := w.campaign(t, context.Background(), cfg, 2, func(o *verify.CampaignOptions) { o.Rewritten = 1 })
	if err != nil || found == nil || !strings.HasPrefix(found.Algorithm, "by-name (rewritten ") {
		t.Fatalf("found %+v, %v", found, err)
	}
	if n := len(s.Groups[0].Engines); n != 4 {
		t.Errorf("%d engines, want 2 on 2 forms", n)
	}
}
