package automata

import (
	"sync"
	"testing"
)

// tableRows gives the rows of a DFA.
type tableRows struct{ d *DFA }

func (r tableRows) Row(s int32, to []int32) (filled []uint8) {
	for c, t := range r.d.Row(s) {
		if t != Dead {
			to[c] = t
			filled = append(filled, uint8(c))
		}
	}
	return filled
}

func (r tableRows) Accepting(s int32) bool { return r.d.Accepting(s) }

// TestOnDemand: an automaton on demand does what the one does that its rows are of, for several
// readers at once, and is equal to it.
func TestOnDemand(t *testing.T) {
	for _, pattern := range []string{"a", "(ab|c)*d{3,40}", "[^x]{0,60}", "a*|b{70}"} {
		want := MustCompile(pattern, 0)
		classOf, classes := want.Classes()
		got := OnDemand(classOf, classes, tableRows{want})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for s := range int32(want.NumStates()) {
					for b := range 256 {
						to := got.Next(s, byte(b))
						if live := got.Live(s)[b>>6]>>(b&63)&1 == 1; to != want.Next(s, byte(b)) || live != (to != Dead) || got.Accepting(s) != want.Accepting(s) {
							t.Errorf("%s: state %d goes on with %#x to %d", pattern, s, b, to)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		if !got.Equal(want) || got.NumStates() != want.NumStates() || got.IsEmpty() || got.Start() != 0 {
			t.Errorf("%s: it is another automaton, of %d states", pattern, got.NumStates())
		}
		e := FromDFA(got)
		if compiled, err := Compile(e, Limits{}); err != nil || compiled != got || e != FromDFA(compiled) {
			t.Errorf("%s: its expression is of another automaton (%v)", pattern, err)
		}
		both, err := got.Intersect(want, Limits{})
		if err != nil || !both.Equal(want) {
			t.Errorf("%s: together with itself it is another (%v)", pattern, err)
		}
	}
}
