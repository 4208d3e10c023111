package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
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

// TestManyStates: patterns that overlap in so many ways that what tells keys apart has no end leave
// keys out, which the coverage says. What it takes is counted.
func TestManyStates(t *testing.T) {
	seed.Usual(t)
	for _, n := range []int{16, 20}[:seed.Rounds(1, 2, 2)] {
		var patterns []string
		for k := 1; k <= n; k++ {
			patterns = append(patterns, fmt.Sprintf(`"^(a|b)*a(a|b){%d}$": {"minimum": %d}`, k, k))
		}
		before := allocated()
		accepts, result, err := acceptance(`{"type": "object", "properties": {"ab": {"maximum": 25}, "q": {"type": "null"}}, "patternProperties": {`+strings.Join(patterns, ", ")+`}}`, Options{})
		must.OK(t, err)
		if mib := (allocated() - before) >> 20; mib > 2000 {
			t.Errorf("%d patterns: %d MiB were allocated", n, mib)
		}
		for text, want := range map[string]bool{`{}`: true, `{"ab": 3, "q": null}`: true, `{"ab": 0}`: false, `{"ab": 30}`: false, `{"q": 1}`: false, `{"aaa": 0}`: false} {
			if accepts(text) != want {
				t.Errorf("%d patterns: %s is accepted: %v", n, text, !want)
			}
		}
		if !slices.ContainsFunc(result.Coverage, func(x Coverage) bool {
			return x.Keyword == "patternProperties" && strings.Contains(x.Reason, "left out")
		}) {
			t.Errorf("%d patterns: the coverage does not say what is left out", n)
		}
	}
}

// allocated is how many bytes were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
