package jsonschema

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"gcdbench/automata"
)

// written makes a random number in one of the ways that are compared: plain or normalized.
func written(d *rand.Rand) string {
	sign := []string{"", "-"}[d.IntN(2)]
	fraction := func() string { return []string{"", ".0", ".5", ".50", ".05", ".125", ".999", ".001"}[d.IntN(8)] }
	if d.IntN(2) == 0 {
		return sign + fmt.Sprint(d.IntN(130)) + fraction()
	}
	return sign + fmt.Sprint(1+d.IntN(9)) + fraction() + []string{"e", "E"}[d.IntN(2)] + []string{"0", "+1", "-1", "2", "-02", "003", "-3"}[d.IntN(7)]
}

// TestBounded compares the automata of bounds with exact arithmetic.
func TestBounded(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := rand.New(rand.NewPCG(seed, 4))
	for range 60 {
		bound := written(d)
		rel := relation(d.IntN(4))
		dfa, err := bounded(parseDecimal(bound), rel.holds)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			text := written(d)
			if d.IntN(10) == 0 {
				text = bound
			}
			a, _ := new(big.Rat).SetString(text)
			b, _ := new(big.Rat).SetString(bound)
			if want := rel.holds(a.Cmp(b)); dfa.MatchString(text) != want {
				t.Errorf("%s, relation %d to %s: accepted is %v", text, rel, bound, !want)
			}
			if parseDecimal(text).cmp(parseDecimal(bound)) != a.Cmp(b) {
				t.Errorf("decimals: %s and %s compare wrong", text, bound)
			}
		}
	}
}

// TestMultiples compares divisibility with exact arithmetic.
func TestMultiples(t *testing.T) {
	for _, m := range []string{"1", "2", "7", "10", "100", "0.5", "0.01", "0.25", "1.5", "3e1", "2e-2"} {
		dfa, err := multiples(parseDecimal(m))
		if err != nil {
			t.Fatal(err)
		}
		r, _ := new(big.Rat).SetString(m)
		for i := -330; i < 330; i++ {
			for _, text := range []string{fmt.Sprint(i), fmt.Sprintf("%d.%02d", i, (i*i)%100), fmt.Sprintf("%d.500", i)} {
				x, _ := new(big.Rat).SetString(text)
				want := new(big.Rat).Quo(x, r).IsInt()
				if dfa.MatchString(text) != want || parseDecimal(text).multiple(parseDecimal(m)) != want {
					t.Errorf("%s is a multiple of %s: %v", text, m, want)
				}
			}
		}
	}
	if _, err := multiples(parseDecimal("123457")); err == nil {
		t.Error("a large modulus is not refused")
	}
}

// TestSpell says that a number is recognised in every way of writing it that is compared, and no other is.
func TestSpell(t *testing.T) {
	d := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		a := written(d)
		dfa := automata.MustCompile(spell(parseDecimal(a)), automata.ASCII)
		for range 100 {
			b := written(d)
			if d.IntN(4) == 0 {
				b = a
			}
			if want := parseDecimal(a) == parseDecimal(b); dfa.MatchString(b) != want {
				t.Errorf("%s for %s: accepted is %v", b, a, !want)
			}
		}
	}
}
