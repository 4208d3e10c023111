//go:build !linux

package hugepages

func advise(from, to uintptr) {}
