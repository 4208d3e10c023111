package psc

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
)

// TestParts: a part puts what it was made of, equal sets are one part, and of large sets that grow
// by a little each most are kept as a base and what is beyond it.
func TestParts(t *testing.T) {
	const words, sets = 256, 400
	rng := rand.New(rand.NewPCG(5, 0))
	m := compile(t, nested(t), algorithms.Options{"compile": "eager"}).core.Load().composer
	m.scratch, m.large = make([]uint64, words), nil
	want := make([]uint64, words)
	based := 0
	for i := range sets {
		if i%100 == 0 {
			clear(want)
			for k := 0; k < words; k += 1 + i/100 {
				want[k] = rng.Uint64()
			}
		}
		want[rng.IntN(words)] |= 1 << rng.IntN(64)
		copy(m.scratch, want)
		p := m.take()
		got := make([]uint64, words)
		if p.put(got); !slices.Equal(got, want) {
			t.Fatalf("set %d: a part with %d words beyond a base of %d puts others", i, p.few.len(), len(p.base))
		}
		if p.base != nil {
			based++
		}
		copy(m.scratch, want)
		if again := m.take(); again != p {
			t.Errorf("set %d is made twice", i)
		}
		if slices.Max(m.scratch) != 0 {
			t.Fatal("the scratch is not cleared")
		}
	}
	if based < sets/2 || len(m.large) == 0 {
		t.Errorf("%d of %d sets have a base, of %d", based, sets, len(m.large))
	}
}
