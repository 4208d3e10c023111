package automata

import (
	"gcdbench/internal/seed"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAlgebra checks every operation on random languages, string by string,
// and the result for being canonical.
func TestAlgebra(t *testing.T) {
	g := &generator{Rand: newRand(t), chars: []string{"a", "b", "é", "[ab]", "[^a]", ""}}
	texts := allStrings([]string{"a", "b", "é", "\xc3"}, 4)
	lim := Limits{}
	for range seed.Rounds(18, 37, 750) {
		p, q := g.pattern(1+g.IntN(4)), g.pattern(1+g.IntN(4))
		a, b := MustCompile(p, 0), MustCompile(q, 0)
		has := func(d *DFA) func(string) bool { return d.MatchString }
		inA, inB := has(a), has(b)
		for _, c := range []struct {
			name string
			got  *DFA
			want func(s string) bool
		}{
			{"Union", must(a.Union(b, lim)), func(s string) bool { return inA(s) || inB(s) }},
			{"UnionAll", must(UnionAll(lim, a, b, a)), func(s string) bool { return inA(s) || inB(s) }},
			{"Intersect", must(a.Intersect(b, lim)), func(s string) bool { return inA(s) && inB(s) }},
			{"Difference", must(a.Difference(b, lim)), func(s string) bool { return inA(s) && !inB(s) }},
			{"Complement", must(a.Complement(AnyBytes(), lim)), func(s string) bool { return !inA(s) }},
			{"Concat", must(a.Concat(b, lim)), func(s string) bool {
				return slices.ContainsFunc(cuts(s), func(i int) bool { return inA(s[:i]) && inB(s[i:]) })
			}},
			{"Lazy", a.Lazy(), func(s string) bool {
				return inA(s) && !slices.ContainsFunc(cuts(s), func(i int) bool { return i < len(s) && inA(s[:i]) })
			}},
			{"Lazy by the pattern", MustCompile("(?:"+p+")(?:a{2,3}?){0}", 0), inA},
		} {
			checkCanonical(t, c.got)
			for _, s := range texts {
				if got := c.got.MatchString(s); got != c.want(s) {
					t.Fatalf("%s of /%s/ and /%s/ on %q: %v", c.name, p, q, s, got)
				}
			}
		}
		laws(t, a, b)
	}
}

// cuts lists the places where s can be cut in two.
func cuts(s string) []int {
	var at []int
	for i := range len(s) + 1 {
		at = append(at, i)
	}
	return at
}

func includes(a, b *DFA) bool {
	return must(b.Difference(a, Limits{})).IsEmpty()
}

// laws checks identities between operations; equal languages are equal DFAs.
func laws(t *testing.T, a, b *DFA) {
	t.Helper()
	lim, all := Limits{}, AnyBytes()
	not := func(d *DFA) *DFA { return must(d.Complement(all, lim)) }
	union := must(a.Union(b, lim))
	for name, ok := range map[string]bool{
		"De Morgan":            not(union).Equal(must(not(a).Intersect(not(b), lim))),
		"double complement":    not(not(a)).Equal(a),
		"difference":           must(a.Difference(b, lim)).Equal(must(a.Intersect(not(b), lim))),
		"union commutes":       union.Equal(must(b.Union(a, lim))),
		"union with itself":    must(a.Union(a, lim)).Equal(a),
		"difference to itself": must(a.Difference(a, lim)).IsEmpty(),
		"inclusion":            includes(union, a) && includes(union, b) && includes(a, b) == union.Equal(a),
		"lazy of lazy":         a.Lazy().Lazy().Equal(a.Lazy()),
		"itself":               must(Compile(FromDFA(a), lim)) == a,
		"round trip":           must(Compile(Alternate(FromDFA(a), FromDFA(a)), lim)).Equal(a),
		"text":                 includes(AnyText(), a),
	} {
		if !ok {
			t.Fatalf("%s does not hold for\n%s\n%s", name, a, b)
		}
	}
}

// TestAnyText checks every two-byte string and the borders of UTF-8.
func TestAnyText(t *testing.T) {
	d := AnyText()
	checkCanonical(t, d)
	for _, s := range []string{"", "a", "é\x00漢😀", "\ud7ff\ue000\uffff\U00010000\U0010ffff"} {
		if !d.MatchString(s) {
			t.Errorf("%q is no text", s)
		}
	}
	for _, s := range []string{"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe6\xbc"} {
		if d.MatchString(s) {
			t.Errorf("%q is text", s)
		}
	}
	if !AnyBytes().MatchString("\xff\x00") {
		t.Error("AnyBytes is not")
	}
}

func TestFromStrings(t *testing.T) {
	for _, texts := range [][]string{
		{}, {""}, {"a"}, {"a", "a", "", "ab"}, {"select", "insert", "delete", "detect"}, {"tap", "taps", "top", "tops"}, {"\xff\x00", "\x00", "\xff"},
	} {
		d := must(FromStrings(texts, Limits{}))
		checkCanonical(t, d)
		var literals []*Expr
		for _, s := range texts {
			literals = append(literals, Literal(s, 0))
		}
		if want := must(Compile(Alternate(literals...), Limits{})); !d.Equal(want) {
			t.Errorf("%q: %s\nwant %s", texts, d, want)
		}
	}
	if d := must(FromStrings([]string{"tap", "taps", "top", "tops"}, Limits{})); d.NumStates() != 5 {
		t.Errorf("tap(s), top(s) have %d states", d.NumStates())
	}
}

// TestFromManyStrings has as many strings as a large enumeration.
func TestFromManyStrings(t *testing.T) {
	rng := newRand(t)
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = randomWord(rng)
	}
	given := slices.Clone(texts)
	d := must(FromStrings(texts, Limits{}))
	if !slices.Equal(texts, given) {
		t.Error("FromStrings changes what it is given")
	}
	known := map[string]bool{}
	for _, s := range texts {
		known[s] = true
		if !d.MatchString(s) {
			t.Fatalf("%q is missing", s)
		}
	}
	for range 10_000 {
		if s := randomWord(rng); d.MatchString(s) != known[s] {
			t.Fatalf("%q: %v", s, d.MatchString(s))
		}
	}
}

func randomWord(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(9) {
		b.WriteByte("abcdeXYZ\xff"[rng.IntN(9)])
	}
	return b.String()
}

func TestFromTransitions(t *testing.T) {
	// (ab)* with a state that is never reached, one that never accepts, and a
	// copy of the start.
	d := must(FromTransitions(5, []int32{0, 2}, []Transition{
		{0, 'a', 'a', 1}, {1, 'b', 'b', 2}, {2, 'a', 'a', 1}, {3, 0, 255, 0}, {0, 'c', 'z', 4}, {4, 0, 255, 4},
	}, Limits{}))
	if want := MustCompile("(?:ab)*", 0); !d.Equal(want) {
		t.Errorf("%s\nwant %s", d, want)
	}
	if d := must(FromTransitions(0, nil, nil, Limits{})); !d.IsEmpty() {
		t.Errorf("no states: %s", d)
	}
	if d := must(FromTransitions(1, []int32{0}, []Transition{{0, 0, 255, 0}}, Limits{})); !d.Equal(AnyBytes()) {
		t.Errorf("all bytes: %s", d)
	}
	for _, c := range []struct {
		accepting   []int32
		transitions []Transition
		err         string
	}{
		{nil, []Transition{{0, 'a', 'c', 1}, {0, 'c', 'd', 0}}, "already goes to 1 on byte 0x63"},
		{nil, []Transition{{2, 'a', 'a', 0}}, "state 2 is not one of the 2 states"},
		{nil, []Transition{{0, 'a', 'a', -1}}, "state -1"},
		{nil, []Transition{{0, 'b', 'a', 0}}, "wrong order"},
		{[]int32{5}, nil, "accepting states: automaton: state 5"},
	} {
		if _, err := FromTransitions(2, c.accepting, c.transitions, Limits{}); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v, want %q", c.transitions, err, c.err)
		}
	}
}

// TestAvoids: automata of which one needs a byte that the other lacks are told apart without their
// product, and no others are.
func TestAvoids(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"[a-z]+:[a-z]*", "[a-z.]+", true}, {"[a-z]+:?", "[a-z.]+", false}, {"x*", "y*", false}, {"x+", "y+", true}, {"ab", "ba", false}, {"a(:|;)b", "[ab;]*", false}} {
		a, b := MustCompile(c.a, 0), MustCompile(c.b, 0)
		if got := a.avoids(b); got != c.want {
			t.Errorf("%s avoids %s: %v", c.a, c.b, got)
		}
		both := must(a.Beside(b, InBoth, Limits{}))
		if want := must(a.Intersect(b, Limits{})); !both.Equal(want) {
			t.Errorf("%s and %s: %d states, want %d", c.a, c.b, both.NumStates(), want.NumStates())
		}
	}
}
