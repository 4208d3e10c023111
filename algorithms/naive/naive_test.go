package naive

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// TestSkipped: what the description says is skipped is, and the grammar would refuse all of it.
func TestSkipped(t *testing.T) {
	if !strings.Contains(algorithm{}.Summary(), "but for those whose first byte cannot be read") {
		t.Errorf("the summary hides it: %s", algorithm{}.Summary())
	}
	c := realtext.Need(t, "json", "r50k_base", 1)
	at := algorithms.NewPosition(c.Problem)
	s := &at
	v, skipped := c.Problem.Vocabulary, 0
	for _, token := range c.Texts[0][:min(20, len(c.Texts[0]))] {
		begins := readable(s)
		for id := range v.Len() {
			if !v.Legal(id) || begins[v.Token(id)[0]] {
				continue
			}
			skipped++
			if _, ok := c.Problem.Read(s.State, v.Token(id)); ok {
				t.Fatalf("position %d: token %d %q is skipped and legal", s.Tokens(), id, v.Token(id))
			}
		}
		must.OK(t, s.Commit(int(token)))
	}
	if skipped == 0 {
		t.Error("nothing was skipped")
	}
}

// BenchmarkSkipped measures what share of the tokens is not read because their first byte cannot
// be, over all positions of the embedded samples: the figures of the package's essay.
func BenchmarkSkipped(b *testing.B) {
	for _, language := range []string{"json", "java", "go", "python", "sql"} {
		b.Run(language, func(b *testing.B) {
			c := realtext.Need(b, language, "o200k_base", 0)
			skipped, positions := 0.0, 0
			for b.Loop() {
				for _, text := range c.Texts {
					at := algorithms.NewPosition(c.Problem)
					s := &at
					for _, token := range text {
						skipped += skippedShare(s)
						positions++
						must.OK(b, s.Commit(int(token)))
					}
				}
			}
			b.ReportMetric(100*skipped/float64(positions), "%skipped")
		})
	}
}

// skippedShare is the share of the ordinary tokens that Mask does not read in a state.
func skippedShare(s *algorithms.Position) float64 {
	v := s.Problem().Vocabulary
	begins := readable(s)
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
