package parserdwa_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/languages"
	"gcdbench/internal/seed"
)

// TestRealGrammars compares with trie at every position of some samples.
func TestRealGrammars(t *testing.T) {
	limit, toks := 1, []string{"r50k_base"}
	if seed.Full() {
		limit, toks = 12, []string{"o200k_base", "llama3", "gemma3"}
	}
	for _, language := range languages.Names() {
		for _, tok := range toks {
			t.Run(language+"/"+tok, func(t *testing.T) {
				c := realtext.Need(t, language, tok, limit)
				p := c.Problem
				engines := map[string]algorithms.Engine{}
				for name, o := range variants {
					switch {
					case name == "whole": // lexers of programs are built ahead
					case name != "eager" || seed.Full() && tok == "llama3": // its masks are those of lazy, and compiling takes long
						engines[name] = realtext.MustCompile(t, "parserdwa", p, o)
					}
				}
				positions, err := c.Compare(realtext.MustCompile(t, "trie", p, nil), engines)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d positions, %d variants", positions, len(engines))
			})
		}
	}
}

// warmRuns is how often masks are timed after warm-up; the least time of each position counts, so
// that what else runs on the machine does not.
const warmRuns = 5

// BenchmarkMasks gives mask times per step: first visits, and after warm-up.
func BenchmarkMasks(b *testing.B) {
	for _, c := range []struct{ language, tokenizer string }{{"java", "llama3"}, {"java", "gemma3"}, {"go", "llama3"}, {"python", "llama3"}} {
		for _, name := range variantNames() {
			b.Run(fmt.Sprintf("%s/%s/%s", c.language, c.tokenizer, name), func(b *testing.B) {
				r := realtext.Need(b, c.language, c.tokenizer, 0)
				p, texts := r.Problem, r.Texts
				for range b.N {
					begun := time.Now()
					e := realtext.MustCompile(b, "parserdwa", p, variants[name])
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
	for _, language := range languages.Names() {
		b.Run(language+"/llama3", func(b *testing.B) {
			p := realtext.Need(b, language, "llama3", 1).Problem
			p.Vocabulary.Trie()
			for range b.N {
				e := realtext.MustCompile(b, "parserdwa", p, algorithms.Options{"determinize": "eager"})
				for _, counter := range e.Stats().Counters[:9] {
					b.ReportMetric(counter.Value, metric(counter.Name))
				}
				b.ReportMetric(float64(e.Stats().Bytes)/1e6, "MB")
			}
		})
	}
}
