package naive

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/realtext"
)

// BenchmarkSkipped measures what share of the tokens is not read because their first byte cannot be, over all
// positions of the embedded samples: the figures of the package's essay.
func BenchmarkSkipped(b *testing.B) {
	for _, language := range []string{"json", "java", "go", "python", "sql"} {
		b.Run(language, func(b *testing.B) {
			c := realtext.Need(b, language, "o200k_base", 0)
			skipped, positions := 0.0, 0
			for b.Loop() {
				for _, text := range c.Texts {
					s := &state{Position: algorithms.NewPosition(c.Problem)}
					for _, token := range text {
						skipped += skippedShare(s)
						positions++
						if err := s.Commit(int(token)); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			b.ReportMetric(100*skipped/float64(positions), "%skipped")
		})
	}
}

// skippedShare is the share of the ordinary tokens that Mask does not read in a state.
func skippedShare(s *state) float64 {
	v := s.Problem().Vocabulary
	begins := s.readable()
	skipped, ordinary := 0, 0
	for id := range v.Len() {
		if v.Legal(id) {
			ordinary++
			if !begins[v.Token(id)[0]] {
				skipped++
			}
		}
	}
	return float64(skipped) / float64(ordinary)
}
