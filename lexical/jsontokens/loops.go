package jsontokens

import (
	"math/bits"
	"unicode/utf8"
)

// A pattern that looks for a word is in one state for as long as nothing begins the word, and all
// characters but the first letter of the word lead from there back to it. Subtrees without that
// letter are taken whole, however long their tokens are.

// An alphabet is a set of plain characters: each letter for itself, others by their kinds.
type alphabet struct {
	kinds   kinds
	letters uint64 // small letters from bit 0 on, then capital ones
}

// letterKinds are the kinds that letters are of.
const letterKinds kinds = 1<<smallKind | 1<<capitalKind

// letterBit is the bit of a letter in alphabet.letters.
func letterBit(b byte) uint64 {
	if kindOfASCII[b] == smallKind {
		return 1 << (b - 'a')
	}
	return 1 << (26 + b - 'A')
}

// add adds a plain character.
func (x *alphabet) add(r rune) {
	kind := kindOfRune(r)
	if x.kinds |= 1 << kind; letterKinds>>kind&1 != 0 {
		x.letters |= letterBit(byte(r))
	}
}

func (x *alphabet) unite(y alphabet) {
	x.kinds |= y.kinds
	x.letters |= y.letters
}

// within tells whether y has all of x.
func (x *alphabet) within(y *alphabet) bool {
	return x.kinds&^y.kinds == 0 && x.letters&^y.letters == 0
}

// loops tells whether all characters below a node of the plain slice lead from s, which is between
// two characters, back to s. The first byte is tried before all of them are asked about: where
// characters are counted no state loops.
func (p *Profile) loops(s int32, n *sliceNode, slice *Slice) bool {
	if b := slice.bytes[n.kidLo]; b < utf8.RuneSelf && p.d.Next(s, b) != s {
		return false
	}
	known := &p.react().of(s).loops
	x := known.Load()
	if x == nil {
		x = p.findLoops(s)
		known.Store(x)
	}
	return n.below.within(x)
}

// findLoops are the characters that lead from s back to s. The kinds of letters are always among
// them, as letters count one by one.
func (p *Profile) findLoops(s int32) *alphabet {
	x := &alphabet{kinds: letterKinds}
	for rest := allKinds &^ letterKinds; rest != 0; rest &= rest - 1 {
		if kind := bits.TrailingZeros64(uint64(rest)); p.target(s, uint8(kind)) == s {
			x.kinds |= 1 << kind
		}
	}
	for _, kind := range [...]int{smallKind, capitalKind} {
		for _, b := range kindBytes[kind] {
			if p.d.Next(s, b) == s {
				x.letters |= letterBit(b)
			}
		}
	}
	return x
}
