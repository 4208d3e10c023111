//go:build unix

package wire

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// CreateFile makes a bulk file of a size and maps it. The caller calls forget as soon as the child
// has mapped the file at the path, so that nothing is left if a process is killed; the mapping
// stays. The file is memory that nobody can make shorter, where the system has that (sealed): a
// child that cut it off would kill whoever reads it. Else it is in shared memory if the system has
// some to spare, since pages of a file on a disk are written back now and then, which a timed walk
// would feel.
func CreateFile(bytes int64) (m *Mapping, path string, forget func(), err error) {
	if m, f := sealed(bytes); m != nil {
		return m, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()), func() { f.Close() }, nil
	}
	for _, dir := range []string{"/dev/shm", os.TempDir()} {
		if m, path, err = createIn(dir, bytes); err == nil {
			return m, path, func() { os.Remove(path) }, nil
		}
	}
	return nil, "", nil, fmt.Errorf("no room for a file of %d bytes that an engine shares: %w", bytes, err)
}

// createIn makes the file in a folder.
func createIn(dir string, bytes int64) (*Mapping, string, error) {
	f, err := os.CreateTemp(dir, fmt.Sprintf("gcdbench-bulk-%d-*", os.Getpid()))
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if err = reserve(f, bytes); err == nil {
		var m *Mapping
		if m, err = mapFile(f, bytes); err == nil {
			return m, f.Name(), nil
		}
	}
	os.Remove(f.Name())
	return nil, "", err
}

// OpenFile maps a bulk file that another process made.
func OpenFile(path string, bytes int64) (*Mapping, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (bytes <= 0 || info.Size() < bytes) {
		err = fmt.Errorf("%s has %d bytes, not %d", path, info.Size(), bytes)
	}
	if err != nil {
		return nil, err
	}
	return mapFile(f, bytes)
}

// mapFile maps the beginning of a file, shared.
func mapFile(f *os.File, bytes int64) (*Mapping, error) {
	memory, err := unix.Mmap(int(f.Fd()), 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	return &Mapping{memory}, nil
}

func unmap(memory []byte) error { return unix.Munmap(memory) }
