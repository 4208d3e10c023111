package process

import (
	"testing"
	"time"
)

// TestLeastBeside: a compile that took nothing beside what was told stays the quickest, so that
// others after it are not excused.
func TestLeastBeside(t *testing.T) {
	var p Process
	p.Told(Use{Ran: 5 * time.Millisecond}, 10e6)
	p.Told(Use{Ran: 300 * time.Millisecond}, 10e6)
	if c := p.Compiles(); c.N != 2 || c.Told != 20*time.Millisecond || c.Beside != 290*time.Millisecond {
		t.Errorf("%+v", c)
	}
}

// TestMost: what a limit means before and after the vocabulary.
func TestMost(t *testing.T) {
	for limit, want := range map[int64][2]int64{500 << 20: {beforeGrammar, 500 << 20}, 6 << 30: {6 << 30, 6 << 30}} {
		if before, after := new(limits).most(limit), (&limits{settled: true}).most(limit); before != want[0] || after != want[1] {
			t.Errorf("%d: %d and %d", limit, before, after)
		}
	}
}
