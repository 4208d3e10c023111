package automata

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// byProduct is the plain way to a difference.
func byProduct(t testing.TB, d, o *DFA) *DFA {
	t.Helper()
	want, err := product(d, o, newBudget(Limits{}), func(a, b bool) bool { return a && !b })
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// TestWithoutStrings takes a few strings out of languages, some of which have other strings that
// end alike, so that a new state is the same as an old one or as another new one.
func TestWithoutStrings(t *testing.T) {
	for _, c := range []struct {
		pattern string
		texts   []string
	}{
		{`(?s).*`, []string{"a", "ab", "é", "", "abc", "xbc"}}, {`(?s).*`, nil}, {`a|b|ab`, []string{"a", "ab"}},
		{`a|b|ab`, []string{"a", "b", "ab"}}, {`[ab]c?`, []string{"ac"}}, {`[a-z]{1,3}`, []string{"zzz", "zz", "A"}},
		{`a*`, []string{"aaa"}}, {`x(y|z)*`, []string{"xy", "xz", "xyz", "q"}}, {`ab|cb|db?`, []string{"d"}}, {``, []string{""}},
	} {
		d, o := MustCompile(c.pattern, 0), must(FromStrings(c.texts, Limits{}))
		if !o.acyclic() {
			t.Errorf("%q: a list of strings is not finite", c.texts)
		}
		got := must(d.Difference(o, Limits{}))
		if want := byProduct(t, d, o); !got.Equal(want) {
			t.Errorf("/%s/ without %q: %s\nwant %s", c.pattern, c.texts, got, want)
		}
		checkOrder(t, got)
	}
	if MustCompile("ab*", 0).acyclic() {
		t.Error("ab* is finite")
	}
	var limit *LimitError
	long := must(FromStrings([]string{"abcdefghijklmnop"}, Limits{}))
	if _, err := AnyText().Difference(long, Limits{MaxStates: 10}); !errors.As(err, &limit) {
		t.Errorf("more states than allowed: %v", err)
	}
}

// TestWithoutRandom compares differences of random patterns and random strings with the plain way.
func TestWithoutRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 5))
	for range seed.Rounds(50, 100, 2000) {
		e, err := Parse(repeats(r, 3), 0)
		if err != nil {
			continue
		}
		d, err := Compile(e, Limits{})
		if err != nil || d.HasContexts() {
			continue
		}
		texts := make([]string, r.IntN(6))
		for i := range texts {
			for range r.IntN(5) {
				texts[i] += string("abcé"[r.IntN(4)])
			}
			if text, ok := d.Shortest(); ok && r.IntN(3) == 0 {
				texts[i] = string(text)
			}
		}
		o := must(FromStrings(texts, Limits{}))
		if got, want := must(d.Difference(o, Limits{})), byProduct(t, d, o); !got.Equal(want) {
			t.Fatalf("%s without %q: %s\nwant %s", e, texts, got, want)
		}
	}
}

// TestFromMinimalRows writes down automata in other numbers and finer classes.
func TestFromMinimalRows(t *testing.T) {
	for _, pattern := range []string{"", "a", "a*", "(ab|cd)*e", "[a-z]{2,5}|x[0-9]+", "(?:é|日本)*", `"([^"\\]|\\.)*"`, `[\x00-\xff]`} {
		want := MustCompile(pattern, 0)
		n := int32(want.NumStates())
		number := func(s int32) int32 { return (n - s) % n } // and back
		var each [256]uint8
		for b := range each {
			each[b] = uint8(b)
		}
		var filled []uint8
		got := must(FromMinimalRows(each, 256, int(n), func(id int32, to []int32) ([]uint8, bool) {
			filled = filled[:0]
			for b := range 256 {
				if next := want.Next(number(id), byte(b)); next != Dead {
					to[b] = number(next)
					filled = append(filled, uint8(b))
				}
			}
			return filled, want.Accepting(number(id))
		}, Limits{}))
		if !got.Equal(want) {
			t.Errorf("/%s/: %s\nwant %s", pattern, got, want)
		}
	}
	none := func(int32, []int32) ([]uint8, bool) { return nil, true }
	if _, err := FromMinimalRows([256]uint8{}, 1, 3, none, Limits{MaxStates: 2}); err == nil {
		t.Error("more states than allowed")
	}
}

// BenchmarkWithoutStrings takes 300 keys out of all strings, and by the plain way.
func BenchmarkWithoutStrings(b *testing.B) {
	keys := make([]string, 300)
	for i := range keys {
		keys[i] = fmt.Sprintf("property%x", uint32(i)*2654435761)
	}
	o := must(FromStrings(keys, Limits{}))
	b.Run("on top", func(b *testing.B) {
		for b.Loop() {
			must(AnyText().Difference(o, Limits{}))
		}
	})
	b.Run("product", func(b *testing.B) {
		for b.Loop() {
			byProduct(b, AnyText(), o)
		}
	})
}

// BenchmarkWithLength counts the characters of texts of up to 100 words.
func BenchmarkWithLength(b *testing.B) {
	d := MustCompile(`(?:\S+\s+){0,99}\S+`, 0)
	for b.Loop() {
		must(d.WithLength(1, 200))
	}
}
