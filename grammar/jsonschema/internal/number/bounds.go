package number

import (
	"cmp"

	"gcdbench/grammar/automata"
)

// Bounds on numbers. Two numbers compare as their magnitudes do, which are the places of their
// first digits other than 0; where those are equal, as their digits do. The magnitude of a text is
// that of its mantissa plus its exponent. A number without an exponent may be written in any way,
// and so may a number on the other side of zero, and any number if the bound is 0. Any other
// number with an exponent must have a mantissa whose magnitude is counted.

// A Relation says how numbers compare with a bound.
type Relation uint8

// The relations, as x is to the bound.
const (
	Less Relation = iota
	LessEqual
	Greater
	GreaterEqual
)

// Holds tells whether a comparison, -1, 0 or 1, satisfies the relation.
func (rel Relation) Holds(c int) bool {
	switch rel {
	case Less:
		return c < 0
	case LessEqual:
		return c <= 0
	case Greater:
		return c > 0
	}
	return c >= 0
}

// Not is the relation that holds where rel does not.
func (rel Relation) Not() Relation {
	return [...]Relation{Less: GreaterEqual, LessEqual: Greater, Greater: LessEqual, GreaterEqual: Less}[rel]
}

// Magnitudes of mantissas that may have an exponent: from 0.00123e4 to 1234.5e-2. Each costs the
// automaton some states for each digit of the bound. For a long bound there is only that of 1.25e3,
// as programs write numbers.
const (
	leastMagnitude = -2
	mostMagnitude  = 4
	shortDigits    = 6
	nearBound      = 30 // magnitudes of bounds; larger ones cost states of the exponent
)

// Short tells whether mantissas of all those magnitudes may be compared with a number.
func (d Decimal) Short() bool {
	return len(d.Digits) <= shortDigits && d.Exp >= -nearBound && d.Exp <= nearBound
}

// A bound is a number to compare with.
type bound struct {
	rel         Relation
	num         Decimal
	least, most int // magnitudes of mantissas that may have exponents
}

// Bounded accepts the numbers that compare with num as rel says. It is an automaton on demand.
func Bounded(num Decimal, rel Relation) *automata.DFA {
	b := &bound{rel: rel, num: num, least: 1, most: 1}
	if num.Short() {
		b.least, b.most = leastMagnitude, mostMagnitude
	}
	return explore(comparing{bound: b})
}

// comparing is the state of comparing a mantissa with a bound.
type comparing struct {
	*bound
	neg     bool
	digits  bool // there was one other than 0
	decided bool // the sign decides, and the number is right
	// magnitude is how many digits are before the point, or minus how many zeros are after it, as
	// far as it matters.
	magnitude int
	at        int  // digits that are equal to the bound's
	cmp       int8 // of the digits
}

func (s comparing) enter(at place) comparing {
	s.neg = s.neg || at == afterMinus
	return s
}

func (s comparing) digit(c byte, at place) (comparing, bool) {
	if !s.digits && c != '0' {
		s.digits = true
		if s.num.Sign() == 0 || s.neg != s.num.Neg {
			return comparing{bound: s.bound, digits: true, decided: true}, s.holds(1)
		}
	}
	switch {
	case s.decided:
		return s, true
	case at == inWhole:
		s.magnitude = min(s.magnitude+1, max(s.most, s.num.Exp)+1)
	case at == inFraction && !s.digits:
		s.magnitude = max(s.magnitude-1, min(s.least, s.num.Exp)-1)
	}
	if s.digits && s.cmp == 0 {
		digit := byte('0')
		if s.at < len(s.num.Digits) {
			digit = s.num.Digits[s.at]
			s.at++
		}
		if s.cmp = int8(cmp.Compare(c, digit)); s.cmp != 0 {
			s.at = 0
		}
	}
	return s, at != inWhole || s.magnitude <= max(s.most, s.num.Exp) || s.holds(1)
}

// holds tells whether a number whose absolute value compares so with the bound's is right. The sign
// of both is that of the number.
func (s comparing) holds(c int) bool {
	if s.neg {
		c = -c
	}
	return s.rel.Holds(c)
}

// byDigits is the comparison of numbers of the same magnitude.
func (s comparing) byDigits() int {
	if s.cmp == 0 && s.at < len(s.num.Digits) {
		return -1
	}
	return int(s.cmp)
}

func (s comparing) accepts(place) bool {
	switch {
	case s.decided:
		return true
	case !s.digits:
		return s.rel.Holds(-s.num.Sign())
	case s.magnitude != s.num.Exp:
		return s.holds(cmp.Compare(s.magnitude, s.num.Exp))
	}
	return s.holds(s.byDigits())
}

func (s comparing) outlook(at place) automata.Outlook {
	switch {
	case s.decided:
		return automata.Free
	case at == inWhole && s.holds(1):
		return automata.Growing
	}
	return automata.Unknown
}

func (s comparing) exponent(place) (exponentTest, bool) {
	switch {
	case s.decided:
		return anyExponent, true
	case !s.digits:
		return anyExponent, s.rel.Holds(-s.num.Sign())
	case s.magnitude < s.least || s.magnitude > s.most:
		return anyExponent, false
	}
	equal := s.num.Exp - s.magnitude // with this exponent the digits decide
	within := s.holds(s.byDigits())
	switch {
	case s.holds(1) && within:
		return atLeast(equal), true
	case s.holds(1):
		return atLeast(equal + 1), true
	case within:
		return atMost(equal), true
	}
	return atMost(equal - 1), true
}
