package jsonschema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Numbers by value. Schemas and instances write them in decimal, and JSON Schema compares them as numbers, so
// nothing is ever rounded: 0.1 is a tenth, and 1e400, which no double holds, is greater than 1e399.

// A decimal is a number by value: 0.digits times ten to the exp, digits without zeros at either end,
// so that equal numbers are equal structs. Zero has no digits. Exponents saturate at maxExponent.
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// maxExponent is far beyond every double (308), and small enough that numbers written out stay short.
const maxExponent = 1000

func parseDecimal(text string) decimal {
	var d decimal
	if strings.HasPrefix(text, "-") {
		d.neg, text = true, text[1:]
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil { // out of range
			e = 1 << 30
			if text[i+1] == '-' {
				e = -e
			}
		}
		d.exp, text = e, text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exp += len(whole)
	d.digits = whole + fraction
	trimmed := strings.TrimLeft(d.digits, "0")
	d.exp -= len(d.digits) - len(trimmed)
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}
	}
	d.exp = max(-maxExponent, min(maxExponent, d.exp))
	return d
}

// String is a canonical form.
func (d decimal) String() string {
	sign := ""
	if d.neg {
		sign = "-"
	}
	return sign + "0." + d.digits + "e" + strconv.Itoa(d.exp)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// cmp compares by value: -1, 0 or 1.
func (d decimal) cmp(o decimal) int {
	if s, t := d.sign(), o.sign(); s != t || s == 0 {
		return sign(s - t)
	}
	c := d.exp - o.exp
	if c == 0 {
		c = strings.Compare(d.digits, o.digits)
	}
	if d.neg {
		c = -c
	}
	return sign(c)
}

// parts writes the absolute value out: the digits before and after the point, the former "0" at least.
func (d decimal) parts() (whole, fraction string) {
	switch {
	case d.exp <= 0:
		whole, fraction = "0", strings.Repeat("0", -d.exp)+d.digits
	case d.exp >= len(d.digits):
		whole = d.digits + strings.Repeat("0", d.exp-len(d.digits))
	default:
		whole, fraction = d.digits[:d.exp], d.digits[d.exp:]
	}
	if d.digits == "" {
		return "0", ""
	}
	return whole, fraction
}

func (d decimal) rat() *big.Rat {
	whole, fraction := d.parts()
	r, _ := new(big.Rat).SetString(whole + "." + fraction + "0")
	if d.neg {
		r.Neg(r)
	}
	return r
}

// multiple tells whether d is a multiple of m, by value.
func (d decimal) multiple(m decimal) bool {
	if m.sign() == 0 {
		return false
	}
	return new(big.Rat).Quo(d.rat(), m.rat()).IsInt()
}

// sortedIndex is the order that sorts keys.
func sortedIndex(keys []string) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	return order
}
