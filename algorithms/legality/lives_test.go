package legality_test

import (
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/seed"
)

// TestLives takes generations through random lives, with every variant.
func TestLives(t *testing.T) {
	for i, o := range variants {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if n := realtext.Lives(t, seed.New(t), "legality", o, "naive"); n < 500 {
				t.Errorf("%v: only %d masks were compared", o, n)
			}
		})
	}
}

// TestGivesUp has contexts that are done after any number of steps: an eager compile asks for every
// lexer state and basis, a lazy one once.
func TestGivesUp(t *testing.T) {
	for _, w := range realtext.Worlds {
		p := w.Problem(t)
		for _, basis := range []string{"terminal", "state"} {
			lazy := realtext.GiveUp(t, "legality", p, algorithms.Options{"basis": basis})
			eager := realtext.GiveUp(t, "legality", p, algorithms.Options{"basis": basis, "rows": "eager"})
			if lazy != 1 || eager < p.Lexer.NumStates() {
				t.Errorf("%s: by %s, a lazy compile asks its context %d times, an eager one %d", w.Name, basis, lazy, eager)
			}
		}
	}
}
