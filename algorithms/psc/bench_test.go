package psc

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/conformance/realtext"
	"gcdbench/grammar/jsonschema"
	"gcdbench/lexical/jsontokens"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// percentiles reports the mean and percentiles of times in nanoseconds, and the percentage of those
// above 20 and 200 us.
func percentiles(b *testing.B, what string, times []int64) {
	slices.Sort(times)
	sum := int64(0)
	for _, t := range times {
		sum += t
	}
	at := func(p float64) float64 { return float64(times[min(len(times)-1, int(p*float64(len(times))))]) }
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
						if err := s.Commit(int(id)); err != nil {
							b.Fatal(err)
						}
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

// BenchmarkEager compiles the whole automaton.
func BenchmarkEager(b *testing.B) {
	for _, lang := range []string{"json", "sql", "java", "go", "python"} {
		b.Run(lang+"/llama3", func(b *testing.B) {
			c := realtext.Need(b, lang, "llama3", 1)
			for range b.N {
				e := compile(b, c.Problem, algorithms.Options{"compile": "eager"})
				st := e.Stats()
				b.ReportMetric(float64(st.Bytes)/1e6, "MB")
				for _, c := range st.Counters {
					switch c.Name {
					case "states", "transitions", "goals", "cells":
						b.ReportMetric(c.Value, c.Name)
					}
				}
			}
		})
	}
}

// BenchmarkSchemas measures every 10th development schema (SCHEMAS_STEP: every n-th) as it is met
// in decoding: a fresh lexer and a fresh engine, the first mask, its instances once (cold) and once
// more (warm). What the engines know of the vocabulary, and what schemas have in common, is kept
// from schema to schema. A mask with the commit after it is one figure.
func BenchmarkSchemas(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	list := development(b, schemaStep(b, 10))
	var first, cold, warm []int64
	b.ResetTimer()
	jsonschema.Prepare()
	for range b.N {
		b.StopTimer()
		schemas, kept := jsonschema.NewKept(), algorithms.NewKept()
		jsontokens.Of(kept, tok.Vocabulary(), 0).Cut()
		b.StartTimer()
		for _, s := range list {
			g, err := jsonschema.Compile(b.Context(), s.Schema, jsonschema.Options{Kept: schemas})
			if err != nil {
				continue
			}
			r, err := recognizer.New(b.Context(), g.Grammar, recognizer.Options{OnDemand: true})
			if err != nil {
				continue
			}
			start := time.Now()
			e := compile(b, &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary(), Kept: kept}, nil)
			e.Start().Mask()
			first = append(first, time.Since(start).Nanoseconds())
			for _, times := range []*[]int64{&cold, &warm} {
				for _, test := range s.Tests {
					*times = decode(b, *times, e, tok, test.Data)
				}
			}
		}
	}
	percentiles(b, "first", first)
	percentiles(b, "cold", cold)
	percentiles(b, "warm", warm)
}

// decode goes along an instance, up to the token that is refused, and appends the time of each
// step.
func decode(b *testing.B, times []int64, e *engine, tok *tokenizers.Tokenizer, text []byte) []int64 {
	ids, err := tok.EncodeContinuation(text)
	if err != nil {
		b.Fatal(err)
	}
	s := e.Start()
	for _, id := range ids {
		start := time.Now()
		s.Mask()
		if s.Commit(int(id)) != nil {
			break
		}
		times = append(times, time.Since(start).Nanoseconds())
	}
	return times
}
