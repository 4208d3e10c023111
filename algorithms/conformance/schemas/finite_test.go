package schemas_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets/labels"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// maxPlaces bounds the search of all texts under one schema; what is larger is searched so far.
const maxPlaces = 20_000

// finite is a schema with finitely many texts, judged by someone else.
type finite struct {
	schemas.Small
	engine   algorithms.Engine
	problem  *algorithms.Problem
	judge    *labels.Validator
	narrower bool // the coverage says that some valid instances are refused
}

// TestFinite holds naive, and with it all that is held to naive, to an oracle that shares no code
// with it: a validator, and enumeration. No prefix of a valid instance may be masked; all texts
// that the masks lead to must be valid; and there must be no dead ends but in numbers, as a JSON
// lexeme that the parser waits for can always come.
func TestFinite(t *testing.T) {
	seed.Usual(t)
	seeds := seed.Rounds(15, 60, 3000)
	compiled, instances, texts, narrower := 0, 0, 0, 0
	for seed := range seed.Each(t, seeds) {
		f := newFinite(t, schemas.Finite(seed))
		if f == nil {
			continue
		}
		compiled++
		if f.narrower {
			narrower++
		} else {
			instances += f.allowed(t)
		}
		n, _ := f.enumerate(t, f.engine.Start(), "", new(int))
		texts += n
		if t.Failed() {
			t.Fatalf("seed %d: schema %s", seed, f.Schema.Text)
		}
	}
	t.Logf("%d seeds: %d schemas, %d of them enforced more narrowly; %d valid instances never masked, %d texts enumerated, all valid",
		seeds, compiled, narrower, instances, texts)
	if compiled < seeds/2 || instances < seeds {
		t.Error("the generator is no good")
	}
}

// newFinite compiles a schema; nil if it has no instance, which is compared with the universe.
func newFinite(t *testing.T, s schemas.Small) *finite {
	t.Helper()
	judge, err := labels.New(s.Schema.Text)
	if err != nil {
		t.Fatalf("%v: %s", err, s.Schema.Text)
	}
	f := &finite{Small: s, judge: judge}
	result, err := jsonschema.Compile(t.Context(), s.Schema.Text, jsonschema.Options{})
	var unsupported *jsonschema.UnsupportedError
	switch {
	case errors.Is(err, jsonschema.ErrContradiction):
		if i := slices.IndexFunc(s.Schema.Instances, func(in schemas.Instance) bool { return f.valid(t, in.Text) }); i >= 0 {
			t.Fatalf("a contradiction, but %s is valid: %s", s.Schema.Instances[i].Text, s.Schema.Text)
		}
		return nil
	case errors.As(err, &unsupported):
		return nil
	case err != nil:
		t.Fatalf("%v: %s", err, s.Schema.Text)
	}
	f.narrower = slices.ContainsFunc(result.Coverage, func(c jsonschema.Coverage) bool { return c.Status == jsonschema.Narrower })
	v := must.Get(s.Vocabulary())(t)
	rec, err := recognizer.New(t.Context(), result.Grammar, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatalf("%v: %s", err, s.Schema.Text)
	}
	f.problem = &algorithms.Problem{Recognizer: rec, Vocabulary: v}
	f.engine = realtext.MustCompile(t, "naive", f.problem, nil)
	return f
}

func (f *finite) valid(t *testing.T, text []byte) bool {
	t.Helper()
	ok, err := f.judge.Valid(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return ok
}

// allowed takes every valid instance of the universe, with and without spaces, through the masks;
// the result is how many there are.
func (f *finite) allowed(t *testing.T) (valid int) {
	t.Helper()
	for _, in := range f.Schema.Instances {
		if !f.valid(t, in.Text) {
			continue
		}
		valid++
		compact := string(in.Text)
		spaced := strings.NewReplacer(",", ", ", ":", ": ").Replace(compact)
		for _, text := range []string{compact, spaced} {
			ids := must.Get(f.Split([]byte(text)))(t)
			s := f.engine.Start()
			for i, id := range ids {
				if !s.Mask().Has(int(id)) {
					t.Errorf("%s is valid, and its token %d %q is masked", text, i, f.Tokens[id])
					return valid
				}
				if err := s.Commit(int(id)); err != nil {
					t.Error(err)
				}
			}
			if !s.Mask().Has(len(f.Tokens)) {
				t.Errorf("%s is valid, and may not end", text)
			}
		}
	}
	return valid
}

// enumerate follows every token of every mask from s on, where text has been read. The result is
// the number of texts that may end, and whether there is one.
func (f *finite) enumerate(t *testing.T, s algorithms.State, text string, places *int) (texts int, alive bool) {
	t.Helper()
	if *places++; *places > maxPlaces || t.Failed() {
		return 0, true
	}
	for _, id := range s.Mask().Clone().IDs(nil) {
		if id == len(f.Tokens) {
			texts++
			alive = true
			if !f.valid(t, []byte(text)) {
				t.Errorf("%q may end, and is not valid", text)
			}
			continue
		}
		next := s.Clone()
		if err := next.Commit(id); err != nil {
			t.Errorf("after %q: %v", text, err)
			continue
		}
		n, goesOn := f.enumerate(t, next, text+f.Tokens[id], places)
		texts, alive = texts+n, alive || goesOn
	}
	if !alive && !inNumber(text) {
		t.Errorf("after %q nothing leads to an end", text)
	}
	return texts, alive
}

// inNumber tells whether text ends in a number. What leads on from there may be a point or an
// exponent (0 may become 0.1e1, which is 1), and the vocabulary, made of the instances, has
// neither.
func inNumber(text string) bool {
	return text != "" && strings.ContainsRune("-0123456789", rune(text[len(text)-1]))
}
