package tokenizers

import (
	"math"
	"sync"
	"unicode/utf8"
)

// Byte-pair encoding. A piece of text starts as a sequence of symbols, one for each byte
// (byte-level vocabularies) or character (SentencePiece's); then the adjacent pair with the
// lowest rank is merged, the leftmost of equals, until no pair has a rank. (Sennrich, Haddow,
// Birch: Neural machine translation of rare words with subword units, 2016.)
//
// Three things make this exact and fast:
//
//   - Short pieces, nearly all of them where a split pattern came first, are merged in an array by
//     a scan for the minimum; long ones by a heap over a linked list, O(n log n) for n symbols.
//   - Vocabularies without a split pattern (Gemma, Llama 2) make the whole text one piece. Two
//     adjacent characters that no token has next to each other can never end up in one token,
//     whatever is merged around them; so the text is cut there first, which leaves pieces of word
//     length. See cutter.
//   - Nothing is allocated per piece, the working memory is pooled; and short pieces are
//     remembered. See pieceCache.

// noRank is the rank of a pair that does not merge.
const noRank = math.MaxUint32

// scanLimit is the number of symbols up to which a scan beats the heap: a scan costs about
// n^2/2 steps of a nanosecond, the heap about n log n of thirty.
const scanLimit = 64

// model is a BPE model as a tokenizer file gives it. The strings of its symbols are text as the
// model sees it, after normalization; they are the token's bytes in a byte-level vocabulary,
// while SentencePiece's have "▁" where the token has a space, and "<0x0A>" for a byte.
//
// It is immutable; the tables that only encoding needs are built at the first encoding.
type model struct {
	slab    []byte   // symbol strings
	offsets []uint32 // len(ids)+1; an id that text cannot produce has an empty string
	// rules are the merges by rank. With byRank there are none: any two symbols merge whose
	// strings together are a symbol, and its id is the rank (tiktoken).
	rules  []merge
	byRank bool

	byteLevel bool // symbols start as bytes, else as characters
	// whole: a piece that is a symbol is not merged (ignore_merges; tiktoken).
	whole bool
	// fallback has the symbols for the bytes of characters that are none, -1 where missing.
	fallback     [256]int32
	byteFallback bool
	unknown      int32 // the symbol for what remains, -1 if there is none
	fuseUnknown  bool  // adjacent ones become one

	once  sync.Once
	bySym *byteTable
	pairs *pairTable
	ascii [utf8.RuneSelf]int32 // symbol of a byte or an ASCII character
	bytes [256]int32           // byteLevel: symbol of a byte
	cut   *cutter
	pool  sync.Pool
}

// prepare builds the tables of encoding.
func (m *model) prepare() {
	m.once.Do(func() {
		m.bySym = newByteTable(m.slab, m.offsets)
		if !m.byRank {
			m.pairs = newPairTable(m.rules)
		}
		for b := range m.bytes {
			m.bytes[b] = m.bySym.find([]byte{byte(b)})
		}
		copy(m.ascii[:], m.bytes[:])
		if !m.byteLevel && !m.whole {
			m.cut = newCutter(m)
		}
		m.pool.New = func() any { return new(merger) }
	})
}

// merger is the working memory of encoding one piece.
type merger struct {
	sym   []int32  // symbols
	start []int32  // where symbol i begins; one more than symbols
	rank  []uint32 // of merging i with its successor
	next  []int32  // heap only: linked list
	prev  []int32
	heap  rankHeap

	cache *pieceCache // nil for short texts; of one model
}

// encode appends the ids of text, which is one pre-token, to dst. w comes from m.pool.
func (m *model) encode(dst []int32, text []byte, w *merger) []int32 {
	from := len(dst)
	if m.cut == nil {
		dst = m.encodePiece(dst, text, w)
	} else {
		for len(text) > 0 {
			n := m.cut.next(text)
			dst = m.encodePiece(dst, text[:n], w)
			text = text[n:]
		}
	}
	if m.fuseUnknown && m.unknown >= 0 {
		dst = fuse(dst, from, m.unknown)
	}
	return dst
}

// fuse makes adjacent unknowns from dst[from:] on into one.
func fuse(dst []int32, from int, unknown int32) []int32 {
	out := dst[:from]
	for i, id := range dst[from:] {
		if id != unknown || i == 0 || dst[from+i-1] != unknown {
			out = append(out, id)
		}
	}
	return out
}

// encodePiece appends the ids of a piece that merges cannot leave.
func (m *model) encodePiece(dst []int32, piece []byte, w *merger) []int32 {
	slot, hit := w.cache.slot(piece)
	if hit {
		return append(dst, slot.ids[:slot.count]...)
	}
	from := len(dst)
	dst = m.mergePiece(dst, piece, w)
	slot.put(piece, dst[from:])
	return dst
}

// mergePiece is encodePiece without the memory of earlier pieces.
func (m *model) mergePiece(dst []int32, piece []byte, w *merger) []int32 {
	if m.whole {
		if id := m.bySym.find(piece); id >= 0 {
			return append(dst, id)
		}
	}
	m.symbols(piece, w)
	if len(w.sym) <= scanLimit {
		m.mergeScan(piece, w)
		return append(dst, w.sym...)
	}
	return m.mergeHeap(dst, piece, w)
}

// symbols fills w.sym and w.start with the symbols that piece starts as. Starts are only needed
// to look up strings; a character that fell back to bytes begins at its first byte for all of
// them.
func (m *model) symbols(piece []byte, w *merger) {
	w.sym, w.start = w.sym[:0], w.start[:0]
	for i := 0; i < len(piece); {
		b := piece[i]
		n, id := 1, int32(-1)
		switch {
		case m.byteLevel:
			id = m.bytes[b]
		case b < utf8.RuneSelf:
			id = m.ascii[b]
		default:
			r, size := utf8.DecodeRune(piece[i:])
			if n = size; r != utf8.RuneError || size > 1 {
				id = m.bySym.find(piece[i : i+n])
			}
		}
		if id >= 0 {
			w.sym = append(w.sym, id)
			w.start = append(w.start, int32(i))
		} else {
			m.fallBack(piece[i:i+n], i, w)
		}
		i += n
	}
	w.start = append(w.start, int32(len(piece)))
}

// fallBack adds the symbols for a character that is none: its bytes, if every one has a symbol,
// else the unknown one, or nothing if the model has no such.
func (m *model) fallBack(char []byte, at int, w *merger) {
	if m.byteFallback {
		complete := true
		for _, b := range char {
			complete = complete && m.fallback[b] >= 0
		}
		if complete {
			for i, b := range char {
				w.sym = append(w.sym, m.fallback[b])
				w.start = append(w.start, int32(at+i))
			}
			return
		}
	}
	if m.unknown >= 0 {
		w.sym = append(w.sym, m.unknown)
		w.start = append(w.start, int32(at))
	}
}

// pair returns rank and result of merging left and right, which together are the bytes of text.
func (m *model) pair(left, right int32, text []byte) (uint32, int32) {
	if m.byRank {
		id := m.bySym.find(text)
		return uint32(id), id // -1 is noRank
	}
	return m.pairs.find(left, right)
}

// mergeScan merges in place: w.sym and w.start shrink with each merge.
func (m *model) mergeScan(piece []byte, w *merger) {
	n := len(w.sym)
	w.rank = w.rank[:0]
	for i := range n - 1 {
		rank, _ := m.pair(w.sym[i], w.sym[i+1], piece[w.start[i]:w.start[i+2]])
		w.rank = append(w.rank, rank)
	}
	for len(w.rank) > 0 {
		best, at := uint32(noRank), 0
		for i, r := range w.rank {
			if r < best {
				best, at = r, i
			}
		}
		if best == noRank {
			return
		}
		_, w.sym[at] = m.pair(w.sym[at], w.sym[at+1], piece[w.start[at]:w.start[at+2]])
		w.sym = append(w.sym[:at+1], w.sym[at+2:]...)
		w.start = append(w.start[:at+1], w.start[at+2:]...)
		w.rank = append(w.rank[:at], w.rank[at+1:]...)
		if at < len(w.rank) {
			w.rank[at], _ = m.pair(w.sym[at], w.sym[at+1], piece[w.start[at]:w.start[at+2]])
		}
		if at > 0 {
			w.rank[at-1], _ = m.pair(w.sym[at-1], w.sym[at], piece[w.start[at-1]:w.start[at+1]])
		}
	}
}

// mergeHeap is mergeScan for long pieces. Symbols are linked by next and prev; an entry of the
// heap is stale if the pair at its position has another rank by now.
func (m *model) mergeHeap(dst []int32, piece []byte, w *merger) []int32 {
	n := int32(len(w.sym))
	w.next, w.prev, w.rank = w.next[:0], w.prev[:0], w.rank[:0]
	for i := range n {
		w.next, w.prev = append(w.next, i+1), append(w.prev, i-1)
		w.rank = append(w.rank, noRank)
	}
	w.heap = w.heap[:0]
	rank := func(i int32) { // (re)ranks the pair that begins at i
		j := w.next[i]
		if w.rank[i] = noRank; j == n {
			return
		}
		if w.rank[i], _ = m.pair(w.sym[i], w.sym[j], piece[w.start[i]:w.start[w.next[j]]]); w.rank[i] != noRank {
			w.heap.push(uint64(w.rank[i])<<32 | uint64(i))
		}
	}
	for i := range n {
		rank(i)
	}
	for len(w.heap) > 0 {
		top := w.heap.pop()
		i := int32(uint32(top))
		if w.rank[i] != uint32(top>>32) {
			continue
		}
		j := w.next[i]
		k := w.next[j]
		_, w.sym[i] = m.pair(w.sym[i], w.sym[j], piece[w.start[i]:w.start[k]])
		w.rank[j], w.next[i] = noRank, k
		if k < n {
			w.prev[k] = i
		}
		rank(i)
		if p := w.prev[i]; p >= 0 {
			rank(p)
		}
	}
	for i := int32(0); i < n; i = w.next[i] {
		dst = append(dst, w.sym[i])
	}
	return dst
}

// rankHeap is a binary min-heap of rank<<32 | position: lowest rank first, leftmost of equals.
// It is typed, unlike container/heap, so that entries are not boxed.
type rankHeap []uint64

// push adds an entry: a hole at the end moves up until its parent is smaller.
func (h *rankHeap) push(x uint64) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if s[parent] <= x {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = x
	*h = s
}

// pop removes the smallest entry: the last one sinks from the root, the smaller child rising.
func (h *rankHeap) pop() uint64 {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	for i := 0; len(s) > 0; {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if child >= len(s) || s[child] >= x {
			s[i] = x
			break
		}
		s[i] = s[child]
		i = child
	}
	return top
}
