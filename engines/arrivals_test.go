package engines

import (
	"slices"
	"testing"
	"time"

	"gcdbench/engines/process"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
)

// TestArrivals: a child that spreads its slow step over the others is found, and none that reports
// it where it was.
func TestArrivals(t *testing.T) {
	if undo, ok := environment.Beside(); !ok {
		t.Skip("there is no other core")
	} else {
		undo()
	}
	const stride, n, slow = 64, 40, 20
	rows := make([]byte, n*stride)
	look := watchArrivals(rows, stride)
	begin := time.Now()
	var honest []uint32
	for i := range n {
		pause := 100 * time.Microsecond
		if i == slow {
			pause = 50 * time.Millisecond
		}
		step := time.Now()
		time.Sleep(pause)
		wire.PutUint64(rows[i*stride:], uint64(i+1))
		honest = append(honest, 0, 0, uint32(time.Since(step)))
	}
	w := &walk{took: time.Since(begin), late: look.stop(), used: process.Use{}}
	if i := slices.Index(w.late, slices.Max(w.late)); i != slow {
		t.Errorf("row %d was late, which was made at once", i)
	}
	if w.moved(honest, 0) {
		t.Errorf("honest times: %v, seen %v", honest, w.late)
	}
	even := slices.Clone(honest)
	for i := range n {
		even[timesEach*i+2] = uint32(w.took) / n
	}
	if !w.moved(even, 0) {
		t.Errorf("the mean of %d ns for each step: seen %v", even[2], w.late)
	}
	if w.moved(even, int64(w.took)) {
		t.Error("what the child built between steps is held against it")
	}
}
