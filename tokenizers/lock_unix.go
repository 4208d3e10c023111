//go:build unix

package tokenizers

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock of f unless another process has it. The system frees it when the
// process ends, however it does.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
