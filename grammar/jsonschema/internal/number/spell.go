package number

import (
	"fmt"
	"strings"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/constants"
)

// The JSON syntax of numbers, and the ways to write one of a list.

const (
	anyNumber   = `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
	wholeNumber = `-?(0|[1-9][0-9]*)`
	exponent    = `[eE][+-]?[0-9]+`
	zero        = `-?0(\.0+)?(` + exponent + `)?`
	// spelledNumber is every way to write a number that spell knows; of few numbers it knows more.
	spelledNumber    = zero + `|-?(0|[1-9][0-9]*)(\.[0-9]+)?|-?[1-9](\.[0-9]+)?` + exponent
	fewSpelledNumber = spelledNumber + `|-?([1-9][0-9]{1,2}(\.[0-9]+)?|0\.0?[1-9][0-9]*)` + exponent
)

// Automata of numbers that nothing is asked of, and of integers.
var (
	Any        = constant(anyNumber)   // all numbers
	Whole      = constant(wholeNumber) // those without fraction and exponent
	spelled    = constant(spelledNumber)
	fewSpelled = constant(fewSpelledNumber)

	// Integers are the multiples of 1.
	Integers = constants.Of(&dfa.Constants, func() *automata.DFA {
		return Multiples(One, false).Whole()
	})
)

func constant(pattern string) func() *automata.DFA {
	return constants.Of(&dfa.Constants, func() *automata.DFA { return automata.MustCompile(pattern, automata.ASCII) })
}

// Few is how many numbers of a list may be written with any mantissa from 0.0123 to 123. In a
// longer list a number with an exponent must have one digit other than 0 before the point, which
// is how programs print numbers.
const Few = 16

// OneOf accepts the ways to write one of the numbers.
func OneOf(list []Decimal) (*automata.DFA, error) {
	var parts []string
	for _, d := range list {
		parts = append(parts, spell(d, len(list) <= Few))
	}
	if len(parts) == 0 {
		return dfa.Union(nil)
	}
	return dfa.ASCII(strings.Join(parts, "|"))
}

// Spelled accepts the numbers that OneOf decides about in a list of n: the universe for its
// negation.
func Spelled(n int) *automata.DFA {
	if n <= Few {
		return fewSpelled()
	}
	return spelled()
}

// spell is a pattern for the ways to write one number.
func spell(d Decimal, few bool) string {
	if d.Sign() == 0 {
		return zero
	}
	ways := []string{spellPlain(d), spellExponent(d, 1)}
	if few {
		for _, magnitude := range []int{-1, 0, 2, 3} {
			ways = append(ways, spellExponent(d, magnitude))
		}
	}
	sign := ""
	if d.Neg {
		sign = "-"
	}
	return sign + `(` + strings.Join(ways, "|") + `)`
}

// spellPlain is a pattern for a number without exponent and sign.
func spellPlain(d Decimal) string {
	whole, fraction := d.Parts()
	if fraction != "" {
		return whole + `\.` + fraction + `0*`
	}
	return whole + `(\.0+)?`
}

// spellExponent is a pattern for a number with an exponent. The mantissa has this magnitude: as
// many digits before the point, or zeros after it if the magnitude is negative.
func spellExponent(d Decimal, magnitude int) string {
	mantissa := spellPlain(Decimal{Digits: d.Digits, Exp: magnitude})
	switch e := d.Exp - magnitude; {
	case e < 0:
		return mantissa + fmt.Sprintf(`[eE]-0*%d`, -e)
	case e > 0:
		return mantissa + fmt.Sprintf(`[eE]\+?0*%d`, e)
	}
	return mantissa + `[eE][+-]?0+`
}
