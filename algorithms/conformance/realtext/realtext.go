// Package realtext brings algorithms together with real grammars, vocabularies and texts, for tests
// and benchmarks: the conformance suite says that an algorithm is right on every trap of the
// contract, this says that it is right on what people write.
package realtext

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// ErrUnavailable says that something is missing on this machine, usually a tokenizer that was not
// fetched. Tests skip on it.
var ErrUnavailable = errors.New("not available here")

// A Case is an embedded grammar with a vocabulary, and embedded samples of the language as tokens.
type Case struct {
	Problem   *algorithms.Problem
	Tokenizer *tokenizers.Tokenizer
	Texts     [][]int32
}

// load makes the case of a language and a tokenizer, with the first samples (0: all of them). A
// tokenizer is only fetched if the long tests are wanted; else one that is not cached is
// ErrUnavailable. The vocabulary's prefix tree is built, so that no algorithm's compile time has
// it.
func load(ctx context.Context, language, tokenizer string, samples int, o recognizer.Options) (*Case, error) {
	tok, err := tokenizers.Load(ctx, tokenizer, tokenizers.Options{Offline: !seed.Full()})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	g, err := languages.Load(ctx, language)
	if err != nil {
		return nil, err
	}
	r, err := recognizer.New(ctx, g, o)
	if err != nil {
		return nil, err
	}
	tok.Vocabulary().Trie()
	c := &Case{Problem: &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary()}, Tokenizer: tok}
	src, err := datasets.Lookup(language + "-samples")
	if err != nil {
		return nil, err
	}
	set, err := datasets.Load(ctx, src, datasets.Query{Limit: samples})
	if err != nil {
		return nil, err
	}
	for _, s := range set.Samples {
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		c.Texts = append(c.Texts, ids)
	}
	return c, nil
}

// Need is Load for a test: it skips if something is missing here, and fails on any other error.
func Need(t testing.TB, language, tokenizer string, samples int) *Case {
	t.Helper()
	return NeedWith(t, language, tokenizer, samples, recognizer.Options{})
}

// NeedWith is Need with a choice of how the grammar is compiled.
func NeedWith(t testing.TB, language, tokenizer string, samples int, o recognizer.Options) *Case {
	t.Helper()
	c, err := load(t.Context(), language, tokenizer, samples, o)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// MustCompile is Compile for a test: it fails on an error.
func MustCompile(t testing.TB, name string, p *algorithms.Problem, given algorithms.Options) algorithms.Engine {
	t.Helper()
	return must.Get(Compile(t.Context(), name, p, given))(t)
}

// Compile compiles the registered algorithm of that name, given some of its options.
func Compile(ctx context.Context, name string, p *algorithms.Problem, given algorithms.Options) (algorithms.Engine, error) {
	alg, err := algorithms.Lookup(name)
	if err != nil {
		return nil, err
	}
	return compile(ctx, conformance.Entry{Algorithm: alg, Options: given}, p)
}

// compile compiles an entry's algorithm, given some of its options.
func compile(ctx context.Context, of conformance.Entry, p *algorithms.Problem) (algorithms.Engine, error) {
	full, err := algorithms.Resolve(of.Algorithm, of.Options)
	if err != nil {
		return nil, err
	}
	return of.Algorithm.Compile(ctx, p, full)
}

// Counter is a figure of an engine by its name, -1 if it has none.
func Counter(e algorithms.Engine, name string) float64 {
	for _, c := range e.Stats().Counters {
		if c.Name == name {
			return c.Value
		}
	}
	return -1
}

// Compare takes engines through the texts side by side and compares their masks, as returned and as
// delivered, with the reference's: at the first 40 positions, every 10th after them (every one in
// the long version), and the end. It returns the number of positions, and an error that names the
// first difference.
func (c *Case) Compare(reference algorithms.Engine, engines map[string]algorithms.Engine) (positions int, err error) {
	row := make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len()))
	for i, ids := range c.Texts {
		want := reference.Start()
		states := map[string]algorithms.State{}
		for name, e := range engines {
			states[name] = e.Start()
		}
		for k := 0; ; k++ {
			if k < 40 || k%10 == 0 || k == len(ids) || seed.Full() {
				positions++
				mask := want.Mask()
				for name, s := range states {
					if how, id := differs(s, mask, row); id >= 0 {
						return positions, fmt.Errorf("%s: sample %d, position %d: mask %s: token %d %q: the reference says legal=%v",
							name, i, k, how, id, c.Problem.Vocabulary.Token(id), mask.Has(id))
					}
				}
			}
			if k == len(ids) {
				break
			}
			if err := want.Commit(int(ids[k])); err != nil {
				return positions, fmt.Errorf("the reference: sample %d, position %d: %w", i, k, err)
			}
			for name, s := range states {
				if err := s.Commit(int(ids[k])); err != nil {
					return positions, fmt.Errorf("%s: sample %d, position %d: %w", name, i, k, err)
				}
			}
		}
	}
	return positions, nil
}

// CheckSamples compares engines with trie along the first samples of each language: of one with the
// vocabulary that is embedded, and in the long form of so many (0: all) with those of models. With
// -short there is one language.
func CheckSamples(t *testing.T, samples int, engines func(t *testing.T, p *algorithms.Problem) map[string]algorithms.Engine) {
	vocabularies := []string{"o200k_base", "llama3", "gemma3"}
	if !seed.Full() {
		samples, vocabularies = 1, []string{"r50k_base"}
	}
	for _, language := range seed.Some(t, datasets.Languages(), 5, 1, 1) {
		for _, vocabulary := range vocabularies {
			t.Run(language+"/"+vocabulary, func(t *testing.T) {
				c := Need(t, language, vocabulary, samples)
				positions, err := c.Compare(MustCompile(t, "trie", c.Problem, nil), engines(t, c.Problem))
				if err != nil || positions == 0 {
					t.Fatalf("%d positions: %v", positions, err)
				}
			})
		}
	}
}

// differs compares the mask of s with another, as it is returned and as it is delivered over what
// is in row. id is the first that differs, -1 if none does, and how says which of the two masks has
// it.
func differs(s algorithms.State, mask algorithms.Mask, row []uint64) (how string, id int) {
	if id := s.Mask().FirstDifference(mask); id >= 0 {
		return "returned", id
	}
	return "delivered", delivered(s, row, mask.Len()).FirstDifference(mask)
}

// delivered is the mask of s, of n ids, over what is in row.
func delivered(s algorithms.State, row []uint64, n int) algorithms.Mask {
	algorithms.Deliver(s, row)
	return algorithms.MaskOf(row, n)
}
