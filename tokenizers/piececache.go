package tokenizers

import "hash/maphash"

// pieceCache remembers the ids of short pieces. Programs repeat their words: on the golden
// texts nine pieces of ten have been seen just before, and a hit is one cache line instead of a
// look-up per pair of symbols in a table of many megabytes. It is direct-mapped, so it needs no
// upkeep: a new piece replaces the one in its slot.
type pieceCache struct {
	seed  maphash.Seed
	slots []pieceSlot
}

// pieceSlot is one remembered piece, 64 bytes.
type pieceSlot struct {
	length, count uint8
	piece         [22]byte
	ids           [10]int32
}

const (
	// pieceSlots makes the cache 512 KiB, which fits the second-level cache of a core.
	pieceSlots = 1 << 13
	// pieceCacheFrom is the length of a text from which making the cache (30 us) pays.
	pieceCacheFrom = 1 << 12
)

func newPieceCache() *pieceCache {
	return &pieceCache{seed: maphash.MakeSeed(), slots: make([]pieceSlot, pieceSlots)}
}

// slot returns where piece is or would go; nil if it is too long to be remembered.
func (c *pieceCache) slot(piece []byte) (s *pieceSlot, hit bool) {
	if c == nil || len(piece) > len(s.piece) {
		return nil, false
	}
	s = &c.slots[maphash.Bytes(c.seed, piece)%pieceSlots]
	return s, int(s.length) == len(piece) && string(s.piece[:len(piece)]) == string(piece)
}

// put remembers that piece encodes to ids, if they fit.
func (s *pieceSlot) put(piece []byte, ids []int32) {
	if s != nil && len(ids) <= len(s.ids) {
		s.length, s.count = uint8(len(piece)), uint8(len(ids))
		copy(s.piece[:], piece)
		copy(s.ids[:], ids)
	}
}
