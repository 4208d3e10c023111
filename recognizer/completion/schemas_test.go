package completion_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gcdbench/algorithms/schemas"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/seed"
	"gcdbench/recognizer"
	"gcdbench/recognizer/completion"
)

// TestSchemas cuts valid instances of JSON schemas at random places: the completed text is accepted, and a validator that
// shares no code with the compiler of schemas says that it is valid.
func TestSchemas(t *testing.T) {
	list, err := schemas.Samples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	more, err := schemas.Development(t.Context(), filepath.Join("..", ".."), 7)
	if err != nil && !errors.Is(err, schemas.ErrUnavailable) {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	var all tally
	judged, compiled := 0, 0
	for _, s := range append(list, more...) {
		r := schema(t, s.Text)
		if r == nil {
			continue
		}
		compiled++
		c := completion.New(r, completion.Limits{})
		judge, err := labels.New(s.Text)
		if err != nil {
			judge = nil
		}
		for _, x := range s.Instances {
			if !x.Valid || r.Check(x.Text) != nil {
				continue
			}
			for range 4 {
				at := rng.IntN(len(x.Text) + 1)
				whole := all.cut(t, r, c, x.Text, at, s.ID)
				if judge == nil || whole == nil {
					continue
				}
				judged++
				if why, err := judge.Explain(whole); err != nil || why != "" {
					t.Errorf("%s: %s + %s: %s %v", s.ID, x.Text[:at], whole[at:], why, err)
				}
			}
		}
	}
	t.Logf("%d schemas, %d completions judged", compiled, judged)
	all.report(t)
}

// schema compiles a JSON schema; nil if it has no grammar.
func schema(t testing.TB, text []byte) *recognizer.Recognizer {
	result, err := jsonschema.Compile(t.Context(), bytes.TrimSpace(text), jsonschema.Options{})
	if err != nil {
		return nil
	}
	r, err := recognizer.New(context.Background(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
