package spanner

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gcdbench/automata"
	"gcdbench/internal/seed"
)

// TestVerdictsConcurrently has several goroutines ask about the same strings at once, with nothing known about them
// before: what is kept per DFA, language and vocabulary must be found out once, or alike.
func TestVerdictsConcurrently(t *testing.T) {
	seed := seed.New(t)
	for round := range 4 {
		v := verdictVocabulary(t, rand.New(rand.NewPCG(seed+uint64(round), 2)), 800)
		l := newLexicon(v)
		var list []ending
		for i, pattern := range verdictPatterns {
			// Each round has DFAs and languages of its own.
			d := automata.MustCompile(fmt.Sprintf(`%s|"q%d%d"`, pattern, round, i), 0)
			if p := l.spelling(d); p != nil {
				list = append(list, ending{d, p, runs(d, d.Start(), []byte(`"`))})
			}
		}
		said := make([][]string, 4)
		var wg sync.WaitGroup
		for g := range said {
			wg.Go(func() {
				l.cut()
				for i := range list {
					for _, endings := range [][]ending{list[i : i+1], {list[i], list[(i+1)%len(list)]}} {
						x := l.judge(endings)
						ids := len(x.few) + len(x.plus) - len(x.minus)
						for id := range v.Len() {
							if x.alive != nil && x.alive[id>>6]&(1<<(id&63)) != 0 {
								ids++
							}
						}
						said[g] = append(said[g], fmt.Sprint(i, ids, len(x.closers)))
					}
				}
			})
		}
		wg.Wait()
		for g := range said {
			if fmt.Sprint(said[g]) != fmt.Sprint(said[0]) {
				t.Fatalf("round %d: goroutine %d found %v, another %v", round, g, said[g], said[0])
			}
		}
		for i := range list {
			checkVerdict(t, v, list[i:i+1], l.judge(list[i:i+1]), "judge", "", uint64(round))
		}
	}
}
