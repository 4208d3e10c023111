package jsonschema

import (
	"fmt"
	"strings"

	"gcdbench/automata"
)

// Numbers by value, as automata over the JSON syntax of numbers.
//
// Comparing the value of an arbitrary text such as 0.00012e+7 needs counting, which no automaton
// does. So a constrained number must be written in one of two ways in which each value can be
// compared digit by digit: plain (-12.50), or normalized (1.25e1: one digit other than 0 before the
// point, then any fraction and exponent), which is how programs print large and small numbers. Each
// constraint is exact on these, so that conjunctions and complements are too. Divisibility
// (integers are the multiples of 1) is decided on plain numbers only; an unbounded integer may have an
// exponent that is not negative after a whole mantissa. Numbers without constraints are all of JSON's.

const numberChars = "0123456789.-+eE"

// plainState is the state of comparing a plain number, digit by digit, with a fixed one.
type plainState struct {
	phase uint8 // 0 start, 1 the whole part is 0, 2 in the whole part, 3 after the point, 4 in the fraction
	at    int   // digits read in this part, as far as they matter
	cmp   int8
}

// comparePlain accepts the unsigned plain numbers whose comparison with b satisfies want.
func comparePlain(b decimal, want func(cmp int) bool) (*automata.DFA, error) {
	whole, fraction := b.parts()
	// wholeResult is the comparison of the whole parts, once the text's has ended.
	wholeResult := func(s plainState) int8 {
		switch {
		case s.phase == 1 && whole == "0":
			return 0
		case s.phase == 1 || s.at < len(whole):
			return -1
		case s.at > len(whole) || whole == "0":
			return 1
		}
		return s.cmp
	}
	result := func(s plainState) int8 {
		if s.phase <= 2 {
			s = plainState{phase: 4, cmp: wholeResult(s)}
		}
		if s.cmp == 0 && s.at < len(fraction) {
			return -1
		}
		return s.cmp
	}
	step := func(s plainState, c byte) (plainState, bool) {
		if c == '.' {
			return plainState{phase: 3, cmp: wholeResult(s)}, s.phase == 1 || s.phase == 2
		}
		if c < '0' || c > '9' {
			return s, false
		}
		switch s.phase {
		case 0:
			if c == '0' {
				return plainState{phase: 1}, true
			}
			return plainState{phase: 2, at: 1, cmp: compareByte(c, whole[0])}, true
		case 1:
			return s, false
		case 2:
			if s.at < len(whole) && s.cmp == 0 {
				s.cmp = compareByte(c, whole[s.at])
			}
			s.at = min(s.at+1, len(whole)+1)
			return s, true
		}
		return stepFraction(plainState{4, s.at, s.cmp}, c, fraction), true
	}
	return machine(plainState{}, "0123456789.", step, func(s plainState) bool {
		return s.phase != 0 && s.phase != 3 && want(int(result(s)))
	})
}

// stepFraction compares one more digit of a fraction.
func stepFraction(s plainState, c byte, fraction string) plainState {
	if s.cmp == 0 {
		digit := byte('0')
		if s.at < len(fraction) {
			digit = fraction[s.at]
			s.at++
		}
		s.cmp = compareByte(c, digit)
	}
	if s.cmp != 0 {
		s.at = 0
	}
	return s
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

// compareNormalized accepts the unsigned normalized numbers whose comparison with b satisfies want.
func compareNormalized(b decimal, want func(cmp int) bool) (*automata.Expr, error) {
	if b.sign() == 0 {
		return exprIf(want(1), normalizedNumber), nil
	}
	var parts []*automata.Expr
	for _, cmp := range []int{-1, 1} { // the exponent decides
		if want(cmp) {
			e, err := compareExponent(b.exp-1, func(c int) bool { return c == cmp })
			if err != nil {
				return nil, err
			}
			parts = append(parts, automata.Concat(mustParse(`[1-9](\.[0-9]+)?[eE]`), automata.FromDFA(e)))
		}
	}
	mantissa := decimal{digits: b.digits, exp: 1}
	m, err := comparePlain(mantissa, want)
	if err != nil {
		return nil, err
	}
	if m, err = m.Intersect(automata.MustCompile(`[1-9](\.[0-9]+)?`, 0), automatonLimits); err != nil {
		return nil, err
	}
	e, err := compareExponent(b.exp-1, func(c int) bool { return c == 0 })
	if err != nil {
		return nil, err
	}
	parts = append(parts, automata.Concat(automata.FromDFA(m), mustParse("[eE]"), automata.FromDFA(e)))
	return automata.Alternate(parts...), nil
}

func sign(n int) int { return max(-1, min(1, n)) }

func exprIf(ok bool, pattern string) *automata.Expr {
	if !ok {
		return automata.Alternate()
	}
	return mustParse(pattern)
}

// compareExponent accepts the exponents, sign and leading zeros allowed, that compare with n as wanted.
func compareExponent(n int, want func(cmp int) bool) (*automata.DFA, error) {
	type state struct {
		started, neg, digit bool
		n                   int
	}
	const saturated = 10 * maxExponent
	return machine(state{}, "0123456789+-", func(s state, c byte) (state, bool) {
		if c == '+' || c == '-' {
			ok := !s.started
			return state{started: true, neg: c == '-'}, ok
		}
		s.started, s.digit = true, true
		s.n = min(s.n*10+int(c-'0'), saturated)
		if limit := max(n, -n); s.n > limit {
			s.n = limit + 1 // all larger ones are alike
		}
		return s, true
	}, func(s state) bool {
		v := s.n
		if s.neg {
			v = -v
		}
		return s.digit && want(sign(v-n))
	})
}

// The JSON syntax of numbers, and the ways in which constrained ones are written.
const (
	anyNumber        = `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
	plainNumber      = `-?(0|[1-9][0-9]*)(\.[0-9]+)?`
	normalizedNumber = `[1-9](\.[0-9]+)?[eE][+-]?[0-9]+`
	// zeroExponent: zero stays zero whatever its exponent, and so may have one.
	zeroExponent = `-?0(\.0+)?[eE][+-]?[0-9]+`
	// wholeExponent: whole mantissas with exponents that are not negative.
	wholeExponent = `-?(0|[1-9][0-9]*)(\.0+)?[eE]\+?[0-9]+`
)

// bounded accepts the numbers that compare with b as wanted: plain, normalized, or zero with an exponent.
func bounded(b decimal, want func(cmp int) bool) (*automata.DFA, error) {
	// The side of zero that b is on needs comparing; the other side is all in or all out.
	near := func(cmp int) bool { return want(cmp) }
	if b.neg {
		near = func(cmp int) bool { return want(-cmp) }
	}
	plain, err := comparePlain(b.abs(), near)
	if err != nil {
		return nil, err
	}
	normalized, err := compareNormalized(b.abs(), near)
	if err != nil {
		return nil, err
	}
	sameSide := automata.Alternate(automata.FromDFA(plain), normalized)
	far := exprIf(want(-1), `[1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9][0-9]*|`+normalizedNumber)
	if b.neg {
		far = exprIf(want(1), `[1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9][0-9]*|`+normalizedNumber)
	}
	minus := automata.Literal("-", 0)
	zero := exprIf(want(-b.sign()), `-?0(\.0+)?([eE][+-]?[0-9]+)?`)
	all := []*automata.Expr{zero}
	if b.neg {
		all = append(all, automata.Concat(minus, sameSide), far)
	} else {
		all = append(all, sameSide, automata.Concat(minus, far))
	}
	d, err := automata.Compile(automata.Alternate(all...), automatonLimits)
	if err != nil || want(-b.sign()) {
		return d, err
	}
	return d.Difference(automata.MustCompile(`-?0(\.0+)?([eE][+-]?[0-9]+)?`, 0), automatonLimits)
}

// maxModulus bounds the states of a divisibility automaton: remainders times digits after the point.
const maxModulus = 10_000

// multiples accepts the plain numbers that are multiples of m.
func multiples(m decimal) (*automata.DFA, error) {
	whole, fraction := m.parts()
	places := len(fraction)
	modulus := 0
	for _, c := range whole + fraction {
		modulus = modulus*10 + int(c-'0')
		if modulus*(places+1) > maxModulus {
			return nil, refusal("too many remainders", "multipleOf needs more than %d; use one with fewer digits", maxModulus)
		}
	}
	type state struct {
		phase  uint8 // 0 start, 1 after the sign, 2 zero, 3 whole part, 4 after the point, 5 fraction
		rest   int
		places int
	}
	step := func(s state, c byte) (state, bool) {
		switch {
		case c == '-':
			return state{phase: 1}, s.phase == 0
		case c == '.':
			return state{phase: 4, rest: s.rest}, s.phase == 2 || s.phase == 3
		case s.phase <= 1 && c == '0':
			return state{phase: 2}, true
		case s.phase <= 1:
			s.phase = 3
		case s.phase == 2:
			return s, false
		case s.phase == 4:
			s.phase = 5
		}
		if s.phase == 5 {
			if s.places == places {
				return s, c == '0'
			}
			s.places++
		}
		s.rest = (s.rest*10 + int(c-'0')) % modulus
		return s, true
	}
	return machine(state{}, "0123456789.-", step, func(s state) bool {
		for r := s.places; r < places; r++ {
			s.rest = s.rest * 10 % modulus
		}
		return s.phase != 0 && s.phase != 1 && s.phase != 4 && s.rest == 0
	})
}

// spell is a pattern for the ways to write one number: plain, and normalized with an exponent.
func spell(d decimal) string {
	if d.sign() == 0 {
		return `-?0(\.0+)?([eE][+-]?[0-9]+)?`
	}
	sign := ""
	if d.neg {
		sign = "-"
	}
	whole, fraction := d.parts()
	plain := whole + `(\.0+)?`
	if fraction != "" {
		plain = whole + `\.` + fraction + `0*`
	}
	mantissa := d.digits[:1] + `(\.0+)?`
	if len(d.digits) > 1 {
		mantissa = d.digits[:1] + `\.` + d.digits[1:] + `0*`
	}
	exponent := fmt.Sprintf(`\+?0*%d`, d.exp-1)
	if d.exp-1 < 0 {
		exponent = fmt.Sprintf(`-0*%d`, 1-d.exp)
	} else if d.exp == 1 {
		exponent = `[+-]?0+`
	}
	return sign + `(` + plain + `|` + mantissa + `[eE]` + exponent + `)`
}

// spellAll accepts every way to write one of the numbers.
func spellAll(list []decimal) (*automata.DFA, error) {
	var parts []string
	for _, d := range list {
		parts = append(parts, spell(d))
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

// mustParse parses a pattern of this package.
func mustParse(pattern string) *automata.Expr {
	e, err := automata.Parse(pattern, automata.ASCII)
	if err != nil {
		panic(err)
	}
	return e
}
