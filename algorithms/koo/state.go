package koo

import (
	"fmt"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/tokenizers"
)

// A machine is an automaton over tokens whose configurations are values of type C. It is immutable
// for its users and safe for concurrent use.
type machine[C any] interface {
	start() C
	// read is the configuration after a legal token's id; ok is false if the token is refused.
	read(c C, token int) (next C, ok bool)
	// end tells whether the text may end.
	end(c C) bool
	// mask is the set of tokens that read takes, and EOS if end says so. It may use the scratch, and is
	// valid until that is used again.
	mask(c C, s *scratch) algorithms.Mask
	stats() algorithms.Stats
	vocabulary() *tokenizers.Vocabulary
}

// scratch is the memory of one generation's masks.
type scratch struct {
	buffer *algorithms.Buffer
	walk   walk
	reads  reads
}

// engine is a machine as the harness sees it.
type engine[C any] struct{ machine machine[C] }

// Start implements algorithms.Engine.
func (e engine[C]) Start() algorithms.State {
	return &state[C]{machine: e.machine, at: e.machine.start(), scratch: newScratch(e.machine)}
}

// Stats implements algorithms.Engine.
func (e engine[C]) Stats() algorithms.Stats { return e.machine.stats() }

func newScratch[C any](m machine[C]) *scratch {
	return &scratch{buffer: algorithms.NewBuffer(m.vocabulary().Len())}
}

// state is one generation.
type state[C any] struct {
	machine machine[C]
	at      C
	ended   bool
	before  *entry[C]
	tokens  int
	scratch *scratch
}

// An entry is the configuration before a committed token: what Rollback goes back to.
type entry[C any] struct {
	at   C
	next *entry[C]
}

// Mask implements algorithms.State.
func (s *state[C]) Mask() algorithms.Mask {
	if s.ended {
		s.scratch.buffer.Reset()
		return s.scratch.buffer.Mask()
	}
	return s.machine.mask(s.at, s.scratch)
}

// Commit implements algorithms.State.
func (s *state[C]) Commit(token int) error {
	v := s.machine.vocabulary()
	switch {
	case s.ended:
		return &algorithms.RefusedError{Token: token, Reason: "the text has ended"}
	case slices.Contains(v.EOS(), token):
		if !s.machine.end(s.at) {
			return &algorithms.RefusedError{Token: token, Reason: "the text may not end here"}
		}
		s.advance(s.at)
		s.ended = true
		return nil
	case !v.Legal(token):
		return &algorithms.RefusedError{Token: token, Reason: "it is not an ordinary token of " + v.Name()}
	}
	next, ok := s.machine.read(s.at, token)
	if !ok {
		return &algorithms.RefusedError{Token: token, Text: v.Token(token), Reason: "no text of the language goes on with it"}
	}
	s.advance(next)
	return nil
}

func (s *state[C]) advance(next C) {
	s.before = &entry[C]{s.at, s.before}
	s.at = next
	s.tokens++
}

// Rollback implements algorithms.Rewinder. Configurations are immutable, so it only walks a list.
func (s *state[C]) Rollback(k int) error {
	if k < 0 || k > s.tokens {
		return fmt.Errorf("cannot take back %d tokens: %d were committed", k, s.tokens)
	}
	for range k {
		s.at, s.before = s.before.at, s.before.next
		s.ended = false
		s.tokens--
	}
	return nil
}

// Clone implements algorithms.State.
func (s *state[C]) Clone() algorithms.State {
	c := *s
	c.scratch = newScratch(s.machine)
	return &c
}

// finish completes a mask that holds one id of each group of equal tokens, and marks EOS.
func finish(b *algorithms.Buffer, v *tokenizers.Vocabulary, end bool) {
	for _, same := range v.Trie().Equal() {
		if b.Has(int(same[0])) {
			for _, id := range same[1:] {
				b.Set(int(id))
			}
		}
	}
	if end {
		for _, id := range v.EOS() {
			b.Set(id)
		}
	}
}
