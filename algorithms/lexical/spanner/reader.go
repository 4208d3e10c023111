package spanner

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// Symbols tell what symbols are.
type Symbols struct {
	lex  lexer.Automaton
	list []symbol
	// ofStrings are the members of the symbols that are not sets of the lexer.
	ofStrings [][]grammar.Terminal
}

// Set is the set that symbol x is emitted as; NoSet for a symbol of Root.
func (y *Symbols) Set(x Symbol) lexer.Set { return y.list[x].set }

// Members are the terminals of symbol x, in order of preference; read only. Ignored ones are among
// them if Ignored says so, but never alone.
func (y *Symbols) Members(x Symbol) []grammar.Terminal {
	s := &y.list[x]
	if s.set == lexer.NoSet {
		return y.ofStrings[s.strings]
	}
	return y.lex.Members(s.set)
}

// Ignored tells whether a member of x is an ignored terminal: then the parser may also stay as it
// is.
func (y *Symbols) Ignored(x Symbol) bool {
	set := y.Set(x)
	return set != lexer.NoSet && y.lex.Ignored(set)
}

// Newline tells whether x is a newline lexeme of the grammar's layout; then Column says where the
// next line begins.
func (y *Symbols) Newline(x Symbol) bool { return y.list[x].newline }

// Column is how the column of newline symbol x follows.
func (y *Symbols) Column(x Symbol) Column { return y.list[x].column }

// A Reader is the shared graph as it was when the Reader was made. Nothing in it changes any more:
// it may be used by any number of goroutines while the Spanner goes on.
type Reader struct {
	Symbols
	nodes  []SharedNode
	leaves []tokens
	blocks []block
	flat   flat
}

// Reader is the shared graph so far.
func (s *Spanner) Reader() Reader {
	return Reader{s.symbols.Symbols, s.shared.nodes, s.shared.leaves, s.blocks, s.shared.flat}
}

// Same tells whether another Reader of the same Spanner has no more than r, and no less.
func (r *Reader) Same(o *Reader) bool {
	return len(r.list) == len(o.list) && len(r.nodes) == len(o.nodes) && len(r.leaves) == len(o.leaves) && len(r.blocks) == len(o.blocks) &&
		len(r.flat.from) == len(o.flat.from)
}

// Node is a node of the shared graph; read only.
func (r *Reader) Node(id NodeID) *SharedNode { return &r.nodes[id] }

// SetLeaf sets the bits of a group's ids in words (bit i%64 of word i/64 is id i).
func (r *Reader) SetLeaf(words []uint64, leaf LeafID) {
	if ids := r.flat.of(leaf); len(ids) > 0 {
		bitset.AddAll(words, ids)
		return
	}
	t := &r.leaves[leaf]
	if t.bits != nil {
		var kept []int32 // tokens that are not of the group, but set already
		for _, id := range t.minus {
			if bitset.Has(words, id) {
				kept = append(kept, id)
			}
		}
		for i, w := range t.bits {
			words[i] |= w
		}
		bitset.RemoveAll(words, t.minus)
		bitset.AddAll(words, kept)
		bitset.AddAll(words, t.plus)
	}
	for _, b := range t.blocks {
		for _, part := range r.blocks[b].ranges {
			bitset.AddAll(words, r.blocks[b].order[part.Lo:part.Hi])
		}
	}
}

// LeafBits is the bits of a group's ids if they are kept as such, else nil; read only.
func (r *Reader) LeafBits(leaf LeafID) []uint64 {
	if t := &r.leaves[leaf]; len(t.minus)+len(t.plus) == 0 {
		return t.bits
	}
	return nil
}

// CopyLeaf writes the bits of a group's ids over words, if the group is kept as bits or as a
// difference to some. Else it does nothing and is false. It is faster than clearing words and
// setting the bits.
func (r *Reader) CopyLeaf(words []uint64, leaf LeafID) bool {
	t := &r.leaves[leaf]
	if t.bits == nil {
		return false
	}
	copy(words, t.bits)
	t.amend(words)
	return true
}

// Amended is the number of ids by which a group differs from the bits that it is kept as.
func (r *Reader) Amended(leaf LeafID) int {
	return len(r.leaves[leaf].minus) + len(r.leaves[leaf].plus)
}

// LeafLen is the number of ids of a group that is kept as a list; 0 of one that is kept as bits or
// as a difference to some. It counts them each time.
func (r *Reader) LeafLen(leaf LeafID) (n int) {
	if ids := r.flat.of(leaf); len(ids) > 0 {
		return len(ids)
	}
	t := &r.leaves[leaf]
	if t.bits != nil {
		return 0
	}
	for _, b := range t.blocks {
		for _, part := range r.blocks[b].ranges {
			n += int(part.Hi - part.Lo)
		}
	}
	return n
}
