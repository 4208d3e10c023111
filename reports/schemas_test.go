package reports

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/plots"
)

// ofSchemas turns a cell of 15 positives and a negative into one of 18 schemas: 12 that compile
// with an instance or two, one that compiles and has none, four that do not compile on the way to
// the grammar, and one that psc does not do.
func ofSchemas(r *cell.Record, traces []cell.Trace) {
	r.Schemas = &cell.SchemaOptions{WhiteSpace: "strict", Order: "declared"}
	r.Grammar, r.GrammarNS, r.Problems, r.Published = "schema", nil, nil, "maskbench"
	r.FirstCompileNS, r.KeptBytes = 7_000_000, 3<<20
	for i := range 18 {
		p := cell.Problem{ID: fmt.Sprintf("s%02d", i), Group: []string{"easy", "hard"}[i%2], Outcome: cell.OK,
			Bytes: 300 + 100*i, Rules: 20 + 5*i, Terminals: 10 + i, LRStates: 40 + 9*i, Approximated: i % 3,
			GrammarNS: []int64{int64(1_000_000 + 10_000*i), 3_000_000, 900_000}, CompileNS: []int64{200_000, 210_000, 190_000}, FirstMaskNS: []int64{50_000, 40_000, int64(60_000 * (i + 1))},
			EngineBytes: 1 << 20, UsedBytes: 1<<20 + 1<<19, CompilePeakBytes: 2 << 20,
			Used: []cell.Counter{{Name: "states", Value: float64(10 * i)}}}
		switch {
		case i == 13 || i == 14:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "uniqueItems: items are unbounded", Detail: "/a/uniqueItems: items are unbounded"}
		case i == 15:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.CompileError, Stage: cell.StageGrammar, Detail: "not JSON\nat all"}
		case i == 16:
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "a | b & 50%"}
		case i == 17 && strings.HasPrefix(r.Label, "psc"):
			p = cell.Problem{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Outcome: cell.Timeout, Stage: cell.StageAlgorithm, Reason: "not done after 1m0s"}
		}
		r.Problems = append(r.Problems, p)
	}
	problemOf := []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 17, 1} // the last is the negative
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Problem = problemOf[i]
		s.ID = fmt.Sprintf("%s#%d", r.Problems[s.Problem].ID, i)
		if o := r.Problems[s.Problem].Outcome; o != cell.OK {
			s.Outcome = o
		}
	}
	fresh := map[int]bool{} // the first instance of each schema is on an engine made for it
	for i := range traces {
		p := problemOf[traces[i].Sample]
		if traces[i].Passes[0].State = cell.New; !fresh[p] {
			traces[i].Passes[0].State = cell.Fresh
		}
		fresh[p] = true
	}
	wrong := func(i int, refused, order bool) {
		r.Samples[i].Outcome, r.Samples[i].Refused, r.Samples[i].KeyOrder = cell.WrongVerdict, refused, order
	}
	wrong(3, true, true)    // s02 is right but for the order of keys
	wrong(5, true, false)   // s04 refuses a valid instance
	wrong(15, false, false) // s01 accepts an invalid one
	r.Outcome = cell.WrongVerdict
	if r.Label == "trie #2" {
		r.Samples[8].Outcome, r.Samples[8].Detail = cell.Crash, "panic: x\nstack" // s07 compiles
	}
	traces[6].Passes[0].Commit[7], traces[6].Passes[0].Step[7] = 5_000_000, 5_000_000+traces[6].Passes[0].Mask[7] // s05 has the slowest first step, in its commit
}

var schemaSet = made{workloads: []string{"maskbench"}, vocabulary: []int{32000}, samples: 15, change: ofSchemas}

func TestSchemaCounts(t *testing.T) {
	set := load(t, schemaSet.store(t))
	for _, c := range set.Cells {
		f := c.SchemaFigures
		if f == nil {
			t.Fatalf("%s: no figures of schemas", c.Label)
		}
		psc := strings.HasPrefix(c.Label, "psc")
		want := SchemaFigures{Options: f.Options, Schemas: 18, Compiled: 14, Tested: 14, Right: 11, TestedRight: 10, RightButForOrder: 11,
			ValidInstances: 14, InvalidInstances: 1, InvalidAccepted: 1, ValidRefused: 1, ValidRefusedKeyOrder: 1, Approximated: 9}
		if psc { // s17 has one instance less to get right
			want.Compiled, want.Right, want.TestedRight, want.RightButForOrder, want.ValidInstances, want.Approximated = 13, 10, 9, 10, 13, 8
			want.Timeouts = 1
		}
		if c.Label == "trie #2" { // s07 crashes on its instance
			want.Right, want.TestedRight, want.RightButForOrder, want.Unjudged, want.Crashes = 10, 9, 10, 1, 1
		}
		got := *f
		got.RightRate95, got.TestedRightRate95, got.GrammarNS = want.RightRate95, want.TestedRightRate95, nil
		got.Failures, got.Groups, got.Wrong, got.SlowestTTFM, got.SlowestCold, got.SlowestWarm, got.ttfm, got.verdicts = nil, nil, nil, nil, nil, nil, nil, nil
		got.RequestFigures = RequestFigures{}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.Label, got, want)
		}
		if !f.RightRate95.Holds(share(f.Right, f.Schemas)) || !f.TestedRightRate95.Holds(share(f.TestedRight, f.Tested)) {
			t.Errorf("%s: the intervals %v and %v", c.Label, f.RightRate95, f.TestedRightRate95)
		}
		failures := []SchemaFailure{
			{cell.StageGrammar, cell.Unsupported, "uniqueItems: items are unbounded", 2, "s13"},
			{cell.StageGrammar, cell.CompileError, "not JSON", 1, "s15"},
			{cell.StageGrammar, cell.Unsupported, "a | b & 50%", 1, "s16"}}
		if psc {
			failures = append(failures, SchemaFailure{cell.StageAlgorithm, cell.Timeout, "not done after 1m0s", 1, "s17"})
		}
		if c.Label == "trie #2" {
			failures = slices.Insert(failures, 1, SchemaFailure{stageInstance, cell.Crash, "panic: x", 1, "s07#8"})
		}
		if !slices.Equal(f.Failures, failures) {
			t.Errorf("%s: failures %+v", c.Label, f.Failures)
		}
		wrong := []WrongVerdict{{"s02", "easy", "s02#3", keyOrder, 0}, {"s04", "easy", "s04#5", validRefused, 0}, {"s01", "hard", "s01#15", invalidAccepted, 0}}
		if !slices.Equal(f.Wrong, wrong) {
			t.Errorf("%s: wrong verdicts %+v", c.Label, f.Wrong)
		}
		if len(f.Groups) != 2 || f.Groups[0].Group != "easy" || f.Groups[0].Schemas != 9 || f.Groups[1].Schemas != 9 ||
			f.Groups[0].TestedRight+f.Groups[1].TestedRight != f.TestedRight || f.Groups[0].Compiled+f.Groups[1].Compiled != f.Compiled {
			t.Errorf("%s: groups %+v", c.Label, f.Groups)
		}
	}
}

// TestIntervalsDrawSchemas: instances of one schema are not independent, so a bootstrap draws them
// together.
func TestIntervalsDrawSchemas(t *testing.T) {
	for _, c := range load(t, schemaSet.store(t)).Cells {
		schemas, clusters := map[int]bool{}, map[int32]bool{}
		for _, s := range c.steps {
			schemas[c.record.Samples[s.sample].Problem] = true
		}
		for _, cluster := range c.values(maskTimes, stateAgain).Cluster {
			clusters[cluster] = true
		}
		if len(clusters) != len(schemas) || len(schemas) >= len(c.steps) {
			t.Errorf("%s: %d clusters of %d schemas in %d samples", c.Label, len(clusters), len(schemas), len(c.steps))
		}
	}
	one := schemaSet // of two schemas there is no interval, however many instances they have
	one.change = func(r *cell.Record, _ []cell.Trace) {
		r.Schemas = &cell.SchemaOptions{}
		r.Problems = append(r.Problems, r.Problems[0])
		for i := range r.Samples {
			r.Samples[i].Problem = i % 2
		}
	}
	for _, c := range load(t, one.store(t)).Cells {
		if c.MaskNS == nil || c.Intervals != nil || c.Against != nil && c.Against.Mask.Interval.Valid() {
			t.Errorf("%s: intervals %+v", c.Label, c.Intervals)
		}
	}
}

// TestSchemaTimes: a schema's time is the median of its compiles, and of those the sum of all three
// phases.
func TestSchemaTimes(t *testing.T) {
	for _, c := range load(t, schemaSet.store(t)).Cells {
		f := c.SchemaFigures
		if c.TTFMNS.N != f.Compiled || c.CompileNS.N != f.Compiled || c.FirstMaskNS.N != f.Compiled || f.GrammarNS.N != f.Compiled {
			t.Errorf("%s: n %d, %d, %d, %d, want %d", c.Label, c.TTFMNS.N, c.CompileNS.N, c.FirstMaskNS.N, f.GrammarNS.N, f.Compiled)
		}
		if c.CompileNS.P50 != 200_000 || f.GrammarNS.Max != float64(1_000_000+10_000*(map[bool]int{true: 12, false: 17}[f.Compiled == 13])) {
			t.Errorf("%s: compile %v, grammar %v", c.Label, c.CompileNS.P50, f.GrammarNS.Max)
		}
		// By hand for s00: compiles of 1,250,000, 3,250,000 and 1,150,000.
		if i := slices.IndexFunc(f.SlowestTTFM, func(s SlowSchema) bool { return s.ID == "s00" }); i >= 0 {
			t.Errorf("%s: the fastest is among the slowest", c.Label)
		}
		if len(f.SlowestTTFM) != slowest || !slices.IsSortedFunc(f.SlowestTTFM, func(a, b SlowSchema) int { return int(b.TTFMNS - a.TTFMNS) }) {
			t.Errorf("%s: slowest %+v", c.Label, f.SlowestTTFM)
		}
		if slices.Min(f.ttfm) != 1_250_000 {
			t.Errorf("%s: s00 takes %v, want 1,250,000", c.Label, slices.Min(f.ttfm))
		}
	}
}

// TestSlowestSteps finds a slow commit that was put into the first pass over s05.
func TestSlowestSteps(t *testing.T) {
	for _, c := range load(t, schemaSet.store(t)).Cells {
		f := c.SchemaFigures
		for name, list := range map[string][]SlowSchema{"cold": f.SlowestCold, "warm": f.SlowestWarm} {
			seen := map[string]bool{}
			for i, s := range list {
				if seen[s.ID] || s.StepNS <= 0 || s.Terminals == 0 || s.Sample == "" || i > 0 && s.StepNS > list[i-1].StepNS {
					t.Errorf("%s, %s: %+v", c.Label, name, list)
				}
				seen[s.ID] = true
			}
			if len(list) != slowest {
				t.Errorf("%s, %s: %d schemas", c.Label, name, len(list))
			}
		}
		i := slices.IndexFunc(f.SlowestCold, func(s SlowSchema) bool { return s.ID == "s05" })
		if i < 0 || f.SlowestCold[i].CommitNS != 5_000_000 && f.SlowestCold[i].StepNS < 5_000_000 {
			t.Fatalf("%s: s05 is not among the slowest: %+v", c.Label, f.SlowestCold)
		}
		if c.Label == "trie" && (i != 0 || f.SlowestCold[0].Position != 7 || f.SlowestCold[0].Sample != "s05#6") {
			t.Errorf("%s: %+v", c.Label, f.SlowestCold[0])
		}
		if c.ColdTBMNS.Max < 5_000_000 || c.TBMNS.Again.Max >= c.ColdTBMNS.Max && c.Label == "trie" {
			t.Errorf("%s: cold %v, warm %v", c.Label, c.ColdTBMNS.Max, c.TBMNS.Again.Max)
		}
	}
}

// TestSchemaContract checks the names that scripts rely on, and that programs have none of them.
func TestSchemaContract(t *testing.T) {
	cells := func(m made) []map[string]json.RawMessage {
		var report struct {
			Cells []map[string]json.RawMessage `json:"cells"`
		}
		must.OK(t, json.Unmarshal([]byte(render(t, load(t, m.store(t)), "json")), &report))
		return report.Cells
	}
	fields := strings.Fields(`schemas schemas_compiled schemas_right schemas_with_instances schemas_with_instances_right
		schemas_with_instances_right_but_for_key_order invalid_accepted valid_refused valid_refused_key_order schemas_crashed schemas_timed_out schemas_out_of_memory valid_instances invalid_instances
		schema_grammar_ns schema_failures schema_wrong_verdicts schema_groups slowest_ttfm slowest_tbm slowest_cold_tbm schema_options`)
	for _, c := range cells(schemaSet) {
		for _, field := range append(fields, "ttfm_ns", "tbm_ns", "cold_tbm_ns") {
			if v, ok := c[field]; !ok || string(v) == "null" {
				t.Errorf("%s is %s", field, v)
			}
		}
	}
	for _, c := range cells(sets["few"]) {
		for _, field := range fields {
			if _, ok := c[field]; ok {
				t.Errorf("a workload of programs has %s", field)
			}
		}
	}
}

// wrongMaskSet is schemaSet with a wrong mask of trie on the first sample.
var wrongMaskSet = made{workloads: []string{"maskbench"}, vocabulary: []int{32000}, samples: 15, change: func(r *cell.Record, traces []cell.Trace) {
	ofSchemas(r, traces)
	if r.Label == "trie" {
		r.Samples[0].Outcome, r.Outcome = cell.WrongMask, cell.WrongMask
	}
}}

// TestWrongMaskSchemas: verdicts are counted, times are not there.
func TestWrongMaskSchemas(t *testing.T) {
	set := load(t, wrongMaskSet.store(t))
	for _, c := range set.Cells {
		if c.Label != "trie" {
			continue
		}
		if c.TTFMNS != nil || c.Bill.GrammarNS != 0 || c.SchemaFigures.GrammarNS != nil || c.SlowestTTFM != nil || c.ColdTBMNS != nil {
			t.Errorf("it has times")
		}
		if c.TestedRight != 9 || c.Right != 10 {
			t.Errorf("%d of %d right, want 9 of 14", c.TestedRight, c.Tested)
		}
	}
	for _, format := range Formats {
		render(t, set, format)
	}
}

// TestSchemaTables: what is the same for all algorithms stands once.
func TestSchemaTables(t *testing.T) {
	set := load(t, schemaSet.store(t))
	ids := map[string]*Table{}
	for _, table := range set.Document().Tables {
		ids[table.ID] = table
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d entries under %d heads", table.ID, len(row), len(table.Columns))
			}
		}
	}
	for id, rows := range map[string]int{"schemas": 4, "schema-instances": 4, "schema-failures": 5, "schema-verdicts": 2, "schema-groups": 6, "ttfm": 4, "masks": 4 * 4, "steps": 4 * 4, "bill": 4, "slowest-ttfm": 12, "slowest-tbm": 24} {
		if ids[id] == nil || len(ids[id].Rows) != rows {
			t.Errorf("table %s: %+v, want %d rows", id, ids[id], rows)
		}
	}
	if who := ids["schema-groups"].Rows[0][1].Body; who != "naive, trie" {
		t.Errorf("the groups are of %q", who)
	}
	if plain := load(t, sets["few"].store(t)).Document(); len(plain.Tables) != 9 {
		t.Errorf("%d tables without schemas", len(plain.Tables))
	}
}

func TestSchemaFigures(t *testing.T) {
	set := load(t, schemaSet.store(t))
	figures := map[string]*plots.Figure{}
	for _, f := range set.Figures() {
		figures[f.Name] = f
	}
	for name, want := range map[string]string{
		"ttfm":     "share of schemas over time from the schema to the first mask; panels maskbench; lines naive, trie, trie #2, psc (compile=lazy)",
		"tbm":      "share of steps over time of one step (commit and mask); panels first, again; lines naive, trie, trie #2, psc (compile=lazy)",
		"tbm-tail": "steps at least as slow over time of one step (commit and mask); panels first, again; lines naive, trie, trie #2, psc (compile=lazy)",
	} {
		if f := figures[name]; f == nil || about(f) != want {
			t.Errorf("%s: not %s", name, want)
		} else if f.Columns != 2 && strings.HasPrefix(name, "tbm") {
			t.Errorf("%s: the pairs stand in %d columns", name, f.Columns)
		} else if got := f.Panels[0].Series[0].Y[0]; (got == 1) != strings.HasSuffix(name, "tail") {
			t.Errorf("%s begins at %v", name, got)
		}
	}
	if figures["ttfm-tail"] != nil {
		t.Error("a tail of 14 schemas")
	}
	if n := len(load(t, sets["few"].store(t)).Figures()); n != 3 { // without a tail: the steps are too few
		t.Errorf("%d figures without schemas, want 3", n)
	}
}

// about is what a figure shows, in a line.
func about(f *plots.Figure) string {
	var panels, lines []string
	for _, p := range f.Panels {
		panels = append(panels, p.Title)
	}
	for _, e := range f.Legend {
		lines = append(lines, e.Label)
	}
	return fmt.Sprintf("%s over %s; panels %s; lines %s", f.YLabel, f.XLabel, strings.Join(panels, ", "), strings.Join(lines, ", "))
}

// TestStepSamples: one algorithm has its first and later steps in one panel, several have a panel
// for each.
func TestStepSamples(t *testing.T) {
	of := func(workload, tokenizer, label string) *Cell {
		c := cellOf(workload, tokenizer, label, SchemaFigures{})
		c.steps = []steps{{passes: []cell.Pass{{State: cell.New, Step: []uint32{11}}, {State: cell.Again, Step: []uint32{11, 22}}}}}
		return c
	}
	for _, c := range []struct {
		about string
		cells []*Cell
		want  string
	}{
		{"one algorithm", []*Cell{of("w", "v", "psc")}, "w/psc, first[11] w/psc, again[11 22]"},
		{"on two workloads", []*Cell{of("w", "v", "psc"), of("x", "v", "psc")}, "w/psc, first[11] w/psc, again[11 22] x/psc, first[11] x/psc, again[11 22]"},
		{"two algorithms", []*Cell{of("w", "v", "psc"), of("w", "v", "trie")}, "first/psc[11] again/psc[11 22] first/trie[11] again/trie[11 22]"},
		{"two on two", []*Cell{of("w", "v", "psc"), of("x", "v", "trie")}, "w, first/psc[11] w, again/psc[11 22] x, first/trie[11] x, again/trie[11 22]"},
		{"of another vocabulary", []*Cell{of("w", "v", "psc"), of("w", "u", "trie")}, "w/psc, first[11] w/psc, again[11 22]"},
	} {
		var got []string
		samples, pairs := (&Set{Cells: c.cells}).stepSamples("v")
		if pairs != strings.HasPrefix(c.about, "two") {
			t.Errorf("%s: in pairs: %v", c.about, pairs)
		}
		for _, s := range samples {
			name := s.Label
			if s.State != "" {
				name += ", " + s.State
			}
			got = append(got, fmt.Sprintf("%s/%s%v", s.Panel, name, s.Values))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.about, strings.Join(got, " "), c.want)
		}
	}
}

// TestNoSchemas: a corpus none of whose schemas compiles, and one without groups and instances.
func TestNoSchemas(t *testing.T) {
	m := schemaSet
	m.change = func(r *cell.Record, _ []cell.Trace) {
		r.Schemas = &cell.SchemaOptions{WhiteSpace: "any", Order: "any", Lenient: true}
		r.Problems = []cell.Problem{{ID: "a", Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "no"}}
		for i := range r.Samples {
			r.Samples[i].Outcome = cell.Unsupported
		}
		r.Outcome = cell.Unsupported
	}
	set := load(t, m.store(t))
	for _, format := range Formats {
		if out := render(t, set, format); out == "" {
			t.Errorf("%s: nothing", format)
		}
	}
	text := strings.Join(strings.Fields(render(t, set, "text")), " ")
	for _, want := range []string{"0 of 1 = 0%", "lenient: what is not supported is left out", "order of keys: any"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestMedianAndSums(t *testing.T) {
	for _, c := range []struct {
		ns   []int64
		want float64
	}{{nil, 0}, {[]int64{5}, 5}, {[]int64{9, 1, 5}, 5}, {[]int64{9, 1, 5, 7}, 5}} {
		if got := median(c.ns); got != c.want {
			t.Errorf("median(%v) = %v", c.ns, got)
		}
	}
	for _, c := range []struct{ a, b, want []int64 }{
		{[]int64{1, 2}, []int64{10, 20}, []int64{11, 22}}, {[]int64{1, 2}, []int64{10}, []int64{11}}, {nil, []int64{10}, []int64{10}}, {nil, nil, nil},
	} {
		if got := sums(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("sums(%v, %v) = %v", c.a, c.b, got)
		}
	}
}
