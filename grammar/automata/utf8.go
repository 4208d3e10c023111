package automata

import (
	"encoding/binary"
	"unicode"
)

// A fragment is a set of code points as a small acyclic automaton over the
// bytes of their UTF-8 encodings. Equal tails are shared, so that it is
// minimal, but for the different lengths of the encodings: \w has some 300
// nodes, "." has 8. Only encodings of scalar values occur in it: neither
// overlong forms nor surrogates.
type fragment struct {
	nodes []fragmentNode // nodes[0] is the entry
	edges int            // over all nodes
}

// A fragmentNode holds its edges sorted by byte.
type fragmentNode []edge

// An edge goes to a state on any byte of lo..hi.
type edge struct {
	lo, hi byte
	to     int32
}

// exit is the target of the edges that leave a fragment.
const exit = int32(-1)

// newFragment encodes a set of scalar values.
func newFragment(set runeSet) *fragment {
	b := fragmentBuilder{frag: &fragment{nodes: make([]fragmentNode, 1)}, memo: map[string]int32{}}
	b.frag.nodes[0] = b.entry(set)
	for _, n := range b.frag.nodes {
		b.frag.edges += len(n)
	}
	return b.frag
}

// A fragmentBuilder shares nodes by the set of tails they stand for.
type fragmentBuilder struct {
	frag *fragment
	memo map[string]int32
	key  []byte
}

// entry returns the edges of the lead bytes of all four lengths.
func (b *fragmentBuilder) entry(set runeSet) fragmentNode {
	lengths := []struct {
		lo, hi rune
		lead   byte
		tail   int // continuation bytes
	}{
		{0, 0x7F, 0x00, 0},
		{0x80, 0x7FF, 0xC0, 1},
		{0x800, 0xFFFF, 0xE0, 2},
		{0x10000, unicode.MaxRune, 0xF0, 3},
	}
	var node fragmentNode
	for _, l := range lengths {
		var part runeSet
		for _, r := range set {
			if lo, hi := max(r.lo, l.lo), min(r.hi, l.hi); lo <= hi {
				part = append(part, runeRange{lo, hi})
			}
		}
		node = b.split(node, part, l.tail, l.lead)
	}
	return node
}

// tail returns the node that reads n continuation bytes which encode a value
// of the set, whose members are below 64^n.
func (b *fragmentBuilder) tail(set runeSet, n int) int32 {
	if n == 0 {
		return exit
	}
	b.key = append(b.key[:0], byte(n))
	for _, r := range set {
		b.key = binary.BigEndian.AppendUint32(b.key, uint32(r.lo))
		b.key = binary.BigEndian.AppendUint32(b.key, uint32(r.hi))
	}
	if id, ok := b.memo[string(b.key)]; ok {
		return id
	}
	key := string(b.key)
	node := b.split(nil, set, n-1, 0x80)
	id := int32(len(b.frag.nodes))
	b.frag.nodes = append(b.frag.nodes, node)
	b.memo[key] = id
	return id
}

// split appends to node the edges for a set of values whose first digit
// (in base 64, n digits follow) is added to the byte base.
func (b *fragmentBuilder) split(node fragmentNode, set runeSet, n int, base byte) fragmentNode {
	shift := 6 * n
	unit := rune(1) << shift
	emit := func(lo, hi rune, rest runeSet) {
		to := b.tail(rest, n)
		if k := len(node); k > 0 && node[k-1].to == to && node[k-1].hi+1 == base+byte(lo) {
			node[k-1].hi = base + byte(hi)
			return
		}
		node = append(node, edge{base + byte(lo), base + byte(hi), to})
	}
	full := runeSet{{0, unit - 1}}
	var rest runeSet // what was found of the digit
	digit := rune(-1)
	flush := func() {
		if len(rest) > 0 {
			emit(digit, digit, rest)
			rest = nil
		}
	}
	add := func(lo, hi rune) { // lo and hi have the same first digit
		if d := lo >> shift; d != digit {
			flush()
			digit = d
		}
		rest = append(rest, runeRange{lo & (unit - 1), hi & (unit - 1)})
	}
	for _, r := range set {
		first, last := r.lo>>shift, r.hi>>shift
		if first == last {
			add(r.lo, r.hi)
			continue
		}
		add(r.lo, (first+1)<<shift-1)
		flush()
		if first+1 < last {
			emit(first+1, last-1, full)
		}
		add(last<<shift, r.hi)
	}
	flush()
	return node
}
