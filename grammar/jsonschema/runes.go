package jsonschema

import (
	"fmt"
	"strings"
	"unicode"
)

// runes is a set of characters: pairs of first and last, sorted, apart.
type runes []rune

func (s runes) write(b *strings.Builder) {
	b.WriteByte('[')
	for i := 0; i < len(s); i += 2 {
		fmt.Fprintf(b, `\U%08x`, s[i])
		if s[i+1] > s[i] {
			fmt.Fprintf(b, `-\U%08x`, s[i+1])
		}
	}
	b.WriteByte(']')
}

// union sorts and joins ranges.
func (s runes) union(o runes) runes {
	var all runes
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

// without removes the characters of o.
func (s runes) without(o runes) runes { return s.not().union(o).not() }

// not is the complement among the characters, which surrogates are not.
func (s runes) not() runes {
	s = s.union(runes{0xd800, 0xdfff})
	var all runes
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
	markRunes  = runes{0xfdd0, 0xfdd1}
	digits     = runes{'0', '9'}
	wordRunes  = runes{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	spaceRunes = runes{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}
	lineEnds   = runes{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
)

// fromTable is the set of a table of package unicode.
func fromTable(t *unicode.RangeTable) runes {
	var s runes
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
	return s.union(nil)
}
