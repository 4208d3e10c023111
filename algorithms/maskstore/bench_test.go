package maskstore

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/conformance/realtext"
)

// BenchmarkCompile is the offline time.
func BenchmarkCompile(b *testing.B) {
	r := realtext.Need(b, "java", "o200k_base", 1)
	for _, o := range []algorithms.Options{{"lookahead": "0", "store": "plain"}, {"lookahead": "0"}, {"store": "plain"}, {}} {
		b.Run(o["lookahead"]+o["store"], func(b *testing.B) {
			for b.Loop() {
				e, err := algorithm{}.Compile(b.Context(), r.Problem, o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(e.Stats().Bytes), "bytes")
			}
		})
	}
}
