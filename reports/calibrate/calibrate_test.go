package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// BenchmarkKnown has the harness measure the engines of known cost, and reports what it found over
// what is true, and the worst of them.
func BenchmarkKnown(b *testing.B) {
	for b.Loop() {
		r := must.Get(Run(b.Context(), All, nil))(b)
		for _, e := range r.Engines {
			b.ReportMetric(e.Found/e.True, e.Name+"-found/true")
		}
		for _, p := range r.Pairs {
			b.ReportMetric(p.Found/p.True, p.A+"-over-"+p.B+"-found/true")
		}
		b.ReportMetric(float64(r.Failed()), "wrong")
	}
}

// TestKnownEnginesRun: the whole way from the configuration to the report works, and orders of
// magnitude are found. What the clock is worth is for the benchmark and the command: a machine that
// runs tests is not quiet.
func TestKnownEnginesRun(t *testing.T) {
	seed.Usual(t) // takes ten seconds
	slowest, engines := Short, 8
	if seed.Full() {
		slowest, engines = All, 10
	}
	var off []string
	for range 3 { // what else runs may slow the measurement of what is true, or of what is found
		r := must.Get(Run(t.Context(), slowest, nil))(t)
		if len(r.Engines) != engines || len(r.Pairs) < engines {
			t.Fatalf("%d engines, %d pairs", len(r.Engines), len(r.Pairs))
		}
		off = nil
		for _, e := range r.Engines {
			if ratio := e.Found / e.True; ratio < 0.3 || ratio > 5 {
				off = append(off, fmt.Sprintf("%s: true %.0f ns, found %.0f", e.Name, e.True, e.Found))
			}
		}
		if off == nil {
			return
		}
	}
	t.Error(strings.Join(off, "\n"))
}

// TestTolerances: what is within and what is not.
func TestTolerances(t *testing.T) {
	for _, c := range []struct {
		truth, found float64
		right        bool
	}{{50, 69, true}, {50, 71, false}, {50, 29, false}, {5000, 5400, true}, {5000, 5600, false}, {5000, 4400, false}} {
		if got := timeRight(c.truth, c.found); got != c.right {
			t.Errorf("true %v, found %v: right %v", c.truth, c.found, got)
		}
	}
	for _, c := range []struct {
		a, b, found, low, high float64
		right                  bool
	}{{5250, 5000, 1.05, 1.04, 1.06, true}, {5250, 5000, 1.05, 0.99, 1.1, false}, {50000, 5000, 10.6, 10.5, 10.7, false}, {500, 50, 12, 11.5, 12.5, true}} {
		ratio := stats.Ratio{Value: c.found, Interval: stats.Interval{Low: c.low, High: c.high}}
		if got := pairOf("a", "b", c.a, c.b, ratio); got.Right != c.right {
			t.Errorf("%+v: right %v", c, got.Right)
		}
	}
}

// TestResultText: the verdict comes first, and what is off is marked; the JSON has the names of the
// contract.
func TestResultText(t *testing.T) {
	r := &Result{Engines: []Engine{{Name: "fast", True: 50, Found: 90}, {Name: "slow", True: 500, Found: 501, Right: true}},
		Pairs: []Pair{{A: "slow", B: "fast", True: 10, Found: 5.6, Low: 5.5, High: 5.7}}}
	var text bytes.Buffer
	must.OK(t, r.WriteText(&text))
	if !strings.HasPrefix(text.String(), "The clock is off in 2 places") || strings.Count(text.String(), "!\n") != 2 {
		t.Errorf("text:\n%s", &text)
	}
	raw := must.Get(json.Marshal(r))(t)
	for _, field := range []string{`"engines":[{"name":"fast","true_ns":50,"found_ns":90`, `"pairs":[{"a":"slow","b":"fast","true":10,"found":5.6,"low":5.5,"high":5.7`} {
		if !strings.Contains(string(raw), field) {
			t.Errorf("no %s in %s", field, raw)
		}
	}
}
