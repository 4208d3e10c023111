package format

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// TestLeapSeconds goes through all offsets at some minutes of the day, and says what the small
// automata have.
func TestLeapSeconds(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 1))
	small := All["time"].Automaton()
	found := 0
	for range 40 {
		minute := d.IntN(day)
		for offset := range day {
			for _, ahead := range []bool{true, false} {
				sign, utc := "-", minute+offset
				if ahead {
					sign, utc = "+", minute-offset
				}
				right := (utc+day)%day == day-1
				text := fmt.Sprintf("%02d:%02d:60%s%02d:%02d", minute/60, minute%60, sign, offset/60, offset%60)
				if got := leapTime().MatchString(`"` + text + `"`); got != right {
					t.Fatalf("%s: %v", text, got)
				}
				if got := small.MatchString(text); got != (right && offset%30 == 0) {
					t.Fatalf("the small automaton, %s: %v", text, got)
				}
				if text = `"2024-02-29t` + text[:8] + ".25" + text[8:] + `"`; leapDateTime().MatchString(text) != right {
					t.Fatalf("%s: %v", text, !right)
				}
				if right {
					found++
				}
			}
		}
	}
	if found != 80 {
		t.Errorf("%d leap seconds", found)
	}
}
