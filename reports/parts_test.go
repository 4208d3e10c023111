package reports

import (
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/reports/internal/made"
)

// TestClampedSteps: a step that took longer than a trace can hold is said to.
func TestClampedSteps(t *testing.T) {
	set := load(t, made.Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 4, Change: func(r *cell.Record, traces []cell.Trace) {
		if r.Label == "naive" {
			traces[0].Passes[1].Step[3] = measure.MaxNS
		}
	}}.Store(t))
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
		text := strings.Join(strings.Fields(render(t, one(t, made.Only("trie", c.change)), "text")), " ")
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
