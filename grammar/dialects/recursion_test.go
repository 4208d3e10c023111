package dialects

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// unfold takes the left recursion out of a grammar and checks that none is left.
func unfold(t *testing.T, g *grammar.Grammar) (*source, error) {
	t.Helper()
	s := sourceOf(t, g)
	u, err := s.withoutLeftRecursion()
	if err != nil {
		return nil, err
	}
	left := u.leftRecursive()
	for _, n := range u.order {
		if left[n] >= 0 {
			t.Errorf("%s is left-recursive still", u.g.Nonterminals[n].Name)
		}
	}
	return u, nil
}

func TestWithoutLeftRecursion(t *testing.T) {
	for name, text := range map[string]string{
		"direct":         `s: s "a" | "b"`,
		"twice":          `s: s "a" | s "b" "a" | "b" | "a" "a"`,
		"through":        "s: x \"a\" | \"b\"\nx: s \"b\" | \"a\"",
		"through three":  "s: x \"a\" | \"b\"\nx: y \"b\" | \"a\"\ny: s | \"b\" y",
		"hidden":         "s: n s \"a\" | \"b\"\nn: | \"b\"",
		"behind two":     "s: n n s \"a\" | \"b\"\nn: | n \"b\"",
		"may be empty":   `s: | s "a"`,
		"both ways":      "s: s s \"a\" | \"b\" s | \"a\"",
		"with itself":    `s: s | s "a" | "b"`,
		"empty and back": "s: x \"a\" | \nx: s \"b\" | ",
	} {
		t.Run(name, func(t *testing.T) {
			g := parse(t, "%conflicts keep\nstart: s\n"+text)
			u := must.Get(unfold(t, g))(t)
			checkSame(t, compile(t, g), compile(t, kept(u.g)), allTexts(6)...)
		})
	}
}

// allTexts are the texts of a and b up to a length.
func allTexts(length int) []string {
	texts := []string{""}
	for i := 0; i < len(texts); i++ {
		if len(texts[i]) < length {
			texts = append(texts, texts[i]+"a", texts[i]+"b")
		}
	}
	return texts
}

// Random grammars of three rules, among them many that are left-recursive in hidden ways, have the
// same texts after.
func TestRandomRecursion(t *testing.T) {
	changed, endless := 0, 0
	for n := range seed.Each(t, 300) {
		g := randomGrammar(t, rand.New(rand.NewPCG(n, 1)))
		u, err := unfold(t, g)
		var unsupported *UnsupportedError
		if errors.As(err, &unsupported) {
			endless++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if len(u.g.Nonterminals) > len(g.Nonterminals) {
			changed++
		}
		before, after := compile(t, g), compile(t, kept(u.g))
		for _, text := range allTexts(5) {
			if (before.Check([]byte(text)) == nil) != (after.Check([]byte(text)) == nil) {
				t.Fatalf("seed %d: %q is judged in another way", n, text)
			}
		}
	}
	if changed < 50 {
		t.Errorf("only %d grammars were left-recursive, and %d endless", changed, endless)
	}
}

// randomGrammar has rules start, x and y over the terminals a and b; the start has a text.
func randomGrammar(t *testing.T, r *rand.Rand) *grammar.Grammar {
	symbols := []string{`"a"`, `"b"`, "x", "y", "start"}
	text := "%conflicts keep\n"
	for _, name := range []string{"start", "x", "y"} {
		text += name + ": \"a\""
		seen := []string{` "a"`}
		for range 1 + r.IntN(3) {
			alternative := ""
			for range r.IntN(4) {
				alternative += " " + symbols[r.IntN(len(symbols))]
			}
			if !slices.Contains(seen, alternative) {
				seen = append(seen, alternative)
				text += " |" + alternative
			}
		}
		text += "\n"
	}
	return parse(t, text)
}

// The grammars of programming languages become not much larger.
func TestUnfoldedGrammars(t *testing.T) {
	for _, name := range languages.Names() {
		g := must.Get(languages.Load(t.Context(), name))(t)
		if g.Layout != nil {
			continue
		}
		u := must.Get(unfold(t, g))(t)
		if before, after := len(g.Rules), len(u.g.Rules); after > 4*before {
			t.Errorf("%s: %d rules became %d", name, before, after)
		} else {
			t.Logf("%s: %d rules, unfolded %d", name, before, after)
		}
	}
}
