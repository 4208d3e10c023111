package items

import "testing"

// TestEscapeLength: the letters of the first character of a text, both halves of an escaped pair.
func TestEscapeLength(t *testing.T) {
	for text, want := range map[string]int{`a`: 1, `é`: 2, "\xc3": 2, `\n`: 2, `\`: 2, `\u`: 6, `\u00e9`: 6, `\ud83d`: 12, `\uDBFF`: 12, `\ude00`: 6, `\ud7`: 6} {
		if got := escapeLength([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
