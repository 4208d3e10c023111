package cell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gcdbench/internal/filelock"
)

// LockedError says that another run is writing to the directory.
type LockedError struct {
	Dir string
	PID int
}

// Error names the directory and the process that holds it.
func (e *LockedError) Error() string {
	return fmt.Sprintf("another run (process %d) is writing to %s; wait for it, or choose another directory with --out", e.PID, e.Dir)
}

// Lock keeps a second run out of the directory until the returned function is called or the process
// ends. The lock is the kernel's (flock), which no killed process leaves behind; the file says
// whose it is. Systems without flock have no such lock, and there two runs in one directory are the
// user's to avoid. The error is a *LockedError or a *WriteError.
func (s *Store) Lock() (unlock func(), err error) {
	path := filepath.Join(s.dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, writeError(path, err)
	}
	taken, err := filelock.Try(f)
	if err != nil || !taken {
		f.Close()
		if err != nil {
			return nil, writeError(path, err)
		}
		return nil, &LockedError{s.dir, owner(path)}
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			f.Close()
			return nil, writeError(path, err)
		}
	}
	return func() { filelock.Release(f) }, nil
}

// owner is the process id in a lock file, 0 if it has none.
func owner(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// CrashFile is where the Go runtime writes the last words of a process that dies
// of a fatal error (debug.SetCrashOutput), which no recover can catch.
func (s *Store) CrashFile() string { return filepath.Join(s.dir, "crash.txt") }

// TakeCrash returns the last words of an earlier run, if it died of a fatal
// error, and forgets them.
func (s *Store) TakeCrash() (string, error) {
	text, err := os.ReadFile(s.CrashFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(text), writeError(s.CrashFile(), os.Remove(s.CrashFile()))
}
