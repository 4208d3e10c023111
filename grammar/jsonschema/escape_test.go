package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"gcdbench/automata"
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
		encoded, err := encodeStrings(plain, automata.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
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
		dfa := mustKey(t, key)
		for j, other := range keys {
			for range 20 {
				if text := spelled(d, other); dfa.MatchString(text) != (i == j) {
					t.Errorf("key %q, text %s: accepted is %v", key, text, i != j)
				}
			}
		}
	}
}

// TestPlain says what large languages leave out: \u escapes of printable ASCII, and nothing else.
func TestPlain(t *testing.T) {
	d, err := textOfLength(0, plainStates/4)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := encodeStrings(d, automata.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{`"abc"`: true, `"\"\\\/\n"`: true, `"\u0001\u00e9\ud83d\ude00"`: true, `"\u0022"`: true, `"\u0061"`: false} {
		if encoded.MatchString(text) != want {
			t.Errorf("%s: accepted is %v", text, !want)
		}
	}
}

func mustKey(t *testing.T, key string) *automata.DFA {
	t.Helper()
	d, err := NewKept().keyAutomaton(key)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMinimal says that the automata that are not minimized are minimal all the same.
func TestMinimal(t *testing.T) {
	minimal := func(name string, d *automata.DFA, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := automata.UnionAll(automata.DefaultLimits, d, d)
		if err != nil {
			t.Fatal(name, err)
		}
		if !again.Equal(d) {
			t.Errorf("%s: %d states, of which %d are enough", name, d.NumStates(), again.NumStates())
		}
	}
	encode := func(pattern string) {
		d := automata.MustCompile(pattern, 0)
		e, err := encodeStrings(d, automata.DefaultLimits)
		minimal(pattern, e, err)
	}
	for _, pattern := range []string{`[\x00-\U0010ffff]*`, `a`, `\n`, `["\\/]*`, `[\x00-\x1f]{2}`, `[😀-\U0010ffff]*|\n+`, `[\u0800-\uffff]*b`, `a{0,3}😀?`,
		`[0-9a-f]{4}|[0-9a-f]{4}-[0-9a-f]{4}`, `d[89ab]..`, `(\\|u|d)*`, `[\ud000-\ud7ff\ue000-\uffff]`, `[\U00010000-\U000107ff]x|[\U00010400-\U00010bff]y`} {
		encode(pattern)
	}
	for _, c := range [][2]int{{0, -1}, {0, 0}, {0, 5}, {3, 3}, {2, 7}, {4, -1}} {
		d, err := textOfLength(c[0], c[1])
		minimal("length", d, err)
		e, err := encodeStrings(d, automata.DefaultLimits)
		minimal("length in JSON", e, err)
	}
	for _, keys := range [][]string{{""}, {"a"}, {"", "a", "ab"}, {"name", "game", "names"}, {"é", "è", "\n", "😀a"}, {"\\", "\"", "/", "u"}} {
		d, err := NewKept().otherKeys(keys)
		minimal("other keys", d, err)
		d, err = NewKept().keyAutomaton(keys[0])
		minimal("one key", d, err)
	}
}

// TestOtherKeys compares the automaton that is written down with the difference that it stands for.
func TestOtherKeys(t *testing.T) {
	for _, keys := range [][]string{{}, {""}, {"a"}, {"", "a", "ab", "b"}, {"name", "game", "names"}, {"é", "è", "\n", "😀a", "😀"}, {"\\", "\"", "/", "u"}} {
		d, err := NewKept().outside(automata.AnyText(), keys, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := encodeStrings(d, automata.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewKept().otherKeys(keys)
		if err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %d states instead of %d", keys, err, got.NumStates(), want.NumStates())
		}
	}
}
