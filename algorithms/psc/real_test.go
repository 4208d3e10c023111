package psc

import (
	"os"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/trie"
	"gcdbench/datasets"
	"gcdbench/grammars"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// full tells whether the long versions of tests are wanted.
func full() bool { return os.Getenv("GCDBENCH_FULL") != "" }

// realProblem is an embedded grammar with a real vocabulary; the test is skipped if the vocabulary is not
// on this machine.
func realProblem(t testing.TB, lang, vocabulary string) (*algorithms.Problem, *tokenizers.Tokenizer) {
	t.Helper()
	tok, err := tokenizers.Load(t.Context(), vocabulary, tokenizers.Options{Offline: !full()})
	if err != nil {
		t.Skipf("%s is not available: %v", vocabulary, err)
	}
	g, err := grammars.Load(lang)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tok.Vocabulary().Trie()
	return &algorithms.Problem{Recognizer: r, Vocabulary: tok.Vocabulary()}, tok
}

// samples are the first documents of a language's embedded corpus, as token ids.
func samples(t testing.TB, lang string, tok *tokenizers.Tokenizer, limit int) [][]int32 {
	t.Helper()
	src, err := datasets.Lookup(lang + "-samples")
	if err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Load(t.Context(), src, datasets.Query{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	var list [][]int32
	for _, s := range d.Samples {
		ids, err := tok.EncodeContinuation(s.Content)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ids)
	}
	return list
}

// compile compiles psc with options.
func compile(t testing.TB, p *algorithms.Problem, o algorithms.Options) *engine {
	t.Helper()
	e, err := algorithm{}.Compile(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*engine)
}

// TestSamples compares the masks with trie's along the embedded samples.
func TestSamples(t *testing.T) {
	limit := 1
	vocabularies := []string{"o200k_base"}
	if testing.Short() {
		t.Skip("reads real vocabularies")
	}
	if full() {
		limit, vocabularies = 3, []string{"o200k_base", "llama3", "gemma3"}
	}
	reference, err := algorithms.Lookup("trie")
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range datasets.Languages() {
		for _, vocabulary := range vocabularies {
			t.Run(lang+"/"+vocabulary, func(t *testing.T) {
				p, tok := realProblem(t, lang, vocabulary)
				r, err := reference.Compile(t.Context(), p, nil)
				if err != nil {
					t.Fatal(err)
				}
				engines := []*engine{compile(t, p, nil), compile(t, p, algorithms.Options{"cache": "off"})}
				positions := 0
				for i, ids := range samples(t, lang, tok, limit) {
					want := r.Start()
					got := []algorithms.State{engines[0].Start(), engines[1].Start()}
					for k := 0; k <= len(ids); k++ {
						mask := want.Mask()
						for j := range got {
							if id := got[j].Mask().FirstDifference(mask); id >= 0 {
								t.Fatalf("sample %d, position %d, engine %d: token %d %q: trie says %v", i, k, j, id, p.Vocabulary.Token(id), mask.Has(id))
							}
						}
						positions++
						if k == len(ids) {
							break
						}
						for _, s := range append(got, want) {
							if err := s.Commit(int(ids[k])); err != nil {
								t.Fatalf("sample %d, position %d: %v", i, k, err)
							}
						}
					}
				}
				t.Logf("%d positions; %+v", positions, engines[0].Stats())
			})
		}
	}
}
