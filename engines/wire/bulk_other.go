//go:build !unix

package wire

import "errors"

var errNoMap = errors.New("engines from outside need a system with mmap")

// CreateFile fails: there is no way here to share memory with a child.
func CreateFile(int64) (*Mapping, string, func(), error) { return nil, "", nil, errNoMap }

// OpenFile fails: there is no way here to share memory with a parent.
func OpenFile(string, int64) (*Mapping, error) { return nil, errNoMap }

func unmap([]byte) error { return nil }
