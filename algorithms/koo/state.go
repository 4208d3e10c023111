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
	// fill writes the mask of c over row: the tokens that read takes, and EOS if end says so.
	fill(c C, s *scratch, row []uint64)
	stats() algorithms.Stats
	vocabulary() *tokenizers.Vocabulary
}

// A keeper is a machine that holds masks ready.
type keeper[C any] interface {
	machine[C]
	// kept is the words of the mask of c, which never change; nil if they are not held.
	kept(c C) []uint64
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
	s := &state[C]{machine: e.machine, at: e.machine.start(), scratch: newScratch(e.machine)}
	if k, ok := e.machine.(keeper[C]); ok {
		return keeping[C]{s, k}
	}
	return filling[C]{s}
}

// Stats implements algorithms.Engine.
func (e engine[C]) Stats() algorithms.Stats { return e.machine.stats() }

func newScratch[C any](m machine[C]) *scratch {
	return &scratch{buffer: algorithms.NewBuffer(m.vocabulary().Len())}
}

// state is what the generations of all machines have.
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

// built is the mask, made in the generation's own memory.
func (s *state[C]) built() algorithms.Mask {
	s.fill(s.scratch.buffer.Words())
	return s.scratch.buffer.Mask()
}

// fill writes the mask over row.
func (s *state[C]) fill(row []uint64) {
	if s.ended {
		clear(row)
		return
	}
	s.machine.fill(s.at, s.scratch, row)
}

// filling is a generation of a machine that makes each mask anew.
type filling[C any] struct{ *state[C] }

// Mask implements algorithms.State.
func (s filling[C]) Mask() algorithms.Mask { return s.built() }

// Fill implements algorithms.Filler.
func (s filling[C]) Fill(row []uint64) { s.fill(row) }

// Clone implements algorithms.State.
func (s filling[C]) Clone() algorithms.State { return filling[C]{s.clone()} }

// keeping is a generation of a machine that holds masks ready.
type keeping[C any] struct {
	*state[C]
	keeper keeper[C]
}

// Mask implements algorithms.State.
func (s keeping[C]) Mask() algorithms.Mask {
	if !s.ended {
		if words := s.keeper.kept(s.at); words != nil {
			return algorithms.MaskOf(words, s.machine.vocabulary().Len())
		}
	}
	return s.built()
}

// Clone implements algorithms.State.
func (s keeping[C]) Clone() algorithms.State { return keeping[C]{s.clone(), s.keeper} }

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

// clone is a generation of its own at the same place.
func (s *state[C]) clone() *state[C] {
	c := *s
	c.scratch = newScratch(s.machine)
	return &c
}

// finish completes a mask that holds one id of each group of equal tokens, and marks EOS.
func finish(words []uint64, v *tokenizers.Vocabulary, end bool) {
	for _, same := range v.Trie().Equal() {
		if first := same[0]; words[first>>6]&(1<<(uint(first)&63)) != 0 {
			for _, id := range same[1:] {
				words[id>>6] |= 1 << (uint(id) & 63)
			}
		}
	}
	if end {
		for _, id := range v.EOS() {
			words[id>>6] |= 1 << (uint(id) & 63)
		}
	}
}
