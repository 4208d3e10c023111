package completion_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/oracle"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/seed"
)

// alphabet is the letters of random grammars.
const alphabet = "abc "

// TestRandomGrammars compares shortest completions of random grammars with brute force: a search
// through all texts in the order of their length, by the recognizer, and for short ones the oracle,
// which shares no code with it.
func TestRandomGrammars(t *testing.T) {
	grammars, states, dead, oracles := 0, 0, 0, 0
	rounds := seed.Rounds(75, 600, 600)
	for n := range seed.Each(t, rounds) {
		spec := conformance.Random(n)
		if strings.Contains(spec.Grammar, "~/") || strings.Contains(spec.Grammar, `~"`) || strings.Contains(spec.Grammar, "~(") {
			continue // the texts of a complement have other letters
		}
		g, err := lark.Parse([]byte(spec.Grammar), lark.Options{File: "random.lark"})
		if err != nil {
			continue
		}
		r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: spec.OnDemand})
		if err != nil {
			continue
		}
		var judge *oracle.Contract // nil if it does not understand a terminal, or conflicts were resolved
		if r.Tables.Mode() == grammar.KeepConflicts || len(r.Tables.Conflicts()) == 0 {
			judge, _ = oracle.New(g)
		}
		grammars++
		c := completion.New(r, completion.Options{Nodes: 3000})
		rng := rand.New(rand.NewPCG(n, 2))
		for range 6 {
			text, s := stroll(r, rng, alphabet, 8)
			name := fmt.Sprintf("seed %d, after %q:\n%s", n, text, spec.Grammar)
			got, isDead := agrees(t, r, c, s, alphabet, 12, name)
			states++
			if isDead {
				dead++
			}
			if got != nil && judge != nil && len(got) <= 5 {
				oracles++
				if !judge.End(text+string(got)) || len(got) > 0 && judge.Completes(text, strings.Split(alphabet, ""), len(got)-1) {
					t.Fatalf("%s: the oracle does not find %q shortest", name, got)
				}
			}
		}
	}
	t.Logf("%d grammars, %d states, of which %d dead ends; %d judged by the oracle", grammars, states, dead, oracles)
	if grammars < rounds/6 || dead < rounds/60 || oracles < rounds/6 {
		t.Error("too few cases to mean anything")
	}
}

// agrees compares the completion of a state with brute force over texts of at most so many bytes.
// The text is nil if there is none, or none is found.
func agrees(t *testing.T, r *recognizer.Recognizer, c *completion.Completer, s recognizer.State, alphabet string, most int, name string) (text []byte, dead bool) {
	t.Helper()
	got, err := c.Shortest(t.Context(), s)
	if err == nil && got.Exact {
		most = min(most, len(got.Text)) // no need to look further
	}
	want := bruteForce(r, s, alphabet, most)
	var limit *completion.LimitError
	switch {
	case errors.Is(err, completion.ErrDeadEnd):
		if want >= 0 {
			t.Fatalf("%s: a dead end, but %d bytes end it", name, want)
		}
		return nil, true
	case errors.As(err, &limit):
		if want >= 0 {
			t.Fatalf("%s: %v, but %d bytes end it", name, err, want)
		}
		return nil, false
	case err != nil && r.Lexer.Err() != nil: // contexts disagree: found out late on demand
		return nil, false
	case err != nil:
		t.Fatal(name, err)
	case !ends(r, s, got.Text):
		t.Fatalf("%s: %q does not end it", name, got.Text)
	case want >= 0 && (len(got.Text) != want || !got.Exact) || want < 0 && len(got.Text) <= most:
		t.Fatalf("%s: %q (exact: %v), but %d bytes are the fewest", name, got.Text, got.Exact, want)
	}
	return got.Text, false
}

// stroll reads at most so many random legal bytes.
func stroll(r *recognizer.Recognizer, rng *rand.Rand, alphabet string, most int) (string, recognizer.State) {
	var text strings.Builder
	s := r.Start()
	for range rng.IntN(most + 1) {
		for _, i := range rng.Perm(len(alphabet)) {
			if next, ok := r.Read(s, []byte{alphabet[i]}); ok {
				s = next
				text.WriteByte(alphabet[i])
				break
			}
		}
	}
	return text.String(), s
}

// maxLayer is how many states of one length brute force looks at before it gives up.
const maxLayer = 20_000

// bruteForce is the fewest bytes that end a text; -1 if there are more than most, or too many texts
// to try.
func bruteForce(r *recognizer.Recognizer, s recognizer.State, alphabet string, most int) int {
	layer := []recognizer.State{s}
	seen := map[string][]recognizer.State{}
	for n := 0; n <= most && len(layer) <= maxLayer; n++ {
		var next []recognizer.State
		for _, s := range layer {
			if r.End(s) {
				return n
			}
			for i := range len(alphabet) {
				to, ok := r.Step(s, alphabet[i])
				if ok && !known(seen, to) {
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return -1
}

// known tells whether an equal state was seen, and remembers this one.
func known(seen map[string][]recognizer.State, s recognizer.State) bool {
	key := fmt.Sprint(s.Lexer, s.Stacks.Key())
	for _, o := range seen[key] {
		if o.Stacks.Equal(s.Stacks) && o.Layout.Equal(s.Layout) {
			return true
		}
	}
	seen[key] = append(seen[key], s)
	return false
}

// ends tells whether a text may follow, and end there.
func ends(r *recognizer.Recognizer, s recognizer.State, text []byte) bool {
	s, ok := r.Read(s, text)
	return ok && r.End(s)
}
