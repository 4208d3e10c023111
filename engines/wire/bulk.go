package wire

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// The bulk file is laid out anew for each request: the side that asks puts its areas one after
// the other and says in the request where they are. Numbers are little-endian.

// alignment is where areas begin: at the beginning of a cache line, which is right for any vector
// instruction as well.
const alignment = 64

// A Layout places areas one after the other. The zero value is empty.
type Layout struct{ end int64 }

// Area makes room for n elements of a size in bytes.
func (l *Layout) Area(n, size int64) *Area {
	a := &Area{At: (l.end + alignment - 1) / alignment * alignment, N: n}
	l.end = a.At + n*size
	return a
}

// Bytes is how large a file has to be for all areas.
func (l *Layout) Bytes() int64 { return l.end }

// A Mapping is the bulk file in memory. It must not be used after Close.
type Mapping struct{ memory []byte }

// Bytes is the size of the mapping.
func (m *Mapping) Bytes() int64 {
	if m == nil {
		return 0
	}
	return int64(len(m.memory))
}

// Slice is the memory of an area whose elements have a size in bytes. It fails if the area is not
// in the mapping.
func (m *Mapping) Slice(a *Area, size int64) ([]byte, error) {
	switch {
	case a == nil:
		return nil, fmt.Errorf("an area is missing")
	case a.At < 0 || a.N < 0 || a.N > m.Bytes()/size || a.At > m.Bytes()-a.N*size:
		return nil, fmt.Errorf("an area of %d elements of %d bytes at %d is not in the file of %d bytes", a.N, size, a.At, m.Bytes())
	}
	return m.memory[a.At : a.At+a.N*size : a.At+a.N*size], nil
}

// Close unmaps the file.
func (m *Mapping) Close() error {
	if m == nil || m.memory == nil {
		return nil
	}
	memory := m.memory
	m.memory = nil
	return unmap(memory)
}

// PutTokens writes ids as int32.
func PutTokens(dst []byte, ids []int32) {
	for i, id := range ids {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(id))
	}
}

// PutUint32s writes numbers as uint32.
func PutUint32s(dst []byte, list []uint32) {
	for i, n := range list {
		binary.LittleEndian.PutUint32(dst[4*i:], n)
	}
}

// PutUint64 writes a number.
func PutUint64(dst []byte, n uint64) { binary.LittleEndian.PutUint64(dst, n) }

// Uint64 reads a number.
func Uint64(src []byte) uint64 { return binary.LittleEndian.Uint64(src) }

// Uint32s reads numbers.
func Uint32s(src []byte) []uint32 {
	list := make([]uint32, len(src)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(src[4*i:])
	}
	return list
}

// Tokens reads ids.
func Tokens(src []byte) []int32 {
	list := make([]int32, len(src)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(src[4*i:]))
	}
	return list
}

// GetRow reads the words of a mask; src has 8 bytes for each.
func GetRow(row []uint64, src []byte) {
	if inOrder {
		copy(bytesOf(row), src)
	} else {
		binary.Decode(src, binary.LittleEndian, row)
	}
}

// PutRow writes the words of a mask, and zeros after them up to the end of dst.
func PutRow(dst []byte, row []uint64) {
	if inOrder {
		copy(dst, bytesOf(row))
	} else {
		binary.Encode(dst, binary.LittleEndian, row)
	}
	clear(dst[8*len(row):])
}

// inOrder is whether words stand in this machine's memory as they do in the file: a copy is then a
// few times faster.
var inOrder = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf are words as they stand in memory.
func bytesOf(row []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), 8*len(row))
}
