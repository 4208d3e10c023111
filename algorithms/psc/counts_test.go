package psc

import (
	"testing"

	"gcdbench/algorithms"
)

// TestBuiltMasks: a lazy engine counts the masks that find something missing, once each, and an
// eager one that is built in full counts none. Where a budget ends the building, some are left.
func TestBuiltMasks(t *testing.T) {
	p := nested(t)
	lazy, whole := compile(t, p, nil), compile(t, p, algorithms.Options{"compile": "eager"})
	old := eagerBudget
	eagerBudget = budget{}
	part := compile(t, p, algorithms.Options{"compile": "eager"})
	eagerBudget = old
	for _, x := range []struct {
		name string
		e    *engine
		some bool
	}{{"lazy", lazy, true}, {"eager", whole, false}, {"no budget", part, true}} {
		walkBeside(t, p, x.e, 7, 30, 10)
		_, _, first := counted(&x.e.counts)
		if first > 0 != x.some {
			t.Errorf("%s: %d masks had to build", x.name, first)
		}
		walkBeside(t, p, x.e, 7, 30, 10)
		depths, _, again := counted(&x.e.counts)
		if again != first {
			t.Errorf("%s: the same walks again had %d masks build", x.name, again-first)
		}
		masks := int64(0)
		for _, n := range depths {
			masks += n
		}
		if again*2 > masks {
			t.Errorf("%s: %d of %d masks had to build", x.name, again, masks)
		}
		for _, c := range x.e.Stats().Counters {
			if c.Name == algorithms.BuiltMasks && int64(c.Value) != again {
				t.Errorf("%s: the counter says %v, want %d", x.name, c.Value, again)
			}
		}
	}
}
