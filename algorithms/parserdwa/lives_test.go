package parserdwa_test

import (
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/seed"
)

// every is each combination of the options that say how masks come about.
func every(visit func(o algorithms.Options)) {
	for _, determinize := range []string{"lazy", "eager", "none"} {
		for _, slices := range []string{"on", "off"} {
			visit(algorithms.Options{"determinize": determinize, "slices": slices})
		}
	}
}

// TestLives takes generations through random lives.
func TestLives(t *testing.T) {
	every(func(o algorithms.Options) {
		t.Run(fmt.Sprint(o["determinize"], "/", o["slices"]), func(t *testing.T) {
			if n := realtext.Lives(t, seed.New(t), "parserdwa", o, "naive"); n < 500 {
				t.Errorf("only %d masks were compared", n)
			}
		})
	})
}

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
