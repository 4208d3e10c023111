// Package number has the numbers of JSON Schema by value, and automata over the JSON text of
// numbers: those that compare with a bound (bounds.go), those that a number divides (divide.go),
// and the ways to write one of a list (spell.go).
//
// Nothing is ever rounded: 0.1 is a tenth, and 1e400, which no double holds, is greater than
// 1e399. An automaton accepts only numbers that satisfy its constraint, so that a conjunction is
// an intersection. It accepts all of them that are written without an exponent. The value of an
// arbitrary text such as 0.00012e+7 needs counting, which no automaton does, so a constrained
// number with an exponent must have a mantissa that is not too long; exponent.go says how far it
// goes.
package number

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// A Decimal is a number by value: 0.Digits times ten to the Exp. Equal numbers are equal structs.
type Decimal struct {
	Neg    bool
	Digits string // without zeros at either end; none for zero
	Exp    int    // at most MaxExponent, at least -MaxExponent
}

// MaxExponent is where exponents saturate: far beyond every double (308), and small enough that
// numbers written out stay short.
const MaxExponent = 1000

// One is the number 1.
var One = Decimal{Digits: "1", Exp: 1}

// Parse reads a number of JSON.
func Parse(text string) Decimal {
	var d Decimal
	if strings.HasPrefix(text, "-") {
		d.Neg, text = true, text[1:]
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil { // out of range
			e = 1 << 30
			if text[i+1] == '-' {
				e = -e
			}
		}
		d.Exp, text = e, text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.Exp += len(whole)
	d.Digits = whole + fraction
	trimmed := strings.TrimLeft(d.Digits, "0")
	d.Exp -= len(d.Digits) - len(trimmed)
	d.Digits = strings.TrimRight(trimmed, "0")
	if d.Digits == "" {
		return Decimal{}
	}
	d.Exp = max(-MaxExponent, min(MaxExponent, d.Exp))
	return d
}

// String is a canonical form.
func (d Decimal) String() string {
	sign := ""
	if d.Neg {
		sign = "-"
	}
	return sign + "0." + d.Digits + "e" + strconv.Itoa(d.Exp)
}

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.Digits == "":
		return 0
	case d.Neg:
		return -1
	}
	return 1
}

// Cmp compares by value: -1, 0 or 1.
func (d Decimal) Cmp(o Decimal) int {
	if s, t := d.Sign(), o.Sign(); s != t || s == 0 {
		return cmp.Compare(s, t)
	}
	c := cmp.Or(cmp.Compare(d.Exp, o.Exp), strings.Compare(d.Digits, o.Digits))
	if d.Neg {
		return -c
	}
	return c
}

// Parts writes the absolute value out: the digits before and after the point. There is at least one
// before it, "0".
func (d Decimal) Parts() (whole, fraction string) {
	switch {
	case d.Exp <= 0:
		whole, fraction = "0", strings.Repeat("0", -d.Exp)+d.Digits
	case d.Exp >= len(d.Digits):
		whole = d.Digits + strings.Repeat("0", d.Exp-len(d.Digits))
	default:
		whole, fraction = d.Digits[:d.Exp], d.Digits[d.Exp:]
	}
	if d.Digits == "" {
		return "0", ""
	}
	return whole, fraction
}

// Rat is the exact value.
func (d Decimal) Rat() *big.Rat {
	whole, fraction := d.Parts()
	r, _ := new(big.Rat).SetString(whole + "." + fraction + "0")
	if d.Neg {
		r.Neg(r)
	}
	return r
}

// Multiple tells whether d is a multiple of m, by value.
func (d Decimal) Multiple(m Decimal) bool {
	if m.Sign() == 0 {
		return false
	}
	return new(big.Rat).Quo(d.Rat(), m.Rat()).IsInt()
}
