package languages_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar/recognizer"
	"gcdbench/internal/seed"
)

func jsonRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "json") }

// TestJSONChanged compares the grammar with encoding/json on random changes of the valid cases.
func TestJSONChanged(t *testing.T) {
	seed := seed.New(t)
	const changes = 20000
	rng := rand.New(rand.NewPCG(seed, 0))
	var texts []string
	for _, c := range smallTexts(t, "json") {
		if c.taken {
			texts = append(texts, c.text)
		}
	}
	pieces := strings.Split("{ } [ ] , : \" \\ / 0 1 - + . e E u true null a \n \t é \x01 {} [] \"a\":", " ")
	for range changes {
		text := texts[rng.IntN(len(texts))]
		for range 1 + rng.IntN(3) {
			from := rng.IntN(len(text) + 1)
			to := min(len(text), from+rng.IntN(3))
			text = text[:from] + pieces[rng.IntN(len(pieces))] + text[to:]
		}
		if !utf8.ValidString(text) {
			continue
		}
		err := jsonRecognizer(t).Check([]byte(text))
		if want := json.Valid([]byte(text)); (err == nil) != want {
			t.Fatalf("seed %d: %q: the grammar says %v, encoding/json says valid: %v", seed, text, err, want)
		}
	}
}

func TestJSONDeep(t *testing.T) {
	const depth = 100_000
	text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	if err := jsonRecognizer(t).Check([]byte(text)); err != nil {
		t.Error(err)
	}
	if jsonRecognizer(t).Check([]byte(text[:len(text)-1])) == nil {
		t.Error("accepted an array that is not closed")
	}
}

func TestJSONConflicts(t *testing.T) {
	r := jsonRecognizer(t)
	if n := len(r.Tables.Conflicts()); n != 0 || !r.Tables.Deterministic() {
		t.Errorf("%d conflicts, want none", n)
	}
}
