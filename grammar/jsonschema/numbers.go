package jsonschema

import (
	"cmp"
	"slices"

	"gcdbench/grammar/jsonschema/internal/number"
)

// Clauses about numbers, as automata over JSON text. Package number says how far the ways to write
// a constrained number go; the coverage says it of each keyword.

// Why keywords about numbers are narrower than they are.
const (
	writtenPlain   = "numbers must be written plainly (-12.50), or with an exponent behind a short mantissa (1.25e1, 12e3)"
	writtenLong    = "numbers must be written plainly (-12.50) or normalized (1.25e1) to be compared with so many digits"
	writtenInteger = "integers must be written plainly (12, 12.0), or with an exponent behind at most 16 digits after the point"
	writtenDivided = "numbers must be written plainly, or with an exponent behind few digits after the point, to be divided"
	writtenFew     = "numbers of more than a few digits, or with an exponent, are not divided by so long a number"
)

// numberLanguage is the automaton over JSON text of a clause.
func (c *languages) numberLanguage(x clause) (clauseText, error) {
	list, finite := finiteNumbers(x)
	whole := slices.ContainsFunc(x, func(l *literal) bool { return l.op == opWhole && !l.not })
	for _, l := range x {
		if !whole && (!finite || l.op == opNumbers) {
			c.narrowNumbers(l)
		}
	}
	all := clauseText{d: number.Any()}
	var err error
	if finite {
		if all.d, err = number.OneOf(list); err != nil {
			return all, err
		}
	}
	for _, l := range boundsFirst(x) {
		if finite && l.op != opWhole || divided(x, l) {
			continue
		}
		o, err := c.numberLiteral(l)
		all.narrow = all.narrow || o.narrow
		switch without := l.op == opWhole && l.not; {
		case err != nil:
			return all, err
		case o.d == nil:
		case all.d == number.Any() && !without:
			all.d = o.d // every language is of numbers
		default:
			if all.d, err = c.kept.intersect(all.d, o.d, without); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// boundsFirst has the bounds of a clause before the other literals. Numbers between two bounds
// leave the others little to look at.
func boundsFirst(x clause) clause {
	rank := func(l *literal) int {
		if l.op == opCompare {
			return int(l.rel)
		}
		return int(number.GreaterEqual) + 1
	}
	return slices.SortedStableFunc(slices.Values(x), func(a, b *literal) int { return cmp.Compare(rank(a), rank(b)) })
}

// divided tells whether another literal of a clause says that numbers are multiples of a multiple
// of what l says.
func divided(x clause, l *literal) bool {
	return l.op == opMultiple && !l.not && slices.ContainsFunc(x, func(o *literal) bool {
		return o.op == opMultiple && !o.not && o.num != l.num && o.num.Multiple(l.num)
	})
}

// numberLiteral is the automaton of one literal, or of what it negates if that is opWhole. There is
// none if the literal is left out.
func (c *languages) numberLiteral(l *literal) (o clauseText, err error) {
	switch l.op {
	case opWhole:
		o.d = number.Whole()
	case opCompare:
		o.d = c.kept.boundedBy(l.rel, l.num)
	case opNumbers:
		if o.d, err = number.OneOf(l.nums); err == nil && l.not {
			o.d, err = c.kept.intersect(number.Spelled(len(l.nums)), o.d, true)
		}
	default:
		return c.multipleLiteral(l)
	}
	return o, err
}

// multipleLiteral is numberLiteral for opMultiple. Of a divisor that does not divide all numbers
// the others are left out, of a negation as well.
func (c *languages) multipleLiteral(l *literal) (o clauseText, err error) {
	if !number.Divides(l.num) {
		o.narrow, c.dropped = true, true
	}
	if o.d = c.kept.multiplesOf(l.num, false); l.not {
		o.d, err = c.kept.intersect(c.kept.multiplesOf(l.num, true), o.d, true)
	}
	return o, err
}

// narrowNumbers notes how numbers must be written for a literal. Zero may be written in any way.
func (c *languages) narrowNumbers(l *literal) {
	switch {
	case l.op == opWhole, l.op == opCompare && l.num.Sign() == 0:
	case l.op == opMultiple && l.num == number.One:
		c.narrow(l, writtenInteger)
	case l.op == opMultiple && number.Divides(l.num):
		c.narrow(l, writtenDivided)
	case l.op == opMultiple:
		c.narrow(l, writtenFew)
	case l.op == opCompare && !l.num.Short(), l.op == opNumbers && len(l.nums) > number.Few:
		c.narrow(l, writtenLong)
	case l.op == opCompare || len(l.nums) != 1 || l.nums[0].Sign() != 0:
		c.narrow(l, writtenPlain)
	}
}
