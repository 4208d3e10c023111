package harness

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
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
	sum := must.Get(Run(t.Context(), w.config(t, names, measure), opt))(t)
	return sum
}

// TestCompileMemory: what a compile drops is in its peak, what the engine keeps
// is in the engine.
func TestCompileMemory(t *testing.T) { inBubble(t, compileMemory) }

func compileMemory(t *testing.T) {
	const mib = 1 << 20
	drops := &wrong{name: "drops", compile: func(context.Context) error {
		b := touch(48 * mib)
		time.Sleep(20 * time.Millisecond) // the heap is looked at every one
		_ = b[0]
		return nil
	}}
	keeps := growing{&wrong{name: "keeps"}, 24 * mib, 0}
	grows := growing{&wrong{name: "grows-on-the-way"}, 0, 4 * mib}
	w := newWorld(t)
	w.weighs = true
	w.runWith(t, "drops, keeps, grows-on-the-way", "warmup: 0, repeat: 1", drops, keeps, grows)
	records := w.records(t)
	if p := records["drops"].Problems[0]; p.CompilePeakBytes < 47*mib || p.CompilePeakBytes > 80*mib || p.EngineBytes > 8*mib || p.UsedBytes > 8*mib {
		t.Errorf("drops: peak %d, engine %d, used %d", p.CompilePeakBytes, p.EngineBytes, p.UsedBytes)
	}
	if p := records["keeps"].Problems[0]; p.CompilePeakBytes < 23*mib || p.EngineBytes < 23*mib || p.EngineBytes > 32*mib || p.UsedBytes < 23*mib || p.UsedBytes > 32*mib {
		t.Errorf("keeps: peak %d, engine %d, used %d", p.CompilePeakBytes, p.EngineBytes, p.UsedBytes)
	}
	checkGrown(t, records["grows-on-the-way"], 4*mib)
}

// checkGrown holds what a growing engine has become, by its own count and, where it is weighed, by
// the heap, to the six documents that it has walked, and not the two that are negatives: an untimed
// instance walks these.
func checkGrown(t *testing.T, r *cell.Record, each int64) {
	t.Helper()
	const mib = 1 << 20
	const noise = 32 << 10 // what else on the heap may have gone meanwhile; half of the smallest document's
	p := r.Problems[0]
	if !p.Unweighed && (p.EngineBytes > 2*mib || p.UsedBytes < 6*each-noise || p.UsedBytes > 6*each+8*mib) || p.EngineSaysBytes != 6*each {
		t.Errorf("%s: engine %d bytes, used %d, says %d", r.Label, p.EngineBytes, p.UsedBytes, p.EngineSaysBytes)
	}
	documents := func(n float64) []cell.Counter { return []cell.Counter{{Name: "documents", Value: n}} }
	if !slices.Equal(p.Counters, documents(0)) || !slices.Equal(p.Used, documents(6)) {
		t.Errorf("%s: counters %v, and %v when used", r.Label, p.Counters, p.Used)
	}
}

func touch(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// growing is an algorithm whose engines hold some bytes from the beginning, and more for each
// document of which they have seen the end.
type growing struct {
	*wrong
	held, each int
}

func (g growing) Compile(ctx context.Context, p *algorithms.Problem, o algorithms.Options) (algorithms.Engine, error) {
	e, err := g.wrong.Compile(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return &growingEngine{wrongEngine: e.(*wrongEngine), of: g, held: touch(g.held), documents: map[string][]byte{}}, nil
}

type growingEngine struct {
	*wrongEngine
	of        growing
	held      []byte
	documents map[string][]byte // one walk at a time
}

func (e *growingEngine) Start() algorithms.State {
	return &growingState{e.wrongEngine.Start().(*wrongState), e}
}

func (e *growingEngine) Stats() algorithms.Stats {
	n := len(e.documents)
	return algorithms.Stats{Bytes: int64(len(e.held) + n*e.of.each), Counters: []algorithms.Counter{{Name: "documents", Value: float64(n)}}}
}

type growingState struct {
	*wrongState
	engine *growingEngine
}

func (s *growingState) Clone() algorithms.State {
	return &growingState{s.wrongState.Clone().(*wrongState), s.engine}
}

func (s *growingState) Commit(token int) error {
	err := s.wrongState.Commit(token)
	if text := s.text; err == nil && s.wrongState.engine.problem.Vocabulary.IsEOS(token) && s.engine.documents[text] == nil {
		s.engine.documents[text] = touch(s.engine.of.each)
	}
	return err
}

// TestGarbageIsCollectedBetween: an algorithm that makes garbage is collected
// after, by the harness, and never in a timed operation.
func TestGarbageIsCollectedBetween(t *testing.T) {
	var sink []byte
	litters := &wrong{name: "litters", mask: func(*wrongState) { sink = make([]byte, 5<<18) }}
	w := newWorld(t)
	w.file(t, "docs.jsonl", `{"id": "long", "content": "[`+strings.Repeat("7,", 150)+`7]"}`+"\n")
	// A quarter of the limit is garbage enough, and there is a little more whenever it is looked at.
	w.runWith(t, "litters", "warmup: 0, repeat: 2, memory: 256MiB", litters)
	r := w.records(t)["litters"]
	if r.Outcome != cell.OK || r.GC.Between < 4*4 || r.GC.Timed != 0 {
		t.Errorf("%s, collections: %+v", r.Outcome, r.GC)
	}
	_ = sink
}

// TestReportOfARun reads a real result with the reports package and compares its
// figures with the raw times.
func TestReportOfARun(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "naive, trie, trie", "by the rule, warmup: 1, repeat: 3"))
	set := must.Get(reports.Load(w.out))(t)
	records := w.records(t)
	if len(set.Cells) != 3 || len(set.Warnings) != 0 || len(set.Noise()) != 1 {
		t.Fatalf("%d cells, warnings %v, %d noise comparisons", len(set.Cells), set.Warnings, len(set.Noise()))
	}
	for _, c := range set.Cells {
		r := records[c.Label]
		tokens, sums := map[string]int{}, map[string]float64{}
		for _, tr := range w.traces(t, r) {
			for _, p := range tr.Passes {
				for _, ns := range p.Step {
					tokens[p.State.String()]++
					sums[p.State.String()] += float64(ns)
				}
			}
		}
		if len(tokens) != 3 || tokens["again"] != 3*(tokens["fresh"]+tokens["new"]) || c.HeadlineState != "new" || c.CloneNS.N != tokens["again"]/3 {
			t.Errorf("%s: steps by state %v, %d clones", c.Label, tokens, c.CloneNS.N)
		}
		for state, n := range tokens {
			if c.MaskNS.Of(state).N != n || c.CommitNS.Of(state).N != n || c.TBMNS.Of(state).N != n {
				t.Errorf("%s, %s: n %d, %d, %d; want %d", c.Label, state, c.MaskNS.Of(state).N, c.CommitNS.Of(state).N, c.TBMNS.Of(state).N, n)
			}
			if mean, got := sums[state]/float64(n), c.TBMNS.Of(state).Mean; got < mean*0.999 || got > mean*1.001 {
				t.Errorf("%s, %s: mean step %v, want %v", c.Label, state, got, mean)
			}
		}
		if c.Positives != 6 || c.PositivesPassed != 6 || c.Negatives != 2 || c.NegativesPassed != 2 || c.CompileNS.N != prepare.Repeats {
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
