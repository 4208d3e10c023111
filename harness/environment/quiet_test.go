package environment

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/internal/seed"
)

// TestAwaitQuiet: beside a thread that wants the same core the machine is never quiet, the wait
// ends in time, and a cancelled one at once.
func TestAwaitQuiet(t *testing.T) {
	seed.Usual(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the time of threads")
	}
	var stop atomic.Bool
	ready, done := make(chan bool), make(chan bool)
	go func() {
		runtime.LockOSThread() // and ends with its thread, which stays pinned
		Pin()
		close(ready)
		for !stop.Load() {
		}
		close(done)
	}()
	<-ready
	begin := time.Now()
	quiet, err := AwaitQuiet(t.Context(), quietLooks*(quietLook+quietPause))
	if quiet || err != nil || time.Since(begin) > 20*time.Second {
		t.Errorf("quiet %v, %v, after %v", quiet, err, time.Since(begin))
	}
	stop.Store(true)
	<-done
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if quiet, err := AwaitQuiet(ctx, time.Minute); !quiet && !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: quiet %v, %v", quiet, err)
	}
}
