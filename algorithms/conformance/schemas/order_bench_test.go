package schemas_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
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

// BenchmarkKeyOrder measures what the order of keys costs to an object of 12, 30 and 100 string
// properties, of which none, half or all are required: the compile of the schema with its parser
// tables and lexer, and the first mask of psc, medians in milliseconds; rules; states of the
// parser; MiB of memory, the engine included. It makes the table of results/benchmarks.md.
//
//	go test ./algorithms/conformance/schemas -run - -bench KeyOrder -benchtime 50x
func BenchmarkKeyOrder(b *testing.B) {
	tok, kept := warm(b)
	for _, keys := range []int{12, 30, 100} {
		for _, required := range []int{0, keys / 2, keys} {
			text := manyKeys(keys, required)
			for _, anyOrder := range []bool{false, true} {
				o := jsonschema.Options{AnyOrder: anyOrder, Kept: jsonschema.NewKept()}
				b.Run(fmt.Sprintf("keys=%d/required=%d/any=%v", keys, required, anyOrder), func(b *testing.B) {
					orderCost(b, text, o, kept, tok.Vocabulary())
				})
			}
		}
	}
}

// warm is a vocabulary with what schemas have in common found out, so that no schema pays for it.
func warm(b *testing.B) (*tokenizers.Tokenizer, *algorithms.Kept) {
	b.Helper()
	tok, err := tokenizers.Load(b.Context(), "o200k_base", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	kept := algorithms.NewKept()
	jsontokens.Of(kept, tok.Vocabulary(), 0).Cut()
	jsonschema.Prepare()
	return tok, kept
}

// manyKeys is a schema of an object with string properties, the first of them required.
func manyKeys(keys, required int) []byte {
	properties, names := make([]string, keys), make([]string, keys)
	for i := range keys {
		properties[i], names[i] = fmt.Sprintf(`"key%d": {"type": "string"}`, i), fmt.Sprintf(`"key%d"`, i)
	}
	return []byte(`{"type": "object", "properties": {` + strings.Join(properties, ", ") + `}, "additionalProperties": false, "required": [` + strings.Join(names[:required], ", ") + `]}`)
}

// orderCost compiles a schema and asks for its first mask.
func orderCost(b *testing.B, text []byte, o jsonschema.Options, kept *algorithms.Kept, v *tokenizers.Vocabulary) {
	if schemaProblem(b, schemas.Schema{Text: text}, o, v) == nil { // what schemas have in common is made
		b.Fatal("the schema does not compile")
	}
	before := heap()
	var compile, first []float64 // microseconds
	var p *algorithms.Problem
	var e algorithms.Engine
	for b.Loop() {
		t0 := time.Now()
		p = schemaProblem(b, schemas.Schema{Text: text}, o, v)
		t1 := time.Now()
		p.Kept = kept
		e = realtext.MustCompile(b, "psc", p, nil)
		e.Start().Mask()
		compile, first = append(compile, float64(t1.Sub(t0).Microseconds())), append(first, float64(time.Since(t1).Nanoseconds())/1e3)
	}
	after := heap()
	slices.Sort(compile)
	slices.Sort(first)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(compile[len(compile)/2]/1e3, "compile-ms")
	b.ReportMetric(first[len(first)/2]/1e3, "first-ms")
	b.ReportMetric(float64(len(p.Recognizer.Grammar.Rules)), "rules")
	b.ReportMetric(float64(p.Recognizer.Tables.NumStates()), "states")
	b.ReportMetric(float64(after-before)/(1<<20), "MiB")
	runtime.KeepAlive(e)
}

// heap is the memory that is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
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
