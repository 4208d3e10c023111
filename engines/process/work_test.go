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
