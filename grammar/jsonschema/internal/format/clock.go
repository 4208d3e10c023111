package format

import (
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/grammar/jsonschema/internal/quoted"
	"gcdbench/internal/constants"
)

// Leap seconds. The last second of a day in UTC may be a 61st, so 01:00:60+01:01 is a time and
// 01:00:60+01:02 is none (RFC 3339, section 5.7). To tell which offset may follow, an automaton
// must remember the minute of the day, of which there are 1,440, at each character after it:
// 11,000 states, where the times with offsets of whole and half hours take 475. The formats time
// and date-time are therefore small automata (format.go), which can be combined with other
// keywords. Where no other keyword is about the string, they are the automata here, which are
// exact and made once in a process. A leap second that the small automaton lacks must be written
// without escapes.

// A clock is the state of reading the characters of a time of day up to a leap second and its
// offset.
type clock struct {
	at      clockPlace
	minutes int16 // of the time read so far; then of the offset, as far as it is not read
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

// weights are the minutes that a digit counts for, by place.
var weights = [afterQuote + 1]int16{hourTens: 600, hourOnes: 60, minuteTens: 10, minuteOnes: 1,
	offsetHourTens: 600, offsetHourOnes: 60, offsetMinuteTens: 10, offsetMinuteOnes: 1}

// marks are the characters that are not digits of the time or offset, by place.
var marks = [afterQuote + 1]byte{firstColon: ':', secondColon: ':', secondSix: '6', secondZero: '0', offsetColon: ':', closingQuote: '"'}

// step is the clock after one more byte of JSON text. It lets dates, hours and minutes pass that do
// not exist: the small automaton, which is asked as well, does not.
func (c clock) step(b byte) clock {
	digit, isDigit := int16(b)-'0', b >= '0' && b <= '9'
	next, weight := clock{c.at + 1, c.minutes}, weights[c.at]
	ok := b == marks[c.at]
	switch {
	case c.at == beforeTime:
		if b == 't' || b == 'T' {
			return next
		}
		return c
	case c.at == afterSeconds || c.at == inFractions:
		return c.afterSeconds(b, isDigit)
	case c.at >= offsetHourTens && weight > 0:
		ok = digit == c.minutes/weight
		next.minutes %= weight
	case weight > 0 || c.at == firstFraction:
		ok = isDigit
		next.minutes += digit * weight
	}
	if !ok {
		return clock{}
	}
	return next
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
func withLeapSeconds(d *automata.DFA, first clockPlace) *automata.DFA {
	small := quoted.Encode(d)
	return automata.FromSteps(leaping{of: small, small: small.Start(), first: first}, jsonTime).Whole()
}

// A leaping is a state of the small automaton and a clock.
type leaping struct {
	of    *automata.DFA
	small int32
	clock clock
	first clockPlace
}

// Step implements automata.Stepper.
func (s leaping) Step(b byte) (leaping, bool) {
	to := leaping{of: s.of, small: automata.Dead, first: s.first}
	if s.small >= 0 {
		to.small = s.of.Next(s.small, b)
	}
	if s.clock.at != noClock {
		to.clock = s.clock.step(b)
	} else if s.small == s.of.Start() && b == '"' {
		to.clock.at = s.first
	}
	if to.small < 0 && to.clock.at <= secondSix {
		to.clock = clock{} // the small automaton knows all dates and minutes
	}
	return to, to.small >= 0 || to.clock.at != noClock
}

// Accepts implements automata.Stepper.
func (s leaping) Accepts() bool { return s.of.Accepting(s.small) || s.clock.at == afterQuote }

// Outlook implements automata.Stepper.
func (s leaping) Outlook() automata.Outlook { return automata.Unknown }

// The formats time and date-time with all leap seconds, as JSON text.
var (
	leapTime     = constants.Of(&dfa.Constants, func() *automata.DFA { return mustLeap(fullTime, hourTens) })
	leapDateTime = constants.Of(&dfa.Constants, func() *automata.DFA { return mustLeap(fullDate+"[tT]"+fullTime, beforeTime) })
)

func mustLeap(pattern string, first clockPlace) *automata.DFA {
	d, err := dfa.ASCII(pattern)
	if err != nil {
		panic(err)
	}
	return withLeapSeconds(d, first) // it has some 13,000 states
}

// jsonTime are the bytes of times in JSON text, escapes included.
const jsonTime = `"0123456789abcdefABCDEFtTzZ:.+-u\`
