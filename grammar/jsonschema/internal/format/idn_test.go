package format

import (
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/text/unicode/bidi"

	"gcdbench/internal/seed"
)

// TestInternationalLengths encodes labels of letters from far apart: what a label of so many
// characters takes in ASCII is at most 63 characters.
func TestInternationalLengths(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 7))
	if got := punycodeLength([]rune("bücher")); got != len("bcher-kva") {
		t.Fatalf("bücher takes %d", got)
	}
	rounds, longest := seed.Rounds(5000, 10_000, 5_000_000), 0
	letters := idnLetters(bidi.L)
	for range rounds {
		label := make([]rune, 0, mostInternational)
		spread := 1 + d.IntN(len(letters)/2) // of the ranges that letters are from
		from := d.IntN(len(letters)/2 - spread + 1)
		for len(label) < mostInternational {
			i := 2 * (from + d.IntN(spread))
			if d.IntN(4) == 0 { // the far ends
				i = 2 * (from + []int{0, spread - 1}[d.IntN(2)])
			}
			label = append(label, letters[i]+d.Int32N(letters[i+1]-letters[i]+1))
		}
		longest = max(longest, len("xn--")+punycodeLength(label))
	}
	if t.Logf("at most %d characters", longest); longest > 63 {
		t.Errorf("a label of %d characters takes %d in ASCII", mostInternational, longest)
	}
}

// punycodeLength is how many characters the code of a label has (RFC 3492, section 6.3).
func punycodeLength(label []rune) (n int) {
	for _, r := range label {
		if r < 0x80 {
			n++
		}
	}
	done := n
	if n > 0 {
		n++ // the delimiter
	}
	code, delta, bias := rune(0x80), 0, 72
	first := true
	for done < len(label) {
		next := slices.MinFunc(label, func(a, b rune) int {
			return int(uint32(a-code)) - int(uint32(b-code)) // those below come last
		})
		delta += int(next-code) * (done + 1)
		for _, r := range label {
			switch {
			case r < next:
				delta++
			case r == next:
				n += punycodeDigits(delta, bias)
				done++
				bias = punycodeBias(delta, done, first)
				delta, first = 0, false
			}
		}
		delta++
		code = next + 1
	}
	return n
}

// punycodeDigits is how many digits a number has when the thresholds are at a bias.
func punycodeDigits(q, bias int) (n int) {
	for k := 36; ; k += 36 {
		threshold := max(1, min(26, k-bias))
		n++
		if q < threshold {
			return n
		}
		q = (q - threshold) / (36 - threshold)
	}
}

// punycodeBias is the next bias (RFC 3492, section 6.1).
func punycodeBias(delta, points int, first bool) (bias int) {
	if first {
		delta /= 700
	} else {
		delta /= 2
	}
	for delta += delta / points; delta > (36-1)*26/2; bias += 36 {
		delta /= 36 - 1
	}
	return bias + 36*delta/(delta+38)
}
