package legality_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

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
