package automata

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// compiledPlainly compiles an expression without comparing the copies of repeats.
func compiledPlainly(e *Expr, lim Limits) (*DFA, error) {
	b := newBudget(lim)
	n, err := newNFA(e, b, e.HasLazy())
	if err != nil {
		return nil, err
	}
	n.copies = copyRanks{}
	d := newDeterminizer(n, b, compileMode{ordered: e.HasLazy()})
	if err := d.run(); err != nil {
		return nil, err
	}
	return d.result()
}

// repeats is a random pattern that is mostly counted repeats, of few letters so that they overlap.
func repeats(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(5) == 0 {
		return []string{"a", "b", "[ab]", ".", "ab", "é"}[r.IntN(6)]
	}
	sub := func() string { return repeats(r, depth-1) }
	switch r.IntN(6) {
	case 0:
		return "(?:" + sub() + "|" + sub() + ")"
	case 1:
		return sub() + sub()
	case 2:
		return "(?:" + sub() + ")" + []string{"*", "+", "?", "*?", "??"}[r.IntN(5)]
	case 3:
		return "(?" + []string{"=", "!"}[r.IntN(2)] + sub() + ")" + sub() + sub()
	}
	least := r.IntN(3)
	return fmt.Sprintf("(?:%s){%d,%d}%s", sub(), least, least+r.IntN(5), []string{"", "", "?"}[r.IntN(3)])
}

// TestCopies: dropping threads in later copies of a repeat changes no language. It saves steps
// where sets of counts would multiply (see TestCopiesSteps), and costs some where nothing can be
// dropped, as around a lookahead in nested repeats: up to four times as many were seen.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 3))
	lim, more := Limits{MaxSteps: 200_000}, Limits{MaxSteps: 4_000_000}
	compared := 0
	for range seed.Rounds(375, 750, 15000) {
		pattern := repeats(r, 4)
		e, err := Parse(pattern, 0)
		if err != nil {
			continue // a lookahead where it sees nothing
		}
		want, err := compiledPlainly(e, lim)
		if err != nil {
			continue
		}
		got, err := Compile(e, more)
		if err != nil {
			t.Errorf("/%s/: %v, but plainly it compiles", pattern, err)
			continue
		}
		if !got.Equal(want) {
			t.Errorf("/%s/: %d states, want the automaton of %d", pattern, got.NumStates(), want.NumStates())
		}
		compared++
	}
	if compared < seed.Rounds(125, 250, 5000) {
		t.Errorf("only %d patterns were compared", compared)
	}
}

// TestCopiesSteps: sets of counts do not multiply.
func TestCopiesSteps(t *testing.T) {
	for _, pattern := range []string{
		`.*a.{0,60}b`, `[a-z][a-z0-9.]{1,126}[a-z]`, `.*[a-z][a-z0-9.]{1,126}[a-z].*`,
		`a{0,50}a{0,50}a{0,50}`, `(?:(?:a{0,4}b?){0,4}c?){0,4}`,
	} {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(e, Limits{MaxSteps: 300_000}); err != nil {
			t.Errorf("/%s/: %v", pattern, err)
		}
	}
}

// TestRanks: vectors of counts compare count by count.
func TestRanks(t *testing.T) {
	rank := func(counts ...uint64) (r uint64) {
		for i, n := range counts {
			r |= n << (i * rankBits)
		}
		return r
	}
	for _, c := range []struct {
		a, b   uint64
		exceed bool
	}{
		{rank(), rank(), true},
		{rank(3), rank(2), true},
		{rank(2), rank(3), false},
		{rank(3, 0), rank(2, 1), false},
		{rank(3, 1), rank(2, 1), true},
		{rank(0, 0, 0, 1), rank(32767), false},
		{rank(32767, 32767, 32767, 32767), rank(32767, 0, 1, 32767), true},
		{rank(32766, 32767), rank(32767, 32767), false},
	} {
		if exceeds(c.a, c.b) != c.exceed {
			t.Errorf("%x exceeds %x: want %v", c.a, c.b, c.exceed)
		}
	}
}
