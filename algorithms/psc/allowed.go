package psc

import (
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// A decoder takes a token that the mask allows. Then the token's last lexeme need not be examined
// again: whether the parser would accept what can become of it is known, and to find that out is a
// quarter of a commit (Java) to a third (Go).

// A lastMask is what a generation knows of the mask that it was asked for last: where that was, and
// tokens that it allows, which need not be all.
type lastMask struct {
	at        lexer.State
	top       *lr.Node
	registers layout.Registers
	words     []uint64 // nil where it is composed of first and deltas
	first     *part
	deltas    []*delta
}

// allows tells whether the mask is one of a position, and is known to allow a token there, which is
// one of the vocabulary.
func (l *lastMask) allows(s *recognizer.State, token int) bool {
	if l.top == nil || l.at != s.Lexer || s.Stacks.NumTops() != 1 || s.Stacks.TopNode(0) != l.top || l.registers != s.Layout {
		return false
	}
	if l.words != nil && bitset.Has(l.words, token) || l.first != nil && l.first.has(token) {
		return true
	}
	for _, d := range l.deltas {
		if d.has(token) {
			return true
		}
	}
	return false
}

// Commit implements algorithms.State. A token that was just allowed is not examined again.
func (g composing) Commit(token int) error {
	v := g.engine.problem.Vocabulary
	if !g.Ended && v.Legal(token) && !v.IsEOS(token) && g.last.allows(&g.State, token) {
		return g.CommitAllowed(token)
	}
	return g.gen.Commit(token)
}
