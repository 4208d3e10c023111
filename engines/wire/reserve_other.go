//go:build unix && !linux

package wire

import "os"

// reserve gives a file its size.
func reserve(f *os.File, bytes int64) error { return f.Truncate(bytes) }
