package format

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestHostCodes walks through the automaton of host names at random: what it accepts that begins
// with xn-- is right to the other validator, and so is most of what is not so.
func TestHostCodes(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 3))
	automaton := All["hostname"].Automaton()
	judge := must.Get(labels.New([]byte(`{"format": "hostname"}`)))(t)
	const characters = "abcdefghijklmnopqrstuvwxyz0123456789-."
	coded := 0
	for range 2000 {
		text, s := "xn--", automaton.Start()
		for _, b := range []byte(text) {
			s = automaton.Next(s, b)
		}
		for range 40 {
			if b := characters[d.IntN(len(characters))]; automaton.Next(s, b) >= 0 {
				text, s = text+string(b), automaton.Next(s, b)
			}
			if automaton.Accepting(s) && d.IntN(3) == 0 {
				break
			}
		}
		if !automaton.Accepting(s) {
			continue
		}
		coded++
		if why, err := judge.Explain(fmt.Appendf(nil, "%q", text)); err != nil || why != "" {
			t.Errorf("%s: %v %s", text, err, why)
		}
	}
	if coded < 200 {
		t.Errorf("only %d names", coded)
	}
	for _, text := range []string{"xn--mller-kva", "xn--strae-oqa", "xn--d-bga.xn--fa-hia"} {
		if !automaton.MatchString(text) || !automaton.MatchString(strings.ToUpper(text[:4])+text[4:]) {
			t.Errorf("%s is refused", text)
		}
	}
}
