package greatgramma

import (
	"context"
	"os"
	"slices"
	"strconv"
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

// TestRealGrammars compares masks with trie's at every position of samples.
func TestRealGrammars(t *testing.T) {
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"o200k_base", "llama3", "gemma3"} {
			t.Run(language+"/"+vocabulary, func(t *testing.T) {
				n := 1
				if os.Getenv("GCDBENCH_FULL") != "" {
					n = 1000
				} else if vocabulary != "o200k_base" || language != "json" && testing.Short() {
					t.Skip("set GCDBENCH_FULL")
				}
				if m, err := strconv.Atoi(os.Getenv("GCDBENCH_SAMPLES")); err == nil {
					n = m
				}
				r := loadReal(t, language, vocabulary, n)
				began := time.Now()
				e := compileNamed(t, "greatgramma", r.problem, nil)
				t.Logf("compiled in %v; %+v", time.Since(began), e.Stats())
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

// BenchmarkMask reports masks along samples beside trie's, and compile time.
func BenchmarkMask(b *testing.B) {
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"llama3", "gemma3"} {
			r := loadReal(b, language, vocabulary, 4)
			for _, name := range []string{"greatgramma", "trie"} {
				b.Run(language+"/"+vocabulary+"/"+name, func(b *testing.B) {
					began := time.Now()
					e := compileNamed(b, name, r.problem, nil)
					compiled := time.Since(began)
					var times []float64
					b.ResetTimer()
					for range b.N {
						times = times[:0]
						for _, ids := range r.samples {
							s := e.Start()
							for _, id := range ids {
								at := time.Now()
								s.Mask()
								times = append(times, float64(time.Since(at).Nanoseconds())/1e3)
								if err := s.Commit(int(id)); err != nil {
									b.Fatal(err)
								}
							}
						}
					}
					slices.Sort(times)
					sum := 0.0
					for _, x := range times {
						sum += x
					}
					b.ReportMetric(compiled.Seconds(), "compile-s")
					b.ReportMetric(sum/float64(len(times)), "mean-us")
					b.ReportMetric(times[len(times)/2], "p50-us")
					b.ReportMetric(times[len(times)*999/1000], "p99.9-us")
				})
			}
		}
	}
}
