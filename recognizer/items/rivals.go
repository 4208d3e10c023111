package items

import (
	"slices"
	"strings"

	"gcdbench/internal/bitset"
)

// Rivals finds out how a text can go on to an item that is there already. It remembers what it
// found out about open arrays, and is for the texts that go on from one.
type Rivals struct {
	known map[*frame][]*value
	text  []byte
}

// Forget makes it ready for other texts.
func (v *Rivals) Forget() { clear(v.known) }

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
// item of its array: behind other bytes no item that is being read, nor a part of one, does. It may
// have bytes too many. Members of objects count that are there; one that a later member of the
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
		list := v.inside(f)
		for _, x := range list {
			set.add(x.begins())
		}
		if len(list) > 0 || len(v.of(f)) > 0 {
			set.add(",]: \t\n\r")
		}
	}
	return set
}

// begins are the bytes that a text of a value may begin with.
func (v *value) begins() string {
	if c := v.text[0]; c != '-' && (c < '0' || c > '9') {
		return v.text[:1]
	}
	return "-0123456789"
}

// of are the values that an open array or object may still become equal to.
func (v *Rivals) of(f *frame) []*value {
	if f.up == nil {
		return nil
	}
	list, known := v.known[f]
	if !known {
		if v.known == nil {
			v.known = map[*frame][]*value{}
		}
		list = slices.DeleteFunc(v.inside(f.up), func(x *value) bool { return !f.couldBe(x) })
		v.known[f] = list
	}
	return list
}

// inside are the values that the next item of an array may become equal to, or the value of the key
// of an object that is read next.
func (v *Rivals) inside(f *frame) (list []*value) {
	if f.compared {
		for m := f.list; m != nil; m = m.before {
			list = append(list, m.value)
		}
	}
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

// member is the member of an object with a key, nil if there is none.
func (v *value) member(key string) *member {
	i, ok := slices.BinarySearchFunc(v.members, key, func(m *member, key string) int { return strings.Compare(m.key, key) })
	if !ok {
		return nil
	}
	return v.members[i]
}

// couldBe tells whether an open array or object has so far what a value has. A member whose key
// comes again does not count.
func (f *frame) couldBe(x *value) bool {
	if x.text[0] != "[{"[btoi(f.object)] || !f.object && f.size() > len(x.members) {
		return false
	}
	if !f.object {
		for m := f.list; m != nil; m = m.before {
			if x.members[m.n-1].value.text != m.value.text {
				return false
			}
		}
		return true
	}
	for _, m := range f.members() {
		if m.key == f.key {
			continue
		}
		if other := x.member(m.key); other == nil || other.value.text != m.value.text {
			return false
		}
	}
	return true
}

// inString finds the bytes that a string may go on with.
func (v *Rivals) inString(r *Register, set *Bytes) {
	var whole bool
	v.text, whole = r.pendingString(v.text[:0])
	add := func(text string) {
		switch rest, ok := strings.CutPrefix(text, string(v.text)); {
		case !ok:
		case !whole:
			for i := range set {
				set[i] = ^uint64(0)
			}
		case rest[0] == endOfString:
			set.add(`"\`)
		default:
			set.add(rest[:1] + `\`)
		}
	}
	if f := r.top; f.object && f.key == "" {
		for _, x := range v.of(f) {
			for _, m := range x.members {
				add(m.key)
			}
		}
		return
	}
	for _, x := range v.inside(r.top) {
		add(x.text)
	}
}

// inWord finds the bytes that a number, true, false or null may go on with.
func (v *Rivals) inWord(r *Register, set *Bytes) {
	v.text = r.scalar(v.text[:0])
	text := string(v.text)
	number := text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	for _, x := range v.inside(r.top) {
		switch {
		case !number:
			if rest, ok := strings.CutPrefix(x.text, text); ok && rest == "," {
				set.add(",]} \t\n\r")
			} else if ok {
				set.add(rest[:1])
			}
		case x.begins() != x.text[:1] && couldBeNumber(text, x.text):
			set.add("0123456789.eE+-,]} \t\n\r")
			return
		}
	}
}

// couldBeNumber tells whether a number that begins with a text may be the one with a canonical
// text. It looks at the digits alone.
func couldBeNumber(text, canonical string) bool {
	sign, digits, _ := parts(text + "0")
	rest := strings.TrimRight(digits, "0")
	_, others, _ := parts(canonical)
	return rest == "" || sign == canonical[:len(sign)] && strings.HasPrefix(others, rest) && (sign != "" || canonical[0] != '-')
}
