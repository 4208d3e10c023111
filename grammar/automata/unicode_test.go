package automata

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestClassesOfBytes checks classes over every code point, by the bytes.
func TestClassesOfBytes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		has     func(r rune) bool
	}{
		{`.`, func(r rune) bool { return r != '\n' }},
		{`\w`, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }},
		{`\W`, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' }},
		{`\d`, unicode.IsDigit},
		{`[^\s]`, func(r rune) bool { return !unicode.IsSpace(r) && (r < 0x1c || r > 0x1f) }},
		{`\p{Lu}`, unicode.IsUpper},
		{`\p{Han}`, func(r rune) bool { return unicode.Is(unicode.Han, r) }},
		{`[\u0400-\uabcd\U0001f600-\U0010ffff]`, func(r rune) bool { return r >= 0x400 && r <= 0xabcd || r >= 0x1f600 }},
		{`[^\u0400-\uabcd]`, func(r rune) bool { return r < 0x400 || r > 0xabcd }},
		{`(?i)[a-z]`, func(r rune) bool {
			return r|0x20 >= 'a' && r|0x20 <= 'z' && r < 0x80 || slices.Contains([]rune("\u017f\u212a\u0130\u0131"), r)
		}},
	} {
		d := MustCompile(c.pattern, 0)
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if utf8.ValidRune(r) && d.MatchString(string(r)) != c.has(r) {
				t.Errorf("/%s/ on %U: %v", c.pattern, r, !c.has(r))
				break
			}
		}
		if !must(MustCompile(`[\s\S]`, 0).Union(d, Limits{})).Equal(MustCompile(`[\s\S]`, 0)) {
			t.Errorf("/%s/ matches something that is not one character", c.pattern)
		}
	}
}

// TestRuneSets checks the set operations on random sets against maps.
func TestRuneSets(t *testing.T) {
	rng := newRand(t)
	const universe = 40
	random := func() runeSet {
		var ranges []runeRange
		for range rng.IntN(5) {
			lo := rune(rng.IntN(universe))
			ranges = append(ranges, runeRange{lo, lo + rune(rng.IntN(6)) - 1})
		}
		return newRuneSet(ranges...)
	}
	for range 500 {
		a, b := random(), random()
		for _, s := range []runeSet{a, a.union(b), a.minus(b), a.negate()} {
			for i, r := range s {
				if r.lo > r.hi || i > 0 && s[i-1].hi+1 >= r.lo {
					t.Fatalf("%v is not normal", s)
				}
			}
		}
		for r := rune(0); r < universe+10; r++ {
			inA, inB := a.contains(r), b.contains(r)
			if a.union(b).contains(r) != (inA || inB) || a.minus(b).contains(r) != (inA && !inB) || a.negate().contains(r) == inA {
				t.Fatalf("%v and %v at %d", a, b, r)
			}
		}
	}
	if s := allSet.negate(); len(s) != 0 {
		t.Errorf("nothing is %v", s)
	}
	if allSet.contains(0xD800) || !allSet.contains(0x10FFFF) || allSet.len() != 0x110000-2048 {
		t.Errorf("all is %v", allSet)
	}
}

// TestFoldingIsClosed checks that folding twice adds nothing, on both ways of
// computing it: by the members of a small set and by the orbits for a large one.
func TestFoldingIsClosed(t *testing.T) {
	for _, s := range []runeSet{{{'a', 'k'}}, {{'K', 'K'}}, {{0x130, 0x131}}, tableSet(unicode.Lu), tableSet(unicode.Greek), wordSet(), allSet} {
		for _, ascii := range []bool{false, true} {
			once := s.fold(ascii)
			if twice := once.fold(ascii); !slices.Equal(once, twice) {
				t.Errorf("%v: folding twice gives %v, once %v", s, twice, once)
			}
			if len(s.minus(once)) > 0 {
				t.Errorf("%v: folding loses %v", s, s.minus(once))
			}
		}
	}
	if got := (runeSet{{'i', 'i'}}).fold(true); !slices.Equal(got, runeSet{{'I', 'I'}, {'i', 'i'}}) {
		t.Errorf("ASCII i folds to %v", got)
	}
}

func TestProperties(t *testing.T) {
	for name, r := range map[string]rune{
		"L": 'a', "Lu": 'A', "Uppercase_Letter": 'A', "uppercaseletter": 'A', "gc=Lu": 'A', "General_Category=Letter": 'a',
		"Greek": 'α', "sc=Greek": 'α', "Script:Old_Italic": '𐌀', "White_Space": ' ', "Alphabetic": 'ⅷ', "Lowercase": 'ª',
		"ID_Start": '℘', "ID_Continue": '·', "Any": 0, "ASCII": 'a', "Assigned": 'a', "alnum": '5', "Cn": 0x378, "LC": 'a',
	} {
		if set, ok := propertySet(name); !ok || !set.contains(r) {
			t.Errorf("%s: %v, %q missing", name, ok, r)
		}
	}
	for _, name := range []string{"", "Foo", "gc=Greek", "sc=Lu", "foo=L", "="} {
		if _, ok := propertySet(name); ok {
			t.Errorf("%q is a property", name)
		}
	}
}
