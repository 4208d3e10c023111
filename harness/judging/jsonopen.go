package judging

import (
	"bytes"
	"encoding/json"
	"slices"

	"gcdbench/internal/jsontext"
)

// What is open at the end of a JSON text that is not complete: brackets, a string, the keys that an
// object has got. A drive closes it by what it finds here.

// jsonOpen is what is open in a text.
type jsonOpen struct {
	text   []byte
	stack  []*openValue
	last   byte // of the text, without white space and what is in strings; 0 at its begin
	quoted bool // it ends in a string,
	begin  int  // whose characters begin here
	escape bool // and in an escape of one letter, or before it
}

// openValue is an object or an array that is open.
type openValue struct {
	object bool
	keys   []string
	key    bool // a key comes next, or is being written
	items  int  // that are complete, of an array
	begin  int  // of the item at hand
}

// top is the innermost one; nil if none is open.
func (o *jsonOpen) top() *openValue {
	if len(o.stack) == 0 {
		return nil
	}
	return o.stack[len(o.stack)-1]
}

// readOpen reads a text.
func readOpen(text []byte) *jsonOpen {
	o := &jsonOpen{text: text}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case o.quoted && c == '\\':
			if i++; i >= len(text) {
				o.escape = true
			}
		case o.quoted && c == '"':
			o.quoted, o.last = false, c
			if v := o.top(); v != nil && v.key {
				v.keys, v.key = append(v.keys, keyOf(text[o.begin:i])), false
			}
		case o.quoted, c == ' ', c == '\n', c == '\t', c == '\r':
		case c == '"':
			o.quoted, o.begin = true, i+1
		default:
			o.punctuation(c, i)
			o.last = c
		}
	}
	return o
}

// punctuation reads a byte that is in no string.
func (o *jsonOpen) punctuation(c byte, at int) {
	switch c {
	case '{', '[':
		o.stack = append(o.stack, &openValue{object: c == '{', key: c == '{', begin: at + 1})
	case '}', ']':
		if len(o.stack) > 0 {
			o.stack = o.stack[:len(o.stack)-1]
		}
	case ',':
		if v := o.top(); v != nil {
			v.key, v.begin = v.object, at+1
			v.items++
		}
	}
}

// keyOf is the key of a string's inside, or that itself if it is broken.
func keyOf(inside []byte) string {
	var key string
	if json.Unmarshal(slices.Concat([]byte{'"'}, inside, []byte{'"'}), &key) != nil {
		return string(inside)
	}
	return key
}

// spoils reports whether an object would have a key twice, or an empty one, behind a token. What the
// text has already does not count.
func (o *jsonOpen) spoils(token []byte) bool {
	v := o.top()
	if v == nil || bytes.IndexByte(token, '"') < 0 || !v.object && bytes.IndexByte(token, '{') < 0 {
		return false
	}
	after := readOpen(slices.Concat(o.text, token))
	bad := func(keys []string) bool {
		for i, k := range keys {
			if k == "" || slices.Contains(keys[:i], k) {
				return true
			}
		}
		return false
	}
	for i, v := range after.stack {
		if bad(v.keys) && (i >= len(o.stack) || !bad(o.stack[i].keys)) {
			return true
		}
	}
	return false
}

// copyItem is a comma and a copy of the only item of an array that has just ended; nil elsewhere, and
// of what is no JSON.
func (o *jsonOpen) copyItem() []byte {
	if o == nil {
		return nil
	}
	v := o.top()
	if v == nil || v.object || v.items > 0 || o.quoted {
		return nil
	}
	item := bytes.TrimSpace(o.text[v.begin:])
	if !json.Valid(item) {
		return nil
	}
	return slices.Concat([]byte{','}, item)
}

// wishes are bytes in the order in which they are likely to end the text.
func (o *jsonOpen) wishes(order jsontext.Order) []byte {
	v := o.top()
	switch {
	case o.escape:
		return []byte(`n"\/0`)
	case o.quoted && v != nil && v.key:
		return o.keyWishes(v, order)
	case o.quoted:
		return []byte(inString)
	}
	var wishes []byte
	switch o.last {
	case ',', ':', '[', 0:
		if o.last == '[' {
			wishes = append(wishes, ']')
		}
		wishes = append(wishes, "0\"{[tfn1-"...)
	default:
		if v != nil && v.object {
			wishes = append(wishes, '}')
		} else if v != nil {
			wishes = append(wishes, ']')
		}
	}
	return append(wishes, anywhere...)
}

// keyWishes spell a key that the schema declares and the object has not got: first those that are
// declared together with the object's, or else any other name.
func (o *jsonOpen) keyWishes(v *openValue, order jsontext.Order) (wishes []byte) {
	begun := o.text[o.begin:]
	wish := func(keys []string) {
		for _, key := range keys {
			spelled := plainKey(key)
			if slices.Contains(v.keys, key) || !bytes.HasPrefix(spelled, begun) || len(spelled) == len(begun) {
				continue
			}
			if b := spelled[len(begun)]; bytes.IndexByte(wishes, b) < 0 {
				wishes = append(wishes, b)
			}
		}
	}
	wish(order.Of(v.keys))
	for _, keys := range order {
		wish(keys)
	}
	if len(begun) > 0 && !slices.Contains(v.keys, keyOf(begun)) {
		wishes = append(wishes, '"')
	}
	return append(wishes, "abcdefghijklmnopqrstuvwxyz0123456789_-ABCDEFGHIJKLMNOPQRSTUVWXYZ$.:/@ "...)
}

// plainKey is a key with its closing quote, without escapes that JSON does not demand.
func plainKey(key string) []byte {
	text, err := json.Marshal(key)
	if err != nil || key == "" {
		return nil
	}
	return plainStrings(text)[1:]
}
