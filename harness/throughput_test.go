package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// batchKeys is a section of a configuration.
const batchKeys = `
throughput:
  batch: [1, 3, 64]
  threads: [1, 2]
  models: [{model: gemma-3-270m, device: a100-40gb, tokenizer: tok.json}]
`

// withThroughput is a configuration with a section added.
func (w *world) withThroughput(t testing.TB, cfg *config.Config, section string) *config.Config {
	t.Helper()
	cfg = must.Get(config.Parse(cfg.File, []byte(string(cfg.Text)+section), config.Names{}))(t)
	return cfg
}

// batches reads what the latest run was to measure, by label.
func (w *world) batches(t testing.TB) map[string][]*cell.BatchRecord {
	t.Helper()
	s := must.Get(cell.Open(w.out))(t)
	m := must.Get(s.Manifest())(t)
	out := map[string][]*cell.BatchRecord{}
	for label, r := range w.records(t) {
		for _, id := range m.Throughput.Of(r) {
			b, err := s.Batch(id)
			if err != nil {
				t.Fatalf("%s, batch of %d: %v", label, id.Batch, err)
			}
			out[label] = append(out[label], b)
		}
	}
	return out
}

// TestThroughput: a batch of every size that there are documents for, on each number of threads,
// with every mask compared with that of one generation alone.
func TestThroughput(t *testing.T) {
	w := newWorld(t)
	cfg := w.withThroughput(t, w.config(t, "trie, psc", "warmup: 0, repeat: 1, compiles: 1"), batchKeys)
	w.run(t, cfg)
	batches := w.batches(t)
	for label, r := range w.records(t) {
		tokens := 0
		for i := range r.Samples {
			if !r.Samples[i].Negative {
				tokens += r.Samples[i].Tokens
			}
		}
		var got []string
		for _, b := range batches[label] {
			got = append(got, fmt.Sprintf("%d on %d", b.ID.Batch, b.ID.Threads))
			if b.Outcome != cell.OK || b.Compared != 2*tokens || len(b.Requests) != len(positives) {
				t.Errorf("%s: %+v; %d masks compared of %d", label, b.Outcome, b.Compared, 2*tokens)
			}
			if want := map[int]int{1: tokens}[b.ID.Batch]; want > 0 && len(b.FirstNS) != want {
				t.Errorf("%s: %d steps of one generation, want %d", label, len(b.FirstNS), want)
			}
			if slices.Max(b.FirstNS) <= 0 || slices.Max(b.AgainNS) <= 0 {
				t.Errorf("%s: no step takes time", label)
			}
		}
		if want := []string{"1 on 1", "3 on 1", "1 on 2", "3 on 2"}; !slices.Equal(got, want) {
			t.Errorf("%s has batches %v, want %v", label, got, want)
		}
	}
	if !slices.Equal(batches["trie"][0].Requests, batches["psc"][0].Requests) {
		t.Error("two algorithms decode their requests in different orders")
	}
}

// TestThroughputGoesOn: what is there is not measured again, what is damaged or missing is, and an
// interrupted run goes on.
func TestThroughputGoesOn(t *testing.T) {
	seed.Usual(t)
	w := newWorld(t)
	cfg := w.withThroughput(t, w.config(t, "trie, psc", "warmup: 0, repeat: 1, compiles: 1"), batchKeys)
	ctx, cancel := context.WithCancel(context.Background())
	opt := w.options()
	written := 0
	opt.BeforeRename = func(path string) {
		if strings.Contains(path, "batches") {
			if written++; written == 2 {
				cancel()
			}
		}
	}
	if _, err := Run(ctx, cfg, opt); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	files := func() map[string]time.Time {
		times := map[string]time.Time{}
		list := must.Get(filepath.Glob(filepath.Join(w.out, "batches", "*.zst")))(t)
		for _, path := range list {
			info := must.Get(os.Stat(path))(t)
			times[path] = info.ModTime()
		}
		return times
	}
	before := files()
	w.run(t, cfg)
	after := files()
	if len(before) != 2 || len(after) != 8 {
		t.Fatalf("%d batches before, %d after", len(before), len(after))
	}
	damaged := ""
	for path, at := range before {
		if !after[path].Equal(at) {
			t.Errorf("%s was measured again", path)
		}
		damaged = path
	}
	must.OK(t, os.WriteFile(damaged, []byte("no batch"), 0o644))
	w.run(t, cfg)
	if text, err := os.ReadFile(damaged); err != nil || string(text) == "no batch" {
		t.Errorf("the damaged batch is still there: %v", err)
	}
}

// TestThroughputTruth: an engine whose generations disturb each other has wrong masks in a batch,
// and no times.
func TestThroughputTruth(t *testing.T) {
	w := newWorld(t)
	var last *wrongState
	crowded := &wrong{name: "crowded", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
		other := last != s && s.text != ""
		if last = s; other {
			return flip(m, idOf('7'))
		}
		return m
	}}
	cfg := w.withThroughput(t, w.config(t, "trie, crowded", "warmup: 0, repeat: 1, compiles: 1"),
		"throughput: {batch: [1, 3], models: [{model: gemma-3-270m, device: a100-40gb, tokenizer: tok.json}]}\n")
	opt := w.options()
	opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
		if name == crowded.name {
			return crowded, nil
		}
		return lookupZoo(name)
	}
	for _, when := range []string{"measured", "there already"} {
		summary := must.Get(Run(context.Background(), cfg, opt))(t)
		if summary.Batches[cell.WrongMask] != 1 || summary.Batches[cell.OK] != 3 || summary.Failed != 1 {
			t.Errorf("%s: batches %v, cells %v, %d failed", when, summary.Batches, summary.Outcomes, summary.Failed)
		}
	}
	batches := w.batches(t)["crowded"]
	if len(batches) != 2 || batches[0].Outcome != cell.OK {
		t.Fatalf("%d batches, the first %+v", len(batches), batches[0])
	}
	if b := batches[1]; b.Outcome != cell.WrongMask || b.FirstNS != nil || !strings.Contains(b.Detail, "its mask differs") || !strings.HasPrefix(b.Detail, "p") {
		t.Errorf("a batch of three: %s, %q, %d steps", b.Outcome, b.Detail, len(b.FirstNS))
	}
}

// TestThroughputOfSchemas: a request for each schema that has a valid instance, cut where the
// configuration says.
func TestThroughputOfSchemas(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.withThroughput(t, w.schemaConfig(t, "trie, psc", "warmup: 0, repeat: 1", ""),
		"throughput: {batch: [1, 2], max_tokens: 3, models: [{model: gemma-3-270m, device: a100-40gb, tokenizer: tok.json}]}\n")
	w.run(t, cfg)
	records := w.records(t)
	for label, batches := range w.batches(t) {
		for _, b := range batches {
			var ids []string
			for _, q := range b.Requests {
				s := records[label].Samples[q.Sample]
				ids = append(ids, records[label].Problems[s.Problem].ID)
				if q.Tokens != min(3, s.Tokens) {
					t.Errorf("%s: %d tokens of %d", s.ID, q.Tokens, s.Tokens)
				}
			}
			slices.Sort(ids)
			if want := []string{"a-number", "b-object", "h-list", "i-string"}; !slices.Equal(ids, want) || b.Outcome != cell.OK || b.AgainNS != nil || b.Compared == 0 {
				t.Errorf("%s: requests of %v, %s %s", label, ids, b.Outcome, b.Detail)
			}
		}
		if len(batches) != 2 {
			t.Errorf("%s: %d batches", label, len(batches))
		}
	}
}

// TestThroughputRefused: what this machine or shard cannot measure is an error before anything is.
func TestThroughputRefused(t *testing.T) {
	w := newWorld(t)
	base := w.config(t, "trie", "repeat: 1")
	many := w.withThroughput(t, base, "throughput: {threads: [4096], models: [{model: gemma-3-270m, device: a100-40gb, tokenizer: tok.json}]}\n")
	var input *prepare.InputError
	if _, err := Run(context.Background(), many, w.options()); !errors.As(err, &input) || !strings.Contains(err.Error(), "test.yaml:7:13: throughput: 4096 threads") {
		t.Errorf("4096 threads: %v", err)
	}
	if _, err := plan.MakePlan(context.Background(), many, w.options()); !errors.As(err, &input) {
		t.Errorf("a plan of 4096 threads: %v", err)
	}
	one := w.withThroughput(t, base, batchKeys)
	plan, err := plan.MakePlan(context.Background(), one, w.options())
	if err != nil || len(plan.Notes) == 0 || !strings.Contains(plan.Notes[len(plan.Notes)-1], "batches of [1 3 64], threads [1 2]") {
		t.Errorf("a plan: %+v, %v", plan, err)
	}
}
