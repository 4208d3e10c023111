package harness

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/reports"
)

// runWith runs a configuration with algorithms made for one test.
func (w *world) runWith(t *testing.T, names, measure string, made ...algorithms.Algorithm) *Summary {
	t.Helper()
	opt := w.options()
	opt.Algorithm = func(name string) (algorithms.Algorithm, error) {
		for _, a := range made {
			if a.Name() == name {
				return a, nil
			}
		}
		return lookupZoo(name)
	}
	sum, err := Run(t.Context(), w.config(t, names, measure), opt)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// remembered is an algorithm that looks every mask up: masks of a few ns.
type remembered struct{ *wrong }

type rememberedState struct {
	masks map[string]algorithms.Mask
	wrongState
}

func (r remembered) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := r.wrong.Compile(ctx, p, o)
	return &rememberedEngine{e.(*wrongEngine), map[string]algorithms.Mask{}}, err
}

type rememberedEngine struct {
	*wrongEngine
	masks map[string]algorithms.Mask
}

func (e *rememberedEngine) Start() algorithms.State {
	return &rememberedState{e.masks, *e.wrongEngine.Start().(*wrongState)}
}

func (s *rememberedState) Clone() algorithms.State {
	return &rememberedState{s.masks, *s.wrongState.Clone().(*wrongState)}
}

func (s *rememberedState) Mask() algorithms.Mask {
	m, ok := s.masks[s.text]
	if !ok {
		m = s.wrongState.Mask().Clone()
		s.masks[s.text] = m
	}
	return m
}

// TestFastMasksAreBatched: the first pass is timed one by one, the later ones in
// lanes; a slow mask never is.
func TestFastMasksAreBatched(t *testing.T) {
	w := newWorld(t)
	w.runWith(t, "naive, remembered, naps", "warmup: 1, repeat: 2", remembered{&wrong{name: "remembered"}})
	records := w.records(t)
	lanes := func(label string) (first, later int) {
		for _, tr := range w.traces(t, records[label]) {
			for i, p := range tr.Passes {
				if i == 0 {
					first = max(first, p.Lanes)
				} else {
					later = max(later, p.Lanes)
				}
			}
		}
		return first, later
	}
	if first, later := lanes("remembered"); first != 1 || later < 2 {
		t.Errorf("remembered: %d lanes, then up to %d", first, later)
	}
	if first, later := lanes("naps"); first != 1 || later != 1 {
		t.Errorf("naps: %d lanes, then up to %d", first, later)
	}
	for _, tr := range w.traces(t, records["naps"]) {
		for _, p := range tr.Passes {
			if slices.Min(p.Mask) < 5_000_000 {
				t.Errorf("a nap of 5 ms took %d ns", slices.Min(p.Mask))
			}
		}
	}
	if records["remembered"].Outcome != cell.OK {
		t.Errorf("remembered: %+v", records["remembered"].Samples)
	}
}

// TestCompileMemory: what a compile drops is in its peak, what the engine keeps
// is in the engine.
func TestCompileMemory(t *testing.T) { inBubble(t, compileMemory) }

func compileMemory(t *testing.T) {
	const mib = 1 << 20
	var kept []byte
	touch := func(n int) []byte {
		b := make([]byte, n)
		for i := 0; i < n; i += 4096 {
			b[i] = 1
		}
		return b
	}
	drops := &wrong{name: "drops", compile: func(context.Context) error {
		b := touch(48 * mib)
		time.Sleep(20 * time.Millisecond) // the heap is looked at every one
		_ = b[0]
		return nil
	}}
	keeps := &wrong{name: "keeps", compile: func(context.Context) error { kept = touch(24 * mib); return nil }}
	w := newWorld(t)
	w.runWith(t, "drops, keeps", "warmup: 0, repeat: 1", drops, keeps)
	records := w.records(t)
	if p := records["drops"].Problems[0]; p.CompilePeakBytes < 47*mib || p.CompilePeakBytes > 80*mib || p.EngineBytes > 8*mib {
		t.Errorf("drops: peak %d, engine %d", p.CompilePeakBytes, p.EngineBytes)
	}
	if p := records["keeps"].Problems[0]; p.CompilePeakBytes < 23*mib || p.EngineBytes < 23*mib || p.EngineBytes > 40*mib {
		t.Errorf("keeps: peak %d, engine %d", p.CompilePeakBytes, p.EngineBytes)
	}
	_ = kept[0]
}

// TestGarbageIsCollectedBetween: an algorithm that makes garbage is collected
// after, by the harness, and never in a timed operation.
func TestGarbageIsCollectedBetween(t *testing.T) {
	var sink []byte
	litters := &wrong{name: "litters", mask: func(*wrongState) { sink = make([]byte, 8<<20) }}
	w := newWorld(t)
	// A quarter of the limit is garbage enough: eight masks, and p4 has more in one pass.
	w.runWith(t, "litters", "warmup: 0, repeat: 2, memory: 256MiB", litters)
	r := w.records(t)["litters"]
	if r.GC.Between < 2 || r.GC.Timed != 0 {
		t.Errorf("collections: %+v", r.GC)
	}
	_ = sink
}

// TestReportOfARun reads a real result with the reports package and compares its
// figures with the raw times.
func TestReportOfARun(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "naive, trie, trie", "warmup: 1, repeat: 3"))
	set, err := reports.Load(w.out)
	if err != nil {
		t.Fatal(err)
	}
	records := w.records(t)
	if len(set.Cells) != 3 || len(set.Warnings) != 0 || len(set.Noise()) != 1 {
		t.Fatalf("%d cells, warnings %v, %d noise comparisons", len(set.Cells), set.Warnings, len(set.Noise()))
	}
	for _, c := range set.Cells {
		r := records[c.Label]
		tokens, sum := 0, 0.0
		for _, tr := range w.traces(t, r) {
			if r.Samples[tr.Sample].Negative {
				continue
			}
			tokens += r.Samples[tr.Sample].Tokens
			times := tr.Times()
			for i := range times.Mask {
				sum += times.Mask[i] + times.Commit[i]
			}
		}
		if c.MaskNS.N != tokens || c.CommitNS.N != tokens || c.TBMNS.N != tokens || c.CloneNS.N != tokens || c.ColdMaskNS.N != tokens {
			t.Errorf("%s: n %d, %d, %d, %d, %d; want %d", c.Label, c.MaskNS.N, c.CommitNS.N, c.TBMNS.N, c.CloneNS.N, c.ColdMaskNS.N, tokens)
		}
		if mean := sum / float64(tokens); c.TBMNS.Mean < mean*0.999 || c.TBMNS.Mean > mean*1.001 {
			t.Errorf("%s: mean step %v, want %v", c.Label, c.TBMNS.Mean, mean)
		}
		if c.Positives != 6 || c.PositivesPassed != 6 || c.Negatives != 2 || c.NegativesPassed != 2 || c.CompileNS.N != 1 {
			t.Errorf("%s: %+v", c.Label, c)
		}
		if (c.Against == nil) != (c.Label == "naive") || c.Against != nil && !c.Against.Interleaved {
			t.Errorf("%s: against %+v", c.Label, c.Against)
		}
		if !strings.Contains(c.Provenance.Config, "name: test") || c.Provenance.Seed != 3 || c.Provenance.Environment.CPU == "" {
			t.Errorf("%s: provenance %+v", c.Label, c.Provenance)
		}
	}
}
