package maskstore

import (
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// all are forms, and the exact one.
var all = append(forms[:len(forms):len(forms)], exactly(forms[3]))

// BenchmarkCompile is the offline time, with the size.
func BenchmarkCompile(b *testing.B) {
	for _, language := range []string{"json", "java", "go", "sql"} {
		r := realtext.Need(b, language, "o200k_base", 1)
		for _, o := range forms {
			b.Run(fmt.Sprintf("%s/%s%s", language, o["store"], o["lookahead"]), func(b *testing.B) {
				for b.Loop() {
					e := realtext.MustCompile(b, "maskstore", r.Problem, o)
					b.ReportMetric(float64(e.Stats().Bytes)/1e6, "MB")
					b.ReportMetric(counterOf(e, "a mask for each pair")/1e6, "MB-published")
				}
			})
		}
	}
}

// BenchmarkMask is the online time along a text.
func BenchmarkMask(b *testing.B) {
	r := realtext.Need(b, "java", "o200k_base", 1)
	for _, o := range all {
		e := realtext.MustCompile(b, "maskstore", r.Problem, o)
		row := make([]uint64, algorithms.MaskWords(r.Problem.Vocabulary.Len()))
		b.Run(o["store"]+o["lookahead"]+o["masks"], func(b *testing.B) {
			s := e.Start()
			for i := 0; b.Loop(); i++ {
				if at := i % len(r.Texts[0]); at == 0 {
					s = e.Start()
				}
				algorithms.Deliver(s, row)
				if err := s.Commit(int(r.Texts[0][i%len(r.Texts[0])])); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(counterOf(e, "questions per mask"), "questions")
			if o["masks"] == "exact" {
				b.ReportMetric(counterOf(e, "tokens read per mask"), "read")
			}
		})
	}
}
