package algorithms

import (
	"fmt"
	"slices"

	"gcdbench/recognizer"
)

// A Position is the part of a State that every engine on the contract's own machinery shares: the
// recognizer's state after the tokens committed, and whether EOS was. It commits by definition,
// with the recognizer. Engines embed it and add what their masks need. Copying it is a clone.
type Position struct {
	problem *Problem
	State   recognizer.State
	// Ended is whether EOS was committed; then nothing may follow.
	Ended bool
	// before is what Rollback goes back to: the positions before each committed token, the last first.
	// They share their stacks, so that a token costs one small entry.
	before *entry
	tokens int
}

// An entry is the position before a committed token.
type entry struct {
	state recognizer.State
	next  *entry
}

// NewPosition is the position before the first token.
func NewPosition(p *Problem) Position { return Position{problem: p, State: p.Start()} }

// Problem is the problem the position is in.
func (p *Position) Problem() *Problem { return p.problem }

// Commit appends a token, or refuses it with a *RefusedError and changes nothing.
func (p *Position) Commit(token int) error {
	v := p.problem.Vocabulary
	switch {
	case p.Ended:
		return &RefusedError{Token: token, Reason: "the text has ended"}
	case slices.Contains(v.EOS(), token):
		if !p.problem.End(p.State) {
			return &RefusedError{Token: token, Reason: "the text may not end here"}
		}
		p.advance(p.State)
		p.Ended = true
		return nil
	case !v.Legal(token):
		return &RefusedError{Token: token, Reason: "it is not an ordinary token of " + v.Name()}
	}
	next, ok := p.problem.Read(p.State, v.Token(token))
	if !ok {
		return &RefusedError{Token: token, Text: v.Token(token), Reason: "the grammar does not allow it here"}
	}
	p.advance(next)
	return nil
}

// advance moves to the state after one more token.
func (p *Position) advance(next recognizer.State) {
	p.before = &entry{p.State, p.before}
	p.State = next
	p.tokens++
}

// Tokens is the number of tokens committed, EOS included.
func (p *Position) Tokens() int { return p.tokens }

// Rollback takes back the last k tokens, as speculative decoding needs when a draft is refused. It
// takes k steps along a list: the stacks are persistent, so nothing is computed again. It fails,
// and changes nothing, if fewer than k tokens were committed.
func (p *Position) Rollback(k int) error {
	if k < 0 || k > p.tokens {
		return fmt.Errorf("cannot take back %d tokens: %d were committed", k, p.tokens)
	}
	for range k {
		p.State, p.before = p.before.state, p.before.next
		p.Ended = false
		p.tokens--
	}
	return nil
}

// MarkEnd adds the EOS ids to the words of a mask if the text may end here.
func (p *Position) MarkEnd(words []uint64) {
	if !p.problem.End(p.State) {
		return
	}
	for _, id := range p.problem.Vocabulary.EOS() {
		words[id>>6] |= 1 << (uint(id) & 63)
	}
}
