package spanner_test

import (
	"testing"
	"time"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/tokenizers"
)

// BenchmarkTrees builds the trees of all lexer states of Java's grammar.
func BenchmarkTrees(b *testing.B) {
	g, err := languages.Load(b.Context(), "java")
	if err != nil {
		b.Fatal(err)
	}
	r, err := recognizer.New(b.Context(), g, recognizer.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"o200k_base", "llama3", "gemma3"} {
		for _, c := range []struct {
			name    string
			options spanner.Options
		}{{"plain", spanner.Options{}}, {"prune", spanner.Options{Prune: true}}, {"no-memo", spanner.Options{Prune: true, NoMemo: true}}} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				tok, err := tokenizers.Load(b.Context(), name, tokenizers.Options{Offline: true})
				if err != nil {
					b.Skip(err)
				}
				v := tok.Vocabulary()
				v.Trie()
				b.ResetTimer()
				for range b.N {
					start := time.Now()
					s := spanner.New(r, v, c.options)
					b.ReportMetric(float64(time.Since(start).Nanoseconds())/1e6, "new-ms")
					first := time.Now()
					s.Tree(0)
					b.ReportMetric(float64(time.Since(first).Nanoseconds())/1e6, "first-ms")
					for q := range r.Lexer.NumStates() {
						s.Tree(lexer.State(q))
					}
					st := s.Stats()
					b.ReportMetric(float64(st.Pairs), "pairs")
					b.ReportMetric(float64(st.Steps), "steps")
					b.ReportMetric(float64(st.Spans), "spans")
					b.ReportMetric(float64(st.Leaves), "groups")
					b.ReportMetric(float64(st.Nodes), "nodes")
					b.ReportMetric(float64(st.Sequences), "sequences")
					b.ReportMetric(float64(st.Ranges), "ranges")
					b.ReportMetric(float64(st.Bytes)/1e6, "MB")
				}
			})
		}
	}
}
