package jsonschema

import "gcdbench/automata"

// Bounds on numbers. Two numbers compare as the places of their first digits other than 0 do (their
// magnitudes), or else as their digits. The magnitude of a text is that of its mantissa plus its exponent. A
// number without an exponent, and one on the other side of zero, may be written in any way; so may all if
// the bound is 0. One with an exponent must have a mantissa of a magnitude that is counted.

// Magnitudes of mantissas that may have an exponent: from 0.00123e4 to 1234.5e-2. Each costs the automaton
// some states for each digit of the bound, so for long ones it is only that of 1.25e3, as programs write.
const (
	leastMagnitude = -2
	mostMagnitude  = 4
	shortDigits    = 6
	nearBound      = 30 // the magnitude of the bound, which costs states of their exponents
)

// shortBound tells whether mantissas of all those magnitudes may be compared with a number.
func shortBound(num decimal) bool {
	return len(num.digits) <= shortDigits && num.exp >= -nearBound && num.exp <= nearBound
}

// A bound is a number to compare with.
type bound struct {
	rel         relation
	num         decimal
	least, most int // the magnitudes that may have exponents
}

// bounded accepts the numbers that compare with num as rel says.
func bounded(num decimal, rel relation) (*automata.DFA, error) {
	b := &bound{rel: rel, num: num, least: 1, most: 1}
	if shortBound(num) {
		b.least, b.most = leastMagnitude, mostMagnitude
	}
	return numberMachine(comparing{bound: b})
}

// comparing is the state of comparing a mantissa with a bound.
type comparing struct {
	*bound
	neg     bool
	digits  bool // there was one other than 0
	decided bool // the sign decides, and the number is right
	// magnitude is how many digits are before the point, or minus how many zeros are after it, as far as it matters.
	magnitude int
	at        int  // digits that are equal
	cmp       int8 // of the digits
}

func (s comparing) minus() comparing { s.neg = true; return s }
func (s comparing) point() comparing { return s }

func (s comparing) digit(c byte, at place) (comparing, bool) {
	if !s.digits && c != '0' {
		s.digits = true
		if s.num.sign() == 0 || s.neg != s.num.neg {
			sign := 1
			if s.neg {
				sign = -1
			}
			return comparing{bound: s.bound, digits: true, decided: true}, s.rel.holds(sign)
		}
	}
	switch {
	case s.decided:
		return s, true
	case at == inWhole:
		s.magnitude = min(s.magnitude+1, max(s.most, s.num.exp)+1)
	case at == inFraction && !s.digits:
		s.magnitude = max(s.magnitude-1, min(s.least, s.num.exp)-1)
	}
	if s.digits && s.cmp == 0 {
		digit := byte('0')
		if s.at < len(s.num.digits) {
			digit = s.num.digits[s.at]
			s.at++
		}
		if s.cmp = compareByte(c, digit); s.cmp != 0 {
			s.at = 0
		}
	}
	return s, true
}

// holds tells whether a number may have this comparison with the bound, both without their signs.
func (s comparing) holds(cmp int) bool {
	if s.neg {
		cmp = -cmp
	}
	return s.rel.holds(cmp)
}

// byDigits is the comparison of numbers of the same magnitude.
func (s comparing) byDigits() int {
	if s.cmp == 0 && s.at < len(s.num.digits) {
		return -1
	}
	return int(s.cmp)
}

func (s comparing) accepts(place) bool {
	switch {
	case s.decided:
		return true
	case !s.digits:
		return s.rel.holds(-s.num.sign())
	case s.magnitude != s.num.exp:
		return s.holds(sign(s.magnitude - s.num.exp))
	}
	return s.holds(s.byDigits())
}

func (s comparing) exponent(place) (exponentTest, bool) {
	switch {
	case s.decided:
		return anyExponent, true
	case !s.digits:
		return anyExponent, s.rel.holds(-s.num.sign())
	case s.magnitude < s.least || s.magnitude > s.most:
		return anyExponent, false
	}
	equal := s.num.exp - s.magnitude // this exponent makes the magnitudes equal
	within := btoi(s.holds(s.byDigits()))
	if s.holds(1) {
		return atLeast(equal + 1 - within), true
	}
	return atMost(equal - 1 + within), true
}

func compareByte(a, b byte) int8 {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
