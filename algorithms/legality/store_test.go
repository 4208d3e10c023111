package legality_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/legality"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestProofsSave: each proof that is taken away leaves more questions for the parser, and the masks
// as they are.
func TestProofsSave(t *testing.T) {
	c := realtext.Need(t, "json", "r50k_base", 1)
	p := c.Problem
	documents := c.Texts
	asked := map[string]float64{}
	for name, o := range map[string]algorithms.Options{
		"all":       nil,
		"terminal":  {"basis": "terminal"},
		"no always": {"always": "off"},
		"no never":  {"never": "off"},
		"no joint":  {"joint": "off"},
		"none":      {"always": "off", "never": "off", "joint": "off"},
	} {
		e := compile(t, "legality", p, o)
		compare(t, p, compile(t, "trie", p, nil).Start(), e.Start(), documents[0], 1)
		asked[name] = realtext.Counter(e, "questions asked")
	}
	t.Log(asked)
	for _, less := range [][2]string{{"all", "no always"}, {"all", "no never"}, {"all", "no joint"}, {"no always", "none"}, {"no joint", "none"}, {"all", "terminal"}} {
		if asked[less[0]] >= asked[less[1]] {
			t.Errorf("%s: %v questions, %s: %v", less[0], asked[less[0]], less[1], asked[less[1]])
		}
	}
}

// TestMemory: where the rows do not fit, a lazy store starts over and an eager one says so.
func TestMemory(t *testing.T) {
	seed.Usual(t)
	c := realtext.Need(t, "java", "o200k_base", 1)
	p := c.Problem
	o := algorithms.Options{"memory": "1"}
	e := compile(t, "legality", p, o)
	ids := c.Texts[0]
	compare(t, p, compile(t, "trie", p, nil).Start(), e.Start(), ids[:min(len(ids), seed.Rounds(200, 500, 500))], 5)
	if realtext.Counter(e, "times dropped") == 0 {
		t.Error("1 MiB was enough")
	}
	if got, built := realtext.Counter(e, "rows"), realtext.Counter(e, "rows built"); got >= built {
		t.Errorf("%v rows of %v built", got, built)
	}
	o["rows"] = "eager"
	_, err := realtext.Lookup(t, "legality").Compile(t.Context(), p, o)
	var limit *legality.LimitError
	if !errors.As(err, &limit) || limit.MiB != 1 || !strings.Contains(err.Error(), "memory") {
		t.Errorf("eager: %v", err)
	}
}

// TestEager: what is built ahead is not built again, on the way through a text.
func TestEager(t *testing.T) {
	c := realtext.Need(t, "json", "r50k_base", 1)
	p := c.Problem
	e := compile(t, "legality", p, algorithms.Options{"rows": "eager"})
	before := realtext.Counter(e, "rows built")
	s := e.Start()
	for _, id := range c.Texts[0] {
		s.Mask()
		must.OK(t, s.Commit(int(id)))
	}
	if after := realtext.Counter(e, "rows built"); after != before || before == 0 {
		t.Errorf("%v rows, then %v", before, after)
	}
	if e.Stats().Bytes == 0 {
		t.Error("it holds nothing")
	}
}

// TestConcurrently: generations that meet rows for the first time at once, in a store that also
// starts over, each get the masks that one alone gets.
func TestConcurrently(t *testing.T) {
	c := realtext.NeedWith(t, "python", "r50k_base", 1, recognizer.Options{OnDemand: true})
	p := c.Problem
	ids := c.Texts[0]
	ids = ids[:min(len(ids), 60)]
	var want []uint64
	s := compile(t, "trie", p, nil).Start()
	for _, id := range ids {
		want = append(want, s.Mask().Hash())
		must.OK(t, s.Commit(int(id)))
	}
	e := compile(t, "legality", p, algorithms.Options{"memory": "1"})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := e.Start()
			for i, id := range ids {
				if s.Mask().Hash() != want[i] {
					t.Errorf("position %d differs", i)
				}
				if err := s.Commit(int(id)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestForks: a parser that has forked knows several last terminals at once. Each row of one of them
// would conclude from what its own stacks do; the questions are put to all stacks.
func TestForks(t *testing.T) {
	spec := conformance.Spec{
		Grammar:    "%lexer all\n%conflicts keep\nT1.1: /b[ac]?/\n%ignore \" \"\nstart: x T1 | x y z\nx:  | z\ny: T1\nz: y\n",
		Vocabulary: []string{"a", "b", " b", "bb", "b b", "bab"}, Steps: 6, Walks: 4, Seed: 1,
	}
	for _, o := range variants {
		realtext.Walk(t, spec, conformance.Entry{Algorithm: realtext.Lookup(t, "legality"), Options: o})
	}
}
