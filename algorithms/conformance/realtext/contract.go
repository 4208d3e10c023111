package realtext

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// Contract holds an algorithm to the contract with each of some options: in each suite of
// conformance (the first entry; the others in every second one by turns, in all of them in the long
// form), in random lives, and while goroutines share one engine; on random grammars, as many as
// seeds, and on those of the suites with random vocabularies, the first entry always and a fourth
// of the others by turns. With -short there are the first entry and a third of the others, each in
// one suite of eight.
func Contract(t *testing.T, seeds int, entries []conformance.Entry) {
	t.Helper()
	suites := must.Get(conformance.Compile(t.Context()))(t)
	entries = append(entries[:1:1], seed.Some(t, entries[1:], 3, 1, 1)...)
	for i, e := range entries {
		name, mine := fmt.Sprint(e.Algorithm.Name(), e.Options), suites.Every(seed.Rounds(16, 2, 1), i)
		if i == 0 && !testing.Short() {
			mine = suites
		}
		t.Run("suite/"+name, func(t *testing.T) { checkSuite(t, mine, e.Algorithm, e.Options) })
		t.Run("lives/"+name, func(t *testing.T) {
			if n := Lives(t, seed.New(t), e, "naive"); n < 500 {
				t.Errorf("only %d masks were compared", n)
			}
		})
		t.Run("together/"+name, func(t *testing.T) { together(t, e) })
	}
	turns := func(seed uint64) (list []conformance.Entry) {
		for i, e := range entries {
			if i == 0 || i%4 == int(seed%4) {
				list = append(list, e)
			}
		}
		return list
	}
	t.Run("random", func(t *testing.T) { WalkRandom(t, seeds, turns) })
	t.Run("suites at random", func(t *testing.T) {
		WalkSuites(t, seed.Rounds(1, 1, 20), conformance.Spec{Steps: 10, Walks: 1, NoOracle: true}, turns)
	})
}

// together has generations on goroutines of their own build one engine in every world: each mask
// must be naive's.
func together(t *testing.T, of conformance.Entry) {
	t.Helper()
	first := seed.New(t)
	for _, w := range Worlds {
		p := w.Problem(t)
		e, err := compile(t.Context(), of, p)
		var unsupported *algorithms.UnsupportedError
		if errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		naive := MustCompile(t, "naive", p, nil)
		var wg sync.WaitGroup
		for k := range uint64(4) {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(first, k))
				for range 4 {
					if _, err := stroll(rng, p, e.Start(), naive.Start(), 20); err != nil {
						t.Errorf("%s, seed %d: %v", w.Name, first, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}
