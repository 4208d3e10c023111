package measure_test

import (
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/measure"
)

// pieces is an engine whose states have pieces to build between steps, each of which asks whether
// its slot is busy.
type pieces struct {
	busy  func() bool
	left  *atomic.Int32
	wrong *atomic.Int32
}

func (p pieces) Start() algorithms.State { return p }
func (pieces) Stats() algorithms.Stats   { return algorithms.Stats{} }
func (pieces) Fill([]uint64)             {}
func (p pieces) Mask() algorithms.Mask   { return algorithms.MaskOf([]uint64{0}, 64) }
func (pieces) Commit(int) error          { return nil }
func (p pieces) Clone() algorithms.State { return p }

func (p pieces) Idle() (more bool) {
	if !p.busy() {
		p.wrong.Add(1)
	}
	return p.left.Add(-1) > 0
}

// TestApartBusy: a slot is busy as long as a piece of it is built, also when a goroutine takes it
// right after another one.
func TestApartBusy(t *testing.T) {
	const width = 2
	a := measure.NewApart(width, 4, 64, time.Minute, 1)
	defer a.Close()
	var left, wrong atomic.Int32
	left.Store(200_000)
	for slot := range width {
		a.Hold(slot, pieces{func() bool { return a.Busy(slot) }, &left, &wrong})
	}
	a.Step([]int32{measure.Begins, measure.Begins})
	a.Idle(func() bool { return left.Load() > 0 })
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d pieces were built in a slot that was not busy", n)
	}
}
