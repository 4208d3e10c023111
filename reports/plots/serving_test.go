package plots

import (
	"math"
	"slices"
	"testing"
)

// exampleServing has four models as PSC's figures have them, an engine that loses nothing, one that
// loses much, and one that stops early.
func exampleServing() *Figure {
	var served []Served
	for i, model := range []string{"Gemma 3 270M", "Qwen 2.5 0.5B", "Llama 3.2 1B", "Qwen 2.5 7B"} {
		for batch := 1; batch <= 256; batch *= 2 {
			free := 2000 / float64(1+i*i) * float64(batch) / (1 + float64(batch)/100)
			add := func(label string, ns float64) {
				served = append(served, Served{Panel: model, Line: line(label), Batch: batch, PerSecond: 1e9 / (1e9/free + ns), Unconstrained: free})
			}
			add("psc", 2000)
			add("trie", 1e6)
			if batch <= 64 {
				add("greatgramma", 5e4)
			}
		}
	}
	return Serving("serving", served)
}

// TestServing: a line for each algorithm and one without masks in each panel, in order of the
// batch.
func TestServing(t *testing.T) {
	f := exampleServing()
	if len(f.Panels) != 4 || len(f.Legend) != 4 || f.Legend[3].Label != "unconstrained" {
		t.Fatalf("%d panels, legend %v", len(f.Panels), f.Legend)
	}
	for _, p := range f.Panels {
		free := p.Series[len(p.Series)-1]
		if free.Label != "unconstrained" || len(free.X) != 9 || free.Marks != nil {
			t.Errorf("%s: the last line is %s with %d points", p.Title, free.Label, len(free.X))
		}
		for _, s := range p.Series {
			if !slices.IsSorted(s.X) || len(slices.Compact(slices.Clone(s.X))) != len(s.X) {
				t.Errorf("%s, %s: sizes %v", p.Title, s.Label, s.X)
			}
			for i := range s.X {
				if s.Y[i] > free.Y[i] {
					t.Errorf("%s: %s is above no constraint", p.Title, s.Label)
				}
			}
		}
	}
	var labels []string
	for _, tick := range f.X.Ticks() {
		if math.Log2(tick.Value) != math.Round(math.Log2(tick.Value)) {
			t.Errorf("a tick at %v", tick.Value)
		}
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if want := []string{"1", "4", "16", "64", "256"}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	odd := []Served{{Panel: "a", Line: line("x"), Batch: 1, PerSecond: math.NaN(), Unconstrained: 1}, {Panel: "a", Line: line("x"), Batch: 2, PerSecond: 1, Unconstrained: math.Inf(1)},
		{Panel: "a", Line: line("x"), Batch: 4, PerSecond: 0, Unconstrained: 1}, {Panel: "a", Line: line("x"), Batch: 8, PerSecond: 1, Unconstrained: 1}}
	if f := Serving("odd", odd); f != nil {
		t.Errorf("one size is a figure: %+v", f)
	}
}
