package spanner

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"gcdbench/automata"
)

// What the tokens do inside a number depends on the DFAs of its terminals and on the vocabulary
// only, and is kept for all grammars. A vocabulary has a thousand tokens of digits, in a tree in
// which any so many digits follow; where a DFA goes on with any so many, whole subtrees do, so that
// some twenty steps do.

// numberText has the bytes that a JSON number can have, digits first.
const numberText = "0123456789+-.eE"

// allDigits are the digits in a set of bytes of numberText, whose bits are by their index there.
const allDigits = 1<<10 - 1

// numberBytes are those of numberText, and numberBit is the bit of each of them, 0 for others.
var (
	numberBytes = bytesOf(func(b byte) bool { return strings.IndexByte(numberText, b) >= 0 })
	numberBit   = func() (of [256]uint16) {
		for i := range len(numberText) {
			of[numberText[i]] = 1 << i
		}
		return of
	}()
)

// A numeral is what is known about the DFA of a terminal whose texts have no bytes but numberBytes.
type numeral struct {
	id     uint32 // no other numeral of the lexicon has it
	mu     sync.Mutex
	states []numberState
}

// A numberState is what has been found out about a state.
type numberState struct {
	alive uint16 // the bytes it goes on with, and seen
	// It is alive after any most digits, and not after any fewer ones; 0 is unknown.
	most, fewer uint8
}

// seen is set in numberState.alive once that is known.
const seen = 1 << 15

// numeral is the numeral of a DFA, nil if it has none.
func (l *lexicon) numeral(d *automata.DFA) *numeral {
	p, _ := l.numerals.about(d, func(id uint32) *numeral {
		of, n := d.Classes()
		others := make([]bool, n) // the classes that have another byte
		for b, c := range of {
			others[c] = others[c] || numberBit[b] == 0
		}
		for c, other := range others {
			for s := range int32(d.NumStates()) {
				if other && d.Row(s)[c] != automata.Dead {
					return nil
				}
			}
		}
		return &numeral{id: id, states: make([]numberState, d.NumStates())}
	})
	return p
}

// alive is the bytes that state s of d, which p is the numeral of, goes on with; p.mu is held.
func (p *numeral) alive(d *automata.DFA, s int32) uint16 {
	if p.states[s].alive == 0 {
		all := uint16(seen)
		for i := range len(numberText) {
			if d.Next(s, numberText[i]) != automata.Dead {
				all |= 1 << i
			}
		}
		p.states[s].alive = all
	}
	return p.states[s].alive
}

// endures tells whether state s of d, which p is the numeral of, is alive after any n digits; p.mu is held.
func (p *numeral) endures(d *automata.DFA, s int32, n uint8) bool {
	x := &p.states[s]
	switch {
	case n <= x.most:
		return true
	case x.fewer != 0 && n >= x.fewer:
		return false
	case p.alive(d, s)&allDigits != allDigits:
		x.fewer = 1
		return false
	}
	last := s // most states have all digits lead to one
	for b := byte('0'); b <= '9'; b++ {
		to := d.Next(s, b)
		if to == last && b > '0' {
			continue
		}
		if last = to; !p.endures(d, to, n-1) {
			x.fewer = n
			return false
		}
	}
	x.most = n
	return true
}

// numberTree is the part of a vocabulary's trie that numberBytes lead to. Node 0 is the empty prefix.
type numberTree struct{ nodes []numberNode }

// A numberNode is a prefix.
type numberNode struct {
	// order[lo:own] are the tokens that are this prefix, order[lo:hi] those that have it.
	lo, own, hi  int32
	kidLo, kidHi int32 // its children are nodes[kidLo:kidHi]
	// exits are the trie's nodes behind this one with bytes that are not of numbers.
	exits []int32
	// digits is the most digits behind this prefix if the tokens have nothing else behind it; else -1.
	digits int16
	byte   byte
	bit    uint16 // of byte
	kids   uint16 // the bytes of its children
}

// newNumberTree is the tree of a vocabulary.
func newNumberTree(l *lexicon) numberTree {
	nodes := l.trie.Nodes
	t := numberTree{[]numberNode{{hi: int32(len(l.order))}}}
	from := [][2]int{{0, len(nodes)}} // by node: the trie's nodes below it
	for i := 0; i < len(t.nodes); i++ {
		kidLo := len(t.nodes)
		var exits []int32
		for j := from[i][0]; j < from[i][1]; j += nodes[j].Size() {
			b, end := nodes[j].Byte(), j+nodes[j].Size()
			if numberBytes.has(b) {
				t.nodes = append(t.nodes, numberNode{lo: l.first[j], own: l.first[j+1], hi: l.first[end], byte: b, bit: numberBit[b]})
				t.nodes[i].kids |= numberBit[b]
				from = append(from, [2]int{j + 1, end})
			} else if i > 0 {
				exits = append(exits, int32(j))
			}
		}
		n := &t.nodes[i]
		n.kidLo, n.kidHi, n.exits = int32(kidLo), int32(len(t.nodes)), exits
	}
	for i := len(t.nodes) - 1; i > 0; i-- { // children have greater numbers
		t.nodes[i].digits = t.digitsBelow(&t.nodes[i])
	}
	t.nodes[0].digits = -1
	return t
}

// digitsBelow is the digits of a node whose children have theirs.
func (t *numberTree) digitsBelow(n *numberNode) (most int16) {
	if len(n.exits) > 0 {
		return -1
	}
	for _, kid := range t.nodes[n.kidLo:n.kidHi] {
		if kid.byte < '0' || kid.byte > '9' || kid.digits < 0 {
			return -1
		}
		most = max(most, kid.digits+1)
	}
	return most
}

// A numbering is a state of a numeral's DFA: what can still come.
type numbering struct {
	d     *automata.DFA
	p     *numeral
	state int32
	index int32 // of those asked about
}

// A numberVerdict is what all tokens that begin with one of numberBytes do after some numberings.
type numberVerdict struct {
	alive *orderRanges // the tokens after which a numbering is alive; nil for none
	exits []numberExit
}

// A numberExit is the tokens that go on behind the number where some numberings accept: those below nodes of the trie.
type numberExit struct {
	members []int32 // the numberings, by their index
	at      []int32
}

// orderRanges are tokens of a vocabulary's order. Equal lists are mostly one.
type orderRanges struct{ list []Range }

// numberMemory has verdicts by numberings, and the lists in them by content.
type numberMemory struct {
	sync.Mutex
	of    map[string]*numberVerdict
	lists map[string]*orderRanges
}

// maxNumberVerdicts bounds a numberMemory: at some 500 bytes each these are 4 MB.
const maxNumberVerdicts = 8192

// judgeNumbers is the verdict on some numberings, which are in order of their numerals, and whose key is given.
func (l *lexicon) judgeNumbers(key []byte, stack []numbering) *numberVerdict {
	m := &l.numbered
	m.Lock()
	defer m.Unlock()
	if v := m.of[string(key)]; v != nil {
		return v
	}
	if m.of == nil || len(m.of) >= maxNumberVerdicts {
		m.of, m.lists = map[string]*numberVerdict{}, map[string]*orderRanges{}
	}
	w := numberWalk{tree: &l.numbers, stack: stack}
	var last *numeral
	for _, x := range stack { // by ascending id
		if x.p != last {
			last = x.p
			last.mu.Lock()
			defer last.mu.Unlock()
		}
	}
	w.below(0, 0, len(stack))
	v := &numberVerdict{m.listOf(w.alive), w.exits}
	m.of[string(key)] = v
	return v
}

// listOf interns a list.
func (m *numberMemory) listOf(list []Range) *orderRanges {
	if len(list) == 0 {
		return nil
	}
	var key []byte
	for _, r := range list {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(r.Lo)), uint64(r.Hi))
	}
	o := m.lists[string(key)]
	if o == nil {
		o = &orderRanges{list}
		m.lists[string(key)] = o
	}
	return o
}

// numberWalk finds a numberVerdict.
type numberWalk struct {
	tree  *numberTree
	stack []numbering
	alive []Range
	exits []numberExit
}

// below is at a node with stack[lo:hi] alive.
func (w *numberWalk) below(i int32, lo, hi int) {
	n := &w.tree.nodes[i]
	if n.digits > 0 && w.endures(uint8(n.digits), lo, hi) {
		w.add(n.own, n.hi)
		return
	}
	if len(n.exits) > 0 {
		w.exit(n.exits, lo, hi)
	}
	if n.kids == 0 {
		return
	}
	alive := uint16(0)
	for _, x := range w.stack[lo:hi] {
		alive |= x.p.alive(x.d, x.state)
	}
	if alive&n.kids == 0 {
		return
	}
	for k := n.kidLo; k < n.kidHi; k++ {
		kid := &w.tree.nodes[k]
		if alive&kid.bit == 0 {
			continue
		}
		top := len(w.stack)
		for _, x := range w.stack[lo:hi] {
			if x.state = x.d.Next(x.state, kid.byte); x.state != automata.Dead {
				w.stack = append(w.stack, x)
			}
		}
		w.add(kid.lo, kid.own)
		w.below(k, top, len(w.stack))
		w.stack = w.stack[:top]
	}
}

// endures tells whether one of stack[lo:hi] is alive after any n digits.
func (w *numberWalk) endures(n uint8, lo, hi int) bool {
	return slices.ContainsFunc(w.stack[lo:hi], func(x numbering) bool { return x.p.endures(x.d, x.state, n) })
}

// add notes that tokens are alive; they come in order.
func (w *numberWalk) add(lo, hi int32) {
	if n := len(w.alive); n > 0 && w.alive[n-1].Hi == lo {
		w.alive[n-1].Hi = hi
	} else if lo < hi {
		w.alive = append(w.alive, Range{lo, hi})
	}
}

// exit notes the tokens that go on behind the number after those of stack[lo:hi] that accept.
func (w *numberWalk) exit(at []int32, lo, hi int) {
	var members []int32
	for _, x := range w.stack[lo:hi] {
		if x.d.Accepting(x.state) {
			members = append(members, x.index)
		}
	}
	if members == nil {
		return
	}
	k := slices.IndexFunc(w.exits, func(e numberExit) bool { return slices.Equal(e.members, members) })
	if k < 0 {
		k = len(w.exits)
		w.exits = append(w.exits, numberExit{members: members})
	}
	w.exits[k].at = append(w.exits[k].at, at...)
}
