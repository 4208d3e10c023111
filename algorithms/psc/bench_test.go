package psc

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// percentiles reports the sum, the mean and percentiles of times in nanoseconds, and the percentage
// of those above 20 and 200 us.
func percentiles(b *testing.B, what string, times []int64) {
	if len(times) == 0 { // no schema has a text
		return
	}
	slices.Sort(times)
	sum := int64(0)
	for _, t := range times {
		sum += t
	}
	at := func(p float64) float64 { return float64(times[min(len(times)-1, int(p*float64(len(times))))]) }
	b.ReportMetric(float64(sum)/1e6, what+"-sum-ms")
	b.ReportMetric(float64(sum)/float64(len(times)), what+"-mean-ns")
	b.ReportMetric(at(0.5), what+"-p50-ns")
	b.ReportMetric(at(0.99), what+"-p99-ns")
	b.ReportMetric(at(0.999), what+"-p99.9-ns")
	b.ReportMetric(at(1), what+"-max-ns")
	for _, us := range []int64{20, 200} {
		from, _ := slices.BinarySearch(times, us*1000+1)
		b.ReportMetric(100*float64(len(times)-from)/float64(len(times)), fmt.Sprintf("%s-over-%dus-%%", what, us))
	}
}

// BenchmarkMask measures masks and commits along the Java samples, after a warm-up pass, for all
// vocabulary sizes in one run. A pair of clock reads is in each figure.
func BenchmarkMask(b *testing.B) {
	for _, vocabulary := range []string{"llama2", "o200k_base", "llama3", "qwen2.5", "gemma3"} {
		b.Run(vocabulary, func(b *testing.B) {
			c := realtext.Need(b, "java", vocabulary, 6)
			start := time.Now()
			e := compile(b, c.Problem, nil)
			compiled := time.Since(start)
			e.Start().Mask()
			first := time.Since(start) - compiled
			walk := func(record func(mask, commit int64)) {
				for _, ids := range c.Texts {
					s := e.Start()
					for _, id := range ids {
						t0 := time.Now()
						s.Mask()
						t1 := time.Now()
						must.OK(b, s.Commit(int(id)))
						record(t1.Sub(t0).Nanoseconds(), time.Since(t1).Nanoseconds())
					}
				}
			}
			var cold []int64
			walk(func(mask, _ int64) { cold = append(cold, mask) })
			b.ResetTimer() // it drops metrics reported before
			b.ReportMetric(float64(compiled.Microseconds())/1e3, "compile-ms")
			b.ReportMetric(float64(first.Microseconds())/1e3, "first-mask-ms")
			percentiles(b, "cold", cold)
			var masks, commits []int64
			for range b.N {
				walk(func(mask, commit int64) { masks, commits = append(masks, mask), append(commits, commit) })
			}
			percentiles(b, "mask", masks)
			percentiles(b, "commit", commits)
			for _, c := range e.Stats().Counters {
				if c.Name == "states" || c.Name == "distinct masks" {
					b.ReportMetric(c.Value, c.Name[:6])
				}
			}
		})
	}
}
