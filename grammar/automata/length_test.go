package automata

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// ofLength is the plain way to WithLength: an intersection with all strings of that length.
func ofLength(t *testing.T, d *DFA, least, most int) *DFA {
	t.Helper()
	count, err := Compile(Repeat(Range(0, 0x10ffff), least, most), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := d.Intersect(count, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func TestWithLength(t *testing.T) {
	for _, c := range []struct {
		pattern     string
		least, most int
	}{
		{`a*`, 0, 0}, {`a*`, 0, 5}, {`a*`, 3, 3}, {`a*`, 2, 7}, {`a+`, 0, 0}, {``, 0, 3}, {`abc`, 0, 9}, {`abc`, 4, 9}, {`abc`, 0, 2},
		{`(?:ab|c)*`, 3, 4}, {`[^x]*`, 1, 6}, {`.*é.*`, 2, 4}, {`(?:é|😀|x)*`, 0, 7}, {`\w+ \w+`, 5, 9}, {`(?s).*`, 0, 40},
		{`(?:\S+\s+){0,9}\S+`, 0, 30}, {`(?:\S+\s+){0,99}\S+`, 1, 60}, {`[a-z]{5,300}`, 0, 20}, {`a{3}|b{5,}`, 4, 8}, {`(?:a{2}b)*`, 0, 11},
		{`a*`, 3, -1}, {`abc|d{9}`, 4, -1}, {`(?:ab|c)*`, 5, -1}, {`.*é.*`, 2, -1}, {`abc`, 4, -1}, {``, 0, -1}, {`(?s).*`, 7, -1},
	} {
		d := MustCompile(c.pattern, 0)
		got, err := d.WithLength(c.least, c.most)
		if err != nil {
			t.Errorf("/%s/ %d..%d: %v", c.pattern, c.least, c.most, err)
			continue
		}
		if want := ofLength(t, d, c.least, c.most); !got.Equal(want) {
			t.Errorf("/%s/ %d..%d: %d states, want %d", c.pattern, c.least, c.most, got.NumStates(), want.NumStates())
		}
	}
	if d, err := AnyText().WithLength(3, 2); err != nil || !d.IsEmpty() {
		t.Errorf("3..2 characters: %v, %v", d, err)
	}
	if d, err := emptyDFA().WithLength(0, 2); err != nil || !d.IsEmpty() {
		t.Errorf("of nothing: %v, %v", d, err)
	}
}

// TestWithLengthRandom compares random patterns with the plain way.
func TestWithLengthRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 4))
	for range seed.Rounds(37, 75, 1500) {
		pattern := repeats(r, 3)
		e, err := Parse(pattern, 0)
		if err != nil {
			continue
		}
		d, err := Compile(e, Limits{MaxSteps: 100_000})
		if err != nil || d.HasContexts() {
			continue
		}
		least := r.IntN(4)
		most := least + r.IntN(8)
		got, err := d.WithLength(least, most)
		if err != nil {
			t.Fatal(err)
		}
		if want := ofLength(t, d, least, most); !got.Equal(want) {
			t.Errorf("/%s/ %d..%d: %d states, want %d", pattern, least, most, got.NumStates(), want.NumStates())
		}
	}
}

// TestWithLengthLong has counts that are longer than what a pattern tells apart.
func TestWithLengthLong(t *testing.T) {
	for _, pattern := range seed.Some(t, []string{
		`a*`, `[^x]*`, `\p{L}*`, `(?:ab)*`, `(?:a|bc|d{3})*`, `a{0,30}b*`, `(?:é|x)*y{5}`, `x(?:😀|é)*(?:z|zz)?`, `(?:a*b){0,3}c*`, `a{20}|b*`, `(?:[ab]{7})*c?`,
	}, 4, 1, 1) {
		d := MustCompile(pattern, 0)
		for _, c := range []struct{ least, most int }{{0, 40}, {1, 40}, {20, 40}, {38, 40}, {39, 40}, {40, 40}, {7, 33}, {0, 4}, {0, 5}, {3, 5}} {
			got, err := d.WithLength(c.least, c.most)
			if err != nil {
				t.Fatalf("/%s/ %d..%d: %v", pattern, c.least, c.most, err)
			}
			if want := ofLength(t, d, c.least, c.most); !got.Equal(want) {
				t.Errorf("/%s/ %d..%d: %d states, want %d", pattern, c.least, c.most, got.NumStates(), want.NumStates())
			}
		}
	}
}

// TestWithLengthTrimmed says that each state which a text comes to leads to acceptance, and that
// its number is below the bound.
func TestWithLengthTrimmed(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 5))
	for range seed.Rounds(37, 75, 1500) {
		e, err := Parse(repeats(r, 3), 0)
		if err != nil {
			continue
		}
		d, err := Compile(e, Limits{MaxSteps: 100_000})
		if err != nil || d.HasContexts() {
			continue
		}
		least := r.IntN(4)
		most := least + r.IntN(8) - 1
		x, err := d.WithLength(least, most)
		if err != nil {
			t.Fatal(err)
		}
		if x.IsEmpty() {
			continue
		}
		if x.NumStates() > x.Bound() {
			t.Fatalf("%s: a state beyond %d", d, x.Bound())
		}
		left := x.Distances()
		for s := range int32(x.NumStates()) {
			if left[s] < 0 {
				continue
			}
			for _, to := range x.Row(s) {
				if to != Dead && left[to] < 0 {
					t.Fatalf("%s, %d to %d characters: state %d leads to %d, and that nowhere", d, least, most, s, to)
				}
			}
		}
	}
}

// TestLeft: how many characters a counted text may still have.
func TestLeft(t *testing.T) {
	const least, most = 3, 60_001
	d := must(MustCompile(`(?:ab)*`, 0).WithLength(least, most))
	s := d.Start()
	for n := range 40 {
		if left, _, ok := d.Left(s); ok != (n >= least) || ok && left != most-n {
			t.Fatalf("behind %d characters: %d left, %v", n, left, ok)
		}
		s = d.Next(s, "ab"[n%2])
	}
}
