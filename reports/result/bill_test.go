package result

import (
	"encoding/json"
	"math"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/internal/made"
)

// TestOffline: grammar, vocabulary and algorithm, apart and in sum.
func TestOffline(t *testing.T) {
	c := labelled(t, one(t, nil), "psc (compile=lazy)")
	o := c.Offline
	if o.Grammar != 12_315_226 || o.Vocabulary != 55e6 || math.Abs(o.Algorithm-1_240_913.4) > 1e-6 || o.Sum != o.Grammar+o.Vocabulary+o.Algorithm {
		t.Errorf("%+v", o)
	}
	if want := stats.MeanInterval([]float64{1_234_567, 1_200_000, 1_300_000, 1_220_000, 1_250_000}); o.Algorithm95 != want || !want.Holds(o.Algorithm) {
		t.Errorf("the interval %v, want %v", o.Algorithm95, want)
	}
	// Of schemas: means over those that compiled, and what the algorithm keeps for all is part of
	// the vocabulary.
	s := labelled(t, load(t, made.SchemaSet.Store(t)), "naive")
	if o := s.Offline; o.Grammar != s.SchemaFigures.GrammarNS.Mean || o.Vocabulary != 55e6+7e6 || o.Algorithm != s.CompileNS.Mean || o.Algorithm95.Valid() {
		t.Errorf("schemas: %+v", o)
	}
	if (&Cell{Record: &cell.Record{}}).offline() != nil {
		t.Error("a bill of what did not compile")
	}
}

// TestBuilding: the first mask, and what the first passes took more than the later ones took in the
// mean.
func TestBuilding(t *testing.T) {
	for _, c := range one(t, nil).Cells {
		want := lastMask(c, 0)
		for i := range c.Steps {
			for j := range c.Steps[i].Positions {
				later := 0.0
				for _, p := range c.Steps[i].Passes[1:] {
					later += float64(p.Step[j]) / 3
				}
				want += float64(c.Steps[i].Passes[0].Step[j]) - later
			}
		}
		if math.Abs(*c.BuildingNS-want) > 1e-3 {
			t.Errorf("%s: %v, want %v", c.Label, *c.BuildingNS, want)
		}
		if lazy := c.Label == "psc (compile=lazy)"; lazy && *c.BuildingNS < 40*49*190 {
			t.Errorf("it built for %v ns", *c.BuildingNS)
		}
	}
	once := one(t, func(_ *cell.Record, traces []cell.Trace) {
		for i := range traces {
			traces[i].Passes = traces[i].Passes[:1]
		}
	})
	for _, c := range once.Cells {
		if c.BuildingNS != nil || c.MaskNS.Again != nil {
			t.Errorf("%s: built for %v without a later pass", c.Label, *c.BuildingNS)
		}
	}
}

// lastMask is the first mask of the engine that was timed on a problem: of the last one compiled.
func lastMask(c *Cell, problem int) float64 {
	masks := c.Record.Problems[problem].FirstMaskNS
	return float64(masks[len(masks)-1])
}

// TestSpentOfSchemas: what an algorithm keeps for all comes first, and each schema's grammar and
// compile where its first document begins.
func TestSpentOfSchemas(t *testing.T) {
	c := labelled(t, load(t, made.SchemaSet.Store(t)), "naive")
	times, _ := TimesOf(&c.Record.Problems[0])
	want := c.Offline.Vocabulary + times.GrammarNS + times.EngineNS + lastMask(c, 0) + float64(c.Steps[0].Passes[0].Step[0])
	if c.Spent[0] != want {
		t.Errorf("after the first token %v, want %v", c.Spent[0], want)
	}
	tokens, ns := c.Curve()
	other, _ := TimesOf(&c.Record.Problems[1])
	// s00 has two instances of 40 tokens; the 81st is the first of s01.
	if step := float64(c.Steps[2].Passes[0].Step[0]); tokens[80] != 81 || math.Abs(ns[80]-ns[79]-other.GrammarNS-other.EngineNS-lastMask(c, 1)-step) > 1e-3 {
		t.Errorf("the first token of the second schema takes %v", ns[80]-ns[79])
	}
}

// TestLeftOut: a curve over fewer documents than others have would be no curve of the same
// generation; what no algorithm gets through is left out for all.
func TestLeftOut(t *testing.T) {
	for _, c := range load(t, made.Sets["failures"].Store(t)).Cells {
		lost := c.Workload == "java" && c.Label == "naive"
		if c.Outcome != cell.WrongMask && (c.leftOut() != lost || math.IsNaN(c.Spent[0]) != lost) {
			t.Errorf("%s on %s: %v, spent %v", c.Label, c.Workload, c.leftOut(), c.Spent)
		}
	}
	for _, c := range load(t, made.SchemaSet.Store(t)).Cells {
		lost := c.Label != "naive" && c.Label != "trie" // by a crash, and by a timeout
		if c.leftOut() != lost {
			t.Errorf("%s: %v", c.Label, c.leftOut())
		}
	}
}

// TestCounters: after all documents if the engine was asked then; of schemas the mean over those
// that compiled.
func TestCounters(t *testing.T) {
	c := labelled(t, load(t, made.SchemaSet.Store(t)), "psc (compile=lazy)") // schemas 0 to 12 compiled
	if len(c.Counters) != 1 || c.Counters[0] != (cell.Counter{Name: "states", Value: 60}) {
		t.Errorf("%+v", c.Counters)
	}
	one := &Cell{Record: &cell.Record{Problems: []cell.Problem{{Outcome: cell.OK, Counters: []cell.Counter{{Name: "a", Value: 3, Unit: "B"}}}}}}
	if got := one.counters(); len(got) != 1 || got[0].Value != 3 || got[0].Unit != "B" {
		t.Errorf("after the compile: %v", got)
	}
	if got := (&Cell{Record: &cell.Record{Problems: []cell.Problem{{Outcome: cell.Timeout}}}}).counters(); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestHugeCounters: counters whose sum is no float64 leave a mean that JSON can hold.
func TestHugeCounters(t *testing.T) {
	for _, value := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		p := cell.Problem{Outcome: cell.OK, Counters: []cell.Counter{{Name: "a", Value: value}}}
		c := &Cell{Record: &cell.Record{Problems: []cell.Problem{p, p, p}}}
		if _, err := json.Marshal(c.counters()); err != nil {
			t.Errorf("%g: %v", value, err)
		}
	}
}
