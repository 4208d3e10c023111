package schemas_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/grammar/tools"
	"gcdbench/internal/seed"
	"gcdbench/internal/special"
	"gcdbench/tokenizers"
)

// TestRequests holds every algorithm to naive on requests with tools in all formats, and each walk
// by their masks ends in a response that the checker takes. Tokens lie across every byte near every
// border between texts, markers, names and arguments. Markers are text, special tokens or tokens
// that have bytes.
func TestRequests(t *testing.T) {
	corpus, err := toolcalls.Open(t.Context(), toolcalls.SamplesName)
	if err != nil {
		t.Fatal(err)
	}
	entries := everyone(t)
	maps.DeleteFunc(entries, func(_ string, e conformance.Entry) bool { return e.Open }) // which are for schemas
	names := slices.Sorted(maps.Keys(entries))
	every, walks := seed.Rounds(29, 7, 1), seed.Rounds(3, 7, 7)
	for _, format := range seed.Some(t, tools.Formats(), 3, 1, 1) {
		t.Run(format, func(t *testing.T) {
			calls, positions, masks, number, drawn := 0, 0, 0, 0, seed.New(t)
			for _, r := range requestsOf(format) {
				if number++; number%every != 0 {
					continue
				}
				list, err := schemas.Load(t.Context(), corpus.Source(toolcalls.Setup{Request: r, Count: 3, Requests: 21, Seed: drawn + uint64(number)}), 1)
				if err != nil {
					t.Fatal(err)
				}
				s := list[len(list)-1] // a drawn one
				c := &schemas.Comparison{Reference: entry(t, "naive", nil), Entries: entries, Limit: compileLimit, Branches: 1, Walks: 1, Steps: 20, Seed: drawn + uint64(number)}
				request := withMarkers(t, c, &s, number%3)
				o, err := c.Compare(t.Context(), s)
				if err != nil || o.Refused != nil || len(o.Missing) > 0 {
					t.Fatalf("%+v: %v, %v, %v", r, err, o.Refused, o.Missing)
				}
				positions, masks = positions+o.Positions, masks+o.Masks
				w := newWalks(t, c, &s)
				checker := toolcalls.NewChecker(request)
				for i := range walks {
					text := w.walk(names[i%len(names)])
					v, err := checker.Check(toolcalls.Shown(text))
					if err != nil || !v.Valid() {
						t.Fatalf("a walk by the masks of %s ends in %q: %+v, %v\n%s", names[i%len(names)], text, v, err, s.Text)
					}
					calls += v.Calls
				}
			}
			ended := number / every * walks
			t.Logf("%d of %d walks end in right responses, with %d calls; %d positions, %d masks", ended, ended, calls, positions, masks)
			if calls < ended/2 {
				t.Errorf("only %d calls in %d walks", calls, ended)
			}
		})
	}
}

// walks are walks under one request by masks, to their ends.
type walks struct {
	testing.TB
	*schemas.Comparison
	schema    *schemas.Schema
	problem   *algorithms.Problem
	whole     *recognizer.Recognizer // with all rules, as completions need it
	completer *completion.Completer
	rng       *rand.Rand
}

func newWalks(t *testing.T, c *schemas.Comparison, s *schemas.Schema) *walks {
	t.Helper()
	g, err := tools.ParseLark(t.Context(), s.ID, s.Grammar, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := r.Whole(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &walks{t, c, s, &algorithms.Problem{Recognizer: r, Vocabulary: c.Vocabulary}, whole, completion.New(whole, completion.Options{}), rand.New(rand.NewPCG(c.Seed, 11))}
}

// walk goes on at random from somewhere in a response, and is ended by a shortest completion. Each
// of its tokens is in the mask of an algorithm, and each mask is naive's.
func (w *walks) walk(name string) (text []byte) {
	w.Helper()
	s, naive := realtext.MustCompile(w, name, w.problem, nil).Start(), realtext.MustCompile(w, "naive", w.problem, nil).Start()
	take := func(id int) bool {
		mask := s.Mask()
		if wrong := mask.FirstDifference(naive.Mask()); wrong >= 0 {
			w.Fatalf("%s, after %q: token %q differs from naive's mask\n%s", name, text, w.Vocabulary.Token(wrong), w.schema.Text)
		}
		for len(text)%2 == 1 && algorithms.Idle(s) { // else the next token comes before anything is built
		}
		if id < 0 {
			ids := slices.DeleteFunc(mask.IDs(nil), w.Vocabulary.IsEOS)
			if len(ids) == 0 {
				return false
			}
			id = ids[w.rng.IntN(len(ids))]
		}
		if !mask.Has(id) {
			return false
		}
		if err := errors.Join(s.Commit(id), naive.Commit(id)); err != nil {
			w.Fatalf("%s, after %q: %v", name, text, err)
		}
		text = append(text, w.Vocabulary.Token(id)...)
		return true
	}
	begin := w.split(w.schema.Instances[w.rng.IntN(len(w.schema.Instances))].Text)
	for _, id := range begin[:w.rng.IntN(len(begin)+1)] {
		if !take(int(id)) {
			break
		}
	}
	for range w.rng.IntN(20) {
		if !take(-1) {
			break
		}
	}
	at, _ := w.whole.Read(w.whole.Start(), text)
	rest, err := w.completer.Shortest(w.Context(), at)
	if err != nil {
		w.Fatalf("%s, after %q: %v", name, text, err)
	}
	for _, id := range w.split(rest.Text) {
		if !take(int(id)) {
			w.Fatalf("%s, after %q: %q of the completion %q is masked", name, text, w.Vocabulary.Token(int(id)), rest.Text)
		}
	}
	if !s.Mask().Has(w.Vocabulary.EOS()[0]) {
		w.Fatalf("%s: the end is masked after %q", name, text)
	}
	return text
}

// split makes tokens of a text.
func (w *walks) split(text []byte) []int32 {
	ids, err := w.Split(text)
	if err != nil {
		w.Fatal(err)
	}
	return ids
}

// requestsOf are all ways to set a request of a format, each twice.
func requestsOf(format string) (list []tools.Request) {
	for _, choice := range tools.Choices() {
		for _, text := range tools.Texts() {
			for n := range 8 {
				list = append(list, tools.Request{Format: format, Choice: choice, Text: text, Parallel: n&1 > 0, Reasoning: n&2 > 0})
			}
		}
	}
	return list
}

// withMarkers gives a comparison a vocabulary for a request and its responses, with bytes and
// pieces of the responses around borders. Markers are text (0), special tokens (1), or tokens with
// bytes where the format has them in angle brackets (2).
func withMarkers(t *testing.T, c *schemas.Comparison, s *schemas.Schema, kind int) *tools.Request {
	t.Helper()
	request, err := tools.Read(s.ID, s.Text)
	if err != nil {
		t.Fatal(err)
	}
	if kind > 0 {
		request.Markers = tools.Markers(request.Format)
		if s.Grammar, err = request.Lark(); err != nil {
			t.Fatal(err)
		}
	}
	pieces := map[string]bool{}
	for i, one := range s.Instances {
		text := one.Text
		for _, span := range toolcalls.Classify(request, text) {
			around(pieces, text, span.End)
		}
		s.Instances[i].Text = toolcalls.Tokens(request, text, one.Valid)
	}
	var tokens [][]byte
	for b := range 256 {
		tokens = append(tokens, []byte{byte(b)})
	}
	for _, p := range slices.Sorted(maps.Keys(pieces)) {
		tokens = append(tokens, []byte(p))
	}
	var specials []int
	for _, m := range request.Markers {
		if kind == 1 || !strings.HasPrefix(m, "<") {
			specials = append(specials, len(tokens))
		}
		tokens = append(tokens, []byte(m))
	}
	v, err := tokenizers.NewVocabulary("pieces", append(tokens, []byte("<eos>")), []int{len(tokens)}, specials)
	if err != nil {
		t.Fatal(err)
	}
	names, err := request.Names()
	if err != nil {
		t.Fatal(err)
	}
	if c.Vocabulary, err = v.Naming(names); err != nil {
		t.Fatal(err)
	}
	c.Split = longest(c.Vocabulary)
	return request
}

// around adds the pieces of a text that lie around a place of it, up to three bytes on each side.
func around(pieces map[string]bool, text []byte, at int) {
	const most = 3
	for from := max(0, at-most); from <= at; from++ {
		for to := from + 2; to <= min(len(text), at+most); to++ {
			pieces[string(text[from:to])] = true
		}
	}
}

// longest splits texts into the longest tokens, from left to right.
func longest(v *tokenizers.Vocabulary) func(text []byte) ([]int32, error) {
	ids, most := map[string]int32{}, 0
	for id := range v.Len() {
		if v.Legal(id) {
			ids[string(v.Token(id))], most = int32(id), max(most, len(v.Token(id)))
		}
	}
	return func(text []byte) (list []int32, err error) {
		for len(text) > 0 {
			n := min(most, len(text))
			for ; n > 0; n-- {
				if _, there := ids[string(text[:n])]; there {
					break
				}
			}
			if n == 0 {
				return nil, fmt.Errorf("no token begins %q", special.Shown(text))
			}
			list, text = append(list, ids[string(text[:n])]), text[n:]
		}
		return list, nil
	}
}
