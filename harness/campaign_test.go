package harness

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/campaign"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// campaignOf runs a campaign in the world's directory.
func (w *world) campaign(t testing.TB, ctx context.Context, cfg *config.Config, rounds int, change func(*verify.CampaignOptions)) (*campaign.Summary, *verify.CampaignDifference, error) {
	t.Helper()
	opt := verify.CampaignOptions{Options: w.options(), Rounds: rounds, Workers: 3, Sample: map[string]int{"naive": 3}}
	if change != nil {
		change(&opt)
	}
	return verify.VerifyOn(ctx, cfg, opt)
}

// counts are the sums of a campaign that do not depend on time.
func counts(s *campaign.Summary) string {
	out := *s
	out.MachineSeconds, out.CPUSeconds, out.Rate, out.Sessions, out.Shard = 0, 0, 0, 0, nil
	groups := []campaign.GroupSummary{}
	for _, g := range s.Groups {
		one := *g
		one.Seconds, one.Engines = 0, nil
		for _, e := range g.Engines {
			one.Engines = append(one.Engines, &campaign.EngineSummary{Label: e.Label, Masks: e.Masks, Compared: e.Compared})
		}
		groups = append(groups, one)
	}
	text, err := json.Marshal([]any{out, groups})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestCampaign: a campaign that is interrupted after each few tasks comes to the sums of one that
// is not, and does no task twice.
func TestCampaign(t *testing.T) {
	for _, what := range seed.Some(t, []string{"programs", "schemas"}, 2, 1, 1) {
		t.Run(what, func(t *testing.T) {
			w := newSchemaWorld(t, tinySchemas)
			cfg := w.config(t, "naive, trie, psc", "warmup: 1")
			if what == "schemas" {
				cfg = w.schemaConfig(t, "naive, trie, psc", "warmup: 1", "")
			}
			whole, found, err := w.campaign(t, context.Background(), cfg, 5, nil)
			if err != nil || found != nil {
				t.Fatal(err, found)
			}
			if whole.Positions < 100 || whole.Comparisons <= whole.Positions || whole.Masks < 2*whole.Positions || len(whole.Groups[0].Rounds) != 5 {
				t.Errorf("the sums are %s", counts(whole))
			}
			if empty := map[string]int{"programs": 4, "schemas": 25}[what]; whole.Empty != empty {
				t.Errorf("%d tasks of %d had no position, want %d", whole.Empty, whole.Tasks, empty)
			}
			w.out = filepath.Join(w.dir, "parts")
			var last *campaign.Summary
			sessions := 0
			for ; last == nil; sessions++ {
				if sessions > 100 {
					t.Fatal("it does not come to an end")
				}
				ctx, stop := context.WithCancel(context.Background())
				last, _, err = w.campaign(t, ctx, cfg, 5, func(o *verify.CampaignOptions) { o.Progress = stopAfter{stop, new(int)} })
				stop()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			if counts(last) != counts(whole) || sessions < 2 {
				t.Errorf("after %d sessions\n%s\nwithout interruption\n%s", sessions, counts(last), counts(whole))
			}
		})
	}
}

// stopAfter interrupts at the third line of progress.
type stopAfter struct {
	stop  func()
	lines *int
}

func (s stopAfter) Write(p []byte) (int, error) {
	if *s.lines++; *s.lines == 3 {
		s.stop()
	}
	return len(p), nil
}

// TestCampaignFindsAndKeeps: the first wrong mask stops the campaign and its witness is kept; the
// document is not entered as done, so that the next call finds it again.
func TestCampaignFindsAndKeeps(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "right, flips", "warmup: 1")
	for range 2 {
		_, found, err := w.campaign(t, context.Background(), cfg, 3, nil)
		if err != nil || found == nil || found.Algorithm != "flips" {
			t.Fatalf("found %+v, %v", found, err)
		}
		text, err := os.ReadFile(found.Path)
		if err != nil || !strings.Contains(string(text), `"tokens"`) || !strings.Contains(found.Text(), found.Path) {
			t.Errorf("the witness is %s, %v", text, err)
		}
		if found.Small == nil || found.Small.TokenText != "7" {
			t.Errorf("made small it is %+v", found.Small)
		}
	}
}

// TestCampaignInLaterRounds: a defect that the documents do not show, after a token that no encoder
// chooses, is found by other tokens or by a walk.
func TestCampaignInLaterRounds(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "right, rare", "warmup: 1")
	if _, found, err := w.campaign(t, context.Background(), cfg, 1, nil); err != nil || found != nil {
		t.Fatalf("the documents show it: %+v, %v", found, err)
	}
	s, found, err := w.campaign(t, context.Background(), cfg, 30, nil)
	if err != nil || found == nil || found.Round == 0 {
		t.Fatalf("found %+v, %v, of %s", found, err, counts(s))
	}
}

// TestCampaignShards: shards have each task once.
func TestCampaignShards(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.config(t, "naive, trie", "warmup: 1")
	whole, _, err := w.campaign(t, context.Background(), cfg, 3, nil)
	must.OK(t, err)
	positions, tasks := int64(0), 0
	for i := 1; i <= 3; i++ {
		w.out = filepath.Join(w.dir, "shard", string(rune('0'+i)))
		s, _, err := w.campaign(t, context.Background(), cfg, 3, func(o *verify.CampaignOptions) { o.Shard = &cell.Shard{Index: i, Of: 3, By: cell.ByDocuments} })
		must.OK(t, err)
		positions, tasks = positions+s.Positions, tasks+s.Tasks
	}
	if positions != whole.Positions || tasks != whole.Tasks {
		t.Errorf("the shards have %d positions in %d tasks, the whole has %d in %d", positions, tasks, whole.Positions, whole.Tasks)
	}
}

// TestOtherTokens: any cut into tokens has the text, and is not always the same.
func TestOtherTokens(t *testing.T) {
	w := newWorld(t)
	tok := must.Get(tokenizers.Load(context.Background(), filepath.Join(w.dir, "tok.json"), w.options().Tokenizers))(t)
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	different := map[string]bool{}
	for range 50 {
		text := []byte(positives[rng.IntN(len(positives))])
		tokens := verify.OtherTokens(tok.Vocabulary(), text, rng)
		if got := verify.TextOf(tok.Vocabulary(), tokens); string(got) != string(text) {
			t.Fatalf("%q became %q", text, got)
		}
		key, _ := json.Marshal(tokens)
		different[string(key)] = true
	}
	if len(different) < 10 {
		t.Errorf("only %d different", len(different))
	}
}

// TestCampaignBesideShard: a campaign of all documents is refused in the directory of a run's
// shard, which could not be merged any more, and one of that shard is not.
func TestCampaignBesideShard(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.schemaConfig(t, "naive, trie", "warmup: 1", "")
	half := &cell.Shard{Index: 1, Of: 2, By: cell.ByDocuments}
	store := must.Get(cell.Create(w.out))(t)
	must.OK(t, store.PutManifest(&cell.Manifest{Name: "made", Shard: half}))
	var wrong *prepare.WrongShardError
	if _, _, err := w.campaign(t, context.Background(), cfg, 1, nil); !errors.As(err, &wrong) {
		t.Errorf("all documents beside shard 1/2: %v", err)
	}
	if _, _, err := w.campaign(t, context.Background(), cfg, 1, func(o *verify.CampaignOptions) { o.Shard = half }); err != nil {
		t.Errorf("shard 1/2 beside itself: %v", err)
	}
}
