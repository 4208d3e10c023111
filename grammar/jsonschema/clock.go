package jsonschema

import (
	"gcdbench/automata"
	"gcdbench/internal/constants"
)

// Leap seconds. The last second of a day in UTC may be a 61st, so 01:00:60+01:01 is a time and
// 01:00:60+01:02 is none (RFC 3339, section 5.7). To tell which offset may follow, an automaton
// remembers the minute of the day, 1,440 of them, at each character behind it: 11,000 states, where
// the times with offsets of whole and half hours take 475. The formats time and date-time are
// therefore small automata (format.go), which are what is joined with other keywords, and where
// nothing is joined with them they are the automata here, which are exact and made once in a
// process. In those a second that the small automaton does not know is written without escapes.

// A clock is the state of reading the characters of a time of day up to a leap second and its
// offset.
type clock struct {
	at      clockPlace
	minutes int16 // read so far, or to be read yet, which the offset is
}

// A clockPlace is how far a clock has come.
type clockPlace uint8

const (
	noClock    clockPlace = iota // this is no leap second
	beforeTime                   // in the date
	hourTens
	hourOnes
	firstColon
	minuteTens
	minuteOnes
	secondColon
	secondSix
	secondZero
	afterSeconds
	firstFraction
	inFractions
	offsetHourTens
	offsetHourOnes
	offsetColon
	offsetMinuteTens
	offsetMinuteOnes
	closingQuote
	afterQuote
)

const day = 24 * 60 // minutes

// step is the clock after one more byte of JSON text. It lets dates, hours and minutes pass that
// are none: it is asked together with the small automaton, which does not.
func (c clock) step(b byte) clock {
	digit := int16(b) - '0'
	isDigit := b >= '0' && b <= '9'
	next := func(ok bool, minutes int16) clock {
		if !ok {
			return clock{}
		}
		return clock{c.at + 1, minutes}
	}
	switch c.at {
	case beforeTime:
		if b == 't' || b == 'T' {
			return clock{at: hourTens}
		}
		return c
	case hourTens:
		return next(isDigit, digit*600)
	case hourOnes:
		return next(isDigit, c.minutes+digit*60)
	case minuteTens:
		return next(isDigit, c.minutes+digit*10)
	case minuteOnes:
		return next(isDigit, c.minutes+digit)
	case firstColon, secondColon, offsetColon:
		return next(b == ':', c.minutes)
	case secondSix:
		return next(b == '6', c.minutes)
	case secondZero:
		return next(b == '0', c.minutes)
	case firstFraction:
		return next(isDigit, c.minutes)
	case afterSeconds, inFractions:
		return c.afterSeconds(b, isDigit)
	case offsetHourTens:
		return next(digit == c.minutes/600, c.minutes%600)
	case offsetHourOnes:
		return next(digit == c.minutes/60, c.minutes%60)
	case offsetMinuteTens:
		return next(digit == c.minutes/10, c.minutes%10)
	case offsetMinuteOnes:
		return next(digit == c.minutes, 0)
	case closingQuote:
		return next(b == '"', 0)
	}
	return clock{}
}

// afterSeconds reads a fraction, or what begins an offset: one that makes the time a minute before
// midnight.
func (c clock) afterSeconds(b byte, isDigit bool) clock {
	switch {
	case b == '.' && c.at == afterSeconds:
		return clock{firstFraction, c.minutes}
	case isDigit && c.at == inFractions:
		return c
	case b == '+':
		return clock{offsetHourTens, (c.minutes + 1) % day}
	case b == '-':
		return clock{offsetHourTens, day - 1 - c.minutes}
	}
	return clock{} // UTC is what the small automaton knows
}

// withLeapSeconds is the JSON text of the strings of a small automaton, d over characters, and of
// all leap seconds; first is where the string begins.
func withLeapSeconds(d *automata.DFA, first clockPlace) (*automata.DFA, error) {
	small, err := encodeStrings(d, automatonLimits)
	if err != nil {
		return nil, err
	}
	type state struct {
		small int32
		clock clock
	}
	step := func(s state, b byte) (state, bool) {
		to := state{small: automata.Dead}
		if s.small >= 0 {
			to.small = small.Next(s.small, b)
		}
		if s.clock.at != noClock {
			to.clock = s.clock.step(b)
		} else if s.small == small.Start() && b == '"' {
			to.clock.at = first
		}
		if to.small < 0 && to.clock.at <= secondSix {
			to.clock = clock{} // the small automaton knows all dates and minutes
		}
		return to, to.small >= 0 || to.clock.at != noClock
	}
	return machine(state{small: small.Start()}, jsonTime, step, func(s state) bool {
		return small.Accepting(s.small) || s.clock.at == afterQuote
	})
}

// The formats time and date-time with all leap seconds, as JSON text.
var (
	leapTime     = constants.Of(&fixed, func() *automata.DFA { return mustLeap(fullTime, hourTens) })
	leapDateTime = constants.Of(&fixed, func() *automata.DFA { return mustLeap(fullDate+"[tT]"+fullTime, beforeTime) })
)

func mustLeap(pattern string, first clockPlace) *automata.DFA {
	d, err := compileASCII(pattern)
	if err == nil {
		d, err = withLeapSeconds(d, first)
	}
	if err != nil {
		panic(err) // it has some 13,000 states
	}
	return d
}

// jsonTime are the bytes of times in JSON text, escapes included.
const jsonTime = `"0123456789abcdefABCDEFtTzZ:.+-u\`
