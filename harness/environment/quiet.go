package environment

import (
	"context"
	"runtime"
	"time"
)

const (
	// quietLook is how long a look at the core takes, quietPause the time between two.
	quietLook  = 300 * time.Millisecond
	quietPause = 500 * time.Millisecond
	// quietLooks is how many looks in a row have to find the machine quiet, and quietShare the most of
	// a look during which something else may have the core.
	quietLooks = 3
	quietShare = 0.01
)

// AwaitQuiet waits until nothing else wants the core that timing threads are pinned to, but no
// longer than within. quiet is false if it never was; true where the system does not tell. The
// error is ctx's.
func AwaitQuiet(ctx context.Context, within time.Duration) (quiet bool, err error) {
	end := time.Now().Add(within)
	for found := 0; ; {
		if found++; taken() > quietShare {
			found = 0
		}
		if found == quietLooks {
			return true, nil
		}
		if time.Now().Add(quietPause).After(end) {
			return false, ctx.Err()
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(quietPause):
		}
	}
}

// taken is the share of a look during which something else had the core.
func taken() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, release := Pin()
	defer release()
	begin, ran := Now(), ThreadTime()
	for Now()-begin < quietLook {
	}
	wall, cpu := Now()-begin, ThreadTime()-ran
	if cpu == 0 {
		return 0
	}
	return max(0, 1-float64(cpu)/float64(wall))
}
