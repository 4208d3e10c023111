package parserdwa_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// TestGivesUp has contexts that are done after any number of steps.
func TestGivesUp(t *testing.T) {
	for _, w := range realtext.Worlds {
		p := w.Problem(t)
		for _, determinize := range []string{"lazy", "none"} {
			if asks := realtext.GiveUp(t, "parserdwa", p, algorithms.Options{"determinize": determinize}); asks != 1 {
				t.Errorf("%s: a %s compile asks its context %d times", w.Name, determinize, asks)
			}
		}
		if asks := realtext.GiveUp(t, "parserdwa", p, algorithms.Options{"determinize": "eager"}); !w.OnDemand && asks < p.Lexer.NumStates() {
			t.Errorf("%s: an eager compile asks its context %d times, of %d lexer states", w.Name, asks, p.Lexer.NumStates())
		}
	}
}
