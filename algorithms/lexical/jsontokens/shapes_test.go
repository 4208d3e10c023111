package jsontokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// TestKinds: each plain character has a kind, and the steps of others lead through characters of
// otherKind and no others.
func TestKinds(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r < utf8.RuneSelf {
			continue
		}
		at, is := uint8(0), true
		for _, b := range []byte(string(r)) {
			i := slices.IndexFunc(otherSteps[at], func(x byteRange) bool { return x.lo <= b && b <= x.hi })
			if is = i >= 0; !is {
				break
			}
			at = otherSteps[at][i].to
		}
		if kind := kindOfRune(r); is && at != 0 || is != (kind == otherKind) ||
			(kind == spaceKind) != slices.Contains(spaces, r) || (kind == lineKind) != slices.Contains(lines, r) {
			t.Fatalf("%U: kind %d, step %d, %v", r, kind, at, is)
		}
	}
	for kind, list := range kindBytes {
		for _, b := range list {
			if int(kindOfRune(rune(b))) != kind {
				t.Errorf("%q is not of kind %d", b, kind)
			}
		}
	}
}

// TestShapes: each plain token is once in the tree of shapes, at the kinds of its characters.
func TestShapes(t *testing.T) {
	v := sliceVocabulary(t)
	l := Of(nil, v, 0)
	l.Cut()
	tree := &l.shapes
	var walk func(i int32, prefix []uint8)
	walk = func(i int32, prefix []uint8) {
		n := &tree.nodes[i]
		for _, id := range tree.order[n.lo:n.own] {
			var got []uint8
			for _, r := range string(v.Token(int(id))) {
				got = append(got, kindOfRune(r))
			}
			if !slices.Equal(got, prefix) {
				t.Errorf("%q is at %v", v.Token(int(id)), prefix)
			}
		}
		at := n.own
		for j := i + 1; j < n.end; j = tree.nodes[j].end {
			kid := &tree.nodes[j]
			if kid.lo != at || n.kinds&(kid.kinds|1<<kid.kind) != kid.kinds|1<<kid.kind || kid.height >= n.height {
				t.Errorf("%v: %+v is below %+v", prefix, kid, n)
			}
			at = kid.hi
			walk(j, append(slices.Clip(prefix), kid.kind))
		}
		if at != n.hi {
			t.Errorf("%v: children up to %d of %d", prefix, at, n.hi)
		}
	}
	walk(0, nil)
	if want := len(l.slices[plainSlice].order); len(tree.order) != want || int(tree.nodes[0].hi) != want {
		t.Errorf("%d tokens, want %d", len(tree.order), want)
	}
}

// TestNear compares sets that are made from others with their ranges.
func TestNear(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	tree := &shapes{order: make([]int32, n)}
	for i := range tree.order {
		tree.order[i] = int32(n - 1 - i)
	}
	for range 3 * maxBases {
		x := &shapeSet{}
		for at := int32(0); at < n; {
			lo := at + int32(rng.IntN(4000))
			at = lo + int32(rng.IntN(8000))
			if lo < n {
				x.add(lo, min(at, n))
			}
		}
		if rng.IntN(4) == 0 && len(tree.bases) > 0 { // close to another
			x = &shapeSet{}
			for _, r := range tree.bases[rng.IntN(len(tree.bases))].ranges {
				x.add(min(r.Lo+int32(rng.IntN(3)), r.Hi), r.Hi)
			}
		}
		want := make([]uint64, bitset.Words(n))
		for _, r := range x.ranges {
			bitset.AddAll(want, tree.order[r.Lo:r.Hi])
		}
		base, change := tree.near(x, len(want))
		got := make([]uint64, len(want))
		copy(got, base.bits)
		size := int32(0)
		for _, r := range change.minus {
			bitset.RemoveAll(got, tree.order[r.Lo:r.Hi])
			size += r.Hi - r.Lo
		}
		for _, r := range change.plus {
			bitset.AddAll(got, tree.order[r.Lo:r.Hi])
			size += r.Hi - r.Lo
		}
		if !slices.Equal(got, want) || size != change.size || size >= farFromBases || len(tree.bases) > maxBases {
			t.Fatalf("%d tokens: a change of %d, %d in its ranges, among %d sets", x.count, change.size, size, len(tree.bases))
		}
	}
}

// shapePatterns are strings in which characters of a kind lead to one state or several, words are
// counted, looked for and left out, and spaces and line separators matter.
var shapePatterns = []string{
	`"[a-z0-9]{1,3}(?:-[a-z0-9]{1,3})*"`,
	`"(?:[^"\\\x00-\x20]+ ){0,2}[^"\\\x00-\x20]+"`,
	`"[^"\\\x00-\x1f\u2028\u2029]*"`,
	`"(?:[^"\\\x00-\x1fa]|a[^"\\\x00-\x1fb])*"`,
	`"[a-fé]*[\u0080-\u07ff]{0,2}"`,
	`"(?:%[0-9a-f]{2}|[a-z.])*"`,
	`"[^"\\\x00-\x1f]{0,5}"`,
}

// TestShapeEffects compares effects with those that are found without shapes and depths, on random
// tokens.
func TestShapeEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	texts := []string{`"`, `a"`}
	for range 3000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			some := characters
			if rng.IntN(2) == 0 {
				some = []rune("abcfz01A -.%")
			}
			b.WriteRune(some[rng.IntN(len(some))])
		}
		texts = append(texts, b.String())
	}
	slices.Sort(texts)
	v, err := tokenizers.NewVocabulary("shapes", bytesOfTexts(slices.Compact(texts)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	with, without := Of(nil, v, 0), Of(nil, v, Shapes|Depths)
	with.Cut()
	without.Cut()
	checked := 0
	for _, pattern := range shapePatterns {
		d := automata.MustCompile(pattern, 0)
		p, q := with.Profile(d), without.Profile(d)
		for s := range int32(d.NumStates()) {
			if p.phase(s) != inside {
				continue
			}
			checked++
			got, want := alive(with.crawl([]Live{p.At(s)}), v.Len()), alive(without.crawl([]Live{q.At(s)}), v.Len())
			if !slices.Equal(got, want) {
				t.Fatalf("%s, state %d: %d tokens, want %d", pattern, s, bitset.Count(got), bitset.Count(want))
			}
		}
	}
	t.Logf("%d states, %d texts", checked, len(texts))
}

// alive are the tokens that an effect leaves a live state alive after.
func alive(v *Effect, n int) []uint64 {
	words := bitset.New(n)
	copy(words, v.Alive)
	bitset.RemoveAll(words, v.Minus)
	bitset.AddAll(words, v.Plus)
	bitset.AddAll(words, v.Few)
	return words
}

func bytesOfTexts(texts []string) (list [][]byte) {
	for _, x := range texts {
		list = append(list, []byte(x))
	}
	return list
}
