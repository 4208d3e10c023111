package words

import (
	"fmt"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 LR states", 1: "1 LR state", 2: "2 LR states", 1234: "1234 LR states", -1: "-1 LR states"} {
		if got := Count(n, "LR state"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// TestLineColumn: columns are characters, lines end at \n.
func TestLineColumn(t *testing.T) {
	const text = "ab\né\n\nx"
	for at, want := range map[int]string{0: "1:1", 2: "1:3", 3: "2:1", 5: "2:2", 6: "3:1", 7: "4:1", 8: "4:2"} {
		line, column := LineColumn([]byte(text), at)
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("byte %d: %s, want %s", at, got, want)
		}
	}
}

func TestShell(t *testing.T) {
	for text, want := range map[string]string{"out/1": "out/1", "": "''", "out é 1": "'out é 1'", "it's": `'it'\''s'`} {
		if got := Shell(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"ab", "ba", 1}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"trie", "tire", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"warmup", "repeat", 6},
	}
	for _, c := range cases {
		if got, back := distance(c.a, c.b, 10), distance(c.b, c.a, 10); got != c.want || back != c.want {
			t.Errorf("from %q to %q it is %d, back %d; want %d", c.a, c.b, got, back, c.want)
		}
	}
	if distance(strings.Repeat("a", 100), "a", 3) < 3 {
		t.Error("a very long word is near a short one")
	}
}

func TestClosest(t *testing.T) {
	list := []string{"warmup", "repeat", "NUMBER", "at"}
	for misspelt, want := range map[string]string{
		"warmpu": "warmup", "repaet": "repeat", "reptea": "repeat", "repxyz": "", "number": "NUMBER", "numbre": "NUMBER",
		"a": "at", "ta": "at", "b": "", "": "", "hat": "at", "chat": "",
	} {
		if got, ok := Closest(misspelt, list); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", misspelt, got, ok, want)
		}
	}
}

// TestClip: what goes on has dots, and no character is cut.
func TestClip(t *testing.T) {
	if Clip("éé", 2) != "éé" || Clip("ééé", 2) != "éé..." {
		t.Error(Clip("éé", 2), Clip("ééé", 2))
	}
}
