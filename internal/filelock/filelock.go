// Package filelock is a lock among processes: a file that one of them has locked. The system
// frees the lock when the process ends, however it does, so no killed process leaves one behind.
package filelock

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// interval is how often a waiting process looks whether the lock is free.
const interval = 100 * time.Millisecond

// Wait waits until no other process has the lock of a file, which is made if need be, with its
// folder. The function returned lets the next one go. waiting is called once if there is somebody
// to wait for; it may be nil. The error is ctx's, or that of the file.
func Wait(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		locked, err := Try(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		if locked {
			return func() { Release(f) }, nil
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(interval):
		}
	}
}
