package wire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives a file its size, with room on the device for all of it: whoever writes to a
// mapped page that the device has no room for is killed.
func reserve(f *os.File, bytes int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, bytes)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return f.Truncate(bytes)
	}
	return err
}
