package greatgramma

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/trie"
	"gcdbench/datasets"
	"gcdbench/grammars"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// real is a grammar that comes with the program, a tokenizer, and the embedded samples of the language.
type real struct {
	problem *algorithms.Problem
	samples [][]int32
}

func loadReal(t testing.TB, language, vocabulary string, samples int) real {
	t.Helper()
	g, err := grammars.Load(language)
	if err != nil {
		t.Skip(err)
	}
	rec, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizers.Load(t.Context(), vocabulary, tokenizers.Options{Offline: os.Getenv("GCDBENCH_FULL") == ""})
	if err != nil {
		t.Skipf("%s is not available: %v", vocabulary, err)
	}
	r := real{problem: &algorithms.Problem{Recognizer: rec, Vocabulary: tok.Vocabulary()}}
	source, err := datasets.Lookup(language + "-samples")
	if err != nil {
		t.Skip(err)
	}
	set, err := datasets.Load(t.Context(), source, datasets.Query{})
	if err != nil {
		t.Skip(err)
	}
	for _, s := range set.Samples {
		if s.Negative || len(r.samples) == samples {
			continue
		}
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			t.Fatal(err)
		}
		r.samples = append(r.samples, ids)
	}
	return r
}

func compileNamed(t testing.TB, name string, p *algorithms.Problem, o algorithms.Options) algorithms.Engine {
	t.Helper()
	alg, err := algorithms.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := alg.Compile(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRealGrammars compares masks with trie's at every position of samples: some with the vocabulary that is embedded,
// all of them if GCDBENCH_FULL is set.
func TestRealGrammars(t *testing.T) {
	full := os.Getenv("GCDBENCH_FULL") != ""
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"o200k_base", "llama3", "gemma3"} {
			t.Run(language+"/"+vocabulary, func(t *testing.T) {
				n := 1
				switch {
				case full:
					n = 1000
				case vocabulary != "o200k_base" || language == "go" || language == "sql":
					t.Skip("set GCDBENCH_FULL")
				}
				r := loadReal(t, language, vocabulary, n)
				began := time.Now()
				e := compileNamed(t, "greatgramma", r.problem, nil)
				t.Logf("compiled in %v; %d bytes", time.Since(began), e.Stats().Bytes)
				positions := 0
				trie := compileNamed(t, "trie", r.problem, nil)
				for _, ids := range r.samples {
					a, b := e.Start(), trie.Start()
					for i := 0; ; i++ {
						got, want := a.Mask(), b.Mask()
						if id := got.FirstDifference(want); id >= 0 {
							t.Fatalf("position %d: token %d %q: %v, trie says %v", i, id, r.problem.Vocabulary.Token(id), got.Has(id), want.Has(id))
						}
						positions++
						if i == len(ids) {
							break
						}
						if err := a.Commit(int(ids[i])); err != nil {
							t.Fatal(err)
						}
						if err := b.Commit(int(ids[i])); err != nil {
							t.Fatal(err)
						}
					}
				}
				t.Logf("%d positions are alike", positions)
			})
		}
	}
}

// BenchmarkMask reports masks and commits along samples, beside trie's masks, and what compiling took. Each position
// counts with the fastest of its rounds, so that what else the machine does stays out.
func BenchmarkMask(b *testing.B) {
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"llama3", "gemma3"} {
			r := loadReal(b, language, vocabulary, 2)
			r.problem.Vocabulary.Trie()
			for _, name := range []string{"greatgramma", "trie"} {
				b.Run(language+"/"+vocabulary+"/"+name, func(b *testing.B) {
					began := time.Now()
					e := compileNamed(b, name, r.problem, nil)
					b.ReportMetric(time.Since(began).Seconds(), "compile-s")
					var masks, commits []float64
					b.ResetTimer()
					for n := range b.N {
						masks, commits = replay(b, e, r.samples, n == 0, masks, commits)
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
