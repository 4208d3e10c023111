package must

import (
	"os"
	"runtime/debug"
	"testing"
)

// In a test's process garbage is collected where the heap is five times what is live, if GOGC says
// nothing. Most tests keep a few MiB: by Go's rule they would collect after each 4 MiB, which takes
// a fifth of their time.
func init() {
	if testing.Testing() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
