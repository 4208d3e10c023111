package automata

import (
	"fmt"
	"testing"
)

// BenchmarkCompile compiles terminals as grammars have them. The sizes of the
// results are reported beside the times.
func BenchmarkCompile(b *testing.B) {
	for _, pattern := range []string{
		`\w+`,
		`[^\W\d]\w*`,
		`[^\x00-\x1f"\\]*`,
		`"([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`,
		`/\*[\s\S]*?\*/`,
		`"""(?:(?!""").)*"""`,
		`-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?`,
		`(?i)select|insert|update|delete|from|where`,
		`.{0,1000}`,
		`\w{100}`,
	} {
		b.Run(pattern, func(b *testing.B) {
			var d *DFA
			for b.Loop() {
				d = MustCompile(pattern, 0)
			}
			b.ReportMetric(float64(d.NumStates()), "states")
			b.ReportMetric(float64(d.classes), "classes")
		})
	}
}

func BenchmarkFromStrings(b *testing.B) {
	texts := make([]string, 10000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%x-%d", i*2654435761, i)
	}
	for b.Loop() {
		if _, err := FromStrings(texts, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
