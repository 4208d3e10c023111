package trie

import (
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// BenchmarkFill reports the mean time of a mask along programs, each position with the fastest of
// its rounds, so that what else the machine does stays out.
func BenchmarkFill(b *testing.B) {
	for _, language := range []string{"go", "java", "python"} {
		b.Run(language, func(b *testing.B) {
			c := realtext.Need(b, language, "llama3", 1)
			e := realtext.MustCompile(b, "trie", c.Problem, nil)
			row := make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len()))
			ids := c.Texts[0][:min(300, len(c.Texts[0]))]
			best := make([]time.Duration, len(ids))
			for round := range b.N {
				s := e.Start()
				for i, id := range ids {
					start := time.Now()
					algorithms.Deliver(s, row)
					if took := time.Since(start); round == 0 || took < best[i] {
						best[i] = took
					}
					if err := s.Commit(int(id)); err != nil {
						b.Fatal(err)
					}
				}
			}
			sum := time.Duration(0)
			for _, took := range best {
				sum += took
			}
			b.ReportMetric(float64(sum.Nanoseconds())/1e3/float64(len(ids)), "us/mask")
		})
	}
}
