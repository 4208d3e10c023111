package measure

import (
	"math"
	"time"

	"gcdbench/harness/environment"
)

const (
	// suspect is the least time of a step after which processor time is looked at. Another thread that gets
	// the core has it for longer.
	suspect = 20 * time.Microsecond
	// disturbance is how far processor time must have fallen behind the clock for a step to count as
	// disturbed: well above the resolution of both.
	disturbance = 3 * time.Microsecond
	// unusual is by how much the time between two steps must exceed the shortest one to be looked at.
	unusual = 4
)

// load watches the processor time of the thread beside the clock.
//
// Reading it is a system call, and on processors of today the code that runs after one is slower by some
// 0.4 µs, since the kernel makes them forget branches: as long as the fastest steps. So it is read only
// after a step that took long enough to have been interrupted, and what the clock says beyond processor time
// since the last reading belongs to that step. If what was between two steps meanwhile took unusually long,
// nobody knows whose it was, and nothing is counted.
type load struct {
	wall, cpu time.Duration
	end       time.Duration // of the last step
	shortest  time.Duration // between two steps
	unknown   bool          // something between two steps took unusually long since the last reading
}

// newLoad begins to watch.
func newLoad() load {
	return load{wall: environment.Now(), cpu: environment.ThreadTime(), shortest: math.MaxInt64}
}

// between looks at the time since the last step, which ends at begin.
func (l *load) between(begin time.Duration) {
	if l.end == 0 {
		return
	}
	took := begin - l.end
	l.shortest = min(l.shortest, took)
	l.unknown = l.unknown || took > max(suspect, unusual*l.shortest)
}

// step looks at a step, and returns for how much of it the thread did not run.
func (l *load) step(begin, end time.Duration) time.Duration {
	l.end = end
	if end-begin < suspect {
		return 0
	}
	lost, unknown := l.lost(), l.unknown
	l.unknown = false
	l.end = environment.Now() // what reading takes is not between two steps
	if unknown || lost < disturbance {
		return 0
	}
	return min(lost, end-begin)
}

// lost is how much time has passed since the last call in which the thread did not run; 0 where the system
// does not tell.
func (l *load) lost() time.Duration {
	cpu := environment.ThreadTime()
	wall := environment.Now()
	lost := (wall - l.wall) - (cpu - l.cpu)
	if cpu == 0 {
		lost = 0
	}
	l.wall, l.cpu = wall, cpu
	return lost
}
