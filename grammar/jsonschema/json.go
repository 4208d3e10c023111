package jsonschema

import (
	"bytes"
	"fmt"
	"gcdbench/grammar/jsonschema/internal/number"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonKind is one of the six types of JSON values.
type jsonKind uint8

const (
	kindNull jsonKind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
	numKinds
)

// String is the name that the type keyword uses.
func (k jsonKind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// A value is a JSON value that keeps what encoding/json loses: the order of keys and the digits of
// numbers.
type value struct {
	kind  jsonKind
	truth bool
	text  string // of a string the decoded characters, of a number its digits as written
	items []*value
	keys  []string // of an object, in order; items has the values
}

// size counts the values in v, up to a limit.
func (v *value) size(limit int) int {
	n := 1
	for _, x := range v.items {
		if n >= limit {
			break
		}
		n += x.size(limit - n)
	}
	return n
}

// get is the value of a key, or nil.
func (v *value) get(key string) *value {
	if v.kind == kindObject {
		for i, k := range v.keys {
			if k == key {
				return v.items[i]
			}
		}
	}
	return nil
}

// set appends or replaces a key.
func (v *value) set(key string, x *value) {
	v.keys = append(v.keys, key)
	v.items = append(v.items, x)
}

// canonical writes a text that two values share exactly if they are equal as JSON Schema sees it:
// numbers by value, objects without order.
func (v *value) canonical(b *strings.Builder) {
	switch v.kind {
	case kindNull:
		b.WriteString("null")
	case kindBool:
		b.WriteString(strconv.FormatBool(v.truth))
	case kindNumber:
		b.WriteString(number.Parse(v.text).String())
	case kindString:
		b.WriteString(strconv.Quote(v.text))
	case kindArray:
		b.WriteByte('[')
		for _, x := range v.items {
			x.canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		b.WriteByte('{')
		for _, i := range sortedIndex(v.keys) {
			b.WriteString(strconv.Quote(v.keys[i]))
			b.WriteByte(':')
			v.items[i].canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

func (v *value) key() string {
	var b strings.Builder
	v.canonical(&b)
	return b.String()
}

// maxNesting bounds the nesting of a schema document: as much as encoding/json allows. At a few
// hundred bytes of stack a level it is far from what a goroutine may use.
const maxNesting = 10_000

// maxNumber bounds the characters of a number: every double can be written exactly with 1,077.
const maxNumber = 10_000

// A SyntaxError says where a document is not JSON.
type SyntaxError struct {
	File         string
	Line, Column int // from 1; Column counts characters
	Message      string
}

// Error is file:line:column: message.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Schemas are parsed here, and not by encoding/json, for three reasons: the order of keys matters,
// as instances are written in it; numbers must keep their digits; errors should say the line and
// column. The syntax is RFC 8259. Of a key that occurs twice in an object the last value counts,
// which the RFC leaves open and most readers do.

// A jsonParser reads one document by recursive descent.
type jsonParser struct {
	file  string
	src   []byte
	pos   int
	depth int
}

// parseJSON reads a whole document. The error is a *SyntaxError.
func parseJSON(file string, src []byte) (*value, error) {
	p := &jsonParser{file: file, src: src}
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(src, []byte(mark)) {
			return nil, p.fail("the file begins with a byte order mark; save it as UTF-8 without one")
		}
	}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.src) {
		return nil, p.fail("there is more text after the JSON value")
	}
	return v, nil
}

func (p *jsonParser) fail(format string, args ...any) error {
	before := p.src[:min(p.pos, len(p.src))]
	line := 1 + strings.Count(string(before), "\n")
	column := 1 + utf8.RuneCount(before[strings.LastIndexByte(string(before), '\n')+1:])
	return &SyntaxError{File: p.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (p *jsonParser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

// peek is the next byte after white space, or 0 at the end.
func (p *jsonParser) peek() byte {
	p.space()
	if p.pos == len(p.src) {
		return 0
	}
	return p.src[p.pos]
}

func (p *jsonParser) value() (*value, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, p.fail("nested more than %d deep", maxNesting)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		s, err := p.string()
		return &value{kind: kindString, text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case p.pos == len(p.src):
		return nil, p.fail("the document ends where a JSON value is expected")
	}
	for word, v := range map[string]*value{"null": {}, "true": {kind: kindBool, truth: true}, "false": {kind: kindBool}} {
		if strings.HasPrefix(string(p.src[p.pos:min(p.pos+5, len(p.src))]), word) {
			p.pos += len(word)
			return v, nil
		}
	}
	first, _ := utf8.DecodeRune(p.src[p.pos:])
	return nil, p.fail("no JSON value can begin with %q", first)
}

func (p *jsonParser) array() (*value, error) {
	v := &value{kind: kindArray}
	p.pos++
	if p.peek() == ']' {
		p.pos++
		return v, nil
	}
	for {
		x, err := p.value()
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, x)
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return v, nil
		default:
			return nil, p.fail("expected , or ] in an array")
		}
	}
}

func (p *jsonParser) object() (*value, error) {
	v := &value{kind: kindObject}
	index := map[string]int{}
	p.pos++
	if p.peek() == '}' {
		p.pos++
		return v, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fail("expected a key in quotes")
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, p.fail("expected : after the key %q", key)
		}
		p.pos++
		x, err := p.value()
		if err != nil {
			return nil, err
		}
		if i, ok := index[key]; ok {
			v.items[i] = x // as most readers of JSON: the last one counts
		} else {
			index[key] = len(v.keys)
			v.set(key, x)
		}
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return v, nil
		default:
			return nil, p.fail("expected , or } in an object")
		}
	}
}

func (p *jsonParser) number() (*value, error) {
	start := p.pos
	digits := func() bool {
		from := p.pos
		for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
			p.pos++
		}
		return p.pos > from
	}
	at := func(set string) bool {
		if p.pos < len(p.src) && strings.IndexByte(set, p.src[p.pos]) >= 0 {
			p.pos++
			return true
		}
		return false
	}
	at("-")
	ok := at("0") || digits()
	if at(".") {
		ok = digits() && ok
	}
	if at("eE") {
		at("+-")
		ok = digits() && ok
	}
	if !ok {
		return nil, p.fail("a number is not complete")
	}
	if p.pos-start > maxNumber {
		p.pos = start
		return nil, p.fail("a number has more than %d characters", maxNumber)
	}
	return &value{kind: kindNumber, text: string(p.src[start:p.pos])}, nil
}

func (p *jsonParser) string() (string, error) {
	var b strings.Builder
	for p.pos++; p.pos < len(p.src); {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return b.String(), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < ' ':
			return "", p.fail("a string holds the control character %#02x; write it as \\u%04x", c, c)
		default:
			r, n := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fail("a string is not UTF-8")
			}
			b.WriteRune(r)
			p.pos += n
		}
	}
	return "", p.fail("a string does not end")
}

// escape reads one escaped character; a lone surrogate becomes U+FFFD.
func (p *jsonParser) escape() (rune, error) {
	if p.pos+1 < len(p.src) {
		if i := strings.IndexByte(`"\/bfnrt`, p.src[p.pos+1]); i >= 0 {
			p.pos += 2
			return rune("\"\\/\b\f\n\r\t"[i]), nil
		}
	}
	r, ok := p.hex()
	if !ok {
		return 0, p.fail("a string has an escape that JSON does not know")
	}
	if utf16.IsSurrogate(r) {
		back := p.pos
		if low, ok := p.hex(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
			p.pos = back
		}
		return utf8.RuneError, nil
	}
	return r, nil
}

func (p *jsonParser) hex() (rune, bool) {
	if p.pos+6 > len(p.src) || p.src[p.pos] != '\\' || p.src[p.pos+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.src[p.pos+2:p.pos+6]), 16, 32)
	if err != nil {
		return 0, false
	}
	p.pos += 6
	return rune(n), true
}

// sortedIndex is the order that sorts keys.
func sortedIndex(keys []string) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	return order
}
