package algorithms

import "testing"

// TestKeeping: a problem without a Kept gets one, and stays as it was.
func TestKeeping(t *testing.T) {
	p := &Problem{}
	own := p.Keeping()
	if own.Kept == nil || p.Kept != nil || own.Keeping() != own {
		t.Errorf("given %p, own %p, again %p", p.Kept, own.Kept, own.Keeping().Kept)
	}
}
