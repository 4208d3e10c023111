package trie_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRealText compares trie with naive along a program of each kind of grammar: with and without
// layout, with the lexer built ahead and on demand.
func TestRealText(t *testing.T) {
	for _, language := range seed.Some(t, []string{"java", "python", "go"}, 3, 1, 1) {
		for _, onDemand := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", language, onDemand), func(t *testing.T) {
				c := realtext.NeedWith(t, language, "r50k_base", 1, recognizer.Options{OnDemand: onDemand})
				p, ids := c.Problem, c.Texts[0]
				var states []algorithms.State
				for _, name := range []string{"naive", "trie"} {
					e := must.Get(realtext.Lookup(t, name).Compile(t.Context(), p, nil))(t)
					states = append(states, e.Start())
				}
				every := 1 + len(ids)/seed.Rounds(12, 40, 40) // naive takes its time
				for i, id := range ids {
					if i%every == 0 {
						if d := states[1].Mask().FirstDifference(states[0].Mask()); d >= 0 {
							t.Fatalf("position %d: token %d %q differs", i, d, p.Vocabulary.Token(d))
						}
					}
					for _, s := range states {
						if err := s.Commit(int(id)); err != nil {
							t.Fatalf("position %d: %v", i, err)
						}
					}
				}
				t.Logf("%d tokens, a mask compared every %d", len(ids), every)
			})
		}
	}
}

// BenchmarkMask walks one document and computes every mask. It reports the nanoseconds per mask,
// and for trie the nodes visited per mask and the nanoseconds per node. Compare the algorithms of
// one run: go test -bench Mask ./algorithms/trie
func BenchmarkMask(b *testing.B) {
	for _, language := range []string{"json", "java", "python"} {
		for _, tokenizer := range []string{"o200k_base", "llama3"} {
			for _, name := range []string{"naive", "trie", "trie slices=off"} {
				b.Run(language+"/"+tokenizer+"/"+name, func(b *testing.B) {
					c := realtext.Need(b, language, tokenizer, 1)
					p, ids := c.Problem, c.Texts[0]
					name, sliced, _ := strings.Cut(name, " slices=")
					var o algorithms.Options
					if sliced != "" {
						o = algorithms.Options{"slices": sliced}
					}
					e := must.Get(realtext.Lookup(b, name).Compile(b.Context(), p, o))(b)
					walk(b, e, ids)
				})
			}
		}
	}
}

// walk measures the masks along a document; naive's only up to a time that does not try patience.
func walk(b *testing.B, e algorithms.Engine, ids []int32) {
	const patience = 3 * time.Second
	masks, spent := 0, time.Duration(0)
	before := realtext.Counter(e, "nodes visited")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		s := e.Start()
		for _, id := range ids {
			t0 := threadTime(b)
			s.Mask()
			spent += threadTime(b) - t0
			masks++
			must.OK(b, s.Commit(int(id)))
			if spent > patience {
				break
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(masks), "ns/mask")
	if n := realtext.Counter(e, "nodes visited") - before; n > 0 {
		b.ReportMetric(n/float64(masks), "nodes/mask")
		b.ReportMetric(float64(spent.Nanoseconds())/n, "ns/node")
	}
}

// threadTime is the processor time this thread has used: unlike a clock it does not count what
// other programs take.
func threadTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must.OK(b, unix.Getrusage(unix.RUSAGE_THREAD, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCommit commits a document token by token, and nothing else. What it measures is
// algorithms.Position, which every engine that keeps the parser's stacks commits with.
func BenchmarkCommit(b *testing.B) {
	for _, language := range []string{"json", "java", "python"} {
		b.Run(language, func(b *testing.B) {
			c := realtext.Need(b, language, "o200k_base", 1)
			p, ids := c.Problem, c.Texts[0]
			e := must.Get(realtext.Lookup(b, "trie").Compile(b.Context(), p, nil))(b)
			for b.Loop() {
				s := e.Start()
				for _, id := range ids {
					must.OK(b, s.Commit(int(id)))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/commit")
		})
	}
}

// TestContract holds trie with and without slices to the contract.
func TestContract(t *testing.T) {
	var list []conformance.Entry
	for _, o := range []algorithms.Options{{"slices": "on"}, {"slices": "off"}} {
		list = append(list, conformance.Entry{Algorithm: realtext.Lookup(t, "trie"), Options: o})
	}
	realtext.Contract(t, seed.Rounds(60, 100, 3000), list)
}
