package jsontext

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gcdbench/internal/arena"
	"gcdbench/internal/words"
)

// A Kind is one of the six types of JSON values.
type Kind uint8

// The kinds. NumKinds is how many there are.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
	NumKinds
)

// String is the name of the kind as JSON Schema has it: "null", "boolean" and so on.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// A Value is a JSON value that keeps what encoding/json loses: the order of keys, the digits of
// numbers, and places.
type Value struct {
	Kind     Kind
	Truth    bool
	Text     string   // of a string the decoded characters, of a number its digits as written
	Items    []*Value // of an array; of an object the values, by key
	Keys     []string // of an object, in order
	Repeated []string // of an object: the keys that it has more than once, of which the last counts
	Lone     bool     // of a string or a key of an object: it has a lone surrogate, which is no character
	From, To int      // where its text begins and ends in the document, in bytes
}

// Size counts the values in v, up to a limit.
func (v *Value) Size(limit int) int {
	n := 1
	for _, x := range v.Items {
		if n >= limit {
			break
		}
		n += x.Size(limit - n)
	}
	return n
}

// HasText tells whether a text of Unicode characters can be v: no string in it has a lone
// surrogate.
func (v *Value) HasText() bool {
	return !v.Lone && !slices.ContainsFunc(v.Items, func(x *Value) bool { return !x.HasText() })
}

// Get is the value of a key, or nil.
func (v *Value) Get(key string) *Value {
	if v.Kind == Object {
		for i, k := range v.Keys {
			if k == key {
				return v.Items[i]
			}
		}
	}
	return nil
}

// At is the value that a JSON pointer leads to, or nil.
func (v *Value) At(pointer string) *Value {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if v.Kind == Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) {
				return nil
			}
			v = v.Items[i]
		} else if v = v.Get(PointedKey(token)); v == nil {
			return nil
		}
	}
	return v
}

// PointedKey is the key that a part of a JSON pointer writes.
func PointedKey(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return pointerUnescaper.Replace(token)
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// Set appends a key.
func (v *Value) Set(key string, x *Value) {
	v.Keys = append(v.Keys, key)
	v.Items = append(v.Items, x)
}

// Remove takes a key and its value out; of a repeated one all.
func (v *Value) Remove(key string) {
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if v.Keys[i] == key {
			v.Keys, v.Items = slices.Delete(v.Keys, i, i+1), slices.Delete(v.Items, i, i+1)
		}
	}
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

// A parser reads one document by recursive descent. Schemas are read here, and not by
// encoding/json, for what a Value keeps, and since errors should say the line and column. The
// syntax is RFC 8259.
type parser struct {
	file  string
	src   []byte
	pos   int
	depth int
	// repeats keeps each of equal keys of an object. Otherwise the last value counts, in the place
	// of the first, which the RFC leaves open and most readers do.
	repeats bool
	lone    bool // the last string has a lone surrogate
	// twice is about the first key that its object had before, nil for none.
	twice error

	room  arena.Arena[Value] // what values are cut from
	items []*Value           // of the arrays and objects that are open
	keys  []string           // of the objects that are open
}

// valueOf is a new value.
func (p *parser) valueOf(k Kind) *Value {
	v := &p.room.Take(1)[0]
	v.Kind = k
	return v
}

// popped takes what stands in a list from a place on out of it.
func popped[T any](list *[]T, from int) []T {
	top := append([]T(nil), (*list)[from:]...)
	*list = (*list)[:from]
	return top
}

// Parse reads a whole document, which the file's name names in errors. Of a key that occurs twice
// in an object the last value counts. The error is a *SyntaxError.
func Parse(file string, src []byte) (*Value, error) {
	p := &parser{file: file, src: src}
	return p.document()
}

// parseAll reads a document with all of its members, also those of equal keys.
func parseAll(src []byte) (*Value, error) {
	p := &parser{src: src, repeats: true}
	return p.document()
}

func (p *parser) document() (*Value, error) {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(p.src, []byte(mark)) {
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

func (p *parser) fail(format string, args ...any) error {
	line, column := words.LineColumn(p.src, min(p.pos, len(p.src)))
	return &SyntaxError{File: p.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) space() { p.pos = SkipSpace(p.src, p.pos) }

// SkipSpace is the first position from at on that is not JSON's white space.
func SkipSpace(text []byte, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		default:
			return at
		}
	}
	return at
}

// peek is the next byte after white space, or 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos == len(p.src) {
		return 0
	}
	return p.src[p.pos]
}

// value reads a value, and notes its place.
func (p *parser) value() (v *Value, err error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, p.fail("nested more than %d deep", maxNesting)
	}
	c, from := p.peek(), p.pos
	switch {
	case c == '{':
		v, err = p.object()
	case c == '[':
		v, err = p.array()
	case c == '"':
		v = p.valueOf(String)
		v.Text, err = p.string()
		v.Lone, p.lone = p.lone, false
	case c == '-' || c >= '0' && c <= '9':
		v, err = p.number()
	default:
		v, err = p.word()
	}
	if err != nil {
		return nil, err
	}
	v.From, v.To = from, p.pos
	return v, nil
}

func (p *parser) word() (*Value, error) {
	rest := p.src[p.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("null")):
		p.pos += len("null")
		return p.valueOf(Null), nil
	case bytes.HasPrefix(rest, []byte("true")):
		p.pos += len("true")
		v := p.valueOf(Bool)
		v.Truth = true
		return v, nil
	case bytes.HasPrefix(rest, []byte("false")):
		p.pos += len("false")
		return p.valueOf(Bool), nil
	}
	if p.pos == len(p.src) {
		return nil, p.fail("the document ends where a JSON value is expected")
	}
	first, _ := utf8.DecodeRune(p.src[p.pos:])
	return nil, p.fail("no JSON value can begin with %q", first)
}

// list reads the members of an array or object, each by one, up to the bracket that closes it.
func (p *parser) list(v *Value, closing byte, one func() error) (*Value, error) {
	items, keys := len(p.items), len(p.keys)
	p.pos++
	if p.peek() == closing {
		p.pos++
		return v, nil
	}
	for {
		if err := one(); err != nil {
			return nil, err
		}
		switch p.peek() {
		case ',':
			p.pos++
		case closing:
			p.pos++
			v.Items, v.Keys = popped(&p.items, items), popped(&p.keys, keys)
			return v, nil
		default:
			return nil, p.fail("expected , or %c in an %s", closing, v.Kind)
		}
	}
}

func (p *parser) array() (*Value, error) {
	return p.list(p.valueOf(Array), ']', func() error {
		x, err := p.value()
		p.items = append(p.items, x)
		return err
	})
}

// fewKeys is how many keys of an object are compared one by one.
const fewKeys = 8

func (p *parser) object() (*Value, error) {
	v := p.valueOf(Object)
	items, keys := len(p.items), len(p.keys)
	var index map[string]int // of an object with many keys
	find := func(key string) int {
		if index == nil {
			return slices.Index(p.keys[keys:], key)
		}
		if i, known := index[key]; known {
			return i
		}
		return -1
	}
	return p.list(v, '}', func() error {
		if p.peek() != '"' {
			return p.fail("expected a key in quotes")
		}
		begin := p.pos
		key, err := p.string()
		if err != nil {
			return err
		}
		v.Lone, p.lone = v.Lone || p.lone, false
		if p.peek() != ':' {
			return p.fail("expected : after the key %q", key)
		}
		p.pos++
		x, err := p.value()
		if i := find(key); i >= 0 && !p.repeats {
			p.items[items+i] = x
			v.Repeated = append(v.Repeated, key)
			if p.twice == nil {
				p.pos, begin = begin, p.pos
				p.twice = p.fail("the key %q stood already in the same object", key)
				p.pos = begin
			}
			return err
		}
		p.items, p.keys = append(p.items, x), append(p.keys, key)
		if n := len(p.keys) - keys; index != nil {
			index[key] = n - 1
		} else if n == fewKeys {
			index = make(map[string]int, 2*fewKeys)
			for i, key := range p.keys[keys:] {
				index[key] = i
			}
		}
		return err
	})
}

func (p *parser) number() (*Value, error) {
	start := p.pos
	if !p.digits() {
		return nil, p.fail("a number is not complete")
	}
	if p.pos-start > maxNumber {
		p.pos = start
		return nil, p.fail("a number has more than %d characters", maxNumber)
	}
	v := p.valueOf(Number)
	v.Text = string(p.src[start:p.pos])
	return v, nil
}

// digits reads a number; it is false where none is complete.
func (p *parser) digits() bool {
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
	return ok
}

func (p *parser) string() (string, error) {
	p.pos++
	if part := p.plain(); p.pos+len(part) < len(p.src) && p.src[p.pos+len(part)] == '"' && utf8.Valid(part) {
		p.pos += len(part) + 1 // most strings are as they are written
		return string(part), nil
	}
	var b strings.Builder
	for p.pos < len(p.src) {
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
func (p *parser) escape() (rune, error) {
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
		p.lone = true
		return utf8.RuneError, nil
	}
	return r, nil
}

func (p *parser) hex() (rune, bool) {
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
