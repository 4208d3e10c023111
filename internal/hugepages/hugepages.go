// Package hugepages asks the operating system to back memory with large pages, where it can.
//
// Large tables that are read here and there cost more than their cache misses: for each page of 4
// KB that was not used lately the processor looks up the page's address, on a virtual machine in
// two tables. A page of 2 MB takes the place of 512.
package hugepages

import "unsafe"

// size is that of a large page, in bytes.
const size = 2 << 20

// Advise asks for large pages for a slice, and has what is in it moved there now.
// What lies beside it in its first and last page comes to lie there, too. Nothing is asked for a
// slice of less than a page, whose neighbours are freed and then have the page split again, or
// where the system cannot. The result is the same but for the time that reads take.
func Advise[T any](list []T) {
	n := uintptr(cap(list)) * unsafe.Sizeof(*new(T))
	if n < size {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
	advise(from&^(size-1), (from+n+size-1)&^(size-1))
}
