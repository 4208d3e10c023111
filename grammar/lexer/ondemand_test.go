package lexer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func onDemand(t testing.TB, g *grammar.Grammar) *OnDemand {
	t.Helper()
	d := must.Get(NewOnDemand(context.Background(), g, Limits{}))(t)
	return d
}

// TestStatesOnDemand says which states come to be: those that were asked for, and with Row all that
// a state leads to.
func TestStatesOnDemand(t *testing.T) {
	var lines strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		fmt.Fprintf(&lines, "KEY_%c /%c[0-9]+x/\n", c, c)
	}
	d := onDemand(t, terminals(t, grammar.LexAll, lines.String()))
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 1}, {"a", 2}, {"a", 2}, {"!", 2}, {"a1", 3}, {"a12345", 3}, {"b1x", 6}, {"b1xx", 6},
	} {
		if after(d, c.text); d.NumStates() != c.want {
			t.Errorf("after %q there are %d states, want %d", c.text, d.NumStates(), c.want)
		}
	}
	if d.Row(d.Start()); d.NumStates() != 6+24 {
		t.Errorf("with the row of the start there are %d states, want 30", d.NumStates())
	}
}

// TestRowIsNext compares the two ways to ask for transitions, in any order.
func TestRowIsNext(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 100 {
		mode := grammar.LexerMode(n % 2)
		lines := randomTerminals(rng)
		d := onDemand(t, terminals(t, mode, lines))
		for q := State(0); int(q) < d.NumStates() && q < 200; q++ {
			var some []State
			for range rng.IntN(4) {
				some = append(some, d.Next(q, "abcd"[rng.IntN(4)]))
			}
			if slices.Contains(some, unknown) {
				t.Fatalf("seed %d, grammar %d: an unknown transition of state %d is shown", seed, n, q)
			}
			if rng.IntN(2) == 0 {
				d.Reach(q)
			}
			row := d.Row(q)
			for b := range 256 {
				if got := d.Next(q, byte(b)); got != row[d.Classes()[b]] {
					t.Fatalf("seed %d, grammar %d:\n%sstate %d, byte %#02x: Next %d, Row %d", seed, n, lines, q, byte(b), got, row[d.Classes()[b]])
				}
			}
		}
	}
}

// TestClasses says that bytes share a class exactly if no terminal tells them apart, and that
// classes are numbered by their first bytes.
func TestClasses(t *testing.T) {
	for _, lines := range []string{
		"A /[a-f]+/", "A /[a-f]+/\nB /[d-z]x/\nC /é|[^é]/", "A \"if\"\nB \"in\"\nC /[a-z]+/\nD /[a-z]+/", "A /(?s:.)/",
	} {
		g := terminals(t, grammar.LexAll, lines)
		var alone [][256]uint8 // the classes of each terminal
		for i := range g.Terminals {
			d := must.Get(automata.Compile(g.Terminals[i].Expr, automata.DefaultLimits))(t)
			of, _ := d.Classes()
			alone = append(alone, of)
		}
		for build, a := range both(t, g) {
			classes, next := a.Classes(), 0
			for b := range 256 {
				if int(classes[b]) > next {
					t.Errorf("%q, built %s: byte %#02x is of class %d before one of class %d", lines, build, b, classes[b], next)
				} else if int(classes[b]) == next {
					next++
				}
				for o := range b {
					told := slices.ContainsFunc(alone, func(of [256]uint8) bool { return of[b] != of[o] })
					if told != (classes[b] != classes[o]) {
						t.Fatalf("%q, built %s: bytes %#02x and %#02x are of classes %d and %d", lines, build, b, o, classes[b], classes[o])
					}
				}
			}
			if a.NumClasses() != next {
				t.Errorf("%q, built %s: %d classes, want %d", lines, build, a.NumClasses(), next)
			}
		}
	}
}

// TestParts says that a state is the terminals alive in it, each where its own DFA is.
func TestParts(t *testing.T) {
	g := terminals(t, grammar.LexAll, "IF \"if\"\nNAME /[a-z]+/\nNUMBER /[0-9]+/\nWS! / +/")
	d := onDemand(t, g)
	for _, text := range []string{"", "i", "if", "ifs", "7", "  "} {
		var want []Part
		for i := range g.Terminals {
			dfa := d.Terminal(grammar.Terminal(i))
			s := dfa.Start()
			for k := range len(text) {
				s = dfa.Next(s, text[k])
			}
			if s != automata.Dead {
				want = append(want, Part{grammar.Terminal(i), s})
			}
		}
		if got := d.Parts([]Part{{9, 9}}, after(d, text)); !slices.Equal(got[1:], want) || got[0] != (Part{9, 9}) {
			t.Errorf("after %q: got %v, want %v", text, got, want)
		}
	}
}

// TestAskingConcurrently has goroutines ask one automaton everything there is to ask; run it with
// -race.
func TestAskingConcurrently(t *testing.T) {
	seed := seed.New(t)
	for _, mode := range []grammar.LexerMode{grammar.LexFirst, grammar.LexAll} {
		d := onDemand(t, terminals(t, mode, "A /[a-f]*x[a-f]{1,8}/\nB /[b-f]*y[a-f]*/\nC /([a-z][a-z])+/\nD! / +/"))
		var wg sync.WaitGroup
		for worker := range 6 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(seed+uint64(worker), 3))
				q := d.Start()
				for range 2000 {
					switch rng.IntN(8) {
					case 0:
						if slices.Contains(d.Row(q), unknown) {
							t.Error("an unknown transition in a row")
						}
					case 1:
						if r := d.ReachSet(d.Reach(q)); q != d.Start() && len(r.Terminals()) == 0 && !r.Ignored {
							t.Error("nothing is in reach")
						}
					case 2:
						for _, end := range d.Ends(q) {
							if len(d.Members(end.Set)) == 0 {
								t.Error("an empty set")
							}
						}
					case 3:
						if len(d.Parts(nil, q)) == 0 {
							t.Error("no terminal is alive")
						}
					}
					if q = d.Next(q, "abcfxyz "[rng.IntN(8)]); q == None {
						q = d.Start()
					}
					if int(q) >= d.NumStates() {
						t.Error("a state that does not count")
					}
				}
			})
		}
		wg.Wait()
	}
}
