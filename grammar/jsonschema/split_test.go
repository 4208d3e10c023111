package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestOverlappingPatterns: keys that match several of many patterns have values that suit all of
// them, whether the patterns cut the keys together or, as few do, one by one.
func TestOverlappingPatterns(t *testing.T) {
	for _, n := range []int{4, 7, 8} {
		var patterns []string
		for i, c := range "abcdefgh"[:n] {
			patterns = append(patterns, fmt.Sprintf(`"%s": {"minimum": %d}`, [...]string{string(c), "^" + string(c), string(c) + "$"}[i%3], 10*i))
		}
		schema := `{"type": "object", "properties": {"ab": {"maximum": 25}, "q": {}}, "patternProperties": {` + strings.Join(patterns, ", ") +
			`}, "additionalProperties": {"type": "null"}, "allOf": [{"patternProperties": {"b": {"maximum": 60}, "c.": {"type": "integer"}}}]}`
		v := must.Get(labels.New([]byte(schema)))(t)
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		for _, opt := range []Options{{}, {AnyOrder: true}} {
			r := opened(t, schema, opt)
			verdicts := [2]int{}
			for range seed.Rounds(300, 1000, 3000) {
				var key []byte
				for range rng.IntN(4) {
					key = append(key, "abcdefghq"[rng.IntN(9)])
				}
				text := fmt.Appendf(nil, `{"%s": %s}`, key, [...]string{"null", "5", "15", "35", "35.5", "70", `"x"`}[rng.IntN(7)])
				want := must.Get(v.Valid(text))(t)
				if got := r.Check(text) == nil; got != want {
					t.Fatalf("%d patterns, %+v: %s: accepted %v, valid %v", n, opt, text, got, want)
				}
				verdicts[btoi(want)]++
			}
			if min(verdicts[0], verdicts[1]) < 50 {
				t.Errorf("refused and accepted: %v", verdicts)
			}
		}
	}
}
