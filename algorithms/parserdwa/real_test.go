package parserdwa_test

import (
	"fmt"
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

// full is whether the long tests run.
var full = os.Getenv("GCDBENCH_FULL") != ""

// setup compiles an embedded grammar for a tokenizer, which is skipped over if it was not fetched, and
// encodes samples.
func setup(t testing.TB, language, tokenizer string, limit int) (*algorithms.Problem, [][]int32) {
	t.Helper()
	tok, err := tokenizers.Load(t.Context(), tokenizer, tokenizers.Options{Offline: true})
	if err != nil {
		t.Skip("the tokenizer was not fetched: ", err)
	}
	g, err := grammars.Load(language)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := datasets.Lookup(language + "-samples")
	if err != nil {
		t.Skip("there are no samples: ", err)
	}
	set, err := datasets.Load(t.Context(), source, datasets.Query{Limit: limit})
	if err != nil {
		t.Skip("the samples cannot be read: ", err)
	}
	var texts [][]int32
	for _, s := range set.Samples {
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, ids)
	}
	return &algorithms.Problem{Recognizer: rec, Vocabulary: tok.Vocabulary()}, texts
}

func start(t testing.TB, name string, p *algorithms.Problem, given algorithms.Options) algorithms.Engine {
	t.Helper()
	alg, err := algorithms.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	o, err := algorithms.Resolve(alg, given)
	if err != nil {
		t.Fatal(err)
	}
	e, err := alg.Compile(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRealGrammars compares with trie at every position of some samples.
func TestRealGrammars(t *testing.T) {
	limit, toks := 1, []string{"o200k_base"}
	if full {
		limit, toks = 12, []string{"o200k_base", "llama3", "gemma3"}
	}
	for _, language := range grammars.Names() {
		for _, tok := range toks {
			t.Run(language+"/"+tok, func(t *testing.T) {
				p, texts := setup(t, language, tok, limit)
				engines := map[string]algorithms.Engine{}
				for name, o := range variants {
					if name != "eager" || full && tok == "llama3" { // its masks are those of lazy, and compiling takes long
						engines[name] = start(t, "parserdwa", p, o)
					}
				}
				t.Logf("%d positions, %d variants", compare(t, p, texts, start(t, "trie", p, nil), engines), len(engines))
			})
		}
	}
}

// compare takes the engines through the texts and compares their masks with those of want. It
// returns the number of positions.
func compare(t *testing.T, p *algorithms.Problem, texts [][]int32, want algorithms.Engine, got map[string]algorithms.Engine) int {
	positions := 0
	for i, ids := range texts {
		right := want.Start()
		states := map[string]algorithms.State{}
		for name, e := range got {
			states[name] = e.Start()
		}
		for k := 0; ; k++ {
			positions++
			mask := right.Mask()
			for name, s := range states {
				if id := mask.FirstDifference(s.Mask()); id >= 0 {
					t.Fatalf("%s: sample %d, position %d: token %d %q is legal for trie: %v", name, i, k, id, p.Vocabulary.Token(id), mask.Has(id))
				}
			}
			if k == len(ids) || !mask.Has(int(ids[k])) { // the end, or a sample that the grammar does not take
				break
			}
			states[""] = right
			for name, s := range states {
				if err := s.Commit(int(ids[k])); err != nil {
					t.Fatal(name, err)
				}
			}
			delete(states, "")
		}
	}
	return positions
}

// warmRuns is how often masks are timed after warm-up; the least time of each position counts, so that what
// else runs on the machine does not.
const warmRuns = 5

// BenchmarkMasks gives mask times per step: first visits, and after warm-up.
func BenchmarkMasks(b *testing.B) {
	for _, c := range []struct{ language, tokenizer string }{{"java", "llama3"}, {"java", "gemma3"}, {"go", "llama3"}, {"python", "llama3"}} {
		for _, name := range variantNames() {
			b.Run(fmt.Sprintf("%s/%s/%s", c.language, c.tokenizer, name), func(b *testing.B) {
				p, texts := setup(b, c.language, c.tokenizer, 0)
				for range b.N {
					begun := time.Now()
					e := start(b, "parserdwa", p, variants[name])
					b.ReportMetric(float64(time.Since(begun).Microseconds())/1000, "compile-ms")
					report(b, "first", times(e, texts))
					warm := times(e, texts)
					for range warmRuns - 1 {
						for i, x := range times(e, texts) {
							warm[i] = min(warm[i], x)
						}
					}
					report(b, "warm", warm)
					for _, counter := range e.Stats().Counters {
						b.ReportMetric(counter.Value, metric(counter.Name))
					}
					b.ReportMetric(float64(e.Stats().Bytes)/1e6, "MB")
				}
			})
		}
	}
}

func metric(name string) string {
	out := []byte(name)
	for i, c := range out {
		if c == ' ' {
			out[i] = '-'
		}
	}
	return string(out)
}

func variantNames() []string {
	var names []string
	for name := range variants {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// times are the nanoseconds of each mask over the texts.
func times(e algorithms.Engine, texts [][]int32) []int64 {
	var all []int64
	for _, ids := range texts {
		s := e.Start()
		for _, id := range ids {
			begun := time.Now()
			s.Mask()
			all = append(all, time.Since(begun).Nanoseconds())
			if s.Commit(int(id)) != nil {
				break
			}
		}
	}
	return all
}

func report(b *testing.B, when string, all []int64) {
	slices.Sort(all)
	sum := int64(0)
	for _, x := range all {
		sum += x
	}
	at := func(q float64) float64 { return float64(all[min(int(q*float64(len(all))), len(all)-1)]) }
	b.ReportMetric(float64(sum)/float64(len(all)), when+"-mean-ns")
	b.ReportMetric(at(0.5), when+"-p50-ns")
	b.ReportMetric(at(0.99), when+"-p99-ns")
	b.ReportMetric(at(0.999), when+"-p99.9-ns")
	b.ReportMetric(at(1), when+"-max-ns")
}

// BenchmarkEager compiles everything ahead: what it takes, and what it comes to.
func BenchmarkEager(b *testing.B) {
	for _, language := range grammars.Names() {
		b.Run(language+"/llama3", func(b *testing.B) {
			p, _ := setup(b, language, "llama3", 1)
			p.Vocabulary.Trie()
			for range b.N {
				e := start(b, "parserdwa", p, algorithms.Options{"determinize": "eager"})
				for _, counter := range e.Stats().Counters[:9] {
					b.ReportMetric(counter.Value, metric(counter.Name))
				}
				b.ReportMetric(float64(e.Stats().Bytes)/1e6, "MB")
			}
		})
	}
}
