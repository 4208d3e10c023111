package psc

import (
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
)

// BenchmarkContextual compares a step with the contextual lexer of a grammar with one with its
// basic lexer, on the same programs: the ratio of the mean times of masks and commits that were
// built before, and the means themselves. The two take turns at each program.
func BenchmarkContextual(b *testing.B) {
	for _, language := range []string{"json", "go", "java", "sql"} {
		b.Run(language, func(b *testing.B) {
			c := realtext.Need(b, language, "o200k_base", 2)
			engines := make([]algorithms.Engine, 2)
			var first [2]time.Duration
			for i, lexer := range []string{"basic", "contextual"} {
				g, err := languages.LoadWith(b.Context(), language, languages.Options{Lexer: lexer})
				if err != nil {
					b.Fatal(err)
				}
				r, err := recognizer.New(b.Context(), g, recognizer.Options{})
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				engines[i] = compile(b, &algorithms.Problem{Recognizer: r, Vocabulary: c.Problem.Vocabulary}, nil)
				engines[i].Start().Mask()
				first[i] = time.Since(start)
				b.ReportMetric(float64(r.Lexer.NumStates()), lexer+"-lexer-states")
			}
			row := make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len()))
			walk := func(e algorithms.Engine, ids []int32) time.Duration {
				s, start := e.Start(), time.Now()
				for _, id := range ids {
					algorithms.Deliver(s, row)
					if err := s.Commit(int(id)); err != nil {
						b.Fatal(err)
					}
				}
				return time.Since(start)
			}
			var took, building [2]time.Duration
			steps := 0
			for round := range b.N + 1 {
				for _, ids := range c.Texts {
					for i, e := range engines {
						if t := walk(e, ids); round == 0 {
							building[i] += t
						} else {
							took[i] += t
						}
					}
					if round > 0 {
						steps += len(ids)
					}
				}
			}
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(steps), "basic-ns/step")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(steps), "contextual-ns/step")
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
			b.ReportMetric(float64(building[1])/float64(building[0]), "first-pass-ratio")
			b.ReportMetric(float64(first[1])/float64(first[0]), "first-mask-ratio")
		})
	}
}
