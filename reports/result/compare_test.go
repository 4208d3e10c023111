package result

import (
	"math"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/internal/made"
)

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
		for state, want := range map[string]int{StateFresh: 40, StateNew: 3 * 40, StateAgain: 3 * 4 * 40} {
			if c.Label == "trie" && state != StateFresh { // without those of one sample
				want = want / 4 * 3
				if state == StateNew {
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

// TestGroups: cells that answer the same questions are together, in the order of the configuration;
// the first with times is the baseline.
func TestGroups(t *testing.T) {
	at := func(workload, tokenizer, label string, timed bool) *Cell {
		c := &Cell{Names: Names{Workload: workload, Tokenizer: tokenizer, Label: label}}
		if timed {
			c.Steps = []Steps{{}}
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
		if base := g.Baseline(); base != nil {
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
		if got := Floor(list); got != c.want {
			t.Errorf("%+v: %v, want %v", c.ratios, got, c.want)
		}
	}
}

func TestAgainst(t *testing.T) {
	set := load(t, made.Sets["quick"].Store(t))
	for _, g := range set.Groups() {
		if len(g.Cells) != 4 || g.Cells[0].Against != nil {
			t.Fatalf("group %s: %d cells, the first against %+v", g.Workload, len(g.Cells), g.Cells[0].Against)
		}
		for _, c := range g.Cells[1:] {
			a := c.Against
			if a == nil || a.Baseline != "naive" || a.Mask.N != 3*40 || a.MaskIn[StateAgain].N != 3*160 || !a.Interleaved {
				t.Fatalf("%s: %+v", c.Label, a)
			}
			// By hand: the geometric mean of the ratios of the position's times, pass by pass.
			for state, passes := range map[string][]int{StateFresh: {0}, StateNew: {0}, StateAgain: {1, 2, 3}} {
				sum, n := 0.0, 0
				for i, s := range c.Steps {
					if state != StateAgain && (state == StateFresh) != (i == 0) {
						continue
					}
					for _, pass := range passes {
						for j, ns := range s.Passes[pass].Mask {
							sum += math.Log(float64(ns) / float64(g.Cells[0].Steps[i].Passes[pass].Mask[j]))
							n++
						}
					}
				}
				if want := math.Exp(sum / float64(n)); math.Abs(a.MaskIn[state].Value/want-1) > 1e-9 || a.MaskIn[state].N != n {
					t.Errorf("%s, %s: ratio %v, want %v", c.Label, state, a.MaskIn[state], want)
				}
			}
			if a.Mask != a.MaskIn[StateNew] {
				t.Errorf("%s: the headline %v is not that of new documents", c.Label, a.Mask)
			}
		}
	}
	if noise := set.Noise(); len(noise) != 2 || noise[0].A != "trie" || noise[0].B != "trie #2" || Floor(noise) <= 0 {
		t.Errorf("noise %+v", noise)
	}
}
