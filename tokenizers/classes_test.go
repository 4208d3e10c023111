package tokenizers

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// The table says of every code point what the range tables say.
func TestClasses(t *testing.T) {
	table := classTable()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		var want class
		for _, p := range []struct {
			in    bool
			class class
		}{
			{unicode.Is(unicode.Ll, r), classLower}, {unicode.In(r, unicode.Lu, unicode.Lt), classUpper},
			{unicode.In(r, unicode.Lm, unicode.Lo), classOther}, {unicode.Is(unicode.M, r), classMark},
			{unicode.Is(unicode.N, r), classNumber}, {unicode.IsSpace(r), classSpace},
			{r == '\r' || r == '\n', classNewline},
		} {
			if p.in {
				want |= p.class
			}
		}
		if table[r] != want {
			t.Fatalf("%U has class %b, want %b", r, table[r], want)
		}
		if letter := table[r]&classLetter != 0; letter != unicode.IsLetter(r) {
			t.Fatalf("%U is a letter: %v", r, letter)
		}
	}
}

// Bytes that are not UTF-8 are characters of size one and no class, wherever they stand.
func TestScannerAt(t *testing.T) {
	s := &scanner{[]byte("a\xc3é\xe2\x82 1"), classTable()}
	want := []struct {
		class class
		size  int
	}{{classLower, 1}, {0, 1}, {classLower, 2}, {0, 1}, {0, 1}, {classSpace, 1}, {classNumber, 1}, {0, 0}}
	i := 0
	for _, w := range want {
		c, n := s.at(i)
		if c != w.class || n != w.size {
			t.Errorf("at %d: class %b of size %d, want %b, %d", i, c, n, w.class, w.size)
		}
		i += n
	}
	if end := s.run(2, classLower); end != 4 {
		t.Errorf("run ends at %d", end)
	}
	if end := s.runNot(1, classSpace); end != 6 {
		t.Errorf("runNot ends at %d", end)
	}
	if s.run(0, classSpace) != 0 || s.runNot(0, classLower) != 0 {
		t.Error("an empty run moves")
	}
}

func TestContraction(t *testing.T) {
	cases := []struct {
		text         string
		plain, folds int // length with and without folding of case
	}{
		{"'s", 2, 2}, {"'S", 0, 2}, {"'ſ", 0, 3}, {"'t", 2, 2}, {"'m", 2, 2}, {"'D", 0, 2}, {"'re", 3, 3},
		{"'rE", 0, 3}, {"'VE", 0, 3}, {"'ll", 3, 3}, {"'Ll", 0, 3}, {"'l", 0, 0}, {"'", 0, 0}, {"", 0, 0},
		{"s", 0, 0}, {"'rx", 0, 0}, {"'v", 0, 0}, {"’s", 0, 0}, {"'\xc5", 0, 0},
	}
	for _, c := range cases {
		if got := contraction([]byte(c.text), 0, false); got != c.plain {
			t.Errorf("%q: %d, want %d", c.text, got, c.plain)
		}
		if got := contraction([]byte(c.text), 0, true); got != c.folds {
			t.Errorf("%q with folding: %d, want %d", c.text, got, c.folds)
		}
		if got := contraction([]byte("x"+c.text), 1, true); got != c.folds+1 {
			t.Errorf("%q behind a letter: %d, want %d", c.text, got, c.folds+1)
		}
	}
}

// The word of o200k's first alternative, where its first run must give something back.
func TestLowerWord(t *testing.T) {
	for text, want := range map[string]string{
		"Hello": "Hello", "HELLO": "", "HELLOx": "HELLOx", "helloW": "hello", "日本": "日本", "AB日": "AB日",
		"AB日CD": "AB日", "A日B日C": "A日B日", "e\u0301X": "e\u0301", "X\u0301Y": "X\u0301", "ʰA": "ʰ", "1": "", "": "",
	} {
		s := &scanner{[]byte(text), classTable()}
		if got := text[:lowerWord(s, 0)]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
