package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// vocabularySizes are those of Llama 3 and Gemma 3: rows of 16 and 32 KiB.
var vocabularySizes = []int{128_256, 262_145}

// BenchmarkCopyTo copies masks into one row: one, which is in the nearest cache then, and more and
// more in random order, up to so many that no cache holds them.
func BenchmarkCopyTo(b *testing.B) {
	for _, n := range vocabularySizes {
		words := algorithms.MaskWords(n)
		for _, distinct := range []int{1, 64, 1024, 8192} {
			masks := make([]algorithms.Mask, distinct)
			for i := range masks {
				list := make([]uint64, words)
				for k := range list {
					list[k] = uint64(i + k)
				}
				masks[i] = algorithms.MaskOf(list, n)
			}
			order := rand.New(rand.NewPCG(1, 1)).Perm(distinct)
			row := make([]uint64, words)
			b.Run(fmt.Sprintf("%d/%d", n, distinct), func(b *testing.B) {
				b.SetBytes(int64(8 * words))
				for i := range b.N {
					masks[order[i%distinct]].CopyTo(row)
				}
			})
		}
	}
}

// BenchmarkDeliver walks along Java programs with engines that have met every position before, and
// reports the mean time of a mask: of the view alone (lookup), of the view and a copy of it
// (copied), and as delivered. Each position counts with the fastest of its rounds, so that what
// else the machine does stays out.
func BenchmarkDeliver(b *testing.B) {
	for _, vocabulary := range []string{"llama3", "gemma3"} {
		r := realtext.Need(b, "java", vocabulary, 2)
		row := make([]uint64, algorithms.MaskWords(r.Problem.Vocabulary.Len()))
		ways := []struct {
			name string
			mask func(algorithms.State)
		}{
			{"lookup", func(s algorithms.State) { s.Mask() }},
			{"copied", func(s algorithms.State) { s.Mask().CopyTo(row) }},
			{"delivered", func(s algorithms.State) { algorithms.Deliver(s, row) }},
		}
		for _, name := range []string{"psc", "greatgramma", "legality", "trie", "parserdwa", "automata"} {
			b.Run(vocabulary+"/"+name, func(b *testing.B) {
				e := realtext.MustCompile(b, name, r.Problem, nil)
				least := make([][]float64, len(ways))
				for range b.N + 2 {
					for i, way := range ways {
						least[i] = walkTexts(b, e, r.Texts, way.mask, least[i])
					}
				}
				for i, way := range ways {
					b.ReportMetric(mean(least[i]), way.name+"-ns")
				}
			})
		}
	}
}

// walkTexts takes generations along texts and gives the least time of each mask so far, in
// nanoseconds.
func walkTexts(b *testing.B, e algorithms.Engine, texts [][]int32, mask func(algorithms.State), least []float64) []float64 {
	n := 0
	for _, ids := range texts {
		s := e.Start()
		for _, id := range ids {
			begin := time.Now()
			mask(s)
			t := float64(time.Since(begin).Nanoseconds())
			if n == len(least) {
				least = append(least, math.Inf(1))
			}
			least[n] = min(least[n], t)
			n++
			must.OK(b, s.Commit(int(id)))
		}
	}
	return least
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
