package psc

import "gcdbench/internal/hugepages"

// An arena has the words of masks and of parts of an engine that is built offline, in few pieces of
// memory, which lie in large pages: a mask of 128,256 tokens is in four pages of the usual size.
type arena struct {
	pieces int
	room   []uint64 // of the piece made last
}

// The sizes of the first piece and of large ones, in words; each is twice as large as the one
// before.
const (
	firstPiece = 1 << 10
	mostPiece  = 1 << 18
)

// lineWords are the words of a cache line.
const lineWords = 8

// wholeLines rounds a number of words up to whole cache lines.
func wholeLines(n int) int { return (n + lineWords - 1) &^ (lineWords - 1) }

// take is memory for n words, which are zero, in cache lines of its own.
func (a *arena) take(n int) []uint64 {
	whole := wholeLines(n)
	if len(a.room) < whole {
		a.room = make([]uint64, max(whole, min(firstPiece<<min(a.pieces, 16), mostPiece)))
		a.pieces++
		hugepages.Advise(a.room)
	}
	words := a.room[:n:n]
	a.room = a.room[whole:]
	return words
}

// clone is a copy of some words.
func (a *arena) clone(words []uint64) []uint64 {
	to := a.take(len(words))
	copy(to, words)
	return to
}
