package lr

import (
	"context"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Sets are the classical facts about a grammar's nonterminals, useless rules left out.
type Sets struct {
	c     *cfg
	first bitMatrix // by dense symbol
}

// NewSets computes the sets of g. It fails if the start rule derives nothing, and with a
// *LimitError if the sets would be too large.
func NewSets(g *grammar.Grammar) (*Sets, error) {
	c, err := newCFG(context.Background(), g)
	if err != nil {
		return nil, err
	}
	first, err := c.firstSets()
	return &Sets{c, first}, err
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

// Nullable tells whether n derives the empty sequence.
func (s *Sets) Nullable(n grammar.Nonterminal) bool { return s.c.nullable[s.c.nonterminal(n)] }

// First is the bit set of the terminals that begin what n derives.
func (s *Sets) First(n grammar.Nonterminal) []uint64 { return s.first.row(s.c.nonterminal(n)) }
