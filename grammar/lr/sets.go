package lr

import (
	"context"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Sets are the classical facts about a grammar's nonterminals, useless rules left out.
type Sets struct {
	c      *cfg
	first  bitMatrix // by dense symbol
	follow bitMatrix // by dense symbol
}

// NewSets computes the sets of g. It fails if the start rule derives nothing, and with a
// *LimitError if the sets would be too large.
func NewSets(g *grammar.Grammar) (*Sets, error) {
	c, err := newCFG(context.Background(), g)
	if err != nil {
		return nil, err
	}
	s := &Sets{c: c}
	if s.first, err = c.firstSets(); err != nil {
		return nil, err
	}
	if s.follow, err = c.followSets(); err != nil {
		return nil, err
	}
	return s, nil
}

// newSets is a set of terminals for each of n, counted as held.
func (c *cfg) newSets(n int) (bitMatrix, error) {
	width := int(c.end) + 1
	if err := c.holdSets(n, bitset.Words(width)); err != nil {
		return bitMatrix{}, err
	}
	return newBitMatrix(n, width), nil
}

// firstSets is, by symbol, the terminals that begin what it derives.
func (c *cfg) firstSets() (bitMatrix, error) {
	first, err := c.newSets(int(c.numSyms))
	if err != nil {
		return first, err
	}
	for x := int32(0); x <= c.end; x++ {
		bitset.Add(first.row(x), x)
	}
	err = digraph(c.budget, first, func(dst []int32, x int32) []int32 {
		for _, r := range c.rulesOf[x] {
			for _, y := range c.rules[r].rhs {
				dst = append(dst, y)
				if !c.nullable[y] {
					break
				}
			}
		}
		return dst
	})
	return first, err
}

// followSets is, by nonterminal, the terminals and the end of input that can come after it.
func (c *cfg) followSets() (bitMatrix, error) {
	first, err := c.firstSets()
	if err != nil {
		return first, err
	}
	follow, err := c.newSets(int(c.numSyms))
	if err != nil {
		return follow, err
	}
	bitset.Add(follow.row(c.rules[len(c.rules)-1].rhs[0]), c.end)
	// What comes directly after it in a rule, and the rules that it can be the last of.
	after := make([]uint64, follow.width)
	for lhs := range c.rulesOf {
		for _, r := range c.rulesOf[lhs] {
			clear(after)
			rhs := c.rules[r].rhs
			for i := len(rhs) - 1; i >= 0; i-- {
				x := rhs[i]
				if !c.isTerminal(x) {
					bitset.Unite(follow.row(x), after)
				}
				if !c.nullable[x] {
					clear(after)
				}
				bitset.Unite(after, first.row(x))
			}
		}
	}
	lastOf := newListTable(int(c.numSyms), func(add func(list, value int32)) {
		for lhs := range c.rulesOf {
			for _, r := range c.rulesOf[lhs] {
				rhs := c.rules[r].rhs
				for i := len(rhs) - 1; i >= 0 && !c.isTerminal(rhs[i]); i-- {
					add(rhs[i], int32(lhs))
					if !c.nullable[rhs[i]] {
						break
					}
				}
			}
		}
	})
	err = digraph(c.budget, follow, func(dst []int32, x int32) []int32 { return append(dst, lastOf.of(x)...) })
	if err != nil {
		return follow, err
	}
	return follow, c.holdSets(-int(c.numSyms), first.width)
}

// Nullable tells whether n derives the empty sequence.
func (s *Sets) Nullable(n grammar.Nonterminal) bool { return s.c.nullable[s.c.nonterminal(n)] }

// First is the bit set of the terminals that begin what n derives.
func (s *Sets) First(n grammar.Nonterminal) []uint64 { return s.first.row(s.c.nonterminal(n)) }

// Follow is the bit set of the terminals, and the end of input (one past them), that can come
// after n in a sentence.
func (s *Sets) Follow(n grammar.Nonterminal) []uint64 { return s.follow.row(s.c.nonterminal(n)) }
