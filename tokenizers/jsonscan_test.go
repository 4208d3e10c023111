package tokenizers

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// scan reads any JSON value with a jsonScanner, numbers as ids.
func scan(s *jsonScanner) any {
	switch s.peek() {
	case '{':
		out := map[string]any{}
		s.object(func(key []byte) {
			k := string(key)
			out[k] = scan(s)
		})
		return out
	case '[':
		out := []any{}
		s.array(func() { out = append(out, scan(s)) })
		return out
	case '"':
		return string(s.str())
	}
	return float64(s.id())
}

// randomJSON makes a value of objects, arrays, strings and small numbers.
func randomJSON(rng *rand.Rand, depth int) any {
	switch n := rng.Intn(6); {
	case depth > 0 && n < 2:
		out := []any{}
		for range rng.Intn(4) {
			out = append(out, randomJSON(rng, depth-1))
		}
		return out
	case depth > 0 && n < 4:
		out := map[string]any{}
		for range rng.Intn(4) {
			out[randomString(rng)] = randomJSON(rng, depth-1)
		}
		return out
	case n == 4:
		return float64(rng.Intn(1000))
	}
	return randomString(rng)
}

func randomString(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.Intn(6) {
		b.WriteString([]string{"a", "\"", "\\", "/", "\n", "\t", "é", "日", "🙂", "\u2028", "\x01", "<", "\uFFFD"}[rng.Intn(13)])
	}
	return b.String()
}

// The scanner reads what encoding/json reads.
func TestScannerAgrees(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewSource(int64(seed)))
	for range 3000 {
		data := must.Get(json.MarshalIndent(randomJSON(rng, 4), "", " "))(t)
		var want any
		must.OK(t, json.Unmarshal(data, &want))
		s := &jsonScanner{file: "t", data: data}
		if got := scan(s); s.err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("seed %d: %s\n read as %q, %v", seed, data, got, s.err)
		}
		s = &jsonScanner{file: "t", data: data}
		if raw := s.raw(); string(raw) != string(data) {
			t.Fatalf("seed %d: raw of %s is %s, %v", seed, data, raw, s.err)
		}
	}
}

func TestScannerStrings(t *testing.T) {
	cases := []struct{ text, want string }{
		{`"\u00e9\u65E5"`, "é日"},
		{`"\ud83d\ude42"`, "🙂"},
		{`"\ud83dx"`, "\uFFFDx"},
		{`"\ud83d\u0041"`, "\uFFFDA"},
		{`"\b\f\n\r\t\/\\\""`, "\b\f\n\r\t/\\\""},
		{`"a\\"`, `a\`},
	}
	for _, c := range cases {
		s := &jsonScanner{file: "t", data: []byte(c.text)}
		if got := string(s.str()); got != c.want || s.err != nil {
			t.Errorf("%s reads as %q, %v", c.text, got, s.err)
		}
	}
	for _, text := range []string{`"\u12"`, `"\u12G4"`, `"\`, `"a`, `"\ud83d\u`} {
		s := &jsonScanner{file: "t", data: []byte(text)}
		if s.str(); s.err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
