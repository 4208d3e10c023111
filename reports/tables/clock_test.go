package tables

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// TestClock: what was taken off, whether blocks agree, and what had the core in between.
func TestClock(t *testing.T) {
	set := loaded.One(t, func(r *cell.Record, _ []cell.Trace) {
		if r.Label == "trie" {
			r.Core = -1
		}
	})
	table := clockTable(set)
	// 4 documents of 40 tokens, 4 passes; one disturbed step and 2 us for each document.
	want := []string{
		"json|naive|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|1",
		"|trie|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|–",
		"|trie #2|38.0|–|–|–|–|640|4 of 640 (0.625%)|100%|1",
		"|psc (compile=lazy)|38.0|160|638|625|1.02|640|4 of 640 (0.625%)|",
	}
	for i, got := range loaded.Rows(table) {
		if !strings.HasPrefix(got, want[i]) {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
	c := loaded.Labelled(t, set, "psc (compile=lazy)")
	m := c.Measured
	wall := int64(0)
	for _, ns := range slices.Concat(c.Values(result.StepTimes, result.StateFirst).Values, c.Values(result.StepTimes, result.StateAgain).Values) {
		wall += int64(ns)
	}
	if m.Steps != 640 || m.Disturbed != 4 || m.StolenNS != 8000 || m.WallNS != wall || *m.Check != (measure.Check{Steps: 160, SingleNS: 4 * 25_500, BlockNS: 4 * 25_000}) {
		t.Errorf("%+v, wall %d", m, wall)
	}
	if got, want := loaded.Rows(table)[3], "|"+show.Percent(1-8000/float64(wall))+"|1"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at its end", got, want)
	}
	unpinned := clockTable(loaded.One(t, func(r *cell.Record, _ []cell.Trace) {
		r.Core = -1
		for i := range r.Samples {
			r.Samples[i].Check = nil
		}
	}))
	if text := unpinned.Caption; !strings.Contains(text, "pinned to no core") || !strings.Contains(text, "No step was so short") || len(unpinned.Telling().Columns) != len(unpinned.Columns)-5 {
		t.Errorf("%s", text)
	}
}
