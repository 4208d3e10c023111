package spanner

import (
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// In a JSON schema's lexer a pending number is all number terminals of the schema at once, free
// ones, integers and those within bounds, of which the parser takes one or two. A number has no
// byte that says where it ends, but it has few bytes: any other byte ends it, whichever terminals
// are left out. If the terminals that are followed cannot go on with a byte of numbers, one of two
// things happens. A terminal that was left out goes on with it; the parser refuses that lexeme in
// the end. Or the byte begins another number after this one; Numbers makes sure that the parser
// refuses this, too.

// numbers is what a Spanner knows about numbers.
type numbers struct {
	asked     bool
	terminals []uint64                    // nil: Root cannot be used for numbers
	profiles  []*jsontokens.NumberProfile // by terminal
	leaves    map[*jsontokens.Ranges]LeafID
}

// Numbers lists the terminals that are numbers (a bit set over terminals) and of which Root may
// leave out some; nil if it cannot be used: the lexer is not built on demand, lexemes are emitted
// as the first of what they match, there are no numbers, two of them may stand side by side, or
// Options.NoSlices is set.
func (s *Spanner) Numbers() []uint64 {
	if n := &s.numbers; !n.asked {
		n.asked = true
		n.init(s)
	}
	return s.numbers.terminals
}

// init finds the terminals that are numbers.
func (n *numbers) init(s *Spanner) {
	lex, g := s.apart(), s.rec.Grammar
	if lex == nil || s.options.Without&jsontokens.NumbersApart != 0 {
		return
	}
	terminals := bitset.New(len(g.Terminals) + 1)
	n.profiles = make([]*jsontokens.NumberProfile, len(g.Terminals))
	begin := make([]uint64, len(terminals)) // the terminals that a byte of numbers begins
	any := false
	strings := s.Strings()
	for t := range g.Terminals {
		d := lex.Terminal(grammar.Terminal(t))
		if d == nil || strings != nil && bitset.Has(strings, grammar.Terminal(t)) || !jsontokens.BeginsNumber(d) {
			continue
		}
		if g.Terminals[t].Ignored {
			return
		}
		bitset.Add(begin, t)
		if n.profiles[t] = s.lexicon.NumberProfile(d); n.profiles[t] != nil {
			bitset.Add(terminals, t)
			any = true
		}
	}
	if any && s.neverAfter(terminals, begin) {
		n.terminals, n.leaves = terminals, map[*jsontokens.Ranges]LeafID{}
	}
}

// neverAfter tells whether the parser never takes one of some terminals right after one of the
// first.
func (s *Spanner) neverAfter(first, some []uint64) bool {
	f := s.follow
	if f == nil {
		f = newFollow(s.rec)
	}
	for t, after := range f.after {
		for i := range after {
			if bitset.Has(first, grammar.Terminal(t)) && after[i]&some[i] != 0 {
				return false
			}
		}
	}
	return true
}

// numberRoot is the root of parts of numbers. If some of them accept, it has a child by the symbol
// of those, even if no token goes on.
func (s *Spanner) numberRoot(parts []lexer.Part) (root SharedNode) {
	n := &s.numbers
	var lives []jsontokens.NumberLive
	var accepting []grammar.Terminal
	for _, p := range parts {
		x := n.profiles[p.Terminal].At(p.State)
		if lives = append(lives, x); x.Accepting() {
			accepting = append(accepting, p.Terminal)
		}
	}
	v, order := s.lexicon.NumberEffect(lives)
	if v.Alive != nil {
		leaf, ok := n.leaves[v.Alive]
		if !ok {
			s.blocks = append(s.blocks, block{order: s.walk.trie.Order(), ranges: v.Alive.List})
			leaf = s.shared.leaf([]int32{int32(len(s.blocks) - 1)})
			n.leaves[v.Alive] = leaf
		}
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, leaf})
	}
	if accepting != nil {
		x := s.symbolOfTerminals(accepting)
		without := &byteSet{}
		if s.follow == nil { // pruning leaves them out
			for _, b := range []byte(jsontokens.NumberBytes) {
				without.add(b)
			}
		}
		root.Kids = append(root.Kids, SharedKid{x, s.after(x, s.rec.Lexer.Start(), without)})
	}
	for _, e := range v.Exits {
		x := s.symbolOf(parts, order, e.Members)
		rest := s.prune(x, s.shared.unite(s.readAt(e.Nodes)))
		if len(rest.Kids)+len(rest.Leaves) > 0 {
			root.Kids = append(root.Kids, SharedKid{x, s.shared.intern(rest)})
		}
	}
	return root
}

// readAt are the pieces of the tokens below some nodes of the trie, read from the start at those.
func (s *Spanner) readAt(nodes []int32) (list []int32) {
	w := &s.walk
	from := w.fresh(w.lex.Start())
	for _, j := range nodes {
		if to, _, _, ok := w.step(from, w.trie.Nodes[j].Byte(), 0); ok {
			list = append(list, s.pieceOf(root{j, to}))
		}
	}
	return list
}
