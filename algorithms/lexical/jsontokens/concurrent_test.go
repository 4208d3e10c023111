package jsontokens

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/seed"
)

// TestEffectsConcurrently has several goroutines ask about the same strings at once, with nothing
// known about them before: what is kept per DFA, language and vocabulary must be found out once, or
// alike.
func TestEffectsConcurrently(t *testing.T) {
	seed := seed.New(t)
	for round := range 4 {
		v := effectVocabulary(t, rand.New(rand.NewPCG(seed+uint64(round), 2)), 800)
		l := newLexicon(v)
		var list []Live
		for i, pattern := range effectPatterns {
			// Each round has DFAs and languages of its own.
			d := automata.MustCompile(fmt.Sprintf(`%s|"q%d%d"`, pattern, round, i), 0)
			if p := l.Profile(d); p != nil {
				list = append(list, Live{p, runs(d, d.Start(), []byte(`"`))})
			}
		}
		said := make([][]string, 4)
		var wg sync.WaitGroup
		for g := range said {
			wg.Go(func() {
				l.Cut()
				for i := range list {
					for _, lives := range [][]Live{list[i : i+1], {list[i], list[(i+1)%len(list)]}} {
						x := l.effect(lives)
						ids := len(x.Few) + len(x.Plus) - len(x.Minus)
						for id := range v.Len() {
							if x.Alive != nil && x.Alive[id>>6]&(1<<(id&63)) != 0 {
								ids++
							}
						}
						said[g] = append(said[g], fmt.Sprint(i, ids, len(x.Closings)))
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
			checkEffect(t, v, list[i:i+1], l.effect(list[i:i+1]), "judge", "", uint64(round))
		}
	}
}
