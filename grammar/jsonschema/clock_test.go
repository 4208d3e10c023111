package jsonschema

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
	small, err := formats["time"].automaton()
	if err != nil {
		t.Fatal(err)
	}
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

// TestLeapSecondsBesideOthers: where other keywords are about the string, and with escapes, some
// leap seconds are left out, and nothing else changes.
func TestLeapSecondsBesideOthers(t *testing.T) {
	const odd, even = `01:00:60+01:01`, `01:29:60+01:30`
	for _, c := range []struct {
		schema, text string
		want         bool
	}{
		{`{"format": "time"}`, `"` + odd + `"`, true},
		{`{"format": "time"}`, `"\u0030` + odd[1:] + `"`, false},
		{`{"format": "time"}`, `"\u0030` + even[1:] + `"`, true},
		{`{"format": "time"}`, `"01:00:60+01:0\u0031"`, false},
		{`{"format": "time", "maxLength": 50}`, `"` + odd + `"`, false},
		{`{"format": "time", "maxLength": 50}`, `"` + even + `"`, true},
		{`{"not": {"format": "time"}}`, `"` + odd + `"`, false},
		{`{"type": ["string", "null"], "format": "date-time"}`, `"2016-12-31T` + odd + `"`, true},
		{`{"format": "date-time"}`, `"2016-12-32T` + odd + `"`, false},
		{`{"format": "date-time"}`, `"2015-02-29T` + odd + `"`, false},
		{`{"format": "time"}`, `"25:00:60+01:01"`, false},
		{`{"format": "time"}`, `"01:0a:60+01:01"`, false},
	} {
		accepts, _, err := acceptance(c.schema, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if accepts(c.text) != c.want {
			t.Errorf("%s: %s is accepted: %v", c.schema, c.text, !c.want)
		}
	}
}
