package hugepages

import "golang.org/x/sys/unix"

// advise asks for large pages from one address to another, for each apart: of those at the ends a
// part may not be mapped.
func advise(from, to uintptr) {
	for ; from < to; from += size {
		unix.Syscall(unix.SYS_MADVISE, from, size, unix.MADV_HUGEPAGE)
		unix.Syscall(unix.SYS_MADVISE, from, size, unix.MADV_COLLAPSE)
	}
}
