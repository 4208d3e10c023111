package items

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gcdbench/internal/bitset"
)

// Rivals finds out how a text can go on to an item that is there already. It remembers what it
// found out about open arrays and objects, for the texts that go on from them.
type Rivals struct {
	known map[*frame][]*value
}

// maxKnown is how many arrays and objects are remembered.
const maxKnown = 256

// Bytes is a set of bytes.
type Bytes [4]uint64

// Has tells whether a byte is in the set.
func (s *Bytes) Has(b byte) bool { return bitset.Has(s[:], int(b)) }

func (s *Bytes) add(list string) {
	for i := range len(list) {
		bitset.Add(s[:], int(list[i]))
	}
}

// Next are the bytes behind which a value that is being read may still become equal to an earlier
// item of its array, or to a part of one: behind other bytes no item that is being read does. It
// may have bytes too many. Members of objects count that are there; one that a later member of the
// same key takes away is not foreseen.
func (v *Rivals) Next(r *Register) (set Bytes) {
	f := r.top
	switch {
	case f == nil:
	case r.mode == word:
		v.inWord(r, &set)
	case r.mode == quoted || r.mode == escaped:
		v.inString(r, &set)
	case f.object && f.key == "":
		if len(v.of(f)) > 0 {
			set.add("\",} \t\n\r")
		}
	default:
		v.goingOn(f, "", func(rest string) { set.add(begins(rest)) })
		if set != (Bytes{}) || len(v.of(f)) > 0 {
			set.add(",]: \t\n\r")
		}
	}
	return set
}

// begins are the bytes that a value may begin with that has a canonical text.
func begins(text string) string {
	if isNumber(text) {
		return "-0123456789"
	}
	return text[:1]
}

// isNumber tells whether a text is that of a number; it is so in a range of the order of texts.
func isNumber(text string) bool { return text[0] == '-' || text[0] >= '0' && text[0] <= '9' }

// of are the values that an open array or object may still become equal to.
func (v *Rivals) of(f *frame) (list []*value) {
	if f.up == nil {
		return nil
	}
	list, known := v.known[f]
	if known {
		return list
	}
	could := f.couldBe()
	visit := func(x *value) {
		if could(x) {
			list = append(list, x)
		}
	}
	f.up.values.all(visit)
	for _, x := range v.parts(f.up) {
		visit(x)
	}
	if v.known == nil || len(v.known) >= maxKnown {
		v.known = map[*frame][]*value{}
	}
	v.known[f] = list
	return list
}

// parts are the parts of the values that f may become equal to which the next item of f, or the
// value of its next member, may become equal to.
func (v *Rivals) parts(f *frame) (list []*value) {
	for _, x := range v.of(f) {
		if f.object {
			if m := x.member(f.key); m != nil {
				list = append(list, m.value)
			}
		} else if f.size() < len(x.members) {
			list = append(list, x.members[f.size()].value)
		}
	}
	return list
}

// goingOn calls visit for the ways in which the texts of values go on behind a text that the next
// item of f, or the value of its next member, may become equal to.
func (v *Rivals) goingOn(f *frame, text string, visit func(rest string)) {
	f.values.goingOn(text, visit)
	for _, x := range v.parts(f) {
		if rest, ok := strings.CutPrefix(x.text, text); ok && rest != "" {
			visit(rest)
		}
	}
}

// member is the member of an object with a key, nil if there is none.
func (v *value) member(key string) *member {
	i, ok := slices.BinarySearchFunc(v.members, key, func(m *member, key string) int { return strings.Compare(m.key, key) })
	if !ok {
		return nil
	}
	return v.members[i]
}

// couldBe tells of values whether they have what an open array or object has so far. A member whose
// key comes again does not count.
func (f *frame) couldBe() func(*value) bool {
	members := f.members()
	if !f.object {
		return func(x *value) bool {
			return x.text[0] == '[' && len(members) <= len(x.members) &&
				slices.EqualFunc(members, x.members[:len(members)], func(a, b *member) bool { return a.value.text == b.value.text })
		}
	}
	members = slices.DeleteFunc(members, func(m *member) bool { return m.key == f.key })
	return func(x *value) bool {
		return x.text[0] == '{' && !slices.ContainsFunc(members, func(m *member) bool {
			other := x.member(m.key)
			return other == nil || other.value.text != m.value.text
		})
	}
}

// inString finds the bytes that a string may go on with.
func (v *Rivals) inString(r *Register, set *Bytes) {
	text, begun := r.pendingString()
	visit := func(rest string) {
		if begun == "" {
			set.add(`\`)
			if rest[0] == endOfString {
				rest = `"`
			}
			set.add(rest[:1])
			return
		}
		for _, escape := range escapes(rest) {
			if after, ok := strings.CutPrefix(escape, strings.ToLower(begun)); ok && after != "" {
				set.add(after[:1] + strings.ToUpper(after[:1]))
			}
		}
	}
	if f := r.top; f.object && f.key == "" {
		for _, x := range v.of(f) {
			for _, m := range x.members {
				if rest, ok := strings.CutPrefix(m.key, text); ok {
					visit(rest)
				}
			}
		}
		return
	}
	v.goingOn(r.top, text, visit)
}

// escapes are the escapes that denote the first character of the text of a string, in small
// letters.
func escapes(text string) []string {
	c, n := utf8.DecodeRuneInString(text)
	if c == utf8.RuneError && n <= 1 {
		return nil
	}
	hex := fmt.Sprintf(`\u%04x`, c)
	if a, b := utf16.EncodeRune(c); a != utf8.RuneError {
		hex = fmt.Sprintf(`\u%04x\u%04x`, a, b)
	}
	list := []string{hex}
	if i := strings.IndexRune("\"\\/\b\f\n\r\t", c); i >= 0 {
		list = append(list, `\`+`"\/bfnrt`[i:i+1])
	}
	return list
}

// inWord finds the bytes that a number, true, false or null may go on with.
func (v *Rivals) inWord(r *Register, set *Bytes) {
	text := string(r.scalar(nil))
	if isNumber(text) {
		if v.couldBeNumber(r.top, text) {
			set.add("0123456789.eE+-,]} \t\n\r")
		}
		return
	}
	v.goingOn(r.top, text, func(rest string) {
		if set.add(rest[:1]); rest == "," {
			set.add(",]} \t\n\r")
		}
	})
}

// couldBeNumber tells whether the number that begins with a text may become equal to one. It looks
// at the digits alone.
func (v *Rivals) couldBeNumber(f *frame, text string) (could bool) {
	sign, digits, _ := parts(text + "0")
	if digits = strings.TrimRight(digits, "0"); digits == "" { // it may become any number of its sign, and 0
		sign = "-"
		if first := f.values.from(sign); first != nil && isNumber(first.text) {
			return true
		}
		return slices.ContainsFunc(v.parts(f), func(x *value) bool { return isNumber(x.text) })
	}
	v.goingOn(f, sign+digits, func(string) { could = true })
	return could
}
