package psc

import (
	"runtime"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// BenchmarkColdStep divides a step of an engine that has built everything offline: the commit, the
// walk down the stack, and the words put into the row. All logits are read between two steps, so
// most of what a step needs is out of the nearer caches. A pair of clock reads is in each figure.
// Masks are a start's own, whole; kept for their context; composed of parts; or of a forked stack.
func BenchmarkColdStep(b *testing.B) {
	kinds := []string{"whole-%", "kept-%", "composed-%", "forked-%"}
	for _, lang := range []string{"java", "go", "python", "sql"} {
		b.Run(lang, func(b *testing.B) {
			c := realtext.Need(b, lang, "llama3", 20)
			v := c.Problem.Vocabulary
			e := compile(b, c.Problem, algorithms.Options{"compile": "eager"})
			row := make([]uint64, algorithms.MaskWords(v.Len()))
			logits := make([]float32, v.Len())
			sum := float32(0)
			var commits, walks, puts []int64
			var masks [4]int // by kind
			b.ResetTimer()
			for range b.N {
				for _, ids := range c.Texts {
					g := e.Start().(composing).gen
					for _, id := range ids {
						t0 := time.Now()
						core := e.core.Load()
						m := g.compose(core)
						t1 := time.Now()
						g.put(core, m, row)
						t2, deltas := time.Now(), len(g.deltas)
						for i := range logits {
							sum += logits[i]
						}
						t3 := time.Now()
						if err := (composing{g}).Commit(int(id)); err != nil {
							b.Fatal(err)
						}
						commits = append(commits, time.Since(t3).Nanoseconds())
						switch {
						case m.first == nil:
							masks[3]++
						case m.words == nil:
							masks[2]++
						case deltas > 0:
							masks[1]++
						default:
							masks[0]++
						}
						walks, puts = append(walks, t1.Sub(t0).Nanoseconds()), append(puts, t2.Sub(t1).Nanoseconds())
					}
				}
			}
			runtime.KeepAlive(sum)
			for i, kind := range kinds {
				b.ReportMetric(100*float64(masks[i])/float64(len(puts)), kind)
			}
			percentiles(b, "commit", commits)
			percentiles(b, "walk", walks)
			percentiles(b, "put", puts)
		})
	}
}
