package algorithms

import "fmt"

// A History is where a generation stands, and where it stood before each committed token. S is what
// an engine knows of a text; values of S are immutable. Copying a History is a clone.
type History[S any] struct {
	// State is what the committed tokens have led to.
	State S
	// Ended is whether EOS was committed; then nothing may follow.
	Ended bool
	// before are the states before each token, the last first. They share what lies under them, so
	// that a token costs one small entry.
	before *entry[S]
	tokens int
}

// An entry is the state before a committed token.
type entry[S any] struct {
	state S
	next  *entry[S]
}

// Advance goes on to the state after one more token; ends is whether the token is EOS.
func (h *History[S]) Advance(next S, ends bool) {
	h.before = &entry[S]{h.State, h.before}
	h.State, h.Ended = next, ends
	h.tokens++
}

// Tokens is the number of tokens committed, EOS included.
func (h *History[S]) Tokens() int { return h.tokens }

// Rollback takes back the last k tokens, as speculative decoding needs when a draft is refused. It
// takes k steps along a list and computes nothing again. It fails, and changes nothing, if fewer
// than k tokens were committed.
func (h *History[S]) Rollback(k int) error {
	if k < 0 || k > h.tokens {
		return fmt.Errorf("cannot take back %d tokens: %d were committed", k, h.tokens)
	}
	for range k {
		h.State, h.before = h.before.state, h.before.next
		h.Ended = false
		h.tokens--
	}
	return nil
}
