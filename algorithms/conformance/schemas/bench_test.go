package schemas_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// BenchmarkEngines measures algorithms on every 25th development schema (SCHEMAS_STEP: every n-th),
// with and without slices: compile and first mask of a fresh engine on a fresh lexer, and the
// steps, a mask with the commit after it, of a first pass over its instances (cold) and of a second
// one (warm). Figures are in microseconds.
//
//	go test ./algorithms/conformance/schemas -run - -bench 'Engines/legality' -benchtime 1x
func BenchmarkEngines(b *testing.B) {
	tok := llama3(b, 0)
	list := development(b, 25)
	jsonschema.Prepare()
	for _, name := range algorithms.Names() {
		alg, err := algorithms.Lookup(name)
		if err != nil || alg.Semantics() != algorithms.SemanticsContract || name == "naive" {
			continue
		}
		for _, slicing := range []string{"on", "off"} {
			b.Run(fmt.Sprintf("%s/slices=%s", name, slicing), func(b *testing.B) {
				o := algorithms.Options{"slices": slicing}
				if _, err := algorithms.Resolve(alg, o); err != nil {
					b.Skip(err)
				}
				var first, cold, warm []float64
				for range b.N {
					common, kept := jsonschema.NewKept(), algorithms.NewKept()
					jsontokens.Of(kept, tok.Vocabulary(), 0).Cut()
					for _, s := range list {
						if p := schemaProblem(b, s, jsonschema.Options{Kept: common}, tok.Vocabulary()); p != nil {
							p.Kept = kept
							start := time.Now()
							e := realtext.MustCompile(b, name, p, o)
							e.Start().Mask()
							first = append(first, micros(start))
							cold = steps(b, cold, e, tok, s)
							warm = steps(b, warm, e, tok, s)
						}
					}
				}
				b.ReportMetric(0, "ns/op")
				percentiles(b, "first", first)
				percentiles(b, "cold", cold)
				percentiles(b, "warm", warm)
			})
		}
	}
}

// schemaProblem is a schema on a fresh lexer; nil if it does not compile.
func schemaProblem(b *testing.B, s schemas.Schema, o jsonschema.Options, v *tokenizers.Vocabulary) *algorithms.Problem {
	g, err := jsonschema.Compile(b.Context(), s.Text, o)
	if err != nil {
		return nil
	}
	r, err := recognizer.New(b.Context(), g.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		return nil
	}
	return &algorithms.Problem{Recognizer: r, Vocabulary: v}
}

// steps appends the time of each step along the instances of a schema, as far as they are legal.
func steps(b *testing.B, times []float64, e algorithms.Engine, tok *tokenizers.Tokenizer, s schemas.Schema) []float64 {
	for _, in := range s.Instances {
		ids, err := tok.EncodeContinuation(in.Text)
		if err != nil {
			b.Fatal(err)
		}
		at := e.Start()
		for _, id := range ids {
			start := time.Now()
			at.Mask()
			if at.Commit(int(id)) != nil {
				break
			}
			times = append(times, micros(start))
		}
	}
	return times
}

func micros(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e3 }

func percentiles(b *testing.B, what string, times []float64) {
	slices.Sort(times)
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	at := func(p float64) float64 { return times[min(len(times)-1, int(p*float64(len(times))))] }
	b.ReportMetric(sum/float64(len(times)), what+"-mean")
	b.ReportMetric(at(0.5), what+"-p50")
	b.ReportMetric(at(0.99), what+"-p99")
	b.ReportMetric(at(0.999), what+"-p99.9")
	b.ReportMetric(times[len(times)-1], what+"-max")
}
