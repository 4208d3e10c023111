package algorithms

import (
	"fmt"
	"sync/atomic"
)

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
	room   *entries[S]
}

// entries are memory for some entries. To ask the allocator for each would take longer than the
// rest of a token that only goes on with its lexeme, since between two tokens a decoder leaves
// little of the allocator's own data in the caches. Histories that are copies of each other take
// entries of the same memory.
type entries[S any] struct {
	list  [entriesAtOnce]entry[S]
	taken atomic.Int32
}

const entriesAtOnce = 64

// newEntry is an empty entry.
func (h *History[S]) newEntry() *entry[S] {
	if h.room != nil {
		if i := h.room.taken.Add(1); i <= entriesAtOnce {
			return &h.room.list[i-1]
		}
	}
	h.room = &entries[S]{}
	h.room.taken.Store(1)
	return &h.room.list[0]
}

// An entry is the state before a committed token.
type entry[S any] struct {
	state S
	next  *entry[S]
}

// Advance goes on to the state after one more token; ends is whether the token is EOS.
func (h *History[S]) Advance(next S, ends bool) {
	e := h.newEntry()
	e.state, e.next = h.State, h.before
	h.before = e
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
