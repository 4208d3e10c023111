package reports

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
)

// one loads a set of a single workload and vocabulary, changed by f.
func one(t *testing.T, f func(r *cell.Record, traces []cell.Trace)) *Set {
	t.Helper()
	return load(t, made{workloads: []string{"json"}, vocabulary: []int{32000}, samples: 4, change: f}.store(t))
}

// only applies f to the cells with a label.
func only(label string, f func(r *cell.Record)) func(*cell.Record, []cell.Trace) {
	return func(r *cell.Record, _ []cell.Trace) {
		if r.Label == label {
			f(r)
		}
	}
}

// TestClampedSteps: a step that took longer than a trace can hold is said to.
func TestClampedSteps(t *testing.T) {
	set := load(t, made{workloads: []string{"json"}, vocabulary: []int{32000}, samples: 4, change: func(r *cell.Record, traces []cell.Trace) {
		if r.Label == "naive" {
			traces[0].Passes[1].Step[3] = measure.MaxNS
		}
	}}.store(t))
	about := strings.Join(set.Document().About, "\n")
	if want := "naive on json with o200k_base[:32000]: 1 step took longer than 4.29 s, the longest time that is kept"; !strings.Contains(about, want) || strings.Count(about, "4.29") != 1 {
		t.Errorf("no %q in\n%s", want, about)
	}
}

// TestWhatWarrantsAWord: circumstances that weaken a result are in the text.
func TestWhatWarrantsAWord(t *testing.T) {
	cases := []struct {
		what   string
		change func(r *cell.Record)
		want   string
	}{
		{"collections in timed passes", func(r *cell.Record) { r.GC.Timed = 2 }, "trie on json with o200k_base[:32000]: 2 garbage collections began in timed passes."},
		{"abandoned goroutines", func(r *cell.Record) { r.Samples[1].Abandoned = 1 }, "up to 1 goroutine of engines that did not return took processor time"},
		{"an interrupted run", func(r *cell.Record) { r.Samples[0].Session, r.Samples[1].Session = 2, 3 }, "measured in 3 sessions, since the run was interrupted"},
		{"another machine", func(r *cell.Record) { r.Environment.CPU = "Other CPU" }, "Measured on Other CPU, 2 cores"},
		{"changes in the tree", func(r *cell.Record) { r.Environment.Dirty = true }, "(revision 012301230123 with changes)"},
		{"an unknown revision", func(r *cell.Record) { r.Environment.Revision = "" }, "(revision unknown)"},
		{"a compile error", func(r *cell.Record) {
			r.Outcome = cell.CompileError
			for i := range r.Samples {
				r.Samples[i].Outcome, r.Samples[i].Detail = cell.CompileError, "table 3 does not fit\nand more"
			}
		}, "(a) compile-error in 5 of 5 samples: table 3 does not fit"},
		{"two outcomes", func(r *cell.Record) {
			r.Outcome = cell.Crash
			r.Samples[0].Outcome, r.Samples[1].Outcome, r.Samples[1].Detail = cell.Timeout, cell.Crash, "panic: x"
		}, "(a) timeout in 1 of 5 samples, crash in 1 of 5 samples: panic: x (these samples are in no average)"},
	}
	for _, c := range cases {
		text := strings.Join(strings.Fields(render(t, one(t, only("trie", c.change)), "text")), " ")
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.what, c.want, text)
		}
	}
	plain := render(t, one(t, nil), "text")
	for _, word := range []string{"garbage collection", "goroutine", "sessions", "(a)", "Warning"} {
		if strings.Contains(plain, word) {
			t.Errorf("%q is in the report of a good run:\n%s", word, plain)
		}
	}
}

// TestNothingEnded: a group in which no algorithm has times.
func TestNothingEnded(t *testing.T) {
	set := one(t, func(r *cell.Record, _ []cell.Trace) {
		r.Outcome = cell.Unsupported
		r.Problems[0] = cell.Problem{ID: "json", Outcome: cell.Unsupported, Detail: "no"}
		for i := range r.Samples {
			r.Samples[i].Outcome, r.Samples[i].Detail = cell.Unsupported, "no"
		}
	})
	for _, format := range Formats {
		if out := render(t, set, format); out == "" {
			t.Errorf("%s: nothing", format)
		}
	}
	if figures := set.Figures(); len(figures) != 0 {
		t.Errorf("%d figures of nothing", len(figures))
	}
	if noise := set.Noise(); len(noise) != 0 {
		t.Errorf("noise of nothing: %+v", noise)
	}
	for _, c := range set.Cells {
		if c.MaskNS != nil || c.CompileNS != nil || c.Against != nil || c.Common != nil {
			t.Errorf("%s has times", c.Label)
		}
	}
}

// TestPairsAreOfEqualPositions: samples that were masked at other positions are
// in no ratio.
func TestPairsAreOfEqualPositions(t *testing.T) {
	set := one(t, func(r *cell.Record, traces []cell.Trace) {
		if r.Label != "trie" {
			return
		}
		for i := range traces[1].Positions {
			traces[1].Positions[i] += 100
		}
	})
	for _, c := range set.Cells {
		if c.Against == nil {
			continue
		}
		for state, want := range map[string]int{stateFresh: 40, stateNew: 3 * 40, stateAgain: 3 * 4 * 40} {
			if c.Label == "trie" && state != stateFresh { // without those of one sample
				want = want / 4 * 3
				if state == stateNew {
					want = 2 * 40
				}
			}
			if got := c.Against.MaskIn[state].N; got != want {
				t.Errorf("%s, %s: %d pairs, want %d", c.Label, state, got, want)
			}
		}
	}
}

// TestColdMasks: the older names are of the first passes, fresh and new together.
func TestColdMasks(t *testing.T) {
	set := one(t, func(r *cell.Record, traces []cell.Trace) {
		for i := range traces {
			for j := range traces[i].Passes[0].Mask {
				traces[i].Passes[0].Mask[j] = 777
			}
		}
	})
	for _, c := range set.Cells {
		if c.ColdMaskNS.P50 != 777 || c.ColdMaskNS.Max != 777 || c.ColdMaskNS.N != 4*40 || c.MaskNS.Again.P50 == 777 {
			t.Errorf("%s: cold %+v, again %+v", c.Label, c.ColdMaskNS, c.MaskNS.Again)
		}
	}
}

func TestMachineText(t *testing.T) {
	e := environment.Environment{Machine: environment.Machine{CPU: "CPU", Cores: 1, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 1, Program: "abc"},
		Kernel: "6", MemoryBytes: 2048 << 20, Clock: environment.Clock{PairNS: 76.24, EmptyNS: 38}, Date: time.Unix(0, 0)}
	want := "Measured on CPU, 1 core, 2,048 MiB, linux amd64 6, go1.26, GOMAXPROCS 1; program abc (revision unknown). " +
		"A pair of clock reads cost 76.2 ns; a pair around nothing reports 38.0 ns, which is taken off every time."
	if got := machineText(e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNotes(t *testing.T) {
	var table Table
	marks := table.note("x") + table.note("y") + table.note("x")
	if marks != "aba" || len(table.Notes) != 2 {
		t.Errorf("marks %q, notes %v", marks, table.Notes)
	}
	long := strings.Repeat("µ", 300)
	if got := oneLine("first\nsecond"); got != "first" {
		t.Errorf("%q", got)
	}
	if got := oneLine(long); got != strings.Repeat("µ", 160)+"..." {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	text := strings.Repeat("word ", 50)
	for _, line := range strings.Split(strings.TrimSuffix(wrap(text, "    "), "\n"), "\n") {
		if len(line) > textWidth {
			t.Errorf("a line of %d: %q", len(line), line)
		}
	}
	for in, want := range map[string]string{"": "\n", "a": "a\n", "a  b\nc": "a b c\n"} {
		if got := wrap(in, ""); got != want {
			t.Errorf("wrap(%q) = %q", in, got)
		}
	}
	if long := strings.Repeat("x", 300); wrap(long, "") != long+"\n" {
		t.Error("a long word is broken")
	}
}

func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{"o200k_base[:2000]": "o200k_base--2000", "../../x": "x", "a b/c": "a-b-c", "llama3": "llama3", "azAZ09.-_x": "azAZ09.-_x", "`{@[/:é": "", "-.x.-": "x"} {
		if got := fileName(in); got != want || strings.Contains(got, "/") {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"o200k_base[:2000]": "o200k_base[:2000]", "a|b": `a\|b`, "_x_": `\_x\_`, "[a](b)": `[a]\(b)`, "**": `\*\*`, "<b>": "&lt;b&gt;", "a\nb": "a b", "~": `\~`,
	} {
		if got := escapeMarkdown(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestUnwritableReport names the file.
func TestUnwritableReport(t *testing.T) {
	set := one(t, nil)
	file := filepath.Join(t.TempDir(), "file")
	if _, err := WriteFiles(t.TempDir(), set, "pdf"); err == nil {
		t.Error("an unknown format was written")
	}
	if paths, err := WriteFiles(file, set, "csv"); err != nil || len(paths) != 1+4*3 {
		t.Fatalf("%v, %v", paths, err)
	}
	if _, err := WriteFiles(filepath.Join(file, "report.csv", "below"), set, "csv"); err == nil || !strings.Contains(err.Error(), "report.csv") {
		t.Errorf("below a file: %v", err)
	}
}

// TestCompilesText: how often grammars were compiled, once for all cells of the table; those of
// schemas do not count.
func TestCompilesText(t *testing.T) {
	timed := func(n int) *Cell { return &Cell{Times: Times{CompileNS: &stats.Summary{N: n}}} }
	schemas := timed(900)
	schemas.SchemaFigures = &SchemaFigures{}
	for _, c := range []struct {
		cells []*Cell
		want  string
	}{
		{nil, ""},
		{[]*Cell{{}}, ""},
		{[]*Cell{timed(1)}, ", once"},
		{[]*Cell{timed(1), timed(5), {}}, ", the mean of up to 5 repetitions, with its 95% interval by Student's t"},
		{[]*Cell{timed(2), schemas}, ", the mean of up to 2 repetitions, with its 95% interval by Student's t"},
		{[]*Cell{schemas}, ""},
	} {
		if got := (&Set{Cells: c.cells}).compiles(); got != c.want {
			t.Errorf("%d cells: %q, want %q", len(c.cells), got, c.want)
		}
	}
}

// TestOutcomeNote: a footnote counts the ways in which samples ended, and says which samples are in
// the averages.
func TestOutcomeNote(t *testing.T) {
	samples := make([]cell.Sample, 3)
	timed := []steps{{}}
	for _, c := range []struct {
		cell *Cell
		want string
	}{
		{&Cell{Counts: Counts{Outcome: cell.Crash}}, "crash"},
		{&Cell{Counts: Counts{Outcome: cell.Timeout, Outcomes: map[cell.Outcome]int{cell.OK: 1, cell.Timeout: 2}, Detail: "not done\nafter 1m"}}, "timeout in 2 of 3 samples: not done"},
		{&Cell{Counts: Counts{Outcome: cell.Crash, Outcomes: map[cell.Outcome]int{cell.Timeout: 1, cell.Crash: 2}}, steps: timed}, "timeout in 1 of 3 samples, crash in 2 of 3 samples (these samples are in no average)"},
		{&Cell{Counts: Counts{Outcome: cell.WrongMask, Outcomes: map[cell.Outcome]int{cell.WrongMask: 3}}, steps: timed}, "wrong-mask in 3 of 3 samples (a cell with a wrong mask gets no times)"},
	} {
		c.cell.record = &cell.Record{Samples: samples}
		if got := outcomeNote(c.cell); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := oneLine(strings.Repeat("é", 200)); got != strings.Repeat("é", 160)+"..." {
		t.Errorf("a long detail: %q", got)
	}
}

// TestGroups: cells that answer the same questions are together, in the order of the configuration;
// the first with times is the baseline.
func TestGroups(t *testing.T) {
	at := func(workload, tokenizer, label string, timed bool) *Cell {
		c := &Cell{Names: Names{Workload: workload, Tokenizer: tokenizer, Label: label}}
		if timed {
			c.steps = []steps{{}}
		}
		return c
	}
	set := &Set{Cells: []*Cell{at("b", "v", "x", false), at("b", "v", "y", true), at("a", "v", "x", true), at("b", "w", "x", false), at("b", "v", "z", true)}}
	var got []string
	for _, g := range set.Groups() {
		text := g.Workload + "/" + g.Tokenizer + ":"
		for _, c := range g.Cells {
			text += c.Label
		}
		if base := g.baseline(); base != nil {
			text += " against " + base.Label
		}
		got = append(got, text)
	}
	if want := "b/v:xyz against y; a/v:x against x; b/w:x"; strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}

// TestNoiseFloor: the far end of an interval counts, on either side of 1.
func TestNoiseFloor(t *testing.T) {
	for _, c := range []struct {
		ratios []stats.Ratio
		want   float64
	}{
		{nil, 0},
		{[]stats.Ratio{{Value: 1.25}}, 0.25},
		{[]stats.Ratio{{Value: 1, Interval: stats.Interval{Low: 0.5, High: 1.25}}, {Value: 1.125}}, 0.5},
		{[]stats.Ratio{{Value: 1, Interval: stats.Interval{Low: 0.875, High: 1.5}}}, 0.5},
	} {
		var list []Noise
		for _, r := range c.ratios {
			list = append(list, Noise{Mask: r})
		}
		if got := floor(list); got != c.want {
			t.Errorf("%+v: %v, want %v", c.ratios, got, c.want)
		}
	}
}
