package reports

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
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
	s := labelled(t, load(t, schemaSet.store(t)), "naive")
	if o := s.Offline; o.Grammar != s.SchemaFigures.GrammarNS.Mean || o.Vocabulary != 55e6+7e6 || o.Algorithm != s.CompileNS.Mean || o.Algorithm95.Valid() {
		t.Errorf("schemas: %+v", o)
	}
	if (&Cell{record: &cell.Record{}}).offline() != nil {
		t.Error("a bill of what did not compile")
	}
}

// TestBuilding: the first mask, and what the first passes took more than the later ones took in the
// mean.
func TestBuilding(t *testing.T) {
	for _, c := range one(t, nil).Cells {
		want := lastMask(c, 0)
		for i := range c.steps {
			for j := range c.steps[i].positions {
				later := 0.0
				for _, p := range c.steps[i].passes[1:] {
					later += float64(p.Step[j]) / 3
				}
				want += float64(c.steps[i].passes[0].Step[j]) - later
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

// manyTokens has 1,200 tokens, so that of the numbers in the table the last is beyond the
// documents.
var manyTokens = made{workloads: []string{"json"}, vocabulary: []int{32000}, samples: 30}

// TestSpent adds the first mask and the first passes up by hand, in the order of the documents.
func TestSpent(t *testing.T) {
	set := load(t, manyTokens.store(t))
	for _, c := range set.Cells {
		spent, n := c.Offline.Sum+lastMask(c, 0), 0
		at := map[int]float64{}
		for i := range c.steps {
			for _, ns := range c.steps[i].passes[0].Step {
				n++
				spent += float64(ns)
				at[n] = spent
			}
		}
		for i, tokens := range []int{1, 100, 1000} {
			if got := c.Spent[i]; math.Abs(got-at[tokens]) > 1e-3 || got <= c.Offline.Sum {
				t.Errorf("%s: after %d tokens %v, want %v", c.Label, tokens, got, at[tokens])
			}
		}
		if !math.IsNaN(c.Spent[3]) {
			t.Errorf("%s: %v after 10,000 of %d tokens", c.Label, c.Spent[3], n)
		}
	}
	table := set.spent().telling()
	if head := table.Columns[len(table.Columns)-1].Head; head != "1,000 tokens ms" || len(table.Rows) != 4 {
		t.Errorf("the table ends with %q, %d rows", head, len(table.Rows))
	}
}

// lastMask is the first mask of the engine that was timed on a problem: of the last one compiled.
func lastMask(c *Cell, problem int) float64 {
	masks := c.record.Problems[problem].FirstMaskNS
	return float64(masks[len(masks)-1])
}

// TestSpentOfSchemas: what an algorithm keeps for all comes first, and each schema's grammar and
// compile where its first document begins.
func TestSpentOfSchemas(t *testing.T) {
	c := labelled(t, load(t, schemaSet.store(t)), "naive")
	times, _ := timesOf(&c.record.Problems[0])
	want := c.Offline.Vocabulary + times.GrammarNS + times.EngineNS + lastMask(c, 0) + float64(c.steps[0].passes[0].Step[0])
	if c.Spent[0] != want {
		t.Errorf("after the first token %v, want %v", c.Spent[0], want)
	}
	tokens, ns := c.curve()
	other, _ := timesOf(&c.record.Problems[1])
	// s00 has two instances of 40 tokens; the 81st is the first of s01.
	if step := float64(c.steps[2].passes[0].Step[0]); tokens[80] != 81 || math.Abs(ns[80]-ns[79]-other.GrammarNS-other.EngineNS-lastMask(c, 1)-step) > 1e-3 {
		t.Errorf("the first token of the second schema takes %v", ns[80]-ns[79])
	}
}

// TestLeftOut: a curve over fewer documents than others have would be no curve of the same
// generation; what no algorithm gets through is left out for all.
func TestLeftOut(t *testing.T) {
	for _, c := range load(t, sets["failures"].store(t)).Cells {
		lost := c.Workload == "java" && c.Label == "naive"
		if c.Outcome != cell.WrongMask && (c.leftOut() != lost || math.IsNaN(c.Spent[0]) != lost) {
			t.Errorf("%s on %s: %v, spent %v", c.Label, c.Workload, c.leftOut(), c.Spent)
		}
	}
	for _, c := range load(t, schemaSet.store(t)).Cells {
		lost := c.Label != "naive" && c.Label != "trie" // by a crash, and by a timeout
		if c.leftOut() != lost {
			t.Errorf("%s: %v", c.Label, c.leftOut())
		}
	}
}

// TestBillContract: the names in the JSON that scripts rely on.
func TestBillContract(t *testing.T) {
	var report struct {
		Cells []struct {
			Algorithm string                         `json:"algorithm"`
			Offline   map[string]json.RawMessage     `json:"offline_ns"`
			Building  *float64                       `json:"building_ns"`
			Spent     map[string]*float64            `json:"spent_ns_after"`
			Bytes     map[string]float64             `json:"engine_bytes"`
			Counters  []map[string]any               `json:"counters"`
			Mask      map[string]map[string]*float64 `json:"mask_ns"`
			Lookup    map[string]map[string]*float64 `json:"lookup_ns"`
		} `json:"cells"`
	}
	must.OK(t, json.Unmarshal([]byte(render(t, load(t, manyTokens.store(t)), "json")), &report))
	keys := func(what string, got []string, want string) {
		t.Helper()
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s has %v, want %s", what, got, want)
		}
	}
	for _, c := range report.Cells {
		keys("offline_ns", slices.Collect(maps.Keys(c.Offline)), "algorithm algorithm_95 grammar sum vocabulary")
		keys("spent_ns_after", slices.Collect(maps.Keys(c.Spent)), "1 100 1000 10000")
		keys("engine_bytes", slices.Collect(maps.Keys(c.Bytes)), "compiled kept peak used")
		keys("mask_ns", slices.Collect(maps.Keys(c.Mask)), "again first fresh new")
		keys("mask_ns.new", slices.Collect(maps.Keys(c.Mask["new"])), "max mean n p50 p90 p99 p999")
		if c.Building == nil || c.Spent["1"] == nil || c.Spent["1000"] == nil || c.Spent["10000"] != nil || *c.Mask["new"]["p50"] <= 0 {
			t.Errorf("%+v", c)
		}
		if lazy := c.Algorithm == "psc"; lazy != (len(c.Counters) == 2) || lazy != (c.Lookup != nil) || c.Counters == nil {
			t.Errorf("%s: counters %v, lookup %v", c.Algorithm, c.Counters, c.Lookup)
		}
	}
	psc := report.Cells[3]
	if psc.Bytes["compiled"] != 1<<20 || psc.Bytes["used"] != 5<<20 || psc.Bytes["peak"] != 5<<20 || psc.Counters[0]["name"] != "states" || psc.Counters[0]["value"] != 12345.0 || psc.Counters[1]["unit"] != "B a state" {
		t.Errorf("%+v", psc)
	}
}

// TestCounters: after all documents if the engine was asked then; of schemas the mean over those
// that compiled.
func TestCounters(t *testing.T) {
	c := labelled(t, load(t, schemaSet.store(t)), "psc (compile=lazy)") // schemas 0 to 12 compiled
	if len(c.Counters) != 1 || c.Counters[0] != (cell.Counter{Name: "states", Value: 60}) {
		t.Errorf("%+v", c.Counters)
	}
	one := &Cell{record: &cell.Record{Problems: []cell.Problem{{Outcome: cell.OK, Counters: []cell.Counter{{Name: "a", Value: 3, Unit: "B"}}}}}}
	if got := one.counters(); len(got) != 1 || got[0].Value != 3 || got[0].Unit != "B" {
		t.Errorf("after the compile: %v", got)
	}
	if got := (&Cell{record: &cell.Record{Problems: []cell.Problem{{Outcome: cell.Timeout}}}}).counters(); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestCounterTable: of each engine the counters that are not 0.
func TestCounterTable(t *testing.T) {
	table := load(t, sets["quick"].store(t)).counterTable()
	want := []string{"json|psc (compile=lazy)|states|12,345|", "||weights|2.50|B a state", "java|psc (compile=lazy)|states|12,345|", "||weights|2.50|B a state"}
	if got := rows(table); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// curveOf is a cell whose offline time and steps are given, in ns.
func curveOf(algorithm, label string, copy int, offline int64, step uint32, tokens int) *Cell {
	r := &cell.Record{ID: cell.ID{Algorithm: algorithm, Copy: copy}, Problems: []cell.Problem{{Outcome: cell.OK, CompileNS: []int64{offline}}}, Samples: []cell.Sample{{Outcome: cell.OK, Tokens: tokens}}}
	c := &Cell{Names: Names{Algorithm: algorithm, Label: label, Workload: "w", Tokenizer: "v"}, record: r, steps: []steps{{passes: []cell.Pass{{State: cell.Fresh}}}}}
	for i := range tokens {
		s := &c.steps[0]
		s.positions, s.passes[0].Step = append(s.positions, uint32(i)), append(s.passes[0].Step, step)
	}
	c.Offline = &Offline{Algorithm: float64(offline), Sum: float64(offline)}
	return c
}

// TestCrossings: an eager engine overtakes a lazy one once its compile is paid; where an algorithm
// overtakes itself says nothing.
func TestCrossings(t *testing.T) {
	set := &Set{Cells: []*Cell{curveOf("lazy", "lazy", 0, 1000, 1000, 100), curveOf("eager", "eager", 0, 10_500, 10, 100), curveOf("lazy", "lazy #2", 1, 1500, 990, 100)}}
	// 1000 + 1000 n is 10500 + 10 n at 9.6: from the 10th token on. 1500 + 990 n at 9.2.
	table := set.crossings()
	want := []string{"w|lazy #2|eager|10|0.0106", "w|lazy|eager|10|0.0106"}
	got := rows(table)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if table := (&Set{Cells: set.Cells[:1]}).crossings(); len(table.Rows) != 0 || table.telling() != nil {
		t.Errorf("one alone: %q", rows(table))
	}
}

// TestClock: what was taken off, whether blocks agree, and what had the core in between.
func TestClock(t *testing.T) {
	set := one(t, func(r *cell.Record, _ []cell.Trace) {
		if r.Label == "trie" {
			r.Core = -1
		}
	})
	table := set.clock()
	// 4 documents of 40 tokens, 4 passes; one disturbed step and 2 us for each document.
	want := []string{
		"json|naive|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|1",
		"|trie|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|–",
		"|trie #2|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|1",
		"|psc (compile=lazy)|38.0|160|638|625|1.02|640|4 of 640 (0.625%)|",
	}
	for i, got := range rows(table) {
		if !strings.HasPrefix(got, want[i]) {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
	c := labelled(t, set, "psc (compile=lazy)")
	m := c.Measured
	wall := int64(0)
	for _, ns := range slices.Concat(c.values(stepTimes, stateFirst).Values, c.values(stepTimes, stateAgain).Values) {
		wall += int64(ns)
	}
	if m.Steps != 640 || m.Disturbed != 4 || m.StolenNS != 8000 || m.WallNS != wall || *m.Check != (measure.Check{Steps: 160, SingleNS: 4 * 25_500, BlockNS: 4 * 25_000}) {
		t.Errorf("%+v, wall %d", m, wall)
	}
	if got, want := rows(table)[3], "|"+percent(1-8000/float64(wall))+"|1"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at its end", got, want)
	}
	unpinned := one(t, func(r *cell.Record, _ []cell.Trace) {
		r.Core = -1
		for i := range r.Samples {
			r.Samples[i].Check = nil
		}
	}).clock()
	if text := unpinned.Caption; !strings.Contains(text, "pinned to no core") || !strings.Contains(text, "No step was so short") || len(unpinned.telling().Columns) != len(unpinned.Columns)-5 {
		t.Errorf("%s", text)
	}
}

// TestMegabytes: of memory nobody needs more than KiB.
func TestMegabytes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", -5: "0", 24: "0.000", 43_000: "0.041", 1 << 19: "0.500", 1 << 20: "1.00", 38 << 20: "38.0"} {
		if got := megabytes(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
	if megabytesOrNone(0) != none || megabytesOrNone(1<<20) != "1.00" {
		t.Error("what is not known has a figure")
	}
}

// TestBuiltShare: the masks that had to build, by the engine's own count, over the positions of all
// documents. Engines that do not count them and corpora of schemas have none.
func TestBuiltShare(t *testing.T) {
	count := func(label string) func(*cell.Record, []cell.Trace) {
		return only(label, func(r *cell.Record) {
			r.Problems[0].Used = []cell.Counter{{Name: "states", Value: 5}, {Name: algorithms.BuiltMasks, Value: 49}}
		})
	}
	set := one(t, count("psc (compile=lazy)"))
	positions := 0
	for _, s := range labelled(t, set, "psc (compile=lazy)").steps {
		positions += len(s.positions)
	}
	for _, c := range set.Cells {
		want := math.NaN()
		if c.Label == "psc (compile=lazy)" {
			want = 49 / float64(positions)
		}
		if got := c.builtShare(); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, want %v", c.Label, got, want)
		}
	}
	table := set.bill()
	last := len(table.Columns) - 1
	for i, c := range set.Cells {
		want := none
		if c.Label == "psc (compile=lazy)" {
			want = percent(49 / float64(positions))
		}
		if got := table.Rows[i][last].Body; table.Columns[last].Head != "positions that built" || got != want {
			t.Errorf("column %q of %s: %s, want %s", table.Columns[last].Head, c.Label, got, want)
		}
	}
	if plain := one(t, nil).bill(); len(plain.Columns) != last {
		t.Errorf("%d columns where no engine counts, want %d", len(plain.Columns), last)
	}
	schemas := schemaSet
	schemas.change = func(r *cell.Record, traces []cell.Trace) {
		ofSchemas(r, traces)
		count("naive")(r, traces)
	}
	if got := labelled(t, load(t, schemas.store(t)), "naive").builtShare(); !math.IsNaN(got) {
		t.Errorf("schemas: %v", got)
	}
}

// TestHugeCounters: counters whose sum is no float64 leave a mean that JSON can hold.
func TestHugeCounters(t *testing.T) {
	for _, value := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		p := cell.Problem{Outcome: cell.OK, Counters: []cell.Counter{{Name: "a", Value: value}}}
		c := &Cell{record: &cell.Record{Problems: []cell.Problem{p, p, p}}}
		if _, err := json.Marshal(c.counters()); err != nil {
			t.Errorf("%g: %v", value, err)
		}
	}
}
