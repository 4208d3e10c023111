package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gcdbench/internal/must"
)

// TestWait: the second waits until the first is done, and hears that it does; a waiting one can
// be told to stop.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "lock")
	unlock := must.Get(Wait(t.Context(), path, func() { t.Error("there is nobody to wait for") }))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := Wait(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) {
		t.Skipf("the system has no locks of files: %v", err)
	}
	if waited != 1 {
		t.Errorf("told %d times that it waits", waited)
	}
	done := make(chan error, 1)
	go func() {
		again, err := Wait(t.Context(), path, nil)
		if err == nil {
			again()
		}
		done <- err
	}()
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
