package reports

import (
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/made"
)

// TestDoubts: what a process does outside of its times is told by its sign, and what is within the
// bounds is not.
func TestDoubts(t *testing.T) {
	const ms = 1e6
	honest := measure.Audit{Walks: 1, Steps: 100, BlockNS: 10 * ms, SingleNS: 11 * ms, CommitNS: 2 * ms, BusyNS: 10.4 * ms, Requests: 10, AskedNS: 100 * ms, UnaskedNS: 1 * ms}
	for _, c := range seed.Some(t, []struct {
		sign   string
		change func(a *measure.Audit)
	}{
		{"", func(*measure.Audit) {}},
		{"", func(a *measure.Audit) { a.BusyNS = 1 * ms }}, // another process had the core
		{"", func(a *measure.Audit) { a.BlockNS, a.SingleNS, a.CommitNS, a.BusyNS = .1*ms, .1*ms, 0, .29*ms }},
		{"outside", func(a *measure.Audit) { a.BusyNS = 10.6 * ms }},
		{"outside", func(a *measure.Audit) { a.BlockNS, a.SingleNS, a.CommitNS, a.BusyNS = .1*ms, .1*ms, 0, .31*ms }},
		{"apart", func(a *measure.Audit) { a.SingleNS = 6 * ms }},
		{"", func(a *measure.Audit) { a.SingleNS = 7 * ms }},
		{"unasked", func(a *measure.Audit) { a.UnaskedNS = 6 * ms }},
		{"", func(a *measure.Audit) { a.UnaskedNS = 4.9 * ms }},
		{"commits", func(a *measure.Audit) { a.CommitNS = 9 * ms }},
		{"blind", func(a *measure.Audit) { a.BlindNS, a.SeenNS = 6*ms, 1*ms }},
		{"", func(a *measure.Audit) { a.BlindNS, a.SeenNS = 4.9*ms, 1*ms }},
		{"", func(a *measure.Audit) { a.BlindNS, a.SeenNS = .1*ms, .01*ms }},
		{"compiles", func(a *measure.Audit) { a.Compiles, a.CompileNS, a.BesideNS = 2, 30*ms, 21*ms }},
		{"", func(a *measure.Audit) { a.Compiles, a.CompileNS, a.BesideNS = 2, 30*ms, 14*ms }},
		{"", func(a *measure.Audit) { a.Compiles, a.CompileNS, a.BesideNS = 2, 3*ms, 19*ms }},
		{"moved", func(a *measure.Audit) { a.Looked, a.Moved = 3, 3 }},
		{"moved", func(a *measure.Audit) { a.Looked, a.Moved = 20, 18 }},
		{"", func(a *measure.Audit) { a.Looked, a.Moved = 20, 17 }},
		{"", func(a *measure.Audit) { a.Looked, a.Moved = 2, 2 }},
		{"strays", func(a *measure.Audit) { a.Strays = 1 }},
		{"undecided", func(a *measure.Audit) { a.BusyNS, a.WaitedNS = 6*ms, 4.6*ms }},
		{"", func(a *measure.Audit) { a.BusyNS, a.WaitedNS = 9*ms, 1.4*ms }},
		{"outside", func(a *measure.Audit) { a.BusyNS, a.WaitedNS = 12*ms, 4*ms }},
	}, 3, 1, 1) {
		a := honest
		c.change(&a)
		set := load(t, made.Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 3, Change: func(r *cell.Record, _ []cell.Trace) {
			if r.Label == "trie" {
				r.Samples[0].Audit = &a
			}
		}}.Store(t))
		var signs []string
		for _, x := range set.Cells {
			for _, d := range x.Doubts() {
				signs = append(signs, d.Sign)
			}
			if x.Undecided() {
				signs = append(signs, "undecided")
			}
		}
		if strings.Join(signs, " ") != c.sign {
			t.Errorf("%+v: %v, want %q", a, signs, c.sign)
		}
		text := strings.Join(strings.Fields(render(t, set, "text")), " ")
		if told := strings.Contains(text, "trie on json: ") || strings.Contains(text, "could have told: trie on json. Stop other programs"); told != (c.sign != "") {
			t.Errorf("%s: the first screen tells of it: %v", c.sign, told)
		}
		if !strings.Contains(text, "their times beside the processor time") {
			t.Error("there is no table")
		}
	}
}
