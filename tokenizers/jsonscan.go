package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"gcdbench/internal/jsontext"
)

// FormatError is a file that is not what it should be: broken JSON, a wrong type, a missing part.
type FormatError struct {
	File         string
	Offset       int // in bytes
	Line, Column int // 1-based; the column in bytes
	Message      string
	Hint         string // what to do
}

func (e *FormatError) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	s += ": " + e.Message
	if e.Line > 0 {
		s += fmt.Sprintf(" (byte %d)", e.Offset)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// UnsupportedError is a part of a tokenizer.json that this package does not implement.
type UnsupportedError struct {
	Feature string // such as "normalizer"
	Value   string // such as "Precompiled"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s %q is not supported", e.Feature, e.Value)
}

// maxJSONDepth bounds the nesting of values that are skipped. A tokenizer.json has about six
// levels.
const maxJSONDepth = 1000

// jsonScanner reads JSON from memory, one value at a time. It exists because of size: a
// tokenizer.json has up to 33 MB, nearly all of it one object of 262,144 members and one array
// of 514,906 pairs, which encoding/json takes 3 s to unmarshal (into maps and slices that would
// have to be turned into tables after that) and this takes 0.2 s to walk. The small parts are
// still unmarshalled by encoding/json; see raw.
//
// The first error sticks, and every later call returns zero values at once, so that callers
// check at the end of a loop.
type jsonScanner struct {
	file string
	data []byte
	pos  int
	err  *FormatError
}

// fail notes the first error, at byte offset at.
func (s *jsonScanner) fail(at int, hint, format string, args ...any) {
	if s.err != nil {
		return
	}
	line := 1 + bytes.Count(s.data[:at], []byte{'\n'})
	column := at - bytes.LastIndexByte(s.data[:at], '\n')
	s.err = &FormatError{s.file, at, line, column, fmt.Sprintf(format, args...), hint}
	s.pos = len(s.data)
}

const hintTruncated = "the file is cut off: fetch or copy it again"

// want complains that something else is at the current position.
func (s *jsonScanner) want(what string) {
	s.space()
	if s.pos >= len(s.data) {
		s.fail(len(s.data), hintTruncated, "the file ends where %s should be", what)
		return
	}
	if bytes.HasPrefix(s.data[s.pos:], []byte("\xef\xbb\xbf")) { // no editor shows it
		s.fail(s.pos, "save the file as UTF-8 without one", "%s expected, found a byte order mark", what)
		return
	}
	s.fail(s.pos, "the file is damaged or not a tokenizer.json", "%s expected, found %s", what, s.found())
}

// found describes the value at the current position.
func (s *jsonScanner) found() string {
	switch c := s.data[s.pos]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't', c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	default:
		r, _ := utf8.DecodeRune(s.data[s.pos:])
		return strconv.QuoteRune(r)
	}
}

// space skips white space.
func (s *jsonScanner) space() { s.pos = jsontext.SkipSpace(s.data, s.pos) }

// peek returns the next byte that is not white space, 0 at the end.
func (s *jsonScanner) peek() byte {
	s.space()
	if s.pos >= len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// object calls member for each key of an object, positioned at its value, which member must
// consume.
func (s *jsonScanner) object(member func(key []byte)) {
	s.list('{', '}', "an object", func() {
		key := s.str()
		if s.peek() != ':' {
			s.want("':'")
			return
		}
		s.pos++
		member(key)
	})
}

// array calls element for each element of an array, positioned at it, which element must consume.
func (s *jsonScanner) array(element func()) { s.list('[', ']', "an array", element) }

// list reads what stands between two brackets, item by item. If the file ends inside, the error
// says where the list began: in a file cut off that is the only place worth looking at.
func (s *jsonScanner) list(open, end byte, what string, item func()) {
	if s.peek() != open {
		s.want(what)
		return
	}
	start := s.pos
	s.pos++
	if s.peek() == end {
		s.pos++
		return
	}
	for s.err == nil {
		item()
		if s.err != nil {
			return
		}
		switch s.peek() {
		case ',':
			s.pos++
		case end:
			s.pos++
			return
		case 0:
			line := 1 + bytes.Count(s.data[:start], []byte{'\n'})
			s.fail(len(s.data), hintTruncated, "the file ends inside %s that begins in line %d", what, line)
		default:
			s.want("',' or '" + string(end) + "'")
		}
	}
}

// str reads a string. The result must not be changed.
func (s *jsonScanner) str() []byte {
	if s.peek() != '"' {
		s.want("a string")
		return nil
	}
	start := s.pos + 1
	n := bytes.IndexByte(s.data[start:], '"')
	if n >= 0 && bytes.IndexByte(s.data[start:start+n], '\\') < 0 {
		s.pos = start + n + 1
		return s.data[start : start+n]
	}
	end := start
	for end < len(s.data) && s.data[end] != '"' {
		if s.data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s.data) {
		s.fail(len(s.data), hintTruncated, "the file ends inside a string")
		return nil
	}
	var text string
	if err := json.Unmarshal(s.data[start-1:end+1], &text); err != nil {
		s.fail(start-1, "", "invalid string: %v", err)
		return nil
	}
	s.pos = end + 1
	return []byte(text)
}

// id reads a whole number that can be a token id.
func (s *jsonScanner) id() int {
	c := s.peek()
	if c != '-' && (c < '0' || c > '9') {
		s.want("a number")
		return 0
	}
	start := s.pos
	for s.pos < len(s.data) && bytes.IndexByte([]byte("+-.eE0123456789"), s.data[s.pos]) >= 0 {
		s.pos++
	}
	n, err := strconv.Atoi(string(s.data[start:s.pos]))
	if err != nil || n < 0 || n >= MaxVocabulary {
		s.fail(start, "", "%s is not a token id (0 to %d)", s.data[start:s.pos], MaxVocabulary-1)
		return 0
	}
	return n
}

// raw skips a value of any type and returns its text, which is valid JSON.
func (s *jsonScanner) raw() json.RawMessage {
	s.space()
	start := s.pos
	s.skip(0)
	if s.err != nil {
		return nil
	}
	text := s.data[start:s.pos]
	if !json.Valid(text) {
		s.fail(start, "the file is damaged", "invalid JSON value")
		return nil
	}
	return text
}

// skip moves past a value. It is lenient about what scalars look like; raw checks.
func (s *jsonScanner) skip(depth int) {
	if depth > maxJSONDepth {
		s.fail(s.pos, "", "nested deeper than %d levels", maxJSONDepth)
		return
	}
	switch s.peek() {
	case 0:
		s.want("a value")
	case '{':
		s.object(func([]byte) { s.skip(depth + 1) })
	case '[':
		s.array(func() { s.skip(depth + 1) })
	case '"':
		s.str()
	default:
		start := s.pos
		for s.pos < len(s.data) && bytes.IndexByte([]byte(",]} \t\r\n:\""), s.data[s.pos]) < 0 {
			s.pos++
		}
		if s.pos == start {
			s.want("a value")
		}
	}
}
