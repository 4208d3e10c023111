package jsontokens

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"

	"gcdbench/grammar/automata"
	"gcdbench/tokenizers"
)

// The effect of tokens on a number depends on the DFAs of its terminals and on the vocabulary
// only, and is kept for all grammars. A vocabulary has a thousand tokens of digits. They are a
// tree in which any digit may follow up to some length, so where a DFA goes on with any so many
// digits a whole subtree is decided at once, and some twenty steps decide all.

// NumberBytes has the bytes that a JSON number can have, digits first.
const NumberBytes = "0123456789+-.eE"

// allDigits are the digits among the bits of a set of NumberBytes.
const allDigits = 1<<10 - 1

// numberBytes is the set of NumberBytes, and numberBit is by byte its bit, 0 for other bytes.
var (
	numberBytes = bytesOf(func(b byte) bool { return strings.IndexByte(NumberBytes, b) >= 0 })
	numberBit   = func() (of [256]uint16) {
		for i := range len(NumberBytes) {
			of[NumberBytes[i]] = 1 << i
		}
		return of
	}()
)

// A NumberProfile has the findings about the DFA of a terminal whose texts consist of NumberBytes.
type NumberProfile struct {
	d      *automata.DFA
	id     uint32 // no other number profile of the Lexicon has it
	mu     sync.Mutex
	states []numberState // by state, as far as any was asked about
}

// at is what is known of state s; p.mu is held.
func (p *NumberProfile) at(s int32) *numberState {
	if n := int(s) + 1 - len(p.states); n > 0 {
		p.states = append(p.states, make([]numberState, n)...)
	}
	return &p.states[s]
}

// A numberState has the findings about a state.
type numberState struct {
	alive uint16 // the bytes it goes on with, and seen
	// The state is alive after any most digits, and not after any fewer digits; 0 is unknown.
	most, fewer uint8
}

// seen is set in numberState.alive once that is known.
const seen = 1 << 15

// NumberProfile is the profile of a DFA, nil if its texts have other bytes.
func (l *Lexicon) NumberProfile(d *automata.DFA) *NumberProfile {
	p := l.numberProfiles.about(d, func(id uint32) *NumberProfile {
		if set := byteSet(d.Alphabet()); !numberBytes.holds(&set) {
			return nil
		}
		return &NumberProfile{d: d, id: id}
	})
	return p
}

// alive is the set of bytes that state s goes on with; p.mu is held.
func (p *NumberProfile) alive(s int32) uint16 {
	x := p.at(s)
	if x.alive == 0 {
		all := uint16(seen)
		for i := range len(NumberBytes) {
			if p.d.Next(s, NumberBytes[i]) != automata.Dead {
				all |= 1 << i
			}
		}
		x.alive = all
	}
	return x.alive
}

// endures tells whether state s is alive after any n digits; p.mu is held.
func (p *NumberProfile) endures(s int32, n uint8) bool {
	switch x := p.at(s); {
	case n <= x.most:
		return true
	case x.fewer != 0 && n >= x.fewer:
		return false
	case p.alive(s)&allDigits != allDigits:
		x.fewer = 1
		return false
	case p.d.Outlook(s) >= automata.Endless:
		x.most = math.MaxUint8
		return true
	}
	last := s // most states have all digits lead to one
	for b := byte('0'); b <= '9'; b++ {
		to := p.d.Next(s, b)
		if to == last && b > '0' {
			continue
		}
		if last = to; !p.endures(to, n-1) {
			p.at(s).fewer = n
			return false
		}
	}
	p.at(s).most = n
	return true
}

// numberTree is the part of a vocabulary's trie that NumberBytes lead to. Node 0 is the empty
// prefix.
type numberTree struct{ nodes []numberNode }

// A numberNode is a prefix.
type numberNode struct {
	// order[lo:own] are the tokens that are this prefix, order[lo:hi] those that have it.
	lo, own, hi  int32
	kidLo, kidHi int32 // its children are nodes[kidLo:kidHi]
	// exits are the trie's nodes below this prefix whose byte is not of numbers.
	exits []int32
	// digits is the most digits after this prefix, if the tokens have nothing else after it; else
	// -1.
	digits int16
	byte   byte
	bit    uint16 // of byte
	kids   uint16 // the bytes of its children
}

// newNumberTree is the tree of a vocabulary.
func newNumberTree(l *Lexicon) numberTree {
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

// A NumberLive is a live state of a number's DFA.
type NumberLive struct {
	p     *NumberProfile
	state int32
	index int32 // of those asked about
}

// A NumberEffect says how the tokens that begin with one of NumberBytes change some live states.
type NumberEffect struct {
	Alive *Ranges // the tokens after which a NumberLive is alive; nil for none
	Exits []NumberExit
}

// A NumberExit is the tokens that end the number where some live states accept, and go on: the
// tokens below some nodes of the trie.
type NumberExit struct {
	Members []int32 // the numberings, by their index
	Nodes   []int32
}

// Ranges are tokens in the order of the trie. Equal lists of a Lexicon are mostly one.
type Ranges struct{ List []tokenizers.Range }

// numberMemory has effects by live states, and the lists in them by content.
type numberMemory struct {
	sync.Mutex
	of    map[string]*NumberEffect
	lists map[string]*Ranges
}

// maxNumberEffects bounds a numberMemory: at some 500 bytes each these are 4 MB.
const maxNumberEffects = 8192

// numberEffect is the effect on some live states, in order of their profiles, whose key is given.
func (l *Lexicon) numberEffect(key []byte, stack []NumberLive) *NumberEffect {
	m := &l.numbered
	m.Lock()
	defer m.Unlock()
	if v := m.of[string(key)]; v != nil {
		return v
	}
	if m.of == nil || len(m.of) >= maxNumberEffects {
		m.of, m.lists = map[string]*NumberEffect{}, map[string]*Ranges{}
	}
	w := numberWalk{tree: &l.numbers, stack: stack}
	var last *NumberProfile
	for _, x := range stack { // by ascending id
		if x.p != last {
			last = x.p
			last.mu.Lock()
			defer last.mu.Unlock()
		}
	}
	w.below(0, 0, len(stack))
	v := &NumberEffect{m.listOf(w.alive), w.exits}
	m.of[string(key)] = v
	return v
}

// listOf interns a list.
func (m *numberMemory) listOf(list []tokenizers.Range) *Ranges {
	if len(list) == 0 {
		return nil
	}
	var key []byte
	for _, r := range list {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(r.Lo)), uint64(r.Hi))
	}
	o := m.lists[string(key)]
	if o == nil {
		o = &Ranges{list}
		m.lists[string(key)] = o
	}
	return o
}

// numberWalk finds a NumberEffect.
type numberWalk struct {
	tree  *numberTree
	stack []NumberLive
	alive []tokenizers.Range
	exits []NumberExit
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
		alive |= x.p.alive(x.state)
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
			if x.state = x.p.d.Next(x.state, kid.byte); x.state != automata.Dead {
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
	return slices.ContainsFunc(w.stack[lo:hi], func(x NumberLive) bool { return x.p.endures(x.state, n) })
}

// add notes that tokens are alive; they come in order.
func (w *numberWalk) add(lo, hi int32) {
	if n := len(w.alive); n > 0 && w.alive[n-1].Hi == lo {
		w.alive[n-1].Hi = hi
	} else if lo < hi {
		w.alive = append(w.alive, tokenizers.Range{Lo: lo, Hi: hi})
	}
}

// exit notes the tokens that go on after those of stack[lo:hi] that accept.
func (w *numberWalk) exit(at []int32, lo, hi int) {
	var members []int32
	for _, x := range w.stack[lo:hi] {
		if x.p.d.Accepting(x.state) {
			members = append(members, x.index)
		}
	}
	if members == nil {
		return
	}
	k := slices.IndexFunc(w.exits, func(e NumberExit) bool { return slices.Equal(e.Members, members) })
	if k < 0 {
		k = len(w.exits)
		w.exits = append(w.exits, NumberExit{Members: members})
	}
	w.exits[k].Nodes = append(w.exits[k].Nodes, at...)
}

// At is the live state of a profile's DFA.
func (p *NumberProfile) At(state int32) NumberLive { return NumberLive{p: p, state: state} }

// NumberEffect is the effect of all tokens on some live states of numbers. order lists the live
// states, by their index in list, in the order that the effect's members count in.
func (l *Lexicon) NumberEffect(list []NumberLive) (v *NumberEffect, order []int32) {
	for i := range list {
		order = append(order, int32(i))
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := list[a], list[b]
		return cmp.Or(cmp.Compare(x.p.id, y.p.id), cmp.Compare(x.state, y.state))
	})
	var stack []NumberLive
	var key []byte
	for k, i := range order {
		x := list[i]
		x.index = int32(k)
		stack = append(stack, x)
		key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, x.p.id), uint32(x.state))
	}
	return l.numberEffect(key, stack), order
}

// Accepting tells whether the number is complete.
func (x NumberLive) Accepting() bool { return x.p.d.Accepting(x.state) }

// BeginsNumber tells whether a DFA accepts texts that begin with one of NumberBytes.
func BeginsNumber(d *automata.DFA) bool {
	live := byteSet(d.Live(d.Start()))
	return numberBytes.meets(&live)
}
