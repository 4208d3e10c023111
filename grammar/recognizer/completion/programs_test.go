package completion_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestPrograms cuts programs at random places: the completion is accepted, is no longer than what
// was cut off, and was proved to be a shortest one.
func TestPrograms(t *testing.T) {
	seed.Usual(t)
	for _, language := range datasets.Languages() {
		t.Run(language, func(t *testing.T) {
			r := embedded(t, language)
			c := completion.New(r, completion.Options{})
			rng := rand.New(rand.NewPCG(seed.New(t), 1))
			var all tally
			for _, d := range documents(t, language, seed.Rounds(1, 30, 150)) {
				for range 5 {
					all.cut(t, r, c, d.Content, rng.IntN(len(d.Content)+1), d.ID)
				}
			}
			all.report(t)
		})
	}
}

// embedded compiles an embedded grammar.
func embedded(t testing.TB, name string) *recognizer.Recognizer {
	g := must.Get(languages.Load(t.Context(), name))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return r
}

// documents are the embedded samples of a language, and so many of its development corpus if that
// is there.
func documents(t testing.TB, language string, most int) []datasets.Sample {
	src := must.Get(datasets.Lookup(language + "-samples"))(t)
	list := load(t, src, 0)
	path := filepath.Join("..", "..", "..", "..", "shared", "data", language+"-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		return list
	}
	src = must.Get(datasets.Open("jsonl", path, ""))(t)
	return append(list, load(t, src, most)...)
}

func load(t testing.TB, src datasets.Source, most int) []datasets.Sample {
	set := must.Get(datasets.Load(t.Context(), src, datasets.Query{Limit: most}))(t)
	return set.Samples
}

// A tally counts completions.
type tally struct {
	cuts, longest int
	times         []time.Duration
	nodes         []int
	worst         string
}

// cut completes a document that is accepted, from a place in it on.
func (a *tally) cut(t *testing.T, r *recognizer.Recognizer, c *completion.Completer, text []byte, at int, id string) (whole []byte) {
	t.Helper()
	if r.Check(text) != nil {
		return nil
	}
	s, ok := r.Read(r.Start(), text[:at])
	if !ok {
		t.Fatalf("%s: the first %d bytes are refused", id, at)
	}
	begin := time.Now()
	got, err := c.Shortest(context.Background(), s)
	a.times = append(a.times, time.Since(begin))
	a.nodes = append(a.nodes, got.Nodes)
	if slices.Max(a.nodes) == got.Nodes {
		a.worst = id + " cut behind " + string(text[max(0, at-60):at]) + ": " + string(got.Text)
	}
	a.cuts++
	var limit *completion.LimitError
	switch {
	case errors.As(err, &limit):
		t.Errorf("%s, %d bytes: %v", id, at, err)
		return nil
	case err != nil:
		t.Fatalf("%s, %d bytes: %v", id, at, err)
	}
	whole = slices.Concat(text[:at], got.Text)
	if err := r.Check(whole); err != nil {
		t.Fatalf("%s, %d bytes: %q: %v", id, at, got.Text, err)
	}
	if !got.Exact {
		t.Errorf("%s, %d bytes: %q is not proved", id, at, got.Text)
	} else if len(got.Text) > len(text)-at {
		t.Fatalf("%s, %d bytes: %q is longer than the rest", id, at, got.Text)
	}
	a.longest = max(a.longest, len(got.Text))
	return whole
}

// report logs what was found.
func (a *tally) report(t *testing.T) {
	slices.Sort(a.times)
	slices.Sort(a.nodes)
	n := len(a.times)
	t.Logf("%d cuts; longest %d bytes; nodes p50 %d p99 %d max %d; time p50 %v p99 %v max %v", a.cuts, a.longest,
		a.nodes[n/2], a.nodes[n*99/100], a.nodes[n-1], a.times[n/2], a.times[n*99/100], a.times[n-1])
	t.Logf("worst: %s", a.worst)
}
