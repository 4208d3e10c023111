package measure

import (
	"time"

	"gcdbench/harness/environment"
)

// disturbance is how far processor time may fall behind the clock in a step before the step counts as
// disturbed: well above the resolution of reading both, and below the shortest time slice.
const disturbance = 3 * time.Microsecond

// load watches the processor time of the thread beside the clock.
type load struct{ wall, cpu time.Duration }

// newLoad begins to watch.
func newLoad() load { return load{environment.Now(), environment.ThreadTime()} }

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
