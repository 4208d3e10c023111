package lr

import "gcdbench/grammar"

// Sets are the classical facts about a grammar's nonterminals, useless rules left out.
type Sets struct {
	c      *cfg
	first  bitMatrix // by dense symbol
	follow bitMatrix // by dense symbol
}

// NewSets computes the sets of g. It fails if the start rule derives nothing.
func NewSets(g *grammar.Grammar) (*Sets, error) {
	c, err := newCFG(g)
	if err != nil {
		return nil, err
	}
	s := &Sets{c: c, first: newBitMatrix(int(c.numSyms), int(c.end)+1), follow: newBitMatrix(int(c.numSyms), int(c.end)+1)}
	for x := int32(0); x <= c.end; x++ {
		s.first.row(x).add(x)
	}
	s.follow.row(c.nonterminal(g.Start)).add(c.end)
	for s.grow() {
	}
	return s, nil
}

// grow applies every rule once; false when nothing changed.
func (s *Sets) grow() bool {
	grew := false
	for _, rules := range s.c.rulesOf {
		for _, r := range rules {
			lhs, rhs := s.c.rules[r].lhs, s.c.rules[r].rhs
			for _, x := range rhs {
				grew = s.first.row(lhs).or(s.first.row(x)) || grew
				if !s.c.nullable[x] {
					break
				}
			}
			grew = s.growFollow(lhs, rhs) || grew
		}
	}
	return grew
}

func (s *Sets) growFollow(lhs int32, rhs []int32) bool {
	grew := false
	after := append(bitset(nil), s.follow.row(lhs)...)
	for i := len(rhs) - 1; i >= 0; i-- {
		x := rhs[i]
		if !s.c.isTerminal(x) {
			grew = s.follow.row(x).or(after) || grew
		}
		if !s.c.nullable[x] {
			clear(after)
		}
		after.or(s.first.row(x))
	}
	return grew
}

// Nullable tells whether n derives the empty sequence.
func (s *Sets) Nullable(n grammar.Nonterminal) bool { return s.c.nullable[s.c.nonterminal(n)] }

// First is the bit set of the terminals that begin what n derives.
func (s *Sets) First(n grammar.Nonterminal) []uint64 { return s.first.row(s.c.nonterminal(n)) }

// Follow is the bit set of the terminals, and the end of input (one past them), that can come
// after n in a sentence.
func (s *Sets) Follow(n grammar.Nonterminal) []uint64 { return s.follow.row(s.c.nonterminal(n)) }
