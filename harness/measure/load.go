package measure

import (
	"math"
	"time"

	"gcdbench/harness/environment"
)

const (
	// suspect is the least time of a step after which processor time is read. Another thread that
	// gets the core keeps it for longer.
	suspect = 20 * time.Microsecond
	// disturbance is how far processor time must fall behind the clock for a step to count as
	// disturbed: well above the resolution of both.
	disturbance = 3 * time.Microsecond
	// unusual is the ratio to the shortest time between two steps from which such a time is unusual.
	unusual = 4
)

// load watches the processor time of the thread beside the clock.
//
// Reading processor time is a system call. On today's processors the code after a system call is
// slower by some 0.4 µs, since the kernel clears the branch predictor: as long as the fastest
// steps. So it is read only after a step that was long enough for an interruption, and the
// difference since the last reading is charged to that step. If the time between two steps was
// unusually long meanwhile, the difference may belong there, and nothing is counted.
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
	l.end = environment.Now() // the reading is not between two steps
	if unknown || lost < disturbance {
		return 0
	}
	return min(lost, end-begin)
}

// lost is how long the thread did not run since the last call; 0 where the system does not tell.
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
