package psc

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/internal/seed"
)

// TestFrozen: an engine whose states are frozen has the masks of one whose states are not, on any
// stack, and builds nothing for them; it is frozen whenever it has built everything.
func TestFrozen(t *testing.T) {
	frozen, looped, masks := 0, 0, 0
	eachProblem(t, 150, func(t *testing.T, seed uint64, p *algorithms.Problem, rng *rand.Rand) {
		e := compile(t, p, algorithms.Options{"compile": "eager"})
		plain := &engine{problem: p, cached: true, limit: maxBytes}
		plain.core.Store(newCore(plain, false))
		if err := plain.core.Load().buildAll(t.Context(), eagerBudget); err != nil {
			t.Fatal(err)
		}
		f := e.core.Load().frozen.Load()
		if e.composed() != (f != nil) {
			t.Fatalf("frozen: %v, composed: %v", f != nil, e.composed())
		}
		if f == nil {
			return
		}
		frozen++
		if hasLoop(f) {
			looped++
		}
		things := e.core.Load().things()
		for range 20 {
			s := &gen{Position: algorithms.NewPosition(p), engine: e}
			s.State = randomState(p, rng, "abc ")
			want := &gen{Position: s.Position, engine: plain}
			masks++
			if id := s.state().Mask().FirstDifference(want.state().Mask()); id >= 0 {
				t.Fatalf("token %d differs", id)
			}
		}
		if n := e.core.Load().things() - things; n != 0 {
			t.Errorf("%d starts and transitions were built", n)
		}
	})
	if frozen < 20 || looped == 0 {
		t.Errorf("%d automata were frozen, %d of them with a cycle", frozen, looped)
	}
	t.Logf("%d masks", masks)
}

// hasLoop tells whether a record leads to itself or to one that is written later.
func hasLoop(f *frozen) bool {
	for at := recordSymbols; at < len(f.code); {
		n := int(f.code[at+recordLen])
		pairs := at + recordSymbols + n
		targets := []int32{f.code[at+recordDefault+1]}
		for i := range n {
			targets = append(targets, f.code[pairs+2*i+1])
		}
		if int(slices.Max(targets)) >= at {
			return true
		}
		at = pairs + 2*n
	}
	return false
}

// TestIndexOf finds each member of lists of any length, and nothing else.
func TestIndexOf(t *testing.T) {
	for n := range 3 * manyEdges {
		var list []int32
		for i := range n {
			list = append(list, int32(2*i+1))
		}
		for x := range int32(2*n + 2) {
			if got, want := indexOf(list, x), slices.Index(list, x); got != want {
				t.Fatalf("%d of %d members: at %d, want %d", x, n, got, want)
			}
		}
	}
}

// TestCommitAllowed: behind a mask, Commit takes the tokens that the recognizer takes, and comes to
// the same state; also after tokens were taken back, and on a stack that another mask was for.
func TestCommitAllowed(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		rng := rand.New(rand.NewPCG(seed.New(t), 7))
		e := compile(t, p, algorithms.Options{"compile": "eager"})
		known := 0
		for range 60 {
			s := e.Start().(composing)
			for range 12 {
				s.Mask()
				var taken []int
				for token := range p.Vocabulary.Len() {
					want := s.Position
					if s.last.allows(&s.State, token) {
						known++
					}
					got, err := s.Commit(token), want.Commit(token)
					if (got == nil) != (err == nil) || s.Ended != want.Ended || s.State.Lexer != want.State.Lexer || !s.State.Layout.Equal(want.State.Layout) || !s.State.Stacks.Equal(want.State.Stacks) {
						t.Fatalf("token %q: %v, the recognizer says %v", p.Vocabulary.Token(token), got, err)
					}
					if got == nil {
						if err := s.Rollback(1); err != nil {
							t.Fatal(err)
						}
						if !p.Vocabulary.IsEOS(token) {
							taken = append(taken, token)
						}
					}
				}
				if len(taken) == 0 {
					break
				}
				if err := s.Commit(taken[rng.IntN(len(taken))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if known == 0 {
			t.Error("no mask allowed a token that was committed")
		}
	}
}
