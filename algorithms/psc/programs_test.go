package psc

import (
	"runtime"
	"runtime/debug"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/greatgramma"
	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// BenchmarkPrograms measures the steps of psc and of greatgramma on programs that none of them has
// seen: 60 documents of up to 20 kB of each corpus of fetched programs, or as many as are accepted,
// on which the two take turns. Both build as they go, each round with nothing built. A step is the
// commit of a token and the mask after it, in the processor time of the thread if it is long.
func BenchmarkPrograms(b *testing.B) {
	for _, language := range []string{"java", "sql"} {
		b.Run(language, func(b *testing.B) {
			p := realtext.Need(b, language, "llama3", 1).Problem
			texts := programs(b, language, p)
			names := []string{"psc", "greatgramma"}
			times := map[string][]int64{}
			d := newTailDecoder(p.Vocabulary)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			for b.Loop() {
				engines := map[string]algorithms.Engine{}
				for _, name := range names {
					engines[name] = realtext.MustCompile(b, name, p, nil)
				}
				for i, ids := range texts {
					runtime.GC()
					for k := range names {
						name := names[(i+k)%len(names)]
						state := engines[name].Start()
						for at := range ids {
							ns, ok := d.step(state, ids, at)
							if !ok {
								b.Fatalf("%s refuses token %d of document %d", name, at, i)
							}
							times[name] = append(times[name], ns)
							d.sample()
						}
					}
				}
			}
			for _, name := range names {
				percentiles(b, name, times[name])
			}
			b.ReportMetric(float64(len(times["psc"])/b.N), "steps")
		})
	}
}

// programs are the tokens of some fetched programs that the grammar of a problem accepts.
func programs(b *testing.B, language string, p *algorithms.Problem) (texts [][]int32) {
	src, err := datasets.Lookup(language + "-programs")
	if err != nil {
		b.Skip(err)
	}
	accepted := func(text []byte) bool {
		s, ok := p.Read(p.Start(), text)
		return ok && p.End(s)
	}
	set, err := datasets.Load(b.Context(), src, datasets.Query{Limit: 60, Sample: true, Seed: 1, MaxBytes: 20_000, Keep: accepted})
	if err != nil {
		b.Skip(err)
	}
	tok := must.Get(tokenizers.Load(b.Context(), "llama3", tokenizers.Options{Offline: true}))(b)
	for _, s := range set.Samples {
		texts = append(texts, must.Get(tok.EncodeContinuation(s.Content))(b))
	}
	return texts
}
