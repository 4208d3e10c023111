package engines

import (
	"runtime"
	"time"

	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
)

// lookEvery is the pause between two looks at the rows of a walk. It is long, so that looking takes
// little of a core beside the one that is timed.
const lookEvery = 50 * time.Microsecond

// lookAhead is how many rows behind the next one are looked at: a mask may begin as its row did.
const lookAhead = 8

// The time of steps that may be among those of other steps, as a share of all, and in ns.
const (
	movedMost  = 0.1
	movedLeast = float64(200 * time.Microsecond)
)

// An arrivals looks from another core, by this process's clock, which of the masks of a timed walk
// have come into their rows. A row that does not come from one look to a later one took at least
// the time between the two, whatever the child says.
type arrivals struct {
	rows   []byte
	stride int
	was    []uint64        // the first word of each row before the walk
	late   []time.Duration // for each row the time between the first look at which it was the next, and the last
	end    chan struct{}
	ended  chan struct{}
}

// watchArrivals begins to look at rows, one behind the other, until stop.
func watchArrivals(rows []byte, stride int64) *arrivals {
	n := len(rows) / int(stride)
	a := &arrivals{rows, int(stride), make([]uint64, n), make([]time.Duration, n), make(chan struct{}), make(chan struct{})}
	for i := range a.was {
		a.was[i] = a.word(i)
	}
	go a.look()
	return a
}

// word is the first word of a row.
func (a *arrivals) word(i int) uint64 { return wire.Uint64(a.rows[i*a.stride:]) }

// look looks until the end. Where there is no other core it sees nothing.
func (a *arrivals) look() {
	defer close(a.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	release, beside := environment.Beside()
	defer release()
	next, since := 0, time.Now()
	for beside && next < len(a.was) {
		select {
		case <-a.end:
			return
		default:
		}
		begun, before := time.Now(), next
		for i := next; i < min(next+lookAhead, len(a.was)); i++ {
			if a.word(i) != a.was[i] {
				next = i + 1
			}
		}
		if next > before {
			since = time.Now()
		} else {
			a.late[next] = begun.Sub(since)
		}
		environment.Nap(lookEvery)
	}
}

// stop ends the looks and returns what they saw.
func (a *arrivals) stop() []time.Duration {
	close(a.end)
	<-a.ended
	return a.late
}

// moved reports whether steps of a watched walk took longer than the child says, so that their time
// is among those of other steps. Of what was seen is left out what may lie between two steps: twice
// as much as there does in the mean, what the child says that it built there, and what it waited
// for a core.
func (w *walk) moved(raw []uint32, idle int64) bool {
	told, moved, n := 0.0, 0.0, len(raw)/timesEach
	for i := range n {
		told += float64(raw[timesEach*i+2])
	}
	beside := float64(idle) + float64(w.used.Waited)
	between := max(0, float64(w.took)-told-beside) / float64(n)
	for i, late := range w.late[:min(n, len(w.late))] {
		moved += max(0, float64(late)-float64(raw[timesEach*i+2])-2*between)
	}
	return moved-beside > max(movedMost*told, movedLeast)
}
