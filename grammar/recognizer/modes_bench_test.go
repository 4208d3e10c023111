package recognizer_test

import (
	"testing"

	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
)

// BenchmarkNewPython compiles a grammar with modes: its terminals, its tables, and the proof that
// the parser decides between the modes.
func BenchmarkNewPython(b *testing.B) {
	g, err := languages.Load(b.Context(), "python")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := recognizer.New(b.Context(), g, recognizer.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(r.Lexer.Alternatives())), "pairs")
	}
}
