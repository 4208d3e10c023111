package koo

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/seed"
)

// TestLives takes generations through random lives, with each option away from its default. What a
// text leads to is compared with a new generation that was given the same tokens: no other
// algorithm has these semantics.
func TestLives(t *testing.T) {
	alg := realtext.Lookup(t, "automata")
	sets := map[string]algorithms.Options{"default": nil}
	for _, o := range alg.Options() {
		for _, v := range o.Values {
			if v != o.Default {
				sets[o.Name+" "+v] = algorithms.Options{o.Name: v}
			}
		}
	}
	for name, o := range sets {
		t.Run(name, func(t *testing.T) {
			if n := realtext.Lives(t, seed.New(t), conformance.Entry{Algorithm: alg, Options: o}, "automata"); n < 300 {
				t.Errorf("only %d masks were compared", n)
			}
		})
	}
}
