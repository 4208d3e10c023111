package loads

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	underload "gcdbench/harness/load"
	"gcdbench/harness/stats"
)

// someLoads are loads of two engines at three rates, of which the first keeps the limits at two and
// the other at one.
func someLoads() *Loads {
	l := &Loads{}
	for e, label := range []string{underload.Unconstrained, "psc"} {
		id := underload.ID{Workload: "schema", Tokenizer: "llama3", Model: "M", Label: label, Scenario: "server", Unseen: 1}
		for i, rate := range []float64{10, 20, 40} {
			one := id
			one.Rate = rate
			p99 := float64(int64(50e6) << i)
			sum := stats.Summary{N: 100, Mean: 20e6, P50: 20e6, P99: &p99, Max: 2 * p99}
			l.Cells = append(l.Cells, &underload.Cell{ID: one, Algorithm: label, Outcome: cell.OK, Kept: i+e < 2, Limits: underload.Limits{TTFTNS: 5e8, ITLNS: 3e7, Share: 0.99}, Settings: config.Server{Masks: config.Overlapped},
				Figures: &underload.Figures{Requests: 100, OK: 90, Refused: 10, TTFT: sum, ITL: sum, Memory: [][2]int64{{0, 1 << 20}, {5e8, 3 << 20}}, Parts: underload.Parts{Compile: sum, Model: sum}}})
		}
		found := &underload.Found{ID: id, Bound: 50}
		for range 3 {
			found.Add([]float64{20, 10}[e])
		}
		l.Capacities = append(l.Capacities, found)
	}
	return l
}

// TestLoads: the summary has the capacities and their shares, and latencies of the highest rate
// that kept the limits; the report has its tables and five figures.
func TestLoads(t *testing.T) {
	l := someLoads()
	summary := l.Summary()
	for _, part := range []string{"500 ms to the first token", "100% unseen", "20.0", "50.0%", "40.0%", "10.0%"} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary lacks %q:\n%s", part, summary)
		}
	}
	if best := l.best(&l.Capacities[1].ID); best == nil || best.ID.Rate != 10 {
		t.Errorf("the best load of psc is %+v", best)
	}
	dir := t.TempDir()
	files, err := WriteLoads(dir, "loads", l)
	if err != nil || len(files) != 3+5*3 {
		t.Fatalf("%v: %v", files, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "load.md"))
	if err != nil || !strings.Contains(string(text), "## The parts of TTFT") || !strings.Contains(string(text), "40.0 requests/s") {
		t.Errorf("%v: %s", err, text)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "load-capacity.svg"))
	if err != nil || !strings.Contains(string(svg), "psc") {
		t.Errorf("%v: the figure of capacities lacks an engine", err)
	}
}

// TestLoadsStored: the data have the capacities, their shares, and the best load of each.
func TestLoadsStored(t *testing.T) {
	s := someLoads().Stored("loads")
	if s.Name != "loads" || len(s.Capacities) != 2 || len(s.About) != 1 {
		t.Fatalf("%+v", s)
	}
	psc := s.Capacities[1]
	if psc.Label != "psc" || psc.Rate != 10 || *psc.OfNone != 0.5 || *psc.NotTaken != 0.1 || *psc.TTFT.P99 != 50e6 || psc.Grammars != "100% unseen" {
		t.Errorf("%+v", psc)
	}
	l := someLoads()
	for _, c := range l.Cells {
		c.Kept = false
	}
	l.Capacities = l.Capacities[1:]
	if c := l.Stored("loads").Capacities[0]; c.OfNone != nil || c.TTFT != nil || c.NotTaken != nil {
		t.Errorf("without a load that kept the limits, and without masks off: %+v", c)
	}
}

// TestLoadsFailed: what went wrong is a warning, and no row.
func TestLoadsFailed(t *testing.T) {
	l := someLoads()
	l.Cells, l.Capacities = l.Cells[:1], nil
	l.Cells[0].Outcome, l.Cells[0].Detail = cell.WrongMask, "the mask of request 7 differs"
	if summary := l.Summary(); !strings.Contains(summary, "Warning: none, 10.0 requests/s: wrong-mask: the mask of request 7 differs") {
		t.Error(summary)
	}
}

// TestDisturbed: a repetition in which most engines took much longer for a token is the machine's,
// and one in which a single engine did is not.
func TestDisturbed(t *testing.T) {
	l := &Loads{}
	for _, label := range []string{underload.Unconstrained, "psc", "trie", "naive"} {
		id := underload.ID{Workload: "schema", Model: "M", Label: label, Scenario: "server", Rate: 10}
		for repeat := range 2 {
			id.Repeat = repeat
			for _, more := range []float64{0, 0.1} { // at other rates
				l.Cells = append(l.Cells, &underload.Cell{ID: id, Outcome: cell.OK, Figures: &underload.Figures{Tokens: 100, CPUPer1000: 0.1 + more}})
			}
		}
		l.Capacities = append(l.Capacities, &underload.Found{ID: id})
	}
	slow := func(label string) {
		for _, c := range l.Cells {
			if c.ID.Label == label && c.ID.Repeat == 1 {
				c.CPUPer1000 *= 2
			}
		}
	}
	if slow("psc"); len(l.disturbed()) > 0 {
		t.Error("of one engine: ", l.disturbed())
	}
	if slow("trie"); len(l.disturbed()) != 1 || !strings.Contains(l.disturbed()[0], "psc 2.0 times, trie 2.0 times") {
		t.Error("of two engines: ", l.disturbed())
	}
}
