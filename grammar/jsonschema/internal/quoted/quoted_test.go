package quoted

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// spelled writes a string as JSON in a random way, or nil bytes if it must not be.
func spelled(d *rand.Rand, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		switch n := d.IntN(3); {
		case short >= 0 && n < 2:
			b.WriteString("\\" + string("\"\\/bfnrt"[short]))
		case n > 0 && r >= ' ' && r != '"' && r != '\\':
			b.WriteRune(r)
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
		case n == 0 && d.IntN(2) == 0:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// TestEncodeStrings compares automata over JSON text with automata over characters: a JSON text is
// accepted exactly if what encoding/json decodes it to is.
func TestEncodeStrings(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 2))
	alphabet := []rune("ab/\"\\\n\x00\x1f é\u07ff\u0800\ud7ff\ue000\uffff😀\U0010ffffZ")
	for _, pattern := range []string{`[\x00-\U0010ffff]*`, `a*`, `(a|é)*b?`, `[^a]{2}`, `[😀-\U0010ffff]*|\n+`, `["\\/]+`, `[\u0800-\uffff]*b`, `a{0,3}😀?`, ``} {
		plain := automata.MustCompile(pattern, 0)
		encoded := Encode(plain)
		for range 300 {
			s := make([]rune, d.IntN(4))
			for i := range s {
				s[i] = alphabet[d.IntN(len(alphabet))]
			}
			text := spelled(d, string(s))
			var back string
			if err := json.Unmarshal([]byte(text), &back); err != nil || back != string(s) {
				t.Fatalf("the test writes %q as %s", string(s), text)
			}
			if encoded.MatchString(text) != plain.MatchString(string(s)) {
				t.Errorf("pattern %s, text %s: accepted is %v", pattern, text, encoded.MatchString(text))
			}
		}
		for _, bad := range []string{`"`, `"\ud83d"`, `"\ud83dx"`, `"\ude00"`, `"\x"`, "\"\n\"", `"a"b`, "\"\xff\"", `"\u12"`} {
			if encoded.MatchString(bad) {
				t.Errorf("pattern %s accepts %q", pattern, bad)
			}
		}
	}
}

// TestKeyAutomaton says that a key is recognised however it is written, and no other is.
func TestKeyAutomaton(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 3))
	keys := []string{"", "a", "a/b", `q"q\q`, "é", "😀", "tab\there", "\x01", "a.b*c", "[x]", "\u007f", "key"}
	for i, key := range keys {
		keyed := mustKey(t, key)
		for j, other := range keys {
			for range 20 {
				if text := spelled(d, other); keyed.MatchString(text) != (i == j) {
					t.Errorf("key %q, text %s: accepted is %v", key, text, i != j)
				}
			}
		}
	}
}

func mustKey(t *testing.T, key string) *automata.DFA {
	t.Helper()
	d := must.Get(automata.FromStrings([]string{key}, dfa.Limits))(t)
	return Encode(d)
}

// TestTrimmed says that each state which a text can come to leads to acceptance, and that the bytes
// which a state is said to go on with are those of its row.
func TestTrimmed(t *testing.T) {
	trimmed := func(name string, d *automata.DFA) {
		t.Helper()
		left := d.Distances()
		for s := range int32(d.NumStates()) {
			for b := range 256 {
				if left[s] < 0 { // no state
					break
				}
				to := d.Next(s, byte(b))
				if to != automata.Dead && left[to] < 0 {
					t.Fatalf("%s: state %d goes on with %#x to where nothing is accepted", name, s, b)
				}
				if is := d.Live(s)[b>>6]>>(b&63)&1 == 1; is != (to != automata.Dead) {
					t.Fatalf("%s: state %d goes on with %#x: %v", name, s, b, is)
				}
			}
		}
	}
	for _, pattern := range []string{`[\x00-\U0010ffff]*`, `a`, `\n`, `["\\/]*`, `[\x00-\x1f]{2}`, `[😀-\U0010ffff]*|\n+`, `[\u0800-\uffff]*b`, `a{0,3}😀?`,
		`[0-9a-f]{4}|[0-9a-f]{4}-[0-9a-f]{4}`, `d[89ab]..`, `(\\|u|d)*`, `[\ud000-\ud7ff\ue000-\uffff]`, `[\U00010000-\U000107ff]x|[\U00010400-\U00010bff]y`} {
		trimmed(pattern, Encode(automata.MustCompile(pattern, 0)))
	}
	for _, c := range [][2]int{{0, 0}, {0, 5}, {3, 3}, {4, -1}, {0, 500}, {300, 302}, {7, 2000}} {
		d := must.Get(automata.AnyText().WithLength(c[0], c[1]))(t)
		trimmed("length", Encode(d))
	}
	for _, keys := range [][]string{{""}, {"a"}, {"", "a", "ab"}, {"name", "game", "names"}, {"é", "è", "\n", "😀a"}, {"\\", "\"", "/", "u"}} {
		trimmed("other keys", otherKeys(t, keys...))
		trimmed("one key", mustKey(t, keys[0]))
	}
}

// otherKeys is OtherKeys, which does not fail for a few keys.
func otherKeys(t *testing.T, keys ...string) *automata.DFA {
	t.Helper()
	d, err := OtherKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOtherKeys compares the automaton that is written down with the difference that it stands for.
func TestOtherKeys(t *testing.T) {
	for _, keys := range [][]string{{""}, {"a"}, {"", "a", "ab", "b"}, {"name", "game", "names"}, {"é", "è", "\n", "😀a", "😀"}, {"\\", "\"", "/", "u"}} {
		few := must.Get(automata.FromStrings(keys, dfa.Limits))(t)
		d := must.Get(dfa.Product(automata.AnyText(), few, true))(t)
		want, got := Encode(d), otherKeys(t, keys...)
		if !got.Equal(want) {
			t.Errorf("%q: %d states instead of %d", keys, got.Whole().NumStates(), want.Whole().NumStates())
		}
	}
}

// TestSpellings is a table of keys, and the ways to write them in JSON.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		key     string
		in, out []string
	}{
		{"a", []string{`"a"`, `"\u0061"`}, []string{`a`, `""`, `"A"`, `"\u0041"`, `"\a"`, `"aa"`, `"a`, `"\u061"`, `"\U0061"`}},
		{"", []string{`""`}, []string{`"`, `" "`, `"\u0000"`, ``}},
		{`"`, []string{`"\""`, `"\u0022"`}, []string{`"""`, `"'"`}},
		{`\`, []string{`"\\"`, `"\u005C"`, `"\u005c"`}, []string{`"\"`, `"\\\\"`}},
		{"/", []string{`"/"`, `"\/"`, `"\u002F"`}, []string{`"\\/"`}},
		{"\n\t", []string{`"\n\t"`, `"\u000a\u0009"`, `"\n\u0009"`}, []string{"\"\n\t\"", `"nt"`}},
		{"\x7f", []string{"\"\x7f\"", `"\u007F"`}, []string{`""`}},
		{"é", []string{`"é"`, `"\u00e9"`, `"\u00E9"`}, []string{`"e"`, "\"\xc3\"", `"e\u0301"`}},
		{"😀", []string{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`}, []string{`"\ud83d"`, `"\ude00"`, `"\ude00\ud83d"`, `"\u1f600"`}},
		{"\ufffd", []string{`"\ufffd"`, `"` + "\ufffd" + `"`}, []string{`"\ud800"`}},
	} {
		one, others := mustKey(t, c.key), otherKeys(t, c.key)
		for _, text := range c.in {
			if !one.MatchString(text) || others.MatchString(text) {
				t.Errorf("%q: %s is not it, or another key", c.key, text)
			}
		}
		for _, text := range c.out {
			if one.MatchString(text) {
				t.Errorf("%q: %s is accepted", c.key, text)
			}
			var other string // a lone surrogate is read as U+FFFD, and is no character
			if json.Unmarshal([]byte(text), &other) == nil && !strings.ContainsRune(other, '\ufffd') && !others.MatchString(text) {
				t.Errorf("%q: %s is no other key", c.key, text)
			}
		}
	}
}

// TestLargeLanguages counts many characters, each of which may be written in any way.
func TestLargeLanguages(t *testing.T) {
	seed.Usual(t)
	for _, characters := range []int{100, 1000, 60_000} {
		d := must.Get(automata.AnyText().WithLength(0, characters))(t)
		encoded := Encode(d)
		for text, want := range map[string]bool{`"abc"`: true, `"\u0061"`: true, `"\u00e9"`: true, `"\ud83d\ude00"`: true, `"\u000A\"\\\/"`: true, `"\ud83d"`: false, `"\a"`: false} {
			if encoded.MatchString(text) != want {
				t.Errorf("%d characters: %s is accepted: %v", characters, text, !want)
			}
		}
		for _, c := range []string{"x", "é", "😀", `\u0061`, `\ud83d\ude00`} {
			if long := strings.Repeat(c, characters); !encoded.MatchString(`"`+long+`"`) || encoded.MatchString(`"x`+long+`"`) {
				t.Errorf("%d times %s are not what is counted", characters, c)
			}
		}
	}
}
