//go:build !unix

package filelock

import "os"

// Try always succeeds where there is no flock: two processes may then do the same work at once.
func Try(*os.File) (bool, error) { return true, nil }

// Release closes f.
func Release(f *os.File) { f.Close() }
