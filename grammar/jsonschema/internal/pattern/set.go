package pattern

import (
	"fmt"
	"strings"
	"unicode"
)

// A Set is a set of characters: the first and last of each range, in order, with a gap between any
// two ranges. Surrogates are no characters.
type Set []rune

// String is the class in the syntax of package automata.
func (s Set) String() string {
	if len(s) == 0 {
		return `[^\x00-\U0010ffff]`
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; i < len(s); i += 2 {
		fmt.Fprintf(&b, `\U%08x`, s[i])
		if s[i+1] > s[i] {
			fmt.Fprintf(&b, `-\U%08x`, s[i+1])
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Union has the characters of both.
func (s Set) Union(o Set) Set {
	var all Set
	for len(s) > 0 || len(o) > 0 {
		if len(s) == 0 || len(o) > 0 && o[0] < s[0] {
			s, o = o, s
		}
		lo, hi := s[0], s[1]
		s = s[2:]
		if n := len(all); n > 0 && lo <= all[n-1]+1 {
			all[n-1] = max(all[n-1], hi)
		} else {
			all = append(all, lo, hi)
		}
	}
	return all
}

// without has the characters of s that o does not have.
func (s Set) without(o Set) Set { return s.not().Union(o).not() }

// not has all characters but those of s.
func (s Set) not() Set {
	s = s.Union(Set{0xd800, 0xdfff})
	var all Set
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if next < s[i] {
			all = append(all, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		all = append(all, next, unicode.MaxRune)
	}
	return all
}

var (
	markRunes  = Set{0xfdd0, 0xfdd1}
	digits     = Set{'0', '9'}
	wordRunes  = Set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	spaceRunes = Set{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}
	lineEnds   = Set{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
)

// FromTable is the set of a table of package unicode.
func FromTable(t *unicode.RangeTable) Set {
	var s Set
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			s = append(s, lo, hi)
			return
		}
		for r := lo; r <= hi; r += stride {
			s = append(s, r, r)
		}
	}
	for _, x := range t.R16 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	for _, x := range t.R32 {
		add(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	return s.Union(nil)
}
