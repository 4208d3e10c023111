package psc

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/greatgramma"
	"gcdbench/tokenizers"
)

// tailPrograms draws programs of a language out of the first half of a corpus, as tokens: some
// draws of some documents of at most 6,000 bytes. The second half is for figures that are
// published.
func tailPrograms(b *testing.B, lang string, tok *tokenizers.Tokenizer, draws, documents int) (list [][][]int32) {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", lang+"-dev.jsonl.gz"))
	if err != nil {
		b.Skip("the programs are not there: ", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for d := json.NewDecoder(z); d.More(); {
		var doc struct{ Content string }
		if err := d.Decode(&doc); err != nil {
			b.Fatal(err)
		}
		all = append(all, doc.Content)
	}
	all = all[:len(all)/2]
	rng := rand.New(rand.NewPCG(1, 0))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	for ; draws > 0; draws-- {
		var draw [][]int32
		for len(all) > 0 && len(draw) < documents {
			if len(all[0]) <= 6000 {
				ids, err := tok.EncodeContinuation([]byte(all[0]))
				if err != nil {
					b.Fatal(err)
				}
				draw = append(draw, ids)
			}
			all = all[1:]
		}
		list = append(list, draw)
	}
	return list
}

// number is the number in a variable of the environment.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// programsWalk walks each draw of documents with an engine of its own, and calls record with the
// time of each step but those of the first documents: see tailWalk.
func programsWalk(b *testing.B, p *algorithms.Problem, draws [][][]int32, before func(), record func(ns int64)) (held int64) {
	name, first := os.Getenv("GCDBENCH_ENGINE"), number("GCDBENCH_FIRST", 5)
	if name == "" {
		name = "psc"
	}
	d := newTailDecoder(p.Vocabulary)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, draw := range draws {
		runtime.GC()
		e, err := realtext.Compile(b.Context(), name, p, nil)
		if err != nil {
			b.Fatal(err)
		}
		for i, ids := range draw {
			state := e.Start()
			for at := range len(ids) + 1 {
				if i >= first {
					before()
				}
				ns, ok := d.step(state, ids, at)
				if !ok {
					break
				}
				if i >= first {
					record(ns)
				}
				d.sample()
			}
		}
		held = e.Stats().Bytes
	}
	runtime.KeepAlive(d.sum)
	return held
}

// BenchmarkTailPrograms is BenchmarkTail for programs: the steps of documents that an engine meets
// after 5 others (GCDBENCH_FIRST), of each the shortest time of all rounds. Each round begins with
// new engines. GCDBENCH_ENGINE is the algorithm.
func BenchmarkTailPrograms(b *testing.B) {
	for _, lang := range []string{"java", "go", "python", "sql"} {
		b.Run(lang, func(b *testing.B) {
			c := realtext.Need(b, lang, "llama3", 1)
			draws := tailPrograms(b, lang, c.Tokenizer, number("GCDBENCH_DRAWS", 2), 20)
			var steps []int64
			held := int64(0)
			for round := 0; b.Loop(); round++ {
				n, was := 0, ""
				label := func() {
					if round > 0 && tailLabel(steps[n]) != was {
						was = tailLabel(steps[n])
						pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("us", was)))
					}
				}
				held = programsWalk(b, c.Problem, draws, label, func(ns int64) {
					if round == 0 {
						steps = append(steps, ns)
					}
					steps[n] = min(steps[n], ns)
					n++
				})
				pprof.SetGoroutineLabels(context.Background())
			}
			b.ReportMetric(float64(len(steps)), "steps")
			b.ReportMetric(float64(held)/1e6, "held-MB")
			percentiles(b, "step", steps)
		})
	}
}
