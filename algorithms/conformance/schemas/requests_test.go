package schemas_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/toolcalls"
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
	entries := map[string]conformance.Entry{}
	for name, e := range everyone(t) {
		if !e.Late && !e.Open { // which are for schemas
			entries[name] = e
		}
	}
	every, walks := seed.Rounds(29, 7, 1), seed.Rounds(3, 7, 7)
	for _, format := range tools.Formats() {
		t.Run(format, func(t *testing.T) {
			ended, calls, number := 0, 0, 0
			var sum schemas.Outcome
			for _, r := range requestsOf(format) {
				number++
				if number%every != 0 {
					continue
				}
				list, err := schemas.Load(t.Context(), corpus.Source(toolcalls.Setup{Request: r, Count: 3, Requests: 21, Seed: uint64(number)}), 1)
				if err != nil {
					t.Fatal(err)
				}
				s := list[len(list)-1] // a drawn one
				c := &schemas.Comparison{Reference: entry(t, "naive", nil), Entries: entries, Limit: compileLimit, Branches: 1, Walks: walks, Steps: 20, Seed: uint64(number)}
				request := withMarkers(t, c, &s, number%3)
				c.Ended = func(_ schemas.Schema, text []byte) error {
					v, err := toolcalls.NewChecker(request).Check(toolcalls.Shown(text))
					if err == nil && !v.Valid() {
						err = fmt.Errorf("%s: %s", v.Kind, v.Reason)
					}
					if err != nil {
						return fmt.Errorf("a walk by masks ends in %q: %w\n%s", text, err, s.Text)
					}
					ended, calls = ended+1, calls+v.Calls
					return nil
				}
				o, err := c.Compare(t.Context(), s)
				if err != nil || o.Refused != nil || len(o.Missing) > 0 {
					t.Fatalf("%+v: %v, %v, %v", r, err, o.Refused, o.Missing)
				}
				sum.Positions, sum.Masks = sum.Positions+o.Positions, sum.Masks+o.Masks
			}
			t.Logf("%d walks, all of them ended in right responses with %d calls; %d positions, %d masks", ended, calls, sum.Positions, sum.Masks)
			if want := number / every * walks; ended != want || calls < ended/2 {
				t.Errorf("%d walks of %d, %d calls", ended, want, calls)
			}
		})
	}
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

// withMarkers gives a comparison a vocabulary for a request and its responses, with bytes and pieces
// of the responses around borders. Markers are text (0), special tokens (1), or tokens with bytes
// where the format has them in angle brackets (2).
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
