package koo_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/koo"
	_ "gcdbench/algorithms/trie"
	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// real compiles an embedded grammar and loads a tokenizer, or skips if that would need fetching.
func real(t testing.TB, grammar, tokenizer string) (*algorithms.Problem, *tokenizers.Tokenizer) {
	t.Helper()
	g, err := languages.Load(t.Context(), grammar)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizers.Load(t.Context(), tokenizer, tokenizers.Options{Offline: true})
	if err != nil {
		t.Skip(err)
	}
	return &algorithms.Problem{Recognizer: rec, Vocabulary: tok.Vocabulary()}, tok
}

// samples are the first n valid samples of a grammar, as tokens.
func samples(t testing.TB, grammar string, tok *tokenizers.Tokenizer, n int) [][]int32 {
	t.Helper()
	source, err := datasets.Lookup(grammar + "-samples")
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.Load(t.Context(), source, datasets.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var out [][]int32
	for _, s := range set.Samples {
		if s.Negative || len(out) == n {
			continue
		}
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ids)
	}
	return out
}

// timed runs an algorithm over texts and returns the time of each mask and commit, first the time
// of the texts' first reading.
func timed(b *testing.B, alg algorithms.Algorithm, p *algorithms.Problem, o algorithms.Options, texts [][]int32) (compile time.Duration, cold, masks, commits []time.Duration, cpu used, stats algorithms.Stats) {
	begin := time.Now()
	e, err := alg.Compile(b.Context(), p, o)
	var limit *koo.LimitError
	if errors.As(err, &limit) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	compile = time.Since(begin)
	for round := range 2 {
		begin := processor(b)
		for i, ids := range texts {
			last := processor(b)
			s := e.Start()
			for _, id := range ids {
				t0 := time.Now()
				s.Mask()
				t1 := time.Now()
				if err := s.Commit(int(id)); err != nil {
					b.Fatal(err)
				}
				t2 := time.Now()
				if round == 0 {
					cold = append(cold, t1.Sub(t0))
				} else {
					masks, commits = append(masks, t1.Sub(t0)), append(commits, t2.Sub(t1))
				}
			}
			if round == 0 && i == len(texts)-1 {
				cpu.unseen = perStep(processor(b)-last, len(ids))
			}
		}
		if round == 0 {
			cpu.cold = perStep(processor(b)-begin, len(cold))
		} else {
			cpu.warm = perStep(processor(b)-begin, len(masks))
		}
	}
	return compile, cold, masks, commits, cpu, e.Stats()
}

// used is the processor time of a step, a mask and a commit, in microseconds: reading the texts for
// the first time, the last of them for the first time when the others were read, and all again.
type used struct{ cold, unseen, warm float64 }

func perStep(d time.Duration, steps int) float64 {
	return float64(d.Nanoseconds()) / 1e3 / float64(steps)
}

// processor is the processor time this process has used.
func processor(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func mean(d []time.Duration) float64 {
	var sum time.Duration
	for _, x := range d {
		sum += x
	}
	return float64(sum.Nanoseconds()) / float64(len(d)) / 1e3
}

func percentile(d []time.Duration, p float64) float64 {
	d = slices.Clone(d)
	slices.Sort(d)
	return float64(d[int(p*float64(len(d)-1))].Nanoseconds()) / 1e3
}

// BenchmarkSamples teacher-forces the embedded samples, twice: cold is the first time, in which
// states are composed as they are visited; the other figures are of the second. All in
// microseconds; the -cpu figures are the processor time of a mask and a commit (see used), which
// other load on the machine hardly touches.
func BenchmarkSamples(b *testing.B) {
	for _, grammar := range []string{"json", "java"} {
		for _, tokenizer := range []string{"o200k_base", "llama3"} {
			p, tok := real(b, grammar, tokenizer)
			texts := samples(b, grammar, tok, 3)
			run := func(name, algorithm string, o algorithms.Options) {
				b.Run(grammar+"/"+tokenizer+"/"+name, func(b *testing.B) {
					for range b.N {
						compile, cold, masks, commits, cpu, stats := timed(b, realtext.Lookup(b, algorithm), p, o, texts)
						b.ReportMetric(float64(compile.Microseconds())/1e3, "compile-ms")
						b.ReportMetric(mean(cold), "cold-mean")
						b.ReportMetric(cpu.cold, "cold-cpu")
						b.ReportMetric(cpu.unseen, "unseen-cpu")
						b.ReportMetric(cpu.warm, "warm-cpu")
						b.ReportMetric(mean(masks), "mask-mean")
						b.ReportMetric(percentile(masks, .5), "mask-p50")
						b.ReportMetric(percentile(masks, .999), "mask-p99.9")
						b.ReportMetric(mean(commits), "commit-mean")
						b.ReportMetric(percentile(commits, .5), "commit-p50")
						b.ReportMetric(float64(stats.Bytes)/1e6, "MB")
						for _, c := range stats.Counters {
							b.Logf("%s: %v", c.Name, c.Value)
						}
						b.Logf("%d masks", len(masks))
					}
				})
			}
			run("trie", "trie", nil)
			run("lazy", "automata", nil)
			run("no-stack-masks", "automata", algorithms.Options{"stack-masks": "off"})
			run("eager", "automata", algorithms.Options{"compile": "eager", "memory": "4096"})
			run("whole", "automata", algorithms.Options{"shared-masks": "off"})
		}
	}
}
