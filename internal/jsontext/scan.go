package jsontext

import (
	"bytes"
	"unicode/utf8"
)

// A Scanner reads a JSON text from left to right, and keeps nothing of it. Each method reads one
// thing, and is false where that does not stand there; then the text is none that Parse takes, or a
// rare one (an object in hundreds of others), and Parse says which.
type Scanner struct{ p parser }

// NewScanner is a Scanner at the beginning of a text.
func NewScanner(text []byte) *Scanner { return &Scanner{parser{src: text}} }

// maxScanned bounds the nesting of what a Scanner reads.
const maxScanned = 500

// At is where the Scanner is, in bytes: behind what it has read.
func (s *Scanner) At() int { return s.p.pos }

// Peek is the byte that the next value begins with, 0 at the end of the text.
func (s *Scanner) Peek() byte { return s.p.peek() }

// String reads a string, and returns its characters as they are written.
func (s *Scanner) String() (raw []byte, ok bool) {
	p := &s.p
	if p.peek() != '"' {
		return nil, false
	}
	from := p.pos + 1
	for p.pos = from; ; p.pos++ {
		p.pos += len(p.plain())
		switch {
		case p.pos >= len(p.src) || p.src[p.pos] < ' ':
			return nil, false
		case p.src[p.pos] == '"':
			p.pos++
			raw = p.src[from : p.pos-1]
			return raw, utf8.Valid(raw)
		}
		if _, err := p.escape(); err != nil {
			return nil, false
		}
		p.pos--
	}
}

// plain is what stands at a place of a string up to a quote, a backslash or a control character.
func (p *parser) plain() []byte {
	end := p.pos
	for end < len(p.src) && p.src[end] != '"' && p.src[end] != '\\' && p.src[end] >= ' ' {
		end++
	}
	return p.src[p.pos:end]
}

// Word reads null, true or false.
func (s *Scanner) Word(word string) bool {
	s.p.space()
	ok := bytes.HasPrefix(s.p.src[s.p.pos:], []byte(word))
	if ok {
		s.p.pos += len(word)
	}
	return ok
}

// Number reads a number.
func (s *Scanner) Number() (digits []byte, ok bool) {
	s.p.space()
	from := s.p.pos
	ok = s.p.digits()
	return s.p.src[from:s.p.pos], ok && s.p.pos-from <= maxNumber
}

// Object reads an object. Member has to read the value of a key.
func (s *Scanner) Object(member func(key []byte) bool) bool {
	return s.list('{', '}', func() bool {
		key, ok := s.String()
		if !ok || s.p.peek() != ':' {
			return false
		}
		s.p.pos++
		return member(key)
	})
}

// Array reads an array. Item has to read an item.
func (s *Scanner) Array(item func() bool) bool { return s.list('[', ']', item) }

// list reads what stands between two brackets, with commas between.
func (s *Scanner) list(opening, closing byte, one func() bool) bool {
	if s.p.peek() != opening || s.p.depth == maxScanned {
		return false
	}
	s.p.depth++
	s.p.pos++
	if s.p.peek() == closing {
		s.p.pos, s.p.depth = s.p.pos+1, s.p.depth-1
		return true
	}
	for one() {
		switch s.p.peek() {
		case ',':
			s.p.pos++
		case closing:
			s.p.pos, s.p.depth = s.p.pos+1, s.p.depth-1
			return true
		default:
			return false
		}
	}
	return false
}

// Value reads a value of any kind.
func (s *Scanner) Value() (ok bool) {
	switch c := s.p.peek(); c {
	case '{':
		return s.Object(func([]byte) bool { return s.Value() })
	case '[':
		return s.Array(s.Value)
	case '"':
		_, ok = s.String()
	case 'n':
		ok = s.Word("null")
	case 't':
		ok = s.Word("true")
	case 'f':
		ok = s.Word("false")
	default:
		_, ok = s.Number()
	}
	return ok
}
