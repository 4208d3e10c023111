package words

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestVisible: what cannot be seen, or changes how the rest is seen, is escaped; nothing else is.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", `a\b`: `a\b`, "µs × 5 – é 中 👩‍💻": "µs × 5 – é 中 👩‍💻",
		"\x1b[31mred\x07": `\x1b[31mred\x07`, "a\nb\tc\rd": `a\nb\tc\rd`, "nul\x00 del\x7f": `nul\x00 del\u007f`,
		"\u009b0m": `\u009b0m`, "evil\u202egnp.exe": `evil\u202egnp.exe`, "\u2066x\u2069\u200e\u061c": `\u2066x\u2069\u200e\u061c`,
		"one\u2028two\u2029": `one\u2028two\u2029`, "bad\xff\xc3": `bad\xff\xc3`, "\ufffd is a character": "\ufffd is a character",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := VisibleLines("a\n\tb\r\x1b"); got != "a\n\tb\\r\\x1b" {
		t.Errorf("lines: %q", got)
	}
}

// TestPrintable: characters that do not show, and spaces that are none of ASCII, are escaped too.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"x = 1 µ 中 👩": "x = 1 µ 中 👩", "a\u00a0b": `a\u00a0b`, "\ufeffpackage": `\ufeffpackage`,
		"so\u00adft\u200b": `so\u00adft\u200b`, "\u3000\ue000": `\u3000\ue000`, "\x1b\n\xff": `\x1b\n\xff`,
		"\U000e0001": `\udb40\udc01`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestVisibleJSON: the characters that JSON may contain as they are mean the same when they are
// escaped.
func TestVisibleJSON(t *testing.T) {
	text := "\x1b\x07 \u009b \x7f \u202e \u2028 µ \xff"
	line, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var before, after string
	if err := json.Unmarshal(line, &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(VisibleLines(string(line))), &after); err != nil || before != after {
		t.Errorf("%q became %q (%v)", before, after, err)
	}
}

// TestVisibleWriter: pieces of any size make the same text.
func TestVisibleWriter(t *testing.T) {
	text := "µ\x1b 中\u202e\xff\xe4\xb8 👩\n\xf0\x9f"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := NewVisibleWriter(&b)
		for i := 0; i < len(text); i += size {
			piece := text[i:min(i+size, len(text))]
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != VisibleLines(text) {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), VisibleLines(text))
		}
	}
	if _, err := NewVisibleWriter(broken{}).Write([]byte("a")); !errors.Is(err, errBroken) {
		t.Errorf("a broken stream: %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b\xff\u202e\ufffd")
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !utf8.ValidString(got) || Visible(got) != got {
			t.Errorf("%q: %q, and then %q", text, got, Visible(got))
		}
	})
}
