// Package items compares the items of arrays of JSON while a text is read.
//
// No grammar tells apart items that have any of unboundedly many values. So a recognizer keeps a
// Register beside its parser: the values of the finished items of each open array that asks for it,
// and what is there of the next. Values are equal as JSON Schema has it: numbers by value (1, 1.0
// and 10e-1), strings by characters ("A" and "\u0041"), objects without the order of keys. Of a key
// that an object has twice the last value counts.
//
// A string, an array or an object is finished by its last byte; a number, true, false and null are
// finished by the byte after them. Then Again tells whether the item is there already. What that
// means for a text is up to the parser, which knows whether the array may have equal items
// (docs/contract.md).
//
// A Register is a small value over persistent lists and trees, so that a copy is a place to go back
// to. To find an item among n others takes some log n comparisons of texts.
package items

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Register is what a text has led to inside an array whose items are compared. It is a value;
// what it refers to is never changed.
type Register struct {
	top     *frame // nil after the last bracket
	text    *chunk // of the scalar that is being read, before part
	part    [maxPart]byte
	n       uint8 // bytes of part
	mode    mode
	again   bool
	blocked Blocked
}

// Blocked is what the lexeme that was begun last may not be.
type Blocked struct {
	Other bool // what may not come after an item equal to an earlier one
	Equal bool // what may only end an array of which two items are equal
}

// A mode is where the next byte stands.
type mode uint8

const (
	between mode = iota // outside of scalars
	quoted              // in a string
	escaped             // there, behind a backslash
	word                // in a number, true, false or null
)

// maxPart is how many bytes of a scalar a register holds itself.
const maxPart = 24

// A chunk is a part of a scalar.
type chunk struct {
	before *chunk
	text   string
}

// A frame is an open array or object.
type frame struct {
	up       *frame
	list     *member // the finished items or members, the last first
	values   *tree   // of an array whose items are compared: the finished items
	key      string  // of an object: the canonical text of the key whose value comes next
	object   bool
	compared bool // the items are compared with each other
	twice    bool // two items of it are equal
}

// A member is a finished item, or a key with its value.
type member struct {
	before *member
	key    string
	value  *value
	n      int // members up to this one
}

// A value is a finished one. Equal values have equal texts, and no text is the beginning of another
// value's.
type value struct {
	text    string
	members []*member // of an array in order; of an object by key
}

// endOfString ends the text of a string: no byte of UTF-8 is it.
const endOfString = 0xff

// Open is the register behind the bracket that opens an array whose items are compared.
func Open() *Register { return &Register{top: &frame{compared: true}} }

// Closed tells whether the array that the register was made for is closed.
func (r *Register) Closed() bool { return r.top == nil }

// Quoted tells whether the next byte stands in a string.
func (r *Register) Quoted() bool { return r.mode == quoted || r.mode == escaped }

// Again tells whether the last byte finished an item that equals an earlier one of its array, or
// one did and only white space came after it.
func (r *Register) Again() bool { return r.again }

// Blocked is what the lexeme that the last byte belongs to may not be.
func (r *Register) Blocked() Blocked { return r.blocked }

// Read reads the next byte of a text that a grammar of JSON allows. compared says whether the items
// of the array are compared that it opens.
func (r *Register) Read(b byte, compared bool) {
	switch r.mode {
	case quoted, escaped:
		r.readQuoted(b)
		return
	case word:
		if !endsWord(b) {
			r.add(b)
			return
		}
		r.finish(&value{text: canonicalWord(string(r.scalar(nil)))})
		r.mode = between
	}
	switch b {
	case ' ', '\t', '\n', '\r', ':':
	case ',':
		r.blocked, r.again = Blocked{Other: r.again}, false
	case ']', '}':
		r.close()
	case '[', '{':
		r.begins()
		r.top = &frame{up: r.top, object: b == '{', compared: b == '[' && compared}
	case '"':
		r.begins()
		r.mode = quoted
	default:
		r.begins()
		r.mode = word
		r.add(b)
	}
}

// endsWord tells whether a byte ends a number or a word.
func endsWord(b byte) bool { return strings.IndexByte(",]} \t\n\r", b) >= 0 }

// begins notes that a value begins.
func (r *Register) begins() {
	r.text, r.n, r.again, r.blocked = nil, 0, false, Blocked{}
}

// add appends a byte to the scalar.
func (r *Register) add(b byte) {
	if r.n == maxPart {
		r.text, r.n = &chunk{r.text, string(r.part[:])}, 0
	}
	r.part[r.n] = b
	r.n++
}

// scalar appends the text of the scalar, without the quote before it, to dst.
func (r *Register) scalar(dst []byte) []byte {
	var chunks []string
	for c := r.text; c != nil; c = c.before {
		chunks = append(chunks, c.text)
	}
	for _, text := range slices.Backward(chunks) {
		dst = append(dst, text...)
	}
	return append(dst, r.part[:r.n]...)
}

func (r *Register) readQuoted(b byte) {
	switch {
	case r.mode == escaped:
		r.mode = quoted
	case b == '\\':
		r.mode = escaped
	case b == '"':
		r.mode = between
		text, rest := r.pendingString() // an escape that is no character counts as it is written
		text += rest + string([]byte{endOfString})
		if r.top != nil && r.top.object && r.top.key == "" {
			top := *r.top
			top.key = text
			r.top = &top
			return
		}
		r.finish(&value{text: text})
		return
	}
	r.add(b)
}

// pendingString is the canonical text of what there is of a string, as far as its characters are
// complete, and the escape that is not; "" if all are.
func (r *Register) pendingString() (text, begun string) {
	raw := r.scalar([]byte{'"'})
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw), ""
	}
	whole := complete(raw[1:])
	var plain string
	if json.Unmarshal(slices.Concat([]byte{'"'}, whole, []byte{'"'}), &plain) != nil {
		return string(raw[:1]), string(raw[1:])
	}
	if rest := string(raw[1+len(whole):]); strings.HasPrefix(rest, `\`) {
		return `"` + plain, rest
	} else {
		return `"` + plain + rest, ""
	}
}

// complete leaves out an escape at the end that may still become another character, and a character
// that is not complete.
func complete(raw []byte) []byte {
	end := 0
	for end < len(raw) {
		n := escapeLength(raw[end:])
		if n > len(raw)-end {
			break
		}
		end += n
	}
	return raw[:end]
}

// escapeLength is how many bytes the character takes that a text of a string begins with; more than
// there are if it is not complete.
func escapeLength(raw []byte) int {
	switch {
	case raw[0] != '\\' && !utf8.FullRune(raw):
		return len(raw) + 1
	case raw[0] != '\\':
		_, n := utf8.DecodeRune(raw)
		return n
	case len(raw) < 2 || raw[1] != 'u':
		return 2
	case len(raw) >= 4 && (raw[2] == 'd' || raw[2] == 'D') && strings.IndexByte("89abAB", raw[3]) >= 0:
		return 12
	}
	return 6
}

// finish ends a value in the frame it is in.
func (r *Register) finish(v *value) {
	r.again = false
	if r.top == nil {
		return
	}
	top := *r.top
	if top.compared && !top.object {
		r.again = top.values.has(v)
		top.twice = top.twice || r.again
		top.values = top.values.with(v)
	}
	top.list, top.key = &member{before: top.list, key: top.key, value: v, n: top.size() + 1}, ""
	r.top = &top
}

func (f *frame) size() int {
	if f.list == nil {
		return 0
	}
	return f.list.n
}

// close ends the open array or object.
func (r *Register) close() {
	f := r.top
	if f == nil {
		return
	}
	if r.blocked = (Blocked{}); !f.object {
		r.blocked = Blocked{Other: r.again, Equal: !f.twice}
	}
	r.top = f.up
	if r.top == nil {
		r.again = false
		return
	}
	r.finish(f.value())
}

// value is the value of a frame.
func (f *frame) value() *value {
	v := &value{members: f.members()}
	var text strings.Builder
	text.WriteByte("[{"[btoi(f.object)])
	for _, m := range v.members {
		text.WriteString(m.key)
		text.WriteString(m.value.text)
		text.WriteByte(',')
	}
	text.WriteByte("]}"[btoi(f.object)])
	v.text = text.String()
	return v
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// members are the items of an array in order, or the members of an object by key.
func (f *frame) members() []*member {
	list := make([]*member, 0, f.size())
	for m := f.list; m != nil; m = m.before {
		list = append(list, m)
	}
	if !f.object {
		slices.Reverse(list)
		return list
	}
	slices.SortStableFunc(list, func(a, b *member) int { return strings.Compare(a.key, b.key) })
	return slices.CompactFunc(list, func(a, b *member) bool { return a.key == b.key })
}

// canonicalWord is the text of a number, the same for equal ones, or of another word.
func canonicalWord(text string) string {
	if text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return text + ","
	}
	sign, digits, exponent := parts(text)
	if digits == "" {
		return "0,"
	}
	e, ok := new(big.Int).SetString(exponent, 10)
	if !ok {
		return text + "," // no number
	}
	_, fraction, _ := strings.Cut(mantissa(text), ".")
	rest := strings.TrimRight(digits, "0")
	e.Add(e, big.NewInt(int64(len(digits)-len(rest)-len(fraction))))
	return sign + rest + "e" + e.String() + ","
}

// parts are the sign of a number, the digits of its mantissa from the first that is not 0, and its
// exponent, "0" if there is none.
func parts(text string) (sign, digits, exponent string) {
	if text[0] == '-' {
		sign = "-"
	}
	exponent = "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent = strings.TrimPrefix(text[i+1:], "+")
	}
	digits = strings.Replace(strings.TrimPrefix(mantissa(text), "-"), ".", "", 1)
	return sign, strings.TrimLeft(digits, "0"), exponent
}

// mantissa is what of a number stands before its exponent.
func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}
