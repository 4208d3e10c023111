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
// the end. Or the byte begins another lexeme after this one; Narrow makes sure that the parser
// refuses this, too.

// numbers has a Spanner's tables about numbers.
type numbers struct {
	asked     bool
	terminals []uint64                    // nil: there are none that Root can be used for
	side      []uint64                    // those after which another number may begin
	profiles  []*jsontokens.NumberProfile // by terminal
	leaves    map[*jsontokens.Ranges]LeafID
}

// Numbers lists the terminals that are numbers (a bit set over terminals) and of which Root may
// leave out some; nil if it cannot be used: the lexer is not built on demand, lexemes are emitted
// as the first of what they match, there are no numbers, or Options.NoSlices is set.
func (s *Spanner) Numbers() []uint64 {
	if n := &s.numbers; !n.asked {
		n.asked = true
		n.init(s)
	}
	return s.numbers.terminals
}

// init finds the terminals that are numbers.
func (n *numbers) init(s *Spanner) {
	lex, g := s.apart, s.rec.Grammar
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
		if !s.isApart(t) {
			continue
		}
		if n.profiles[t] = s.lexicon.NumberProfile(d); n.profiles[t] != nil {
			bitset.Add(terminals, t)
			any = true
		}
	}
	if any {
		n.terminals, n.side, n.leaves = terminals, s.before(terminals, begin), map[*jsontokens.Ranges]LeafID{}
	}
}

// before is the terminals of a set after which the parser may take one of others.
func (s *Spanner) before(set, others []uint64) []uint64 {
	f := s.follow
	if f == nil {
		f = newFollow(s.rec)
	}
	some := make([]uint64, len(set))
	for t, after := range f.after {
		if bitset.Has(set, t) && bitset.Intersect(after, others) {
			bitset.Add(some, t)
		}
	}
	return some
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
		without := &byteSet{}
		if s.follow == nil { // pruning leaves them out
			for _, b := range []byte(jsontokens.NumberBytes) {
				without.add(b)
			}
		}
		s.eachStart(accepting, func(x Symbol, start lexer.State) {
			root.Kids = append(root.Kids, SharedKid{x, s.after(x, start, without)})
		})
	}
	for _, e := range v.Exits {
		s.eachStart(terminalsOf(parts, order, e.Members), func(x Symbol, start lexer.State) {
			rest := s.prune(x, s.shared.unite(s.readAt(e.Nodes, start)))
			if len(rest.Kids)+len(rest.Leaves) > 0 {
				root.Kids = append(root.Kids, SharedKid{x, s.shared.intern(rest)})
			}
		})
	}
	return root
}

// readAt are the pieces of the tokens below some nodes of the trie, read from a start state at
// those.
func (s *Spanner) readAt(nodes []int32, start lexer.State) (list []int32) {
	w := &s.walk
	from := w.fresh(start)
	for _, j := range nodes {
		if to, _, _, ok := w.step(from, w.trie.Nodes[j].Byte(), 0); ok {
			list = append(list, s.pieceOf(root{j, to}))
		}
	}
	return list
}
