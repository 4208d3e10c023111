package psc

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// large are schemas of a size with an instance each: objects of n keys, which may have others or
// not, and an enum of n values; with GCDBENCH_SCHEMA that file, with GCDBENCH_INSTANCE.
func large(b *testing.B, n int) map[string][2]string {
	if path := os.Getenv("GCDBENCH_SCHEMA"); path != "" {
		return map[string][2]string{"file": {string(must.Get(os.ReadFile(path))(b)), os.Getenv("GCDBENCH_INSTANCE")}}
	}
	var keys, values []string
	for i := range n {
		keys, values = append(keys, fmt.Sprintf(`"key%d": {"type": "integer"}`, i)), append(values, fmt.Sprintf(`"value%d"`, i))
	}
	object := fmt.Sprintf(`{"type": "object", "properties": {%s}, "additionalProperties": `, strings.Join(keys, ","))
	instance := fmt.Sprintf(`{"key7": 1, "key%d": 2, "key%d": 3}`, n/2, n-1)
	return map[string][2]string{
		"closed": {object + `false}`, instance},
		"open":   {object + `true}`, instance},
		"enum":   {fmt.Sprintf(`{"properties": {"a": {"enum": [%s]}}}`, strings.Join(values, ",")), fmt.Sprintf(`{"a": "value%d"}`, n-1)},
	}
}

// BenchmarkLarge measures what BenchmarkTail does of large schemas, each after a small one, which
// cuts the vocabulary: the time to the first mask, the longest step, and all steps with what is
// built between them; the shortest time of all rounds.
func BenchmarkLarge(b *testing.B) {
	tok, err := tokenizers.Load(b.Context(), "llama3", tokenizers.Options{Offline: true})
	if err != nil {
		b.Skip(err)
	}
	tok.Vocabulary().Trie()
	first := tailSchema{id: "first", text: []byte(`{"properties": {"a": {"type": "string"}, "n": {"type": "number"}}}`)}
	for _, n := range []int{100, 1000, 10000} {
		for name, s := range large(b, n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				list := []tailSchema{first, {id: name, text: []byte(s[0]), texts: [][]int32{must.Get(tok.EncodeContinuation([]byte(s[1])))(b)}}}
				best := map[string]int64{}
				for round := 0; b.Loop(); round++ {
					times := map[string]int64{}
					start := func(_ algorithms.Engine, _ *recognizer.Recognizer, ttfm, _ time.Duration) {
						times["ttfm-ms"] = ttfm.Nanoseconds()
					}
					tailWalk(b, tok.Vocabulary(), list, start, func() {}, func(_ *tailSlot, at int, ns int64) {
						times["all-ms"] += ns
						if at != idle {
							times["step-max-ms"] = max(times["step-max-ms"], ns)
						}
					})
					for what, ns := range times {
						if known, ok := best[what]; !ok || ns < known {
							best[what] = ns
						}
					}
				}
				for what, ns := range best {
					b.ReportMetric(float64(ns)/1e6, what)
				}
			})
		}
	}
}
