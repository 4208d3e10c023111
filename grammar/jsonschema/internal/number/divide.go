package number

import (
	"math/big"
	"strings"

	"gcdbench/grammar/automata"
)

// Divisibility. Let D be the digits of a mantissa as a whole number, and p of them after the
// point: the value is D times ten to the exponent minus p. It is a multiple of a number if the
// primes of that number other than 2 and 5 divide D, and the exponent is large enough for those
// two. How large that is depends on p, on D's remainder, and on the zeros at the end of D. The
// constants here say how far those are counted; numbers with an exponent whose mantissa is longer
// are left out. All numbers without an exponent are decided.
//
// A divisor that ends in many zeros would need a remainder for each number below it: a day is
// 86,400,000 ms. Its zeros are those that a multiple must end in, so they are counted, and the
// remainder is that of the digits before them.
//
// Negation needs the numbers that are decided, too: those that are no multiples are the rest of
// them.

// maxRemainders bounds the states of an automaton: remainders times digits after the point. A
// divisor that needs more is held against numbers of up to fewDigits digits alone, or of fewer if
// more than that of these are multiples.
const (
	maxRemainders = 10_000
	fewDigits     = 8
)

const (
	// morePlaces is how many digits more than the divisor a mantissa may have after the point, as
	// long as there are at most placeStates states for all of them.
	morePlaces  = 6
	placeStates = 500

	// Integers, and multiples of other powers of ten, are frequent, and programs write their
	// doubles with up to 17 digits: maxPlaces after the point. Up to paddedPlaces of them may end
	// in zeros (1.500000e+03). Of a whole mantissa wholeZeros at the end are counted, for negative
	// exponents, or as many as the power has, of which there are at most mostTens.
	maxPlaces    = 16
	paddedPlaces = 7
	wholeZeros   = 3
	mostTens     = 12
)

// Multiples accepts the numbers that are multiples of m; with decided, all numbers, multiples or
// not, about which the other automaton decides. It is an automaton on demand.
func Multiples(m Decimal, decided bool) *automata.DFA {
	if q := 1 - m.Exp; m.Digits == "1" && q >= -mostTens && q < paddedPlaces {
		return explore(stripped{q: q, zeros: max(wholeZeros, -q), all: decided, zero: true})
	}
	d, ok := newDivisor(m)
	if !ok {
		return explore(trial{longDivisor: newLongDivisor(m, decided)})
	}
	d.all = decided
	return explore(remaining{divisor: d, zero: true})
}

// Divides tells whether Multiples decides about all numbers without an exponent.
func Divides(m Decimal) bool {
	_, ok := newDivisor(m)
	return ok
}

// stripped is the state of reading a mantissa for a power of ten: a number is a multiple of ten to
// the minus q if the place of its last digit other than 0, less the exponent, is q at most.
type stripped struct {
	q     int
	zeros int  // at the end of a whole mantissa, as far as they are counted
	all   bool // what is decided is accepted
	zero  bool // all digits are 0
	p     int  // digits after the point
	// last is the place of the last digit other than 0: 1 for the first one after the point, or
	// minus the zeros that follow it in a whole mantissa.
	last int
}

func (s stripped) enter(at place) stripped {
	if at == afterPoint { // after it zeros matter to powers above 1 only
		s.last = min(0, max(s.last, s.q))
	}
	return s
}

func (s stripped) digit(c byte, at place) (stripped, bool) {
	s.zero = s.zero && c == '0'
	switch {
	case at != inFraction && c == '0' && !s.zero:
		s.last = max(s.last-1, -s.zeros)
	case at != inFraction:
		s.last = 0
	default:
		s.p = min(s.p+1, maxPlaces+1)
		if c != '0' {
			s.last = s.p
		}
		// Where there can be no exponent until the next digit, which last it was does not matter.
		if far := max(s.q, 0) + 1; s.last >= far && (s.p > maxPlaces || s.p > paddedPlaces && s.last < s.p) {
			s.last = far
		}
	}
	return s, true
}

func (s stripped) accepts(place) bool { return s.all || s.zero || s.last <= s.q }

// outlook implements mantissa: zeros make a multiple of any whole digits.
func (s stripped) outlook(at place) automata.Outlook { return wholeOutlook(at) }

func wholeOutlook(at place) automata.Outlook {
	if at == inWhole {
		return automata.Endless
	}
	return automata.Unknown
}

func (s stripped) exponent(at place) (exponentTest, bool) {
	switch {
	case s.zero:
		return anyExponent, true
	case at == inWhole && s.last > -s.zeros || at == inFraction && s.last > 0:
		if s.p > maxPlaces || s.p > paddedPlaces && s.last < s.p {
			return anyExponent, false
		}
		if s.all {
			return anyExponent, true
		}
	}
	return atLeast(s.last - s.q), true
}

// A divisor is a number that others are multiples of: its modulus times ten to the tens, or to
// minus the places. One of these two is 0.
type divisor struct {
	modulus, places int
	tens            int
	twos, fives     int  // how often they divide the modulus
	other           int  // the modulus without them
	most            int  // digits after the point of a mantissa that may have an exponent
	zeros           int  // at the end of a mantissa, as far as they are counted
	all             bool // what is decided is accepted
}

// newDivisor is false for a divisor that leaves too many remainders.
func newDivisor(m Decimal) (*divisor, bool) {
	whole, fraction := m.Parts()
	d := &divisor{places: len(fraction)}
	if !d.readModulus(whole + fraction) {
		digits := strings.TrimRight(whole, "0")
		d.tens = len(whole) - len(digits)
		if d.places > 0 || !d.readModulus(digits) {
			return nil, false
		}
	}
	d.other = d.modulus
	for ; d.other%2 == 0; d.other /= 2 {
		d.twos++
	}
	for ; d.other%5 == 0; d.other /= 5 {
		d.fives++
	}
	d.most = d.places + min(morePlaces, placeStates/d.modulus)
	d.zeros = d.tens + min(wholeZeros, placeStates/d.modulus/(d.most-d.places+1))
	return d, true
}

// readModulus is false if there are too many remainders.
func (d *divisor) readModulus(digits string) bool {
	d.modulus = 0
	for _, c := range digits {
		d.modulus = d.modulus*10 + int(c-'0')
		if d.modulus*(d.places+d.tens+1) > maxRemainders {
			return false
		}
	}
	return true
}

// lacking is how many more powers of ten a number with this remainder needs for its twos and fives
// to be enough.
func (d *divisor) lacking(rest int) int {
	lacks := func(prime, times int) int {
		for n := rest; times > 0 && n%prime == 0; n /= prime {
			times--
		}
		return times
	}
	return max(lacks(2, d.twos), lacks(5, d.fives))
}

// remaining is the state of reading a mantissa for its remainder.
type remaining struct {
	*divisor
	zero bool // all digits are 0
	tens int  // zeros at the end, as far as they are counted
	rest int  // of the digits before those
	p    int  // digits after the point, as far as they matter
	fits bool // the digits up to the places leave no rest, and all after them are 0
}

func (s remaining) enter(at place) remaining {
	if at == afterPoint {
		s.fits = s.places == 0 && s.divides()
	}
	return s
}

// divides tells whether the digits so far are a multiple, if the divisor has no places.
func (s remaining) divides() bool {
	return s.zero || s.tens >= s.divisor.tens && s.restWith(s.tens-s.divisor.tens) == 0
}

// restWith is the remainder of the digits with so many zeros after them.
func (s remaining) restWith(zeros int) int {
	rest := s.rest
	for range zeros {
		rest = rest * 10 % s.modulus
	}
	return rest
}

// read adds a digit to those that the remainder is of, after the zeros that were kept from it.
func (s remaining) read(c byte) remaining {
	switch {
	case s.zero:
	case c != '0':
		s.rest = (s.restWith(s.tens+1) + int(c-'0')) % s.modulus
		s.tens = 0
	case s.tens < s.zeros:
		s.tens++
	default:
		s.rest = s.rest * 10 % s.modulus
	}
	return s
}

func (s remaining) digit(c byte, at place) (remaining, bool) {
	s.zero = s.zero && c == '0'
	s = s.read(c)
	if at != inFraction {
		return s, true
	}
	s.p = min(s.p+1, s.most+1)
	switch {
	case s.p == s.places && s.p <= s.most:
		s.fits = s.restWith(s.tens) == 0
	case s.p > s.places:
		s.fits = s.fits && c == '0'
	}
	if s.p > s.most {
		s.rest, s.tens = 0, 0
	}
	return s, s.p <= s.most || s.fits || s.zero || s.all
}

func (s remaining) accepts(place) bool {
	if s.p > s.places {
		return s.fits || s.all
	}
	if s.places == 0 {
		return s.divides() || s.all
	}
	return s.restWith(s.tens+s.places-s.p) == 0 || s.all
}

// outlook implements mantissa: as many digits as the divisor has make a multiple of any.
func (s remaining) outlook(at place) automata.Outlook { return wholeOutlook(at) }

func (s remaining) exponent(place) (exponentTest, bool) {
	switch {
	case s.zero:
		return anyExponent, true
	case s.p > s.most:
		return anyExponent, false
	case s.all && (s.rest != 0 || s.tens < s.zeros): // a smaller exponent makes it no multiple
		return anyExponent, true
	case s.all:
		return atLeast(s.p - s.places + s.divisor.tens - s.tens), true
	}
	return atLeast(s.p - s.places + s.divisor.tens - s.tens + s.lacking(s.rest)), s.rest%s.other == 0
}

// A longDivisor is one that is held against numbers of few digits.
type longDivisor struct {
	// needs has, by digits after the point, what the digits as a whole number are a multiple of.
	needs [fewDigits + 1]int
	most  int  // digits of a number
	all   bool // what is decided is accepted
}

// newLongDivisor takes as many digits as there are not too many multiples of.
func newLongDivisor(m Decimal, all bool) *longDivisor {
	d := &longDivisor{most: fewDigits, all: all}
	need, size, multiples := m.Rat(), 1, 0
	for p := range d.needs {
		d.needs[p] = 1 << 40 // that is more than any number of few digits
		if a := need.Num(); a.BitLen() < 40 {
			d.needs[p] = int(a.Int64())
		}
		need.Mul(need, big.NewRat(10, 1))
	}
	for d.most = 0; d.most < fewDigits && multiples <= maxRemainders/10; d.most++ {
		multiples, size = 0, size*10
		for _, n := range d.needs {
			multiples += size / n
		}
	}
	return d
}

// trial is the state of reading a number of few digits: all of these.
type trial struct {
	*longDivisor
	digits int // from the first one on that is not 0
	p      int // digits after the point; one more than are kept stands for all that are more
	n      int // the digits; 1 for any number if all are accepted
}

func (s trial) enter(place) trial { return s }

func (s trial) digit(c byte, at place) (trial, bool) {
	if at == inFraction {
		s.p = min(s.p+1, s.most+1)
	}
	if s.n == 0 && c == '0' {
		return s, true
	}
	s.digits, s.n = s.digits+1, s.n*10+int(c-'0')
	if s.all {
		s.n = 1
	}
	return s, s.digits <= s.most && s.p <= s.most && (s.all || s.begins(at == inFraction))
}

// begins tells whether a multiple begins with the digits. After the point all that follow are.
func (s trial) begins(fraction bool) bool {
	for more, size := 0, 1; more <= s.most-s.digits; more, size = more+1, size*10 {
		first := s.p
		if fraction {
			first += more
		}
		for p := first; p <= min(s.p+more, s.most); p++ {
			if need := s.needs[p]; (need-s.n*size%need)%need < size {
				return true
			}
		}
	}
	return false
}

func (s trial) accepts(place) bool { return s.all || s.n == 0 || s.n%s.needs[s.p] == 0 }

func (s trial) outlook(place) automata.Outlook { return automata.Unknown }

func (s trial) exponent(place) (exponentTest, bool) { return anyExponent, s.n == 0 }
