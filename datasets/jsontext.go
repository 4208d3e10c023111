package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The files of schema corpora are read by this scanner and not by encoding/json, for three reasons:
// an instance is kept byte for byte, an error says where it is and what was expected there, and
// nesting is bounded by the size of the text alone (encoding/json refuses 10,000 levels, and a
// corpus may well ask what an engine does with them). It never recurses.

// jsonError is a place in a JSON text and what is wrong there.
type jsonError struct {
	at   int // byte offset
	what string
}

func (e *jsonError) Error() string { return e.what }

// span is the part [from, to) of a text; the zero span is none.
type span struct{ from, to int }

// jsonScanner reads the values of a JSON text one after the other.
type jsonScanner struct {
	text []byte
	at   int
}

// expectation lists the signs that may come next inside a value.
type expectation int

const (
	aValue expectation = iota
	aValueOrEnd
	aName
	aNameOrEnd
	aCommaOrEnd
)

var expectations = [...]string{"a value", "a value or ']'", "a member's name in quotes", "a member's name in quotes or '}'", "',' or the end of the %s"}

// value reads one value, after white space. If emit is set, it is called with each token of it in
// order.
func (s *jsonScanner) value(emit func(token []byte)) (span, error) {
	s.space()
	from := s.at
	var open []byte // the brackets that are not closed
	for expect := aValue; ; {
		s.space()
		begin := s.at
		c := s.peek()
		switch {
		case expect == aCommaOrEnd && c == ',' && len(open) > 0:
			s.at++
			expect = aValue
			if open[len(open)-1] == '{' {
				expect = aName
			}
		case s.closes(c, expect, open):
			s.at++
			open = open[:len(open)-1]
			expect = aCommaOrEnd
		case expect <= aValueOrEnd && (c == '{' || c == '['):
			s.at++
			open = append(open, c)
			expect = aValueOrEnd
			if c == '{' {
				expect = aNameOrEnd
			}
		case expect <= aValueOrEnd && startsScalar(c):
			if err := s.scalar(); err != nil {
				return span{}, err
			}
			expect = aCommaOrEnd
		case (expect == aName || expect == aNameOrEnd) && c == '"':
			if err := s.str(); err != nil {
				return span{}, err
			}
			if emit != nil {
				emit(s.text[begin:s.at])
			}
			s.space()
			if begin = s.at; s.peek() != ':' {
				return span{}, s.expected("':'")
			}
			s.at++
			expect = aValue
		default:
			return span{}, s.expectedIn(expect, open)
		}
		if emit != nil {
			emit(s.text[begin:s.at])
		}
		if len(open) == 0 {
			return span{from, s.at}, nil
		}
	}
}

// closes is whether c may close the innermost bracket here.
func (s *jsonScanner) closes(c byte, expect expectation, open []byte) bool {
	if len(open) == 0 || expect == aValue || expect == aName {
		return false
	}
	return open[len(open)-1] == '{' && c == '}' || open[len(open)-1] == '[' && c == ']'
}

func startsScalar(c byte) bool {
	return c == '"' || c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' || c == 'n'
}

func (s *jsonScanner) scalar() error {
	switch s.text[s.at] {
	case '"':
		return s.str()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *jsonScanner) word(w string) error {
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return s.expected("a value")
	}
	s.at += len(w)
	return nil
}

// str reads a string, whose quote is next.
func (s *jsonScanner) str() error {
	for s.at++; ; s.at++ {
		c := s.peek()
		switch {
		case s.at >= len(s.text):
			return s.expected("the end of a string")
		case c == '"':
			s.at++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return &jsonError{s.at, fmt.Sprintf("a control character in a string must be written as an escape, \\u%04x", c)}
		}
	}
}

// escape reads a backslash and what belongs to it, except the last character.
func (s *jsonScanner) escape() error {
	s.at++
	c := s.peek()
	if c != 'u' {
		if c == 0 || !bytes.ContainsRune([]byte(`"\/bfnrt`), rune(c)) {
			return s.expected(`one of "\/bfnrtu behind a backslash`)
		}
		return nil
	}
	for range 4 {
		s.at++
		if c := s.peek(); !(c >= '0' && c <= '9' || c|' ' >= 'a' && c|' ' <= 'f') {
			return s.expected("a hexadecimal digit")
		}
	}
	return nil
}

func (s *jsonScanner) number() error {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
		if c := s.peek(); c >= '0' && c <= '9' {
			return &jsonError{s.at, "a number must not begin with 0 and more digits"}
		}
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.peek() == '.' {
		s.at++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.peek()|' ' == 'e' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		return s.digits()
	}
	return nil
}

func (s *jsonScanner) digits() error {
	if c := s.peek(); c < '0' || c > '9' {
		return s.expected("a digit")
	}
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	return nil
}

// peek is the next byte, 0 at the end.
func (s *jsonScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *jsonScanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// end refuses anything but white space after the last value.
func (s *jsonScanner) end() error {
	if s.space(); s.at < len(s.text) {
		return s.expected("the end of the text")
	}
	return nil
}

func (s *jsonScanner) expectedIn(expect expectation, open []byte) error {
	what := expectations[expect]
	if expect == aCommaOrEnd {
		kind := "array"
		if open[len(open)-1] == '{' {
			kind = "object"
		}
		what = fmt.Sprintf(what, kind)
	}
	return s.expected(what)
}

// expected is the error that something else stands here.
func (s *jsonScanner) expected(what string) error {
	if s.at >= len(s.text) {
		return &jsonError{s.at, "expected " + what + ", but the text ends"}
	}
	if bytes.HasPrefix(s.text[s.at:], byteOrderMark) { // no editor shows it
		return &jsonError{s.at, "expected " + what + ", found a byte order mark; save the text as UTF-8 without one"}
	}
	r, _ := utf8.DecodeRune(s.text[s.at:])
	return &jsonError{s.at, fmt.Sprintf("expected %s, found %q", what, r)}
}

// member is a name and a value of an object.
type member struct {
	name  string
	at    int // of the name
	value span
}

// members reads an object, which is next, and leaves its values as they are.
func (s *jsonScanner) members() ([]member, error) {
	var list []member
	s.space()
	s.at++ // the bracket
	for {
		if s.space(); s.peek() == '}' {
			s.at++
			return list, nil
		}
		if len(list) > 0 {
			s.at++ // the comma
			s.space()
		}
		m := member{at: s.at}
		if err := s.str(); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(s.text[m.at:s.at], &m.name); err != nil {
			return nil, &jsonError{m.at, err.Error()}
		}
		s.space()
		s.at++ // the colon
		var err error
		if m.value, err = s.value(nil); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
}

// items reads an array, which is next, and leaves its values as they are.
func (s *jsonScanner) items() ([]span, error) {
	var list []span
	s.space()
	s.at++ // the bracket
	for {
		if s.space(); s.peek() == ']' {
			s.at++
			return list, nil
		}
		if len(list) > 0 {
			s.at++ // the comma
		}
		v, err := s.value(nil)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}
