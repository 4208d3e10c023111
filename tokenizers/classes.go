package tokenizers

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of the character properties that split patterns ask for. The properties are
// disjoint but for newline, which is a space too; a character with none of them (punctuation,
// symbols, control characters, a byte that is not UTF-8) has class 0.
type class uint8

const (
	classLower   class = 1 << iota // Ll
	classUpper                     // Lu, Lt
	classOther                     // Lm, Lo: letters without case
	classMark                      // M
	classNumber                    // N
	classSpace                     // White_Space, which is \s in every implementation of the patterns
	classNewline                   // \r and \n

	classLetter = classLower | classUpper | classOther
	// classWord has the characters that may begin a word of the o200k pattern, classTail those that
	// may continue it.
	classWord = classUpper | classOther | classMark
	classTail = classLower | classOther | classMark
)

// classTable has the class of every code point in one flat megabyte. Filling it takes about a
// millisecond; looking a class up in unicode's range tables takes some 50 ns each time.
var classTable = sync.OnceValue(func() *[utf8.MaxRune + 1]class {
	t := new([utf8.MaxRune + 1]class)
	for _, p := range []struct {
		table *unicode.RangeTable
		class class
	}{
		{unicode.Ll, classLower}, {unicode.Lu, classUpper}, {unicode.Lt, classUpper},
		{unicode.Lm, classOther}, {unicode.Lo, classOther}, {unicode.M, classMark},
		{unicode.N, classNumber}, {unicode.White_Space, classSpace},
	} {
		for _, r := range p.table.R16 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				t[c] |= p.class
			}
		}
		for _, r := range p.table.R32 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				t[c] |= p.class
			}
		}
	}
	t['\r'] |= classNewline
	t['\n'] |= classNewline
	return t
})

// scanner reads text character by character. A byte that is not part of valid UTF-8 is a
// character of its own, of class 0, so that every position reached is a sum of sizes and nothing
// is lost.
type scanner struct {
	text    []byte
	classes *[utf8.MaxRune + 1]class
}

// at returns the class and the size in bytes of the character at i; size 0 at the end.
func (s *scanner) at(i int) (class, int) {
	if i >= len(s.text) {
		return 0, 0
	}
	if b := s.text[i]; b < utf8.RuneSelf {
		return s.classes[b], 1
	}
	r, n := utf8.DecodeRune(s.text[i:])
	return s.classes[r], n
}

// run returns the end of the longest run from i of characters that have a property in any.
func (s *scanner) run(i int, any class) int {
	for {
		c, n := s.at(i)
		if n == 0 || c&any == 0 {
			return i
		}
		i += n
	}
}

// runNot returns the end of the longest run from i of characters that have no property in none.
func (s *scanner) runNot(i int, none class) int {
	for {
		c, n := s.at(i)
		if n == 0 || c&none != 0 {
			return i
		}
		i += n
	}
}
