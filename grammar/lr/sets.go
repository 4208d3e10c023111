package lr

import (
	"context"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/search"
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

// digraph closes the sets of m under a relation: each row becomes the union of all rows its own
// is related to, directly or not. Rows of one strongly connected component end up equal.
func digraph(b *budget, m bitMatrix, successors func(dst []int32, x int32) []int32) error {
	rows := 0
	if m.width > 0 {
		rows = len(m.words) / m.width
	}
	s := search.New(rows, func(n int) error { return b.step(n * m.width) })
	s.Successors = successors
	s.Edge = func(x, y int32) { bitset.Unite(m.row(x), m.row(y)) }
	s.Closed = func(members []int32) error {
		for _, y := range members[1:] {
			copy(m.row(y), m.row(members[0]))
		}
		return nil
	}
	return s.All()
}
