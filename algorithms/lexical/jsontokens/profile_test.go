package jsontokens

import (
	"math/rand/v2"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/seed"
)

// text is a pattern of the characters of a JSON string.
const text = `(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})`

// TestSpell tells JSON strings from what only looks like them.
func TestSpell(t *testing.T) {
	cases := []struct {
		pattern string
		is      bool
	}{
		{`"` + text + `*"`, true},
		{`"` + text + `{2,7}"`, true},
		{`"[a-c]*é?"`, true},
		{`"a\\"b"`, true}, // an escaped quote
		{`""`, true},
		{`"a"b"`, false},      // goes on behind the quote
		{`"a"|"a"b`, false},   //
		{`"a`, false},         // does not end with one
		{`"a|"ab"`, false},    // accepts inside
		{`a"`, false},         // does not begin with one
		{`"[\x00-z]"`, false}, // control characters
		{`"a\n"`, false},      //
		{`"[^\\]*"`, false},   // quotes as characters
		{`["a]b"`, false},     // begins with something else as well
		{`[0-9]+`, false},
	}
	l := &Lexicon{}
	for _, c := range cases {
		d := automata.MustCompile(c.pattern, 0)
		p := l.Profile(d)
		if (p != nil) != c.is {
			t.Errorf("%s: a string: %v", c.pattern, p != nil)
		}
		if p != l.Profile(d) {
			t.Errorf("%s: a second profile", c.pattern)
		}
		if p != nil && !p.strict() {
			t.Errorf("%s: it is not strict", c.pattern)
		}
	}
}

// depthPatterns are strings that count, loop, end and branch in all ways that depths are about.
var depthPatterns = []string{
	`"` + text + `*"`,
	`"` + text + `{2,7}"`,
	`"[^"\\\x00-\x1f]{3}"`,
	`"[a-z]{1,5}(?:-[a-z0-9]{0,4})?"`,
	`"(?:[^"\\\x00-\x1f@]*@)?[^"\\\x00-\x1f@]*"`,
	`"(?:é|[a-f0-9])*z"`,
	`"[^"\\\x00-\x1fé]{0,4}"`,
	`"[\u0080-\U0010ffff]{1,3}"`,
	`"abc"`,
}

// characters are plain ones of all kinds and lengths.
var characters = []rune(`abefgzABFGZ019 -_@.~{}é€😀߿ࠀ퟿𐀀􏿿` + "\x7f\u0080" + string(spaces) + string(lines))

// TestDepths compares depths and targets of kinds with what random strings of plain characters do.
func TestDepths(t *testing.T) {
	checked, seed := 0, seed.New(t)
	for _, pattern := range depthPatterns {
		d := automata.MustCompile(pattern, 0)
		p := (&Lexicon{}).Profile(d)
		rng := rand.New(rand.NewPCG(seed, uint64(len(pattern))))
		for s := range int32(d.NumStates()) {
			if p.phase(s) != inside || p.whole.steps[s] != 0 {
				continue
			}
			for range 40 {
				checkDepth(t, rng, p, s)
				checked++
			}
			if t.Failed() {
				t.Fatalf("pattern %s", pattern)
			}
		}
	}
	t.Logf("%d strings", checked)
}

// checkDepth follows a random string from s, and checks what the depth of s and the targets of
// kinds say about each of its beginnings.
func checkDepth(t *testing.T, rng *rand.Rand, p *Profile, s int32) {
	t.Helper()
	depth, stays := p.depth(s), p.stays(s)
	some := characters
	if rng.IntN(2) == 0 { // a string over few characters is more often alive
		some = []rune{characters[rng.IntN(len(characters))], characters[rng.IntN(len(characters))]}
	}
	at, of := s, kinds(0)
	for length := int32(0); ; length++ {
		alive := at != automata.Dead
		switch {
		case !alive && length <= depth.least:
			t.Errorf("state %d: dead after %d characters, least is %d", s, length, depth.least)
		case alive && length > depth.most:
			t.Errorf("state %d: alive after %d characters, most is %d", s, length, depth.most)
		case !alive && of&^stays.kinds == 0 && length <= stays.length:
			t.Errorf("state %d: dead after %d characters of kinds %b", s, length, of)
		case alive && depth.quote == quoteAlways && p.d.Next(at, '"') == automata.Dead, alive && depth.quote == quoteNever && p.d.Next(at, '"') != automata.Dead:
			t.Errorf("state %d: after %d characters, a quote is not %v", s, length, depth.quote)
		}
		if !alive || length == 12 || t.Failed() {
			return
		}
		c := some[rng.IntN(len(some))]
		of |= 1 << kindOfRune(c)
		from := at
		for _, b := range []byte(string(c)) {
			at = p.d.Next(at, b)
		}
		if from == automata.Dead {
			continue
		}
		if to := p.target(from, kindOfRune(c)); to != mixed && to != at {
			t.Errorf("state %d: %q leads to %d, and its kind to %d", from, c, at, to)
		}
	}
}

// TestExactDepths: where a string just counts, least and most are the count.
func TestExactDepths(t *testing.T) {
	cases := []struct {
		pattern string
		want    depth // behind the opening quote
	}{
		{`"` + text + `*"`, depth{endless, endless, quoteAlways}},
		{`"` + text + `{0,7}"`, depth{7, 7, quoteAlways}},
		{`"` + text + `{2,7}"`, depth{7, 7, quoteSometimes}},
		{`"(?:` + text + `{2})*\\n"`, depth{endless, endless, quoteNever}},
		{`"abc"`, depth{0, endless, quoteSometimes}}, // not worth a closer look
		{`""`, depth{0, 0, quoteSometimes}},
	}
	for _, c := range cases {
		d := automata.MustCompile(c.pattern, 0)
		if got := (&Lexicon{}).Profile(d).depth(d.Next(d.Start(), '"')); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.pattern, got, c.want)
		}
	}
}
