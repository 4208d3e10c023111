package algorithms

import (
	"slices"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/bitset"
)

// A Position is the part of a State that every engine on the contract's own machinery shares: the
// recognizer's state after the committed tokens. It commits by definition, with the recognizer.
// Engines embed it and add what their masks need. Copying it is a clone.
type Position struct {
	History[recognizer.State]
	problem *Problem
}

// NewPosition is the position before the first token, with memory for what the first commits keep.
func NewPosition(p *Problem) Position {
	return Position{History[recognizer.State]{State: p.Start(), room: &entries[recognizer.State]{}}, p}
}

// Problem is the problem the position is in.
func (p *Position) Problem() *Problem { return p.problem }

// Commit appends a token, or refuses it with a *RefusedError and changes nothing.
func (p *Position) Commit(token int) error {
	v := p.problem.Vocabulary
	switch {
	case p.Ended:
		return &RefusedError{Token: token, Reason: "the text has ended"}
	case slices.Contains(v.EOS(), token) && p.problem.End(p.State):
		p.Advance(p.State, true)
		return nil
	case slices.Contains(v.EOS(), token) && !v.Legal(token): // a rule may name it
		return &RefusedError{Token: token, Reason: "the text may not end here"}
	case !v.Legal(token):
		return &RefusedError{Token: token, Reason: "it is not an ordinary token of " + v.Name()}
	}
	next, ok := p.problem.Read(p.State, v.Token(token))
	if !ok {
		return &RefusedError{Token: token, Text: v.Token(token), Reason: "the grammar does not allow it here", Cause: p.problem.Err()}
	}
	p.Advance(next, false)
	return nil
}

// MarkEnd adds the EOS ids to the words of a mask if the text may end here.
func (p *Position) MarkEnd(words []uint64) {
	if !p.problem.End(p.State) {
		return
	}
	for _, id := range p.problem.Vocabulary.EOS() {
		bitset.Add(words, id)
	}
}
