package greatgramma

import (
	"math"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/internal/seed"
)

// TestRealGrammars compares masks with trie's at every position of samples: some with the
// vocabulary that is embedded, all of them if GCDBENCH_FULL is set.
func TestRealGrammars(t *testing.T) {
	full := seed.Full()
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"r50k_base", "o200k_base", "llama3", "gemma3"} {
			t.Run(language+"/"+vocabulary, func(t *testing.T) {
				n := 1
				switch {
				case full:
					n = 0 // all
				case vocabulary != "r50k_base" || language == "go" || language == "sql":
					t.Skip("set GCDBENCH_FULL")
				}
				r := realtext.Need(t, language, vocabulary, n)
				began := time.Now()
				e := realtext.MustCompile(t, "greatgramma", r.Problem, nil)
				t.Logf("compiled in %v; %d bytes", time.Since(began), e.Stats().Bytes)
				trie := realtext.MustCompile(t, "trie", r.Problem, nil)
				positions, err := r.Compare(trie, map[string]algorithms.Engine{"greatgramma": e})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d positions are alike", positions)
			})
		}
	}
}

// BenchmarkMask reports masks and commits along samples, beside trie's masks, and what compiling
// took. Each position counts with the fastest of its rounds, so that what else the machine does
// stays out.
func BenchmarkMask(b *testing.B) {
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"llama3", "gemma3"} {
			r := realtext.Need(b, language, vocabulary, 2)
			r.Problem.Vocabulary.Trie()
			for _, name := range []string{"greatgramma", "trie"} {
				b.Run(language+"/"+vocabulary+"/"+name, func(b *testing.B) {
					began := time.Now()
					e := realtext.MustCompile(b, name, r.Problem, nil)
					b.ReportMetric(time.Since(began).Seconds(), "compile-s")
					var masks, commits []float64
					b.ResetTimer()
					for n := range b.N {
						masks, commits = replay(b, e, r.Texts, n == 0, masks, commits)
					}
					report(b, "mask", masks)
					report(b, "commit", commits)
				})
			}
		}
	}
}

// replay walks along samples and keeps the least time of each position, in microseconds.
func replay(b *testing.B, e algorithms.Engine, samples [][]int32, first bool, masks, commits []float64) (_, _ []float64) {
	n := 0
	for _, ids := range samples {
		s := e.Start()
		for _, id := range ids {
			t0 := time.Now()
			s.Mask()
			t1 := time.Now()
			err := s.Commit(int(id))
			t2 := time.Now()
			if err != nil {
				b.Fatal(err)
			}
			if first {
				masks, commits = append(masks, math.Inf(1)), append(commits, math.Inf(1))
			}
			masks[n] = min(masks[n], float64(t1.Sub(t0).Nanoseconds())/1e3)
			commits[n] = min(commits[n], float64(t2.Sub(t1).Nanoseconds())/1e3)
			n++
		}
	}
	return masks, commits
}

func report(b *testing.B, what string, times []float64) {
	slices.Sort(times)
	sum := 0.0
	for _, x := range times {
		sum += x
	}
	b.ReportMetric(sum/float64(len(times)), what+"-mean-us")
	b.ReportMetric(times[len(times)/2], what+"-p50-us")
	b.ReportMetric(times[len(times)*999/1000], what+"-p99.9-us")
}
