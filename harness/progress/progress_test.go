package progress

import (
	"testing"
	"time"
)

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234567 * time.Nanosecond: "1ms", 1234 * time.Millisecond: "1.2s", 83456 * time.Millisecond: "1m23s", 0: "0s",
	} {
		if got := Rounded(d).String(); got != want {
			t.Errorf("%v becomes %s, want %s", d, got, want)
		}
	}
}
