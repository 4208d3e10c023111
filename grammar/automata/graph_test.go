package automata

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// A table is a random automaton, and a step a state of it.
type (
	table struct {
		next    map[[2]int]int
		accepts map[int]bool
	}
	step struct {
		at int
		of *table
	}
)

func (s step) Step(b byte) (step, bool) {
	to, ok := s.of.next[[2]int{s.at, int(b)}]
	return step{to, s.of}, ok
}
func (s step) Accepts() bool    { return s.of.accepts[s.at] }
func (s step) Outlook() Outlook { return Unknown }

// TestFromSteps compares automata by steps, of random transitions with dead ends among them, with
// those that are written down.
func TestFromSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 7))
	empty := 0
	for range seed.Rounds(60, 150, 3000) {
		const states, alphabet = 12, "be0"
		next := map[[2]int]int{}
		var transitions []Transition
		var accepting []int32
		for s := range states {
			if r.IntN(6) == 0 {
				accepting = append(accepting, int32(s))
			}
			for i := range len(alphabet) {
				if to := r.IntN(2 * states); to < states {
					next[[2]int{s, int(alphabet[i])}] = to
					transitions = append(transitions, Transition{int32(s), alphabet[i], alphabet[i], int32(to)})
				}
			}
		}
		accepts := map[int]bool{}
		for _, s := range accepting {
			accepts[int(s)] = true
		}
		got := FromSteps(step{0, &table{next, accepts}}, alphabet)
		want := must(FromTransitions(states, accepting, transitions, Limits{}))
		checkOnDemand(t, r, "steps", got, want)
		if want.IsEmpty() {
			empty++
		} else if set := got.Alphabet(); set != ([4]uint64{1 << '0', 1<<('b'-64) | 1<<('e'-64)}) {
			t.Errorf("the alphabet is %x", set)
		}
	}
	if empty == 0 {
		t.Error("no automaton was empty")
	}
}
