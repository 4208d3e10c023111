package automata

import (
	"errors"
	"gcdbench/internal/seed"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Properties that hold for every expression, checked on random ones.

// randomSet returns a set with ranges around the borders of UTF-8's lengths.
func randomSet(rng *rand.Rand) runeSet {
	borders := []rune{0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x1F600, 0x3FFFF, 0x40000, 0x10FFFF}
	near := func() rune { return borders[rng.IntN(len(borders))] + rune(rng.IntN(131)) - 65 }
	var ranges []runeRange
	for range rng.IntN(5) {
		lo := near()
		hi := lo + rune(rng.IntN(3))
		if rng.IntN(2) == 0 {
			hi = near()
		}
		ranges = append(ranges, runeRange{lo, hi})
	}
	return newRuneSet(ranges...)
}

// TestFragments decodes the automaton of a set again: the strings it accepts
// are the encodings of the members, no more and no fewer.
func TestFragments(t *testing.T) {
	rng := newRand(t)
	for range seed.Rounds(37, 75, 1500) {
		set := randomSet(rng)
		f := newFragment(set)
		for _, r := range set {
			for _, member := range []rune{r.lo, r.hi, r.lo + (r.hi-r.lo)/2} {
				if !f.match(string(member)) {
					t.Fatalf("%v has no %U", set, member)
				}
			}
		}
		if got := f.count(0, map[int32]int{exit: 1}); got != set.len() {
			t.Fatalf("%v: %d strings for %d members", set, got, set.len())
		}
		for range 50 {
			bytes := make([]byte, 1+rng.IntN(4))
			for i := range bytes {
				bytes[i] = byte(rng.Uint32())
			}
			r, n := utf8.DecodeRune(bytes)
			want := n == len(bytes) && (r != utf8.RuneError || n == 3) && set.contains(r)
			if f.match(string(bytes)) != want {
				t.Fatalf("%v on %q: %v", set, bytes, !want)
			}
		}
	}
}

// match runs a fragment over a string.
func (f *fragment) match(s string) bool {
	at := int32(0)
	for i := range len(s) {
		if at == exit {
			return false
		}
		k := slices.IndexFunc(f.nodes[at], func(e edge) bool { return e.lo <= s[i] && s[i] <= e.hi })
		if k < 0 {
			return false
		}
		at = f.nodes[at][k].to
	}
	return at == exit
}

// count returns how many strings lead from a node to the exit.
func (f *fragment) count(node int32, known map[int32]int) int {
	if n, ok := known[node]; ok {
		return n
	}
	n := 0
	for _, e := range f.nodes[node] {
		n += (int(e.hi-e.lo) + 1) * f.count(e.to, known)
	}
	known[node] = n
	return n
}

// TestFragmentSizes: equal tails are shared.
func TestFragmentSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   runeSet
		nodes int
	}{
		{"nothing", nil, 1}, {"ASCII", runeSet{{0, 0x7F}}, 1}, {"two bytes", runeSet{{0x80, 0x7FF}}, 2},
		{"everything", allSet, 8}, {"all but newline", newlineSet.negate(), 8},
	} {
		if f := newFragment(c.set); len(f.nodes) != c.nodes {
			t.Errorf("%s has %d nodes, want %d", c.name, len(f.nodes), c.nodes)
		}
	}
	if n := len(newFragment(wordSet()).nodes); n > 400 {
		t.Errorf(`\w has %d nodes`, n)
	}
}

// TestByteClasses checks the partition into ranges.
func TestByteClasses(t *testing.T) {
	var cut [257]bool
	cut['a'], cut['c'], cut[256] = true, true, true
	bc := newByteClasses(&cut)
	if bc.num() != 3 || !slices.Equal(bc.first, []byte{0, 'a', 'c'}) {
		t.Errorf("classes start at %v", bc.first)
	}
	for b := range 256 {
		want := uint8(0)
		if b >= 'a' {
			want++
		}
		if b >= 'c' {
			want++
		}
		if bc.of[b] != want {
			t.Errorf("byte %d is in class %d", b, bc.of[b])
		}
	}
	for b := range cut {
		cut[b] = true
	}
	if bc := newByteClasses(&cut); bc.num() != 256 || bc.of[255] != 255 {
		t.Errorf("every byte a class of its own: %d", bc.num())
	}
}

// TestMeasure: what is measured before an expression is written out is no less
// than what it takes, and what was held for it is given back.
func TestMeasure(t *testing.T) {
	g := &generator{Rand: newRand(t), looks: true, lazy: true, chars: []string{"a", "é", ".", `\w`, "[a-c]", ""}}
	for range seed.Rounds(25, 50, 1000) {
		pattern := g.pattern(1 + g.IntN(6))
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		b := newBudget(Limits{})
		size, err := b.measure(e)
		if err != nil {
			t.Fatalf("/%s/: %v", pattern, err)
		}
		n, err := newNFA(e, b, false)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("/%s/: %v", pattern, err)
			}
			continue
		}
		if len(n.states) > size+1 {
			t.Errorf("/%s/: measured %d, written out %d", pattern, size, len(n.states))
		}
		fresh := newBudget(Limits{})
		if _, err := compile(e, fresh, compileMode{}); fresh.bytes != 0 {
			t.Errorf("/%s/: %d bytes still held (%v)", pattern, fresh.bytes, err)
		}
	}
}

// TestQuotedLiterals: a literal is its quoted pattern, in either case.
func TestQuotedLiterals(t *testing.T) {
	rng := newRand(t)
	letters := []rune(`aB.*+?()[]{}|^$\/-# é漢ſİ` + "\n\x00😀")
	for range seed.Rounds(37, 75, 1500) {
		var b strings.Builder
		for range rng.IntN(6) {
			b.WriteRune(letters[rng.IntN(len(letters))])
		}
		text := b.String()
		for _, flags := range []Flags{0, IgnoreCase, IgnoreCase | ASCII} {
			e, err := Parse(regexp.QuoteMeta(text), flags)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			quoted, literal := must(Compile(e, Limits{})), must(Compile(Literal(text, flags), Limits{}))
			if !quoted.Equal(literal) || !literal.MatchString(text) {
				t.Errorf("%q with flags %s: %s\n%s", text, flags, quoted, literal)
			}
		}
	}
}

// TestVerboseLayout: white space and comments between the parts of a verbose
// pattern change nothing.
func TestVerboseLayout(t *testing.T) {
	g := &generator{Rand: newRand(t), chars: []string{"a", "b", `\ `, `\#`, "[ #]", "."}}
	parts := regexp.MustCompile(`\(\?:|\\.|\[[^]]*\]|\{[^}]*\}|[\s\S]`)
	for range seed.Rounds(25, 50, 1000) {
		pattern := g.pattern(1 + g.IntN(5))
		var laidOut strings.Builder
		for _, part := range parts.FindAllString(pattern, -1) {
			laidOut.WriteString(part + g.pick("", " ", "\n\t", " # a | comment (\n"))
		}
		a, errA := compilePattern(pattern, "x")
		b, errB := compilePattern(laidOut.String(), "x")
		if errA != nil || errB != nil {
			t.Fatalf("%v, %v", errA, errB)
		}
		if !a.Equal(b) {
			t.Fatalf("/%s/ is not /%s/", pattern, &laidOut)
		}
	}
}

// TestErrorsHelp: a message about something that Python takes and we do not
// says what to do instead.
func TestErrorsHelp(t *testing.T) {
	advice := []string{"write ", "leave it out", "move it out", "put the assertion further inside"}
	for _, c := range patternCases {
		if c.differs != "unsupported" && c.differs != "blind" {
			continue
		}
		_, err := compilePattern(c.pattern, c.flags)
		if err == nil || !slices.ContainsFunc(advice, func(a string) bool { return strings.Contains(err.Error(), a) }) {
			t.Errorf("/%s/: %v", c.pattern, err)
		}
	}
}

// TestLimitErrorText shows a message in full.
func TestLimitErrorText(t *testing.T) {
	_, err := compilePattern(`a{70000}`, "")
	want := "automaton too large: a count of a repeat {m,n} is too large (limit MaxRepeat = 65536); " + hintRepeat
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestRepeatsUnroll: a counted repeat is its copies.
func TestRepeatsUnroll(t *testing.T) {
	rng := newRand(t)
	for _, body := range []string{"a", "(?:ab|c)", "(?:a?b*)", "[aé]", "(?:)"} {
		for range 20 {
			low := rng.IntN(5)
			high := low + rng.IntN(4)
			e, err := Parse(body, 0)
			if err != nil {
				t.Fatal(err)
			}
			unrolled := strings.Repeat(body, low) + strings.Repeat("(?:"+body, high-low) + strings.Repeat(")?", high-low)
			if d := must(Compile(Repeat(e, low, high), Limits{})); !d.Equal(MustCompile(unrolled, 0)) {
				t.Errorf("%s{%d,%d} is not /%s/", body, low, high, unrolled)
			}
			open := strings.Repeat(body, low) + "(?:" + body + ")*"
			if d := must(Compile(Repeat(e, low, -1), Limits{})); !d.Equal(MustCompile(open, 0)) {
				t.Errorf("%s{%d,} is not /%s/", body, low, open)
			}
		}
	}
}
