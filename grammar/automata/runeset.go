package automata

import (
	"cmp"
	"slices"
	"unicode"

	"gcdbench/internal/constants"
)

// A runeRange is an inclusive range of code points.
type runeRange struct{ lo, hi rune }

// A runeSet is a set of code points: sorted ranges that neither overlap nor
// touch. Sets are values; the operations below return new ones.
type runeSet []runeRange

const (
	surrogateMin = 0xD800
	surrogateMax = 0xDFFF
)

// newRuneSet normalizes ranges in any order. Surrogates, which UTF-8 cannot
// encode, and everything above U+10FFFF are dropped.
func newRuneSet(ranges ...runeRange) runeSet {
	parts := make(runeSet, 0, len(ranges)+1)
	add := func(lo, hi rune) {
		if lo <= hi {
			parts = append(parts, runeRange{lo, hi})
		}
	}
	for _, r := range ranges {
		lo, hi := max(r.lo, 0), min(r.hi, unicode.MaxRune)
		add(lo, min(hi, surrogateMin-1))
		add(max(lo, surrogateMax+1), hi)
	}
	slices.SortFunc(parts, func(a, b runeRange) int { return cmp.Compare(a.lo, b.lo) })
	out := parts[:0]
	for _, r := range parts {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return slices.Clip(out)
}

// tableSet converts tables of package unicode.
func tableSet(tables ...*unicode.RangeTable) runeSet {
	var ranges []runeRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, runeRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, runeRange{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newRuneSet(ranges...)
}

// union returns the set of code points in s or in o.
func (s runeSet) union(o runeSet) runeSet {
	return newRuneSet(slices.Concat(s, o)...)
}

// negate returns the scalar values that are not in s.
func (s runeSet) negate() runeSet {
	gaps := make([]runeRange, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		gaps = append(gaps, runeRange{next, r.lo - 1})
		next = r.hi + 1
	}
	return newRuneSet(append(gaps, runeRange{next, unicode.MaxRune})...)
}

// minus returns the set of code points in s and not in o.
func (s runeSet) minus(o runeSet) runeSet {
	return s.negate().union(o).negate()
}

// contains reports whether r is in s.
func (s runeSet) contains(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(e runeRange, r rune) int {
		switch {
		case e.hi < r:
			return -1
		case e.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// fold closes s under simple case folding; with ascii, under that of A-Z and
// a-z alone.
func (s runeSet) fold(ascii bool) runeSet {
	var extra []runeRange
	add := func(orbit []rune) {
		if ascii {
			orbit = asciiPart(orbit)
		}
		if slices.ContainsFunc(orbit, s.contains) {
			for _, r := range orbit {
				extra = append(extra, runeRange{r, r})
			}
		}
	}
	f := folding()
	if s.len() < len(f.orbits) {
		for _, r := range s {
			for c := r.lo; c <= r.hi; c++ {
				add(f.of[c])
			}
		}
	} else {
		for _, orbit := range f.orbits {
			add(orbit)
		}
	}
	if len(extra) == 0 {
		return s
	}
	return newRuneSet(slices.Concat(s, extra)...)
}

// len returns the number of code points in s.
func (s runeSet) len() int {
	n := 0
	for _, r := range s {
		n += int(r.hi-r.lo) + 1
	}
	return n
}

// asciiPart returns the members of a sorted orbit that are in ASCII.
func asciiPart(orbit []rune) []rune {
	n := 0
	for n < len(orbit) && orbit[n] < 0x80 {
		n++
	}
	return orbit[:n]
}

// A foldTable holds the sets of code points that differ in case only, each
// sorted: orbits lists them, of finds them by their members.
type foldTable struct {
	orbits [][]rune
	of     map[rune][]rune
}

// folding returns Unicode's simple folding, with Python's additions: the Turkish
// dotted and dotless i (U+0130, U+0131) go with i and I, and three pairs of
// letters that differ in nothing but their encoding go together.
var folding = constants.Of(&fixed, func() foldTable {
	f := foldTable{of: map[rune][]rune{}}
	add := func(orbit ...rune) {
		f.orbits = append(f.orbits, orbit)
		for _, r := range orbit {
			f.of[r] = orbit
		}
	}
	add('I', 'i', 0x130, 0x131)
	add(0x390, 0x1FD3)
	add(0x3B0, 0x1FE3)
	add(0xFB05, 0xFB06)
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			if f.of[r] != nil {
				continue
			}
			orbit := []rune{r}
			for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
				orbit = append(orbit, o)
			}
			if len(orbit) > 1 {
				slices.Sort(orbit)
				add(orbit...)
			}
		}
	}
	return f
})
