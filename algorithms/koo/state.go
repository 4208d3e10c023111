package koo

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
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
	s := &state[C]{algorithms.History[C]{State: e.machine.start()}, e.machine, newScratch(e.machine)}
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

// state has the fields that the generations of all machines share.
type state[C any] struct {
	algorithms.History[C]
	machine machine[C]
	scratch *scratch
}

// built is the mask, made in the generation's own memory.
func (s *state[C]) built() algorithms.Mask {
	s.fill(s.scratch.buffer.Words())
	return s.scratch.buffer.Mask()
}

// fill writes the mask over row.
func (s *state[C]) fill(row []uint64) {
	if s.Ended {
		clear(row)
		return
	}
	s.machine.fill(s.State, s.scratch, row)
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
	if !s.Ended {
		if words := s.keeper.kept(s.State); words != nil {
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
	case s.Ended:
		return &algorithms.RefusedError{Token: token, Reason: "the text has ended"}
	case slices.Contains(v.EOS(), token) && s.machine.end(s.State):
		s.Advance(s.State, true)
		return nil
	case slices.Contains(v.EOS(), token) && !v.Legal(token): // a rule may name it
		return &algorithms.RefusedError{Token: token, Reason: "the text may not end here"}
	case !v.Legal(token):
		return &algorithms.RefusedError{Token: token, Reason: "it is not an ordinary token of " + v.Name()}
	}
	next, ok := s.machine.read(s.State, token)
	if !ok {
		return &algorithms.RefusedError{Token: token, Text: v.Token(token), Reason: "no text of the language goes on with it"}
	}
	s.Advance(next, false)
	return nil
}

// clone is a generation of its own at the same place.
func (s *state[C]) clone() *state[C] {
	c := *s
	c.scratch = newScratch(s.machine)
	return &c
}

// finish completes a mask that has one id of each group of equal tokens, and adds EOS if the
// text may end.
func finish(words []uint64, v *tokenizers.Vocabulary, end bool) {
	algorithms.AddEqual(words, v.Trie())
	if end {
		for _, id := range v.EOS() {
			bitset.Add(words, id)
		}
	}
}
