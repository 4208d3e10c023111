package number

import (
	"gcdbench/grammar/automata"
)

// Numbers with exponents. An automaton reads the digits of a mantissa first, and then the exponent
// that says what they mean. A question about the value therefore turns, at the e, into a question
// about the exponent: it must be at least, or at most, a number that depends on the mantissa. The
// automaton has a state for each such number, so it can remember the mantissa's share only as far
// as it counts digits. That limits how a constrained number may be written. The exponent is not
// limited.

// An exponentTest is a question about an exponent.
type exponentTest struct {
	side int8 // 1: it is at least n; -1: it is at most n; 0: it may be any
	n    int
}

var anyExponent = exponentTest{}

func atLeast(n int) exponentTest { return exponentTest{1, n} }
func atMost(n int) exponentTest  { return exponentTest{-1, n} }

func (t exponentTest) holds(e int) bool {
	switch t.side {
	case 1:
		return e >= t.n
	case -1:
		return e <= t.n
	}
	return true
}

// An exponentState is the state of reading an exponent, after its e.
type exponentState struct {
	test  exponentTest
	phase uint8 // 0 at the start, 1 after the sign, 2 in the digits
	neg   bool
	n     int // read so far; all beyond that of the test are alike
}

func (s exponentState) step(c byte) (exponentState, bool) {
	if c == '+' || c == '-' {
		ok := s.phase == 0
		s.phase, s.neg = 1, c == '-'
		return s.decided(ok)
	}
	s.phase = 2
	if s.test.side != 0 {
		s.n = min(s.n*10+int(c-'0'), max(s.test.n, -s.test.n)+1)
	}
	return s.decided(c >= '0' && c <= '9')
}

// decided is the state without a question that more digits do not change the answer to: they only
// take the exponent farther from 0. It is not ok if the answer is no.
func (s exponentState) decided(ok bool) (exponentState, bool) {
	n, least := s.n, s.test.n // the question is whether n is at least this, or at most
	if s.neg {
		least = -least
	}
	if away := s.test.side > 0 != s.neg; s.test.side != 0 && (away && n >= least || !away && n > least) {
		return exponentState{phase: s.phase}, ok && away
	}
	return s, ok
}

func (s exponentState) accepts() bool {
	if s.neg {
		s.n = -s.n
	}
	return s.phase == 2 && s.test.holds(s.n)
}

// outlook is Leads or more: from each question some exponent is an answer.
func (s exponentState) outlook() automata.Outlook {
	if s.test == anyExponent {
		return automata.Free
	}
	return automata.Leads
}

// A place is where in a number a text has come.
type place uint8

const (
	atStart place = iota
	afterMinus
	afterZero // the whole part is 0
	inWhole
	afterPoint
	inFraction
	inExponent
)

// next is the place after one more character, before the exponent.
func (p place) next(c byte) (place, bool) {
	switch {
	case c == '-':
		return afterMinus, p == atStart
	case c == '.':
		return afterPoint, p == afterZero || p == inWhole
	case c == 'e' || c == 'E':
		return inExponent, p.complete()
	case c < '0' || c > '9' || p == afterZero:
		return p, false
	case p >= afterPoint:
		return inFraction, true
	case p == inWhole || c != '0':
		return inWhole, true
	}
	return afterZero, true
}

// complete tells whether a number may end here, or its exponent begin.
func (p place) complete() bool { return p == afterZero || p == inWhole || p == inFraction }

// A mantissa is the state of reading a number up to its exponent. Its methods take the place that
// the text has come to.
type mantissa[M any] interface {
	comparable
	// digit reads one more digit.
	digit(c byte, at place) (M, bool)
	// enter reads the sign, or the point.
	enter(at place) M
	// exponent is the question that an exponent must answer; false if there must not be one.
	exponent(at place) (exponentTest, bool)
	// accepts tells whether the number may end.
	accepts(at place) bool
	// outlook is what is known of what may follow.
	outlook(at place) automata.Outlook
}

// A reading is the state of reading a number.
type reading[M mantissa[M]] struct {
	at       place
	mantissa M
	exponent exponentState
}

// Step reads one more character.
func (s reading[M]) Step(c byte) (reading[M], bool) {
	var ok bool
	if s.at == inExponent {
		s.exponent, ok = s.exponent.step(c)
		return s, ok
	}
	before := s.at
	if s.at, ok = before.next(c); !ok {
		return s, false
	}
	switch s.at {
	case afterMinus, afterPoint:
		s.mantissa = s.mantissa.enter(s.at)
	case inExponent:
		s.exponent.test, ok = s.mantissa.exponent(before)
		var read M
		s.mantissa = read
	default:
		s.mantissa, ok = s.mantissa.digit(c, s.at)
	}
	return s, ok
}

// Outlook implements automata.Stepper.
func (s reading[M]) Outlook() automata.Outlook {
	if s.at == inExponent {
		return s.exponent.outlook()
	}
	return s.mantissa.outlook(s.at)
}

// Accepts tells whether the number may end.
func (s reading[M]) Accepts() bool {
	if s.at == inExponent {
		return s.exponent.accepts()
	}
	return s.at.complete() && s.mantissa.accepts(s.at)
}

// explore is the automaton of the numbers that a mantissa accepts, from its first state on. It is
// one on demand.
func explore[M mantissa[M]](first M) *automata.DFA {
	return automata.FromSteps(reading[M]{mantissa: first}, numberChars)
}

const numberChars = "0123456789.-+eE"
