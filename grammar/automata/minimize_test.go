package automata

import (
	"gcdbench/internal/seed"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRaw returns an automaton of random transitions, many of them missing,
// over classes that are spread over the bytes at random.
func randomRaw(rng *rand.Rand) *rawDFA {
	states, classes := 1+rng.IntN(12), 1+rng.IntN(4)
	r := &rawDFA{classes: classes, accepting: make([]bool, states)}
	for b := range r.classOf {
		r.classOf[b] = uint8(rng.IntN(classes))
	}
	for s := range states {
		r.accepting[s] = rng.IntN(3) == 0
		for range classes {
			r.table = append(r.table, int32(rng.IntN(states+states/2+1)))
		}
	}
	for i, t := range r.table {
		if int(t) >= states {
			r.table[i] = Dead
		}
	}
	return r
}

func (r *rawDFA) clone() *rawDFA {
	c := *r
	c.table, c.accepting = slices.Clone(r.table), slices.Clone(r.accepting)
	return &c
}

// accepts runs the automaton as it is.
func (r *rawDFA) accepts(text []byte) bool {
	s := int32(0)
	for _, b := range text {
		if s = r.row(s)[r.classOf[b]]; s == Dead {
			return false
		}
	}
	return r.accepting[s]
}

// shuffle renumbers the states other than the start.
func (r *rawDFA) shuffle(rng *rand.Rand) *rawDFA {
	n := len(r.accepting)
	number := append([]int{0}, rng.Perm(n-1)...)
	for i := range number[1:] {
		number[i+1]++
	}
	out := r.clone()
	for s := range n {
		to := number[s]
		out.accepting[to] = r.accepting[s]
		for c, t := range r.row(int32(s)) {
			if t != Dead {
				t = int32(number[t])
			}
			out.row(int32(to))[c] = t
		}
	}
	return out
}

// split makes a second copy of a state, and sends some of the transitions there.
func (r *rawDFA) split(rng *rand.Rand) *rawDFA {
	out := r.clone()
	s := int32(rng.IntN(len(r.accepting)))
	twin := int32(len(r.accepting))
	out.accepting = append(out.accepting, r.accepting[s])
	out.table = append(out.table, r.row(s)...)
	for i, t := range out.table {
		if t == s && rng.IntN(2) == 0 {
			out.table[i] = twin
		}
	}
	return out
}

// TestFinish checks trimming, minimizing and numbering on random automata:
// the language stays, and other automata of it end up the same.
func TestFinish(t *testing.T) {
	rng := newRand(t)
	for range seed.Rounds(250, 500, 10000) {
		raw := randomRaw(rng)
		d := raw.clone().mustFinish()
		checkCanonical(t, d)
		for range 30 {
			text := make([]byte, rng.IntN(8))
			for i := range text {
				text[i] = byte(rng.IntN(256))
			}
			if got, want := d.Match(text), raw.accepts(text); got != want {
				t.Fatalf("%v on %q: %v\n%s", raw, text, got, d)
			}
		}
		if other := raw.split(rng).split(rng).shuffle(rng).mustFinish(); !other.Equal(d) {
			t.Fatalf("%v: copied and shuffled states give\n%s\ninstead of\n%s", raw, other, d)
		}
		if again := d.raw().mustFinish(); !again.Equal(d) {
			t.Fatalf("finishing twice changes\n%s", d)
		}
		if t.Failed() {
			t.Fatalf("%v", raw)
		}
	}
}

// TestMinimizeLongChain is what quadratic minimizations die of: states that
// differ only in their distance to acceptance.
func TestMinimizeLongChain(t *testing.T) {
	const n = 50_000
	var transitions []Transition
	for s := range int32(n) {
		transitions = append(transitions, Transition{s, 'a', 'a', s + 1})
	}
	d := must(FromTransitions(n+1, []int32{n}, transitions, Limits{}))
	if d.NumStates() != n+1 {
		t.Errorf("%d states", d.NumStates())
	}
}

// TestPartition refines partitions by random marks and compares with maps.
func TestPartition(t *testing.T) {
	rng := newRand(t)
	for range 200 {
		n := 1 + rng.IntN(20)
		p := byColour(make([]int32, n))
		model := make([]int, n) // elements with equal numbers are together
		for round := 1; round < 6; round++ {
			for e := range n {
				if rng.IntN(3) == 0 {
					p.mark(int32(e))
					p.mark(int32(e)) // twice is once
					model[e] |= 1 << round
				}
			}
			p.split()
			for a := range n {
				if p.elements[p.place[a]] != int32(a) || !slices.Contains(p.members(p.set[a]), int32(a)) {
					t.Fatalf("%d is not where it should be: %+v", a, p)
				}
				for b := range n {
					if (p.set[a] == p.set[b]) != (model[a] == model[b]) {
						t.Fatalf("%d and %d: %+v, %v", a, b, p, model)
					}
				}
			}
		}
	}
}

// A long chain takes no deep recursion.
func TestMinimizeLongProduct(t *testing.T) {
	a, b := MustCompile("[a-z]{0,50000}", 0), MustCompile("[a-z]{20000,60000}", 0)
	d, err := a.Intersect(b, Limits{})
	if err != nil || !d.Equal(MustCompile("[a-z]{20000,50000}", 0)) {
		t.Error("the intersection of two lengths is another language: ", err)
	}
}

func BenchmarkMinimize(b *testing.B) {
	words, length := MustCompile("([a-z]+[ -]?)*", 0), MustCompile("(?s:.{1,1000})", 0)
	for b.Loop() {
		if _, err := words.Intersect(length, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
