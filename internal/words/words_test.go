package words

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 LR states", 1: "1 LR state", 2: "2 LR states", 1234: "1234 LR states", -1: "-1 LR states"} {
		if got := Count(n, "LR state"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
