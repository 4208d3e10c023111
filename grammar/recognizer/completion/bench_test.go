package completion_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/seed"
)

// BenchmarkPrograms completes programs that were cut at random places, all from one Completer.
func BenchmarkPrograms(b *testing.B) {
	for _, language := range datasets.Languages() {
		b.Run(language, func(b *testing.B) {
			r := embedded(b, language)
			var states []recognizer.State
			rng := rand.New(rand.NewPCG(seed.New(b), 1))
			for _, d := range documents(b, language, 100) {
				for range 5 {
					if s, ok := r.Read(r.Start(), d.Content[:rng.IntN(len(d.Content)+1)]); ok && r.Check(d.Content) == nil {
						states = append(states, s)
					}
				}
			}
			c := completion.New(r, completion.Options{})
			complete(b, func(i int) (*completion.Completer, recognizer.State) { return c, states[i%len(states)] })
		})
	}
}

// BenchmarkSchemas completes instances of JSON schemas that were cut at random places.
func BenchmarkSchemas(b *testing.B) {
	list, err := schemas.Development(b.Context(), filepath.Join("..", "..", ".."), 20)
	if err != nil {
		b.Skip(err)
	}
	type cut struct {
		c *completion.Completer
		s recognizer.State
	}
	var cuts []cut
	rng := rand.New(rand.NewPCG(seed.New(b), 1))
	for _, s := range list {
		r := schema(b, s.Text)
		if r == nil {
			continue
		}
		c := completion.New(r, completion.Options{})
		for _, x := range s.Instances {
			if state, ok := r.Read(r.Start(), x.Text[:rng.IntN(len(x.Text)+1)]); ok && x.Valid {
				cuts = append(cuts, cut{c, state})
			}
		}
	}
	complete(b, func(i int) (*completion.Completer, recognizer.State) { x := cuts[i%len(cuts)]; return x.c, x.s })
}

// complete is the loop of both; it reports completions and bytes of them per second.
func complete(b *testing.B, next func(i int) (*completion.Completer, recognizer.State)) {
	n, bytes := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		c, s := next(n)
		got, err := c.Shortest(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		n++
		bytes += len(got.Text)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "completions/s")
	b.ReportMetric(float64(bytes)/float64(n), "bytes/completion")
}

// BenchmarkNew prepares the completions of a grammar.
func BenchmarkNew(b *testing.B) {
	for _, language := range datasets.Languages() {
		b.Run(language, func(b *testing.B) {
			r := embedded(b, language)
			for b.Loop() {
				completion.New(r, completion.Options{})
			}
		})
	}
}
