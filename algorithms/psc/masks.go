package psc

import (
	"slices"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/internal/index"
)

// A mask is the union of what was put out on the way down a stack (said). It is kept when it is
// asked for again: to keep it at once would take the visit that builds it 7 us more, a tenth of it.
// Of a JSON schema most masks are one large group, whose words are there, and few tokens more.
// These are written into the caller's row each time.

// dearMask is the number of tokens that are set one by one from which on a schema's mask is dear:
// to read a kept one, which nobody has read for long, takes as long as to set these.
const dearMask = 256

// lightShare bounds what an eager engine, in which all parts are there, puts together anew each
// time: as much work as that of one in so many of a mask's words.
const lightShare = 4

// finished sets what was put out in b, with EOS added if end is 1, and is the words if they are
// kept. Nobody waits for it, and it waits for nobody.
func (c *core) finished(s *said, end int, again bool, b *algorithms.Buffer) (words []uint64) {
	v := c.view.Load()
	if c.sparse {
		dear := false
		if words, dear = v.fill(c.auto, b.Words(), s, end); words == nil && dear && again {
			words = c.masks.share(b.Words())
		}
	} else if work := c.unite(v, b.Words(), s, end); again && (c.engine.lazy || lightShare*work > len(b.Words())) {
		words = c.masks.share(b.Words())
	}
	if words != nil {
		s.masks[end].Store(&words)
		c.tidySoon()
	}
	return words
}

// unite writes the mask of what was put out over the words of a row: a longer list of outputs adds
// to the mask of a shorter one, if that is kept. It returns the work beside copying that.
func (c *core) unite(v *view, words []uint64, s *said, end int) (work int) {
	from := s
	for from != nil && from.masks[0].Load() == nil {
		from = from.before
	}
	if from == nil {
		clear(words)
	} else {
		copy(words, *from.masks[0].Load())
	}
	for ; s != from; s = s.before {
		work += c.lists.put(v, words, s.root, s.out)
	}
	if end == 1 {
		c.auto.setGroup(words, eosLeaf)
	}
	return work
}

// fill sets the tokens of what was put out in words, whatever was in them: a large group as a
// whole, and the others over it. It tells whether that was dear. Of a group alone whose words are
// kept, these are returned.
func (v *view) fill(a *automaton, words []uint64, s *said, end int) (whole []uint64, dear bool) {
	var some [64]int32
	groups := some[:0]
	for ; s != nil; s = s.before {
		groups = v.appendGroups(groups, s.root, s.out)
	}
	if end == 1 {
		groups = append(groups, eosLeaf)
	}
	if len(groups) == 1 && groups[0] != eosLeaf {
		if whole = v.spans.LeafBits(spanner.LeafID(groups[0])); whole != nil {
			return whole, false
		}
	}
	first := slices.IndexFunc(groups, func(g int32) bool { return g != eosLeaf && v.spans.CopyLeaf(words, spanner.LeafID(g)) })
	if first < 0 {
		clear(words)
	}
	tokens := 0
	for i, g := range groups {
		switch {
		case i == first:
			tokens += v.spans.Amended(spanner.LeafID(g))
		case g == eosLeaf:
			a.setGroup(words, g)
		default:
			v.spans.SetLeaf(words, spanner.LeafID(g))
			tokens += v.spans.LeafLen(spanner.LeafID(g))
		}
	}
	return nil, tokens >= dearMask
}

// appendGroups appends the groups of an output, which a path that began at a root put out: leaves
// of the shared graph, and eosLeaf.
func (v *view) appendGroups(dst []int32, root spanner.NodeID, out int32) []int32 {
	for _, leaf := range v.outs[out] {
		switch {
		case leaf < 0:
			dst = v.appendGroups(dst, root, ^leaf)
		case leaf == eosLeaf:
			dst = append(dst, leaf)
		default:
			dst = append(dst, int32(v.leafOf(root, leaf)))
		}
	}
	return dst
}

// leafOf is the spanner's number of a group, other than eosLeaf, which a path that began at a root
// put out.
func (v *view) leafOf(root spanner.NodeID, group int32) spanner.LeafID {
	if group >= ownLeaf {
		return v.spans.Node(root).Leaves[group-ownLeaf].ID
	}
	return spanner.LeafID(group)
}

// A maskPool has finished masks, equal ones once. Any number of goroutines may use it.
type maskPool struct {
	mu     sync.Mutex
	byHash map[uint64][]uint64
	held   int64 // bytes
}

// share is a copy of a mask, the same one for equal masks.
func (m *maskPool) share(words []uint64) []uint64 {
	h := hashWords(words)
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.byHash[h]
	if slices.Equal(same, words) {
		return same
	}
	same = slices.Clone(words)
	m.held += 8*int64(len(words)) + 60
	if m.byHash == nil {
		m.byHash = map[uint64][]uint64{}
	}
	m.byHash[h] = same
	return same
}

// size is the memory held, roughly, and the number of masks.
func (m *maskPool) size() (bytes int64, masks int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, len(m.byHash)
}

// hashWords is a hash of the words of a mask: four at a time, as the product of one would wait for
// that of the one before.
func hashWords(words []uint64) uint64 {
	const k = 0x9e3779b97f4a7c15
	var a, b, c, d uint64
	for ; len(words) >= 4; words = words[4:] {
		w := (*[4]uint64)(words)
		a, b, c, d = (a^w[0])*k, (b^w[1])*k, (c^w[2])*k, (d^w[3])*k
	}
	for _, w := range words {
		a = (a ^ w) * k
	}
	return index.Mix(a ^ index.Mix(b^index.Mix(c^index.Mix(d))))
}
