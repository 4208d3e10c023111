package greatgramma

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// TestGivesUp has contexts that are done after any number of steps.
func TestGivesUp(t *testing.T) {
	for _, w := range realtext.Worlds {
		p := w.Problem(t)
		eager := realtext.GiveUp(t, "greatgramma", p, nil)
		if lazy := realtext.GiveUp(t, "greatgramma", p, algorithms.Options{"tables": "lazy"}); lazy > 1 {
			t.Errorf("%s: a lazy compile has %d steps", w.Name, lazy)
		}
		// A step for each lexer state and for each LR state that may be on top.
		want := 1
		if !w.OnDemand {
			want = p.Lexer.NumStates() + len(p.Tables.Tops())
		}
		if eager > want {
			t.Errorf("%s: an eager compile has %d steps, want at most %d", w.Name, eager, want)
		}
	}
}
