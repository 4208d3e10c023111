package number

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/number/numbertest"
	"gcdbench/internal/seed"
)

// mantissaOf is the magnitude of a text's mantissa, how many digits are behind its point without
// and with zeros at the end, and whether it has an exponent.
func mantissaOf(text string) (magnitude, places, padded int, exponent bool) {
	m := strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(m, "eE"); i >= 0 {
		m, exponent = m[:i], true
	}
	_, fraction, _ := strings.Cut(m, ".")
	return Parse(m).Exp, len(strings.TrimRight(fraction, "0")), len(fraction), exponent
}

func newDice(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed.New(t), 4))
}

// TestBounded compares the automata of bounds with exact arithmetic.
func TestBounded(t *testing.T) {
	d := newDice(t)
	for range 100 {
		num := numbertest.Text(d)
		b := Parse(num)
		rel := Relation(d.IntN(4))
		dfa := Bounded(b, rel)
		least, most := 1, 1
		if b.Short() {
			least, most = leastMagnitude, mostMagnitude
		}
		for range 300 {
			text := numbertest.Text(d)
			if d.IntN(10) == 0 {
				text = num
			}
			x, y := numbertest.Rat(text), numbertest.Rat(num)
			want, got := rel.Holds(x.Cmp(y)), dfa.MatchString(text)
			magnitude, _, _, exponent := mantissaOf(text)
			counted := !exponent || x.Sign()*y.Sign() <= 0 || magnitude >= least && magnitude <= most
			if got && !want || want && counted && !got {
				t.Errorf("%s, relation %d to %s: accepted is %v", text, rel, num, got)
			}
			if Parse(text).Cmp(b) != x.Cmp(y) {
				t.Errorf("decimals: %s and %s compare wrong", text, num)
			}
		}
	}
}

// TestMultiples compares divisibility with exact arithmetic: what is accepted is a multiple, and
// what is decided but not accepted is none.
func TestMultiples(t *testing.T) {
	seed.Usual(t)
	d := newDice(t)
	for _, m := range []string{"1", "2", "7", "10", "100", "0.5", "0.1", "0.01", "0.001", "0.25", "1.5", "3e1", "2e-2", "6", "12", "1e-6", "1e-7", "1e3", "997", "360", "0.0007", "1e4", "1e6", "1e12", "86400000", "12500000", "3e9", "1e15", "70000", "13e5", "123457", "12.345678", "1e9", "123456789", "0.123456789", "1234567890123456789012e-3"} {
		dfa := Multiples(Parse(m), false)
		all := Multiples(Parse(m), true)
		r := numbertest.Rat(m)
		check := func(text string) {
			x := numbertest.Rat(text)
			want, got, decided := new(big.Rat).Quo(x, r).IsInt(), dfa.MatchString(text), all.MatchString(text)
			_, _, _, exponent := mantissaOf(text)
			if got && !(want && decided) || !got && want && decided || !exponent && !decided && Divides(Parse(m)) {
				t.Errorf("%s is a multiple of %s: %v; accepted %v, decided %v", text, m, want, got, decided)
			}
			if Parse(text).Multiple(Parse(m)) != want {
				t.Errorf("decimals: %s is a multiple of %s: %v", text, m, want)
			}
		}
		for range 1500 {
			check(numbertest.Text(d))
		}
		for i := -330; i < 330; i++ {
			for _, text := range []string{fmt.Sprint(i), fmt.Sprintf("%d.%02d", i, (i*i)%100), fmt.Sprintf("%d.500", i), fmt.Sprintf("%de2", i), fmt.Sprintf("%de-1", i), fmt.Sprint(i * 500_000), fmt.Sprintf("%d.0", i*86_400_000), fmt.Sprintf("%d.%de9", i, i*i), fmt.Sprintf("%de-3", i*8_640_000_000)} {
				check(text)
			}
		}
	}
}

// TestIntegers says which ways of writing integers are known: all without exponent, and of those
// with one what has few enough digits behind the point.
func TestIntegers(t *testing.T) {
	d := newDice(t)
	dfa := Multiples(Parse("1"), false)
	for range 20_000 {
		text := numbertest.Text(d)
		x := numbertest.Rat(text)
		magnitude, places, padded, exponent := mantissaOf(text)
		known := !exponent || x.Sign() == 0 || places > 0 && places <= maxPlaces && (padded <= paddedPlaces || padded == places)
		if !known && places == 0 { // a whole mantissa: zeros may go
			stripped := len(Parse(text).Digits)
			known = magnitude-stripped <= wholeZeros && padded == 0 || !strings.Contains(text, "e-") && !strings.Contains(text, "E-")
		}
		if got := dfa.MatchString(text); got && !x.IsInt() || known && x.IsInt() && !got {
			t.Errorf("%s: an integer: %v; accepted %v", text, x.IsInt(), got)
		}
	}
}

// TestSpell says that a number is recognised in every way of writing it that is compared, and no
// other is.
func TestSpell(t *testing.T) {
	d := newDice(t)
	for _, few := range []bool{false, true} {
		pattern, known := spelledNumber, automata.MustCompile(spelledNumber, automata.ASCII)
		if few {
			pattern, known = fewSpelledNumber, automata.MustCompile(fewSpelledNumber, automata.ASCII)
		}
		for range 100 {
			a := numbertest.Text(d)
			if strings.HasSuffix(a, "400") {
				continue
			}
			dfa := automata.MustCompile(spell(Parse(a), few), automata.ASCII)
			for range 100 {
				b := numbertest.Text(d)
				if d.IntN(4) == 0 {
					b = a
				}
				if want := Parse(a) == Parse(b) && known.MatchString(b); dfa.MatchString(b) != want {
					t.Errorf("%s for %s: accepted is %v; known: %s", b, a, !want, pattern)
				}
			}
		}
	}
}
