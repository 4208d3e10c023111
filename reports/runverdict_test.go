package reports

import (
	"html"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/made"
)

// TestRunVerdict: the first screen says whether the machine was quiet, and marks what is noise.
func TestRunVerdict(t *testing.T) {
	seed.Usual(t)
	slower := func(label string, by uint32) func(*cell.Record, []cell.Trace) {
		return func(r *cell.Record, traces []cell.Trace) {
			for i := range traces {
				for k := range traces[i].Passes {
					p := &traces[i].Passes[k]
					p.Disturbed, p.StolenNS = 0, 0
					for j := range p.Step {
						if r.Label == label {
							p.Step[j] *= by
						}
					}
				}
			}
		}
	}
	interrupted := func(r *cell.Record, traces []cell.Trace) {
		slower("", 1)(r, traces)
		if r.Label == "naive" {
			p := &traces[0].Passes[0]
			p.Disturbed = len(p.Step)
			for _, ns := range p.Step {
				p.StolenNS += int64(ns) / 2
			}
		}
	}
	loaded := func(r *cell.Record, traces []cell.Trace) {
		slower("", 1)(r, traces)
		r.Environment.Load = 13.04
	}
	slowed := func(r *cell.Record, traces []cell.Trace) {
		slower("", 1)(r, traces)
		r.Samples[1].PaceNS = []float64{6000, 6900}
		r.Samples[2].Session, r.Samples[2].PaceNS = 2, []float64{9000, 9000} // another machine's
	}
	for _, c := range []struct {
		name   string
		change func(*cell.Record, []cell.Trace)
		quiet  bool
		marked string // labels
		say    string
	}{
		{"quiet", slower("", 1), true, "", "The machine was quiet: another thread had the core in 0% of the timed steps, and an algorithm and its twin differ by up to"},
		{"a twin is 14 times slower", slower("trie #2", 14), false, "trie, trie #2", "trie and its twin trie #2 differ by"},
		{"the first is slower", slower("trie", 14), false, "trie, trie #2", "trie and its twin trie #2 differ by"},
		{"another algorithm is slower", slower("psc (compile=lazy)", 14), true, "", "The machine was quiet"},
		{"begun on a busy machine", loaded, true, "", "In the minute before it began, 13.0 threads wanted the 2 cores."},
		{"the clock's rate moved", slowed, false, "", "The machine was disturbed: the rate of the processor's clock moved by 15.0%."},
		{"interrupted", interrupted, false, "naive", "another thread had the core in"},
	} {
		set := load(t, made.Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 5, Change: c.change}.Store(t))
		var marked []string
		for _, x := range set.Cells {
			if set.Quiet.Marks(x) {
				marked = append(marked, x.Label)
			}
		}
		if again := set.Disturbed(); len(again) > 0 != (c.marked != "") || len(again) > 0 && len(again) != len(set.Cells) {
			t.Errorf("%s: %d of %d cells to measure again", c.name, len(again), len(set.Cells))
		}
		if set.Quiet.Quiet != c.quiet || strings.Join(marked, ", ") != c.marked {
			t.Errorf("%s: %+v marks %v", c.name, set.Quiet, marked)
		}
		for _, format := range seed.Some(t, []string{"text", "html", "markdown", "latex"}, 2, 1, 1) {
			text := html.UnescapeString(strings.Join(strings.Fields(render(t, set, format)), " "))
			if plain := strings.ReplaceAll(text, "\\%", "%"); !strings.Contains(strings.ReplaceAll(plain, "\\#", "#"), c.say) {
				t.Errorf("%s, %s: no %q", c.name, format, c.say)
			}
		}
		steps := set.Document().Summary[0]
		for _, row := range steps.Rows {
			if strings.HasSuffix(row[1].Body, " !") != strings.Contains(", "+c.marked+",", ", "+row[0].Body+",") {
				t.Errorf("%s: %+v", c.name, row)
			}
		}
	}
}
