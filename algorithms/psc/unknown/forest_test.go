package unknown

import "testing"

// TestOnCycle: a node that is reached from itself, over others too, and one that leads to a cycle.
func TestOnCycle(t *testing.T) {
	f := &forest{fresh: []freshNode{{under: []link{3, ^1}}, {under: []link{^2, 4}}, {under: []link{^0}}, {under: []link{^0, 5}}, {}, {under: []link{^5}}}}
	for i, want := range []bool{true, true, true, false, false, true} {
		if got := f.onCycle(int32(i)); got != want {
			t.Errorf("node %d: %v", i, got)
		}
	}
}
