package automata

import (
	"gcdbench/internal/seed"
	"testing"
)

// The two ways to minimize find the same blocks, where there is no cycle; else the one for automata
// without cycles says so.
func TestMinimizeAcyclic(t *testing.T) {
	rng := newRand(t)
	acyclic := 0
	for range seed.Rounds(375, 750, 15000) {
		raw := randomRaw(rng)
		if rng.IntN(3) > 0 {
			for i, to := range raw.table { // only forwards
				if int(to) <= i/raw.classes {
					raw.table[i] = Dead
				}
			}
		}
		raw.trim()
		if len(raw.accepting) == 0 {
			continue
		}
		live := 0
		for _, to := range raw.table {
			if to != Dead {
				live++
			}
		}
		block, n, err := raw.minimize(t.Context(), live)
		if err != nil {
			t.Fatal(err)
		}
		got, m, ok := raw.minimizeAcyclic()
		if ok == cyclic(raw, 0, map[int32]bool{}) {
			t.Fatalf("acyclic %t: %+v", ok, raw)
		}
		if !ok {
			continue
		}
		acyclic++
		if n != m || !raw.quotient(block, n).Equal(raw.quotient(got, m)) {
			t.Fatalf("%d blocks, want %d: %+v", m, n, raw)
		}
	}
	if acyclic < 100 {
		t.Errorf("%d automata without cycles", acyclic)
	}
}

// cyclic tells whether a path from s comes back to itself; entered are the states on the way.
func cyclic(r *rawDFA, s int32, entered map[int32]bool) bool {
	if entered[s] {
		return true
	}
	entered[s] = true
	defer delete(entered, s)
	for _, to := range r.row(s) {
		if to != Dead && cyclic(r, to, entered) {
			return true
		}
	}
	return false
}

// A long chain takes no deep recursion.
func TestMinimizeLongProduct(t *testing.T) {
	a, b := MustCompile("[a-z]{0,50000}", 0), MustCompile("[a-z]{20000,60000}", 0)
	d, err := a.Intersect(b, Limits{})
	if err != nil || !d.Equal(MustCompile("[a-z]{20000,50000}", 0)) {
		t.Error("the intersection of two lengths is another language: ", err)
	}
}

func BenchmarkMinimize(b *testing.B) {
	words, length := MustCompile("([a-z]+[ -]?)*", 0), MustCompile("(?s:.{1,1000})", 0)
	for b.Loop() {
		if _, err := words.Intersect(length, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
