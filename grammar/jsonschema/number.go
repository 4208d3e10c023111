package jsonschema

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/automata"
)

// Numbers by value, as automata over the JSON syntax of numbers. Numbers without constraints are all of it.
// Bounds (bounds.go) and divisibility (divide.go) are exact for numbers without an exponent. With one, the
// value of an arbitrary text such as 0.00012e+7 needs counting, which no automaton does (exponent.go says how
// far it gets), so that there the mantissa must not be too long. Whatever the constraint, its automaton
// accepts only numbers that satisfy it, so that conjunctions are intersections; its negation is taken from
// the numbers that it decides about.

const numberChars = "0123456789.-+eE"

func sign(n int) int { return max(-1, min(1, n)) }

// The JSON syntax of numbers.
const (
	anyNumber   = `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
	wholeNumber = `-?(0|[1-9][0-9]*)`
	exponent    = `[eE][+-]?[0-9]+`
	zero        = `-?0(\.0+)?(` + exponent + `)?`
	// spelledNumber is every way to write a number that spell knows; of few numbers it knows more.
	spelledNumber    = zero + `|-?(0|[1-9][0-9]*)(\.[0-9]+)?|-?[1-9](\.[0-9]+)?` + exponent
	fewSpelledNumber = spelledNumber + `|-?([1-9][0-9]{1,2}(\.[0-9]+)?|0\.0?[1-9][0-9]*)` + exponent
)

// fewNumbers is how many numbers may be written with any mantissa from 0.0123 to 123; of more than that,
// those with an exponent must have one digit other than 0 before the point, which is how programs print them.
const fewNumbers = 16

// spell is a pattern for the ways to write one number.
func spell(d decimal, few bool) string {
	if d.sign() == 0 {
		return zero
	}
	ways := []string{spellPlain(d), spellExponent(d, 1)}
	if few {
		for _, magnitude := range []int{-1, 0, 2, 3} {
			ways = append(ways, spellExponent(d, magnitude))
		}
	}
	sign := ""
	if d.neg {
		sign = "-"
	}
	return sign + `(` + strings.Join(ways, "|") + `)`
}

// spellPlain is a pattern for a number without exponent and sign.
func spellPlain(d decimal) string {
	whole, fraction := d.parts()
	if fraction != "" {
		return whole + `\.` + fraction + `0*`
	}
	return whole + `(\.0+)?`
}

// spellExponent is one with an exponent, and a mantissa of a magnitude: as many digits before the point, or
// zeros after it if that is negative.
func spellExponent(d decimal, magnitude int) string {
	mantissa := spellPlain(decimal{digits: d.digits, exp: magnitude})
	switch e := d.exp - magnitude; {
	case e < 0:
		return mantissa + fmt.Sprintf(`[eE]-0*%d`, -e)
	case e > 0:
		return mantissa + fmt.Sprintf(`[eE]\+?0*%d`, e)
	}
	return mantissa + `[eE][+-]?0+`
}

// spellAll accepts every way to write one of the numbers.
func spellAll(list []decimal) (*automata.DFA, error) {
	var parts []string
	for _, d := range list {
		parts = append(parts, spell(d, len(list) <= fewNumbers))
	}
	if len(parts) == 0 {
		return automata.Compile(automata.Alternate(), automatonLimits)
	}
	e, err := automata.Parse(strings.Join(parts, "|"), automata.ASCII)
	if err != nil {
		return nil, err
	}
	return automata.Compile(e, automatonLimits)
}

// Why keywords about numbers are narrower than they are.
const (
	writtenPlain   = "numbers must be written plainly (-12.50), or with an exponent behind a short mantissa (1.25e1, 12e3)"
	writtenLong    = "numbers must be written plainly (-12.50) or normalized (1.25e1) to be compared with so many digits"
	writtenInteger = "integers must be written plainly (12, 12.0), or with an exponent behind at most 16 digits after the point"
	writtenDivided = "numbers must be written plainly, or with an exponent behind few digits after the point, to be divided"
)

// numberLanguage is the automaton over JSON text of a clause.
func (c *compiler) numberLanguage(x clause) (*automata.DFA, error) {
	list, finite := finiteNumbers(x)
	whole := slices.ContainsFunc(x, func(l *literal) bool { return l.op == opWhole && !l.not })
	for _, l := range x {
		if !whole && (!finite || l.op == opNumbers) {
			c.narrowNumbers(l)
		}
	}
	d := numberPatterns()[anyNumber]
	if finite {
		var err error
		if d, err = spellAll(list); err != nil {
			return nil, err
		}
	}
	for _, l := range x {
		if finite && l.op != opWhole {
			continue
		}
		o, err := c.numberLiteral(l)
		switch {
		case err != nil:
			return nil, err
		case o == nil:
		case d == numberPatterns()[anyNumber] && !(l.op == opWhole && l.not):
			d = o // every language is of numbers
		default:
			if d, err = c.kept.intersect(d, o, l.op == opWhole && l.not); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// numberLiteral is the automaton of one literal, or of what it negates if that is opWhole; nil to
// leave it out.
func (c *compiler) numberLiteral(l *literal) (*automata.DFA, error) {
	switch l.op {
	case opWhole:
		return numberPatterns()[wholeNumber], nil
	case opCompare:
		return c.kept.boundedBy(l.rel, l.num)
	case opNumbers:
		d, err := spellAll(l.nums)
		if err != nil || !l.not {
			return d, err
		}
		all := spelledNumber
		if len(l.nums) <= fewNumbers {
			all = fewSpelledNumber
		}
		return c.kept.intersect(numberPatterns()[all], d, true)
	}
	return c.multipleLiteral(l)
}

// narrowNumbers notes how numbers must be written for a literal; zero is written in any way.
func (c *compiler) narrowNumbers(l *literal) {
	switch {
	case l.op == opWhole, l.op == opCompare && l.num.sign() == 0:
	case l.op == opMultiple && l.num == parseDecimal("1"):
		c.narrow(l, writtenInteger)
	case l.op == opMultiple:
		c.narrow(l, writtenDivided)
	case l.op == opCompare && !shortBound(l.num), l.op == opNumbers && len(l.nums) > fewNumbers:
		c.narrow(l, writtenLong)
	case l.op == opCompare || len(l.nums) != 1 || l.nums[0].sign() != 0:
		c.narrow(l, writtenPlain)
	}
}

func (c *compiler) multipleLiteral(l *literal) (*automata.DFA, error) {
	d, err := c.kept.multiplesOf(l.num, false)
	if err == nil && l.not {
		var all *automata.DFA
		if all, err = c.kept.multiplesOf(l.num, true); err == nil {
			return c.kept.intersect(all, d, true)
		}
	}
	switch {
	case err != nil && l.not && !c.opt.Lenient: // nothing but narrower would do
		c.narrowings++
		c.dropped = true
		return spellAll(nil)
	case err != nil:
		return nil, c.unsupported(l.node, l.keyword, refusalOf(err))
	}
	return d, nil
}
