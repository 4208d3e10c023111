package realtext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/tokenizers"
)

// Small is a grammar in Lark's language on a vocabulary of the given tokens, with EOS after the
// last: the size of problem in which a test can say what becomes of each token.
func Small(t testing.TB, grammar string, onDemand bool, tokens []string) *algorithms.Problem {
	t.Helper()
	g := must.Get(lark.Parse([]byte(grammar), lark.Options{File: "test.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: onDemand}))(t)
	return &algorithms.Problem{Recognizer: r, Vocabulary: Vocabulary(t, tokens...)}
}

// Vocabulary is the given tokens, with EOS after the last.
func Vocabulary(t testing.TB, tokens ...string) *tokenizers.Vocabulary {
	t.Helper()
	list := make([][]byte, 0, len(tokens)+1)
	for _, s := range tokens {
		list = append(list, []byte(s))
	}
	return must.Get(tokenizers.NewVocabulary("test", append(list, []byte("<eos>")), []int{len(tokens)}, nil))(t)
}

// Bytes are the tokens of one byte below n, in order: a text is then its own bytes as ids.
func Bytes(n int) []string {
	list := make([]string, n)
	for b := range list {
		list[b] = string([]byte{byte(b)})
	}
	return list
}

// Pieced are n tokens of one to four pieces drawn from a list; some may be equal.
func Pieced(rng *rand.Rand, pieces []string, n int) []string {
	list := make([]string, n)
	for i := range list {
		var token strings.Builder
		for range 1 + rng.IntN(4) {
			token.WriteString(pieces[rng.IntN(len(pieces))])
		}
		list[i] = token.String()
	}
	return list
}

// Stroll compares the masks of two generations of a problem, those of s by turns as returned and as
// delivered, and takes both on by a random token that the reference allows, up to steps times:
// until there is none, EOS was taken, or both refuse. It fails the test at the first difference,
// which it reports with seed and what, and returns the number of positions compared.
func Stroll(t testing.TB, rng *rand.Rand, p *algorithms.Problem, s, reference algorithms.State, steps int, seed uint64, what any) (positions int) {
	t.Helper()
	positions, err := stroll(rng, p, s, reference, steps)
	if err != nil {
		t.Fatalf("seed %d, %v: %v", seed, what, err)
	}
	return positions
}

// stroll is Stroll with an error for the first difference.
func stroll(rng *rand.Rand, p *algorithms.Problem, s, reference algorithms.State, steps int) (positions int, err error) {
	row := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
	for step := range steps {
		mask := reference.Mask()
		how, got := "returned", algorithms.Mask{}
		if step%2 == 0 {
			got = s.Mask()
		} else {
			how, got = "delivered", delivered(s, row, mask.Len())
		}
		if id := got.FirstDifference(mask); id >= 0 {
			return positions, fmt.Errorf("mask %s: token %q: the reference says legal=%v", how, p.Vocabulary.Token(id), mask.Has(id))
		}
		positions++
		ids := mask.IDs(nil)
		if len(ids) == 0 {
			return positions, nil
		}
		id := ids[rng.IntN(len(ids))]
		ours, theirs := s.Commit(id), reference.Commit(id)
		if (ours == nil) != (theirs == nil) {
			return positions, fmt.Errorf("token %q is committed with %v, the reference says %v", p.Vocabulary.Token(id), ours, theirs)
		}
		if ours != nil || p.Vocabulary.IsEOS(id) {
			return positions, nil
		}
	}
	return positions, nil
}
