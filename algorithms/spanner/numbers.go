package spanner

import (
	"cmp"
	"encoding/binary"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
	"gcdbench/lexer"
)

// In a JSON schema's lexer a pending number is all number terminals of the schema at once, free ones, integers and
// those within bounds, of which the parser takes one or two. As with strings, a caller that knows which leaves the
// others out (Numeric). That takes less than with strings: a number has no byte that says where it ends,
// but it has no other bytes than a few either. Any other byte ends it, whatever is left out. A byte that a number may
// have, and that those left cannot go on with, either goes on with one that was left out, which the parser
// refuses in the end, or it begins another number right behind this one, which it refuses as well: that is
// what a grammar is asked once (Numbers).

// numbers is what a Spanner knows about numbers.
type numbers struct {
	ready     bool
	lex       *lexer.OnDemand // nil: numbers are not followed apart
	terminals []uint64
	numerals  []*numeral // by terminal
	roots     partRoots
	leaves    map[*orderRanges]LeafID
	symbols   map[string]Symbol
	order     []int32 // scratch
	stack     []numbering
	key       []byte
}

// Numbers lists the terminals that are numbers (a bit set over terminals) and of which Numeric may leave out some; nil if
// it cannot be used: the lexer is not built on demand, lexemes are emitted as the first of what they match,
// there are no numbers, two of them may stand side by side, or Options.NoSlices is set.
func (s *Spanner) Numbers() []uint64 {
	n := &s.numbers
	if !n.ready {
		n.ready = true
		n.init(s)
	}
	if n.lex == nil {
		return nil
	}
	return n.terminals
}

// init finds the terminals that are numbers.
func (n *numbers) init(s *Spanner) {
	lex, g := s.apart(), s.rec.Grammar
	if lex == nil || s.options.Without&NumbersApart != 0 {
		return
	}
	n.terminals = make([]uint64, (len(g.Terminals)+64)/64)
	n.numerals = make([]*numeral, len(g.Terminals))
	begin := make([]uint64, len(n.terminals)) // the terminals that a byte of numbers begins
	any := false
	strings := s.Strings()
	for t := range g.Terminals {
		d := lex.Terminal(grammar.Terminal(t))
		if d == nil || strings != nil && has(strings, grammar.Terminal(t)) || !beginsNumber(d) {
			continue
		}
		if g.Terminals[t].Ignored {
			return
		}
		begin[t>>6] |= 1 << (t & 63)
		if n.numerals[t] = s.lexicon.numeral(d); n.numerals[t] != nil {
			n.terminals[t>>6] |= 1 << (t & 63)
			any = true
		}
	}
	if any && n.apart(s, begin) {
		n.leaves, n.symbols = map[*orderRanges]LeafID{}, map[string]Symbol{}
		n.lex = lex
	}
}

// beginsNumber tells whether a DFA accepts texts that begin with one of numberBytes.
func beginsNumber(d *automata.DFA) bool {
	for i := range len(numberText) {
		if d.Next(d.Start(), numberText[i]) != automata.Dead {
			return true
		}
	}
	return false
}

// apart tells whether the parser never takes one of some terminals right behind a number.
func (n *numbers) apart(s *Spanner, some []uint64) bool {
	f := s.follow
	if f == nil {
		f = newFollow(s.rec)
	}
	for t, after := range f.after {
		for i := range after {
			if has(n.terminals, grammar.Terminal(t)) && after[i]&some[i] != 0 {
				return false
			}
		}
	}
	return true
}

// Numeric is the root of the tree of the given parts alone, which are all of numbers (see Numbers), built at the first
// call. The tokens that end inside the number are one group, with reach Sure; those that go on behind it are under
// symbols of parts that accept. If some of parts accept, there is a child by the symbol of those, even if no
// token goes on.
func (s *Spanner) Numeric(parts []lexer.Part) NodeID {
	return s.numbers.roots.of(s, parts, (*Spanner).numericRoot)
}

// Apart is the root of Quoted or Numeric, whichever parts are of.
func (s *Spanner) Apart(parts []lexer.Part) NodeID {
	if len(parts) > 0 && s.Numbers() != nil && has(s.numbers.terminals, parts[0].Terminal) {
		return s.Numeric(parts)
	}
	return s.Quoted(parts)
}

// numericRoot is the root of parts.
func (s *Spanner) numericRoot(parts []lexer.Part) (root SharedNode) {
	n := &s.numbers
	v := s.numberVerdict(parts)
	if v.alive != nil {
		leaf, ok := n.leaves[v.alive]
		if !ok {
			s.blocks = append(s.blocks, block{s.lexicon.order, v.alive.list})
			leaf = s.shared.leaf([]int32{int32(len(s.blocks) - 1)})
			n.leaves[v.alive] = leaf
		}
		root.Leaves = append(root.Leaves, SharedLeaf{Sure, leaf})
	}
	var accepting []grammar.Terminal
	for _, x := range parts {
		if n.lex.Terminal(x.Terminal).Accepting(x.State) {
			accepting = append(accepting, x.Terminal)
		}
	}
	if accepting != nil {
		x := n.symbol(s, accepting)
		without := numberBytes
		if s.follow != nil {
			without = &byteSet{} // pruning leaves them out
		}
		root.Kids = append(root.Kids, SharedKid{x, s.behind(x, without)})
	}
	for _, e := range v.exits {
		var members []grammar.Terminal
		for _, i := range e.members {
			members = append(members, parts[n.order[i]].Terminal)
		}
		x := n.symbol(s, members)
		rest := s.prune(x, s.shared.content(&s.walk, s.readAt(e.at)))
		if len(rest.Kids)+len(rest.Leaves) > 0 {
			root.Kids = append(root.Kids, SharedKid{x, s.shared.intern(rest)})
		}
	}
	return root
}

// numberVerdict is the verdict on parts. Its numberings are in the order of numbers.order, which does not depend on
// the grammar.
func (s *Spanner) numberVerdict(parts []lexer.Part) *numberVerdict {
	n := &s.numbers
	n.order, n.stack, n.key = n.order[:0], n.stack[:0], n.key[:0]
	for i := range parts {
		n.order = append(n.order, int32(i))
	}
	slices.SortFunc(n.order, func(a, b int32) int {
		x, y := parts[a], parts[b]
		return cmp.Or(cmp.Compare(n.numerals[x.Terminal].id, n.numerals[y.Terminal].id), cmp.Compare(x.State, y.State))
	})
	for k, i := range n.order {
		x := parts[i]
		p := n.numerals[x.Terminal]
		n.stack = append(n.stack, numbering{n.lex.Terminal(x.Terminal), p, x.State, int32(k)})
		n.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(n.key, p.id), uint32(x.State))
	}
	return s.lexicon.judgeNumbers(n.key, n.stack)
}

// symbol is the symbol of some terminals, which are numbers.
func (n *numbers) symbol(s *Spanner, members []grammar.Terminal) Symbol {
	slices.Sort(members)
	n.key = n.key[:0]
	for _, t := range members {
		n.key = binary.AppendUvarint(n.key, uint64(t))
	}
	x, ok := n.symbols[string(n.key)]
	if !ok {
		x = s.symbols.strings(members)
		n.symbols[string(n.key)] = x
	}
	return x
}

// readAt are the groups of the tokens below some nodes of the trie, read from the start at those.
func (s *Spanner) readAt(nodes []int32) (groups []group) {
	w := &s.walk
	from := w.fresh()
	for _, j := range nodes {
		if to, _, ok := w.step(from, w.trie.Nodes[j].Byte()); ok {
			groups = append(groups, w.turn(root{j, to})...)
		}
	}
	return groups
}
