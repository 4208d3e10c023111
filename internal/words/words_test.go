package words

import (
	"fmt"
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
