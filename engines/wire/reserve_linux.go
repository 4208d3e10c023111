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

// sealed is memory of a size, mapped, as a file whose size cannot be changed any more; nil if the
// system has no such files, or for more than half of its memory, which is what it has of files in
// memory elsewhere.
func sealed(bytes int64) (*Mapping, *os.File) {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil || uint64(bytes) > uint64(info.Totalram)*uint64(info.Unit)/2 {
		return nil, nil
	}
	fd, err := unix.MemfdCreate("gcdbench-bulk", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil
	}
	f := os.NewFile(uintptr(fd), "gcdbench-bulk")
	if err = reserve(f, bytes); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	var m *Mapping
	if err == nil {
		m, err = mapFile(f, bytes)
	}
	if err != nil {
		f.Close()
		return nil, nil
	}
	return m, f
}
