package koo_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/koo"
	_ "gcdbench/algorithms/trie"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// relation is how the masks of a grammar stand to the contract's, where the contract takes every
// token so far.
type relation string

const (
	equal       relation = "equal"    // the same at every position
	superset    relation = "superset" // all of the contract's, and more at some positions
	unsupported relation = "unsupported"
)

// relations is the statement, per embedded grammar. Masks are supersets for every grammar: a text
// that the lexing rule reads in one way is one way to read it. They are more wherever maximal
// munch, or a literal before a pattern of the same text, forbids something that the terminals alone
// allow: in Java and Go "intx" is a type and a name, and in SQL keywords may stand side by side.
// JSON has no two terminals side by side that could share a character.
var relations = map[string]relation{
	"json":   equal,
	"java":   superset,
	"go":     superset,
	"sql":    superset,
	"python": unsupported,
}

// TestEmbedded holds the statement against samples, and masks that are shared and remembered by the
// stack against the whole walk. GCDBENCH_FULL=1 reads more of them.
func TestEmbedded(t *testing.T) {
	most := seed.Rounds(10, 15, 600)
	for _, name := range seed.Some(t, slices.Sorted(maps.Keys(relations)), 4, 1, 1) {
		want := relations[name]
		t.Run(name, func(t *testing.T) {
			c := realtext.Need(t, name, "r50k_base", 2)
			p := c.Problem
			e, err := realtext.Compile(t.Context(), "automata", p, nil)
			if want == unsupported {
				var u *algorithms.UnsupportedError
				if !errors.As(err, &u) {
					t.Errorf("got %v", err)
				}
				return
			}
			must.OK(t, err)
			positions, same, more := 0, 0, 0
			for _, ids := range c.Texts {
				s, truth, whole := e.Start(), start(t, "trie", p, nil), start(t, "automata", p, algorithms.Options{"shared-masks": "off"})
				for i, id := range ids {
					mask := s.Mask()
					if i < most || i%240 == 0 {
						if d := mask.FirstDifference(whole.Mask()); d >= 0 {
							t.Fatalf("position %d: token %q differs where masks are not shared", i, p.Vocabulary.Token(d))
						}
					}
					if i < most {
						contract := truth.Mask()
						for _, id := range contract.IDs(nil) {
							if !mask.Has(id) {
								t.Fatalf("position %d: token %q is legal by the contract only", i, p.Vocabulary.Token(id))
							}
						}
						positions++
						more += mask.Count() - contract.Count()
						if mask.Equal(contract) {
							same++
						}
					}
					for _, x := range []algorithms.State{s, truth, whole} {
						must.OK(t, x.Commit(int(id)))
					}
				}
				if !s.Mask().Has(p.Vocabulary.EOS()[0]) {
					t.Error("the sample may not end")
				}
			}
			t.Logf("%d positions, %d equal, %d tokens more", positions, same, more)
			if got := more > 0; got != (want == superset) {
				t.Errorf("stated as %s, but the masks have %d tokens more", want, more)
			}
		})
	}
}

// TestForgetting gives so little memory that compositions are forgotten all the time, while several
// goroutines use the engine: masks must not change.
func TestForgetting(t *testing.T) {
	c := realtext.Need(t, "json", "o200k_base", 1)
	p, ids := c.Problem, c.Texts[0]
	ids = ids[:min(len(ids), 120)]
	want := make([]uint64, len(ids))
	s := start(t, "automata", p, nil)
	for i, id := range ids {
		want[i] = s.Mask().Hash()
		must.OK(t, s.Commit(int(id)))
	}
	e := must.Get(realtext.Lookup(t, "automata").Compile(t.Context(), p, algorithms.Options{"memory": "1"}))(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := e.Start()
			for i, id := range ids {
				if s.Mask().Hash() != want[i] {
					t.Errorf("position %d: another mask", i)
					return
				}
				if err := s.Commit(int(id)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if e.Stats().Bytes == 0 {
		t.Error("no bytes are reported")
	}
}

// TestRegularReal uses patterns on a real vocabulary: depth-limited JSON against the JSON grammar,
// and free text, whose states all share one mask.
func TestRegularReal(t *testing.T) {
	c := realtext.Need(t, "json", "r50k_base", 1)
	p := c.Problem
	flat := start(t, "automata", p, algorithms.Options{"pattern": "(?P<JSON_VALUE>2,2)"})
	deep := start(t, "automata", p, nil)
	ids := must.Get(c.Tokenizer.EncodeContinuation([]byte(`{"name": "x", "list": [1, {"y": []}, null]}`)))(t)
	for _, id := range ids {
		mask := deep.Mask()
		for _, id := range flat.Mask().IDs(nil) {
			if !mask.Has(id) {
				t.Errorf("token %q is in depth-limited JSON and not in JSON", p.Vocabulary.Token(id))
			}
		}
		must.OK(t, flat.Commit(int(id)))
		must.OK(t, deep.Commit(int(id)))
	}
	if !flat.Mask().Has(p.Vocabulary.EOS()[0]) {
		t.Error("the value is complete and may not end")
	}

	e := must.Get(realtext.Lookup(t, "automata").Compile(t.Context(), p, algorithms.Options{"pattern": `(?P<TEXT_UNTIL>END)`, "compile": "eager"}))(t)
	for _, c := range e.Stats().Counters {
		t.Logf("%s: %v", c.Name, c.Value)
		if c.Name == "compositions" && c.Value < 4 {
			t.Error("eager left states out")
		}
	}
}

// TestLimits names what was exceeded.
func TestLimits(t *testing.T) {
	p := realtext.Need(t, "java", "o200k_base", 1).Problem
	alg := realtext.Lookup(t, "automata")
	var limit *koo.LimitError
	if _, err := alg.Compile(t.Context(), p, algorithms.Options{"compile": "eager"}); !errors.As(err, &limit) || !strings.Contains(err.Error(), "16384 states") {
		t.Errorf("states: got %v", err)
	}
	if _, err := alg.Compile(t.Context(), p, algorithms.Options{"compile": "eager", "memory": "1", "pattern": "(?P<JSON_VALUE>2,2)"}); !errors.As(err, &limit) || !strings.Contains(err.Error(), "1048576 bytes") {
		t.Errorf("memory of a pattern: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []algorithms.Options{{"compile": "eager"}, {"compile": "eager", "pattern": "a*"}} {
		if _, err := alg.Compile(ctx, p, o); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
	}
	for _, o := range []algorithms.Options{{"memory": "0"}, {"memory": "much"}, {"compile": "later"}, {"pattern": "("}} {
		if _, err := alg.Compile(t.Context(), p, o); err == nil {
			t.Errorf("%v was taken", o)
		}
	}
}

// TestLongRuns reads what has exponentially many readings: the groups must not multiply.
func TestLongRuns(t *testing.T) {
	const grammar = "%conflicts keep\nA: /a+/\nB: \"aa\"\nstart: | A start | B start | \"-\" start | \"--\" start | \"(\" start \")\"\n"
	run := strings.Repeat("a", 80) + strings.Repeat("-", 80) + strings.Repeat("(", 80)
	p := must.Get(compile(t, grammar, []string{run, ")", strings.Repeat(")", 80), strings.Repeat(")", 81)}))(t)
	s := start(t, "automata", p, nil)
	must.OK(t, s.Commit(0))
	if m := s.Mask(); !m.Has(2) || m.Has(3) || m.Has(4) {
		t.Errorf("mask %v", m.IDs(nil))
	}
	if message := conformance.CheckCommits(s, p.Vocabulary.Len()); message != "" {
		t.Error(message)
	}
}
