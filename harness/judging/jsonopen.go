package judging

import (
	"bytes"
	"encoding/json"
	"slices"

	"gcdbench/internal/jsontext"
)

// A drive ends an incomplete JSON text by closing what is open at its end: brackets, a string, an
// object that needs more keys.

// jsonOpen has the values that are open at the end of a text.
type jsonOpen struct {
	jsontext.Cursor // the end of the text
	text            []byte
	stack           []*openValue
	last            byte // the last byte that is neither white space nor in a string; 0 at the beginning
	begin           int  // of the characters of the string that is open
}

// openValue is an object or an array that is open.
type openValue struct {
	object bool
	keys   []string
	key    bool // a key comes next, or is being written
	items  int  // complete items of an array
	begin  int  // of the item at hand
}

// top is the innermost open value; nil if none is open.
func (o *jsonOpen) top() *openValue {
	if len(o.stack) == 0 {
		return nil
	}
	return o.stack[len(o.stack)-1]
}

// readOpen reads a text.
func readOpen(text []byte) *jsonOpen {
	o := &jsonOpen{text: text}
	for i, c := range text {
		quoted := o.Quoted
		o.Step(c)
		switch {
		case quoted && !o.Quoted:
			o.last = c
			if v := o.top(); v != nil && v.key {
				v.keys, v.key = append(v.keys, keyOf(text[o.begin:i])), false
			}
		case quoted, c == ' ', c == '\n', c == '\t', c == '\r':
		case o.Quoted:
			o.begin = i + 1
		default:
			o.punctuation(c, i)
			o.last = c
		}
	}
	return o
}

// punctuation reads a byte outside of strings.
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

// keyOf decodes the characters of a key; a broken key stands for itself.
func keyOf(inside []byte) string {
	var key string
	if json.Unmarshal(slices.Concat([]byte{'"'}, inside, []byte{'"'}), &key) != nil {
		return string(inside)
	}
	return key
}

// spoils reports whether a token would give an object a key twice, or an empty key.
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

// copyItem is a comma and a copy of the only item of an array, if that item has just ended; else
// nil.
func (o *jsonOpen) copyItem() []byte {
	if o == nil {
		return nil
	}
	v := o.top()
	if v == nil || v.object || v.items > 0 || o.Quoted {
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
	case o.Escape:
		return []byte(`n"\/0`)
	case o.Quoted && v != nil && v.key:
		return o.keyWishes(v, order)
	case o.Quoted:
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

// keyWishes are the next bytes of keys that the schema declares and the object does not have yet:
// first keys declared together with the object's, then other declared keys, then any name.
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

// plainKey is a key with its closing quote and only the escapes that JSON demands.
func plainKey(key string) []byte {
	text, err := json.Marshal(key)
	if err != nil || key == "" {
		return nil
	}
	return plainStrings(text)[1:]
}
