package reports

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
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

// TestWhatWarrantsAWord: circumstances that weaken a result are in the text.
func TestWhatWarrantsAWord(t *testing.T) {
	cases := []struct {
		what   string
		change func(r *cell.Record)
		want   string
	}{
		{"collections in timed passes", func(r *cell.Record) { r.GC.Timed = 2 }, "trie on json with o200k_base[:32000]: 2 garbage collections began in timed passes."},
		{"abandoned goroutines", func(r *cell.Record) { r.Samples[1].Abandoned = 1 }, "up to 1 goroutine of engines that did not return took processor time"},
		{"an interrupted run", func(r *cell.Record) { r.Sessions = 3 }, "measured in 3 sessions, since the run was interrupted"},
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
		if c.Label == "trie" && c.Against.Mask.N != 3*40 {
			t.Errorf("%d pairs, want those of three samples", c.Against.Mask.N)
		}
		if c.Label == "trie #2" && c.Against.Mask.N != 4*40 {
			t.Errorf("%d pairs, want those of four samples", c.Against.Mask.N)
		}
	}
}

// TestColdMasks are those of the first warm-up pass.
func TestColdMasks(t *testing.T) {
	set := one(t, func(r *cell.Record, traces []cell.Trace) {
		for i := range traces {
			for j := range traces[i].Passes[0].Mask {
				traces[i].Passes[0].Mask[j] = 777
			}
		}
	})
	for _, c := range set.Cells {
		if c.ColdMaskNS.P50 != 777 || c.ColdMaskNS.Max != 777 || c.MaskNS.P50 == 777 {
			t.Errorf("%s: cold %+v, warm %+v", c.Label, c.ColdMaskNS, c.MaskNS)
		}
	}
}

func TestBatchedShare(t *testing.T) {
	set := one(t, nil)
	for _, c := range set.Cells {
		want := 0.0
		if strings.HasPrefix(c.Label, "psc") {
			want = 1
		}
		if c.Measured.BatchedMasks != want {
			t.Errorf("%s: %v of the passes are batched, want %v", c.Label, c.Measured.BatchedMasks, want)
		}
	}
}

func TestMachineText(t *testing.T) {
	e := environment.Environment{Machine: environment.Machine{CPU: "CPU", Cores: 1, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 1, Program: "abc"},
		Kernel: "6", MemoryBytes: 2048 << 20, Clock: environment.Clock{PairNS: 76.24}, Date: time.Unix(0, 0)}
	want := "Measured on CPU, 1 core, 2,048 MiB, linux amd64 6, go1.26, GOMAXPROCS 1; program abc (revision unknown). " +
		"A pair of clock reads cost 76.2 ns and is not subtracted; masks faster than 20 pairs are timed in batches."
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
	for in, want := range map[string]string{"o200k_base[:2000]": "o200k_base--2000", "../../x": "x", "a b/c": "a-b-c", "llama3": "llama3"} {
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
	if paths, err := WriteFiles(file, set, "csv"); err != nil || len(paths) != 5 {
		t.Fatalf("%v, %v", paths, err)
	}
	if _, err := WriteFiles(filepath.Join(file, "report.csv", "below"), set, "csv"); err == nil || !strings.Contains(err.Error(), "report.csv") {
		t.Errorf("below a file: %v", err)
	}
}
