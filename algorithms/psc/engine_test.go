package psc

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/layout"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

const brackets = `
start: item*
item: "(" item* ")" | "[" item* "]" | WORD | WORD "=" item ";"
WORD: /[a-z]+/
%ignore " "
`

const blocks = `
start: _NL? stmt*
stmt: WORD "(" WORD* ")" _NL | WORD ":" _NL _IN stmt+ _DE
_NL: /(\r?\n[\t ]*(#[^\n]*)?)+/
WORD: /[a-z]+/
%ignore /[ \t]+/
%declare _IN _DE
%layout newline=_NL indent=_IN dedent=_DE open=LPAR close=RPAR tab=8
`

// nested is a problem whose tokens close and open several brackets at once.
func nested(t testing.TB) *algorithms.Problem {
	t.Helper()
	p := specProblem(t, conformance.Spec{Grammar: brackets, Vocabulary: []string{
		"a", "b", " ", "(", ")", "[", "]", "=", ";", "((", "))", ")))", "))))))", ")]", "](", "a)", "a;", "=a;", "=(", ";)", ");", "a b", "()", "[]", "))]]",
	}})
	if p == nil {
		t.Fatal("the grammar does not compile")
	}
	return p
}

// lined is a problem whose tokens end lines at several columns, in and out of brackets.
func lined(t testing.TB) *algorithms.Problem {
	t.Helper()
	p := specProblem(t, conformance.Spec{Grammar: blocks, Vocabulary: []string{
		"a", "b", " ", "  ", "\t", "\n", "(", ")", ":", "()", ":\n", ")\n", "\n a", "\n  a", "\n\ta", "a:\n  b", ")\nb", ")\n b", ")\n  b", "\na", "#x", " a", "  a", "\tb",
		")\n\n", "a()\nb()\n", "a()\n b", "():\n", "\r\n", "\n #\n  a", "a:\n a:\n  a", "a()\n a()\na",
	}})
	if p == nil {
		t.Fatal("the grammar does not compile")
	}
	return p
}

// walkBeside walks an engine beside naive along random tokens.
func walkBeside(t *testing.T, p *algorithms.Problem, e algorithms.Engine, seed uint64, walks, steps int) {
	t.Helper()
	naive := must.Get(algorithms.Lookup("naive"))(t)
	reference := must.Get(naive.Compile(t.Context(), p, nil))(t)
	rng := rand.New(rand.NewPCG(seed, 5))
	for range walks {
		want, got := reference.Start(), e.Start()
		var text []byte
		for range steps {
			mask := want.Mask()
			if id := got.Mask().FirstDifference(mask); id >= 0 {
				t.Errorf("seed %d, after %q: token %d %q: naive says %v", seed, text, id, p.Vocabulary.Token(id), mask.Has(id))
				return
			}
			var ids []int
			for _, id := range mask.IDs(nil) {
				if p.Vocabulary.Legal(id) {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				break
			}
			id := ids[rng.IntN(len(ids))]
			text = append(text, p.Vocabulary.Token(id)...)
			for _, s := range []algorithms.State{want, got} {
				if err := s.Commit(id); err != nil {
					t.Errorf("seed %d, after %q: %v", seed, text, err)
					return
				}
			}
		}
	}
}

// TestDeepStacks and TestLayout walk long: brackets closed several at a time, lines at all columns.
func TestDeepStacks(t *testing.T) {
	p := nested(t)
	for i, o := range variants {
		walkBeside(t, p, compile(t, p, o), uint64(i), seed.Rounds(10, 40, 40), 60)
	}
}

func TestLayout(t *testing.T) {
	p := lined(t)
	for i, o := range variants {
		walkBeside(t, p, compile(t, p, o), uint64(i), seed.Rounds(15, 60, 60), 40)
	}
}

// TestColumnsInBrackets: what a line in brackets is indented by makes no row of its own, and what
// one outside of them is does.
func TestColumnsInBrackets(t *testing.T) {
	p := lined(t)
	e := compile(t, p, nil)
	c := e.core.Load()
	line := func(text string) (*row, layout.Registers) {
		s := p.Recognizer.Start()
		for i := range len(text) {
			var ok bool
			if s, ok = p.Step(s, text[i]); !ok {
				t.Fatalf("%q is refused", text)
			}
		}
		var key []byte
		return c.row(s.Lexer, s.Layout, &key), s.Layout
	}
	for _, x := range []struct {
		a, b string
		same bool
	}{{"a(\n ", "a(\n   ", true}, {"a()\n", "a()\n   ", false}} {
		a, in := line(x.a)
		b, _ := line(x.b)
		if (a == b) != x.same || (in.Depth() > 0) != x.same {
			t.Errorf("%q and %q at depth %d: one row %t, want %t", x.a, x.b, in.Depth(), a == b, x.same)
		}
	}
}

// TestStartsOver gives a lazy engine next to no memory: it starts over again and again, also under
// other goroutines' feet, its masks stay right, and the trees that were built offline stay.
func TestStartsOver(t *testing.T) {
	p := nested(t)
	e := compile(t, p, nil)
	e.limit = 1
	trees := e.core.Load().auto.spans
	var wg sync.WaitGroup
	for i := range uint64(3) {
		wg.Go(func() { walkBeside(t, p, e, 20+i, 15, 40) })
	}
	wg.Wait()
	if e.flushes.Load() == 0 {
		t.Error("the engine never started over")
	}
	if e.core.Load().auto.spans != trees {
		t.Error("the trees were dropped")
	}
}

// TestMasksAreShared checks that a warm mask is handed out without a copy or an allocation, and
// that it survives what its state and others go through.
func TestMasksAreShared(t *testing.T) {
	p := nested(t)
	e := compile(t, p, nil)
	s := e.Start()
	first := s.Mask()
	if n := testing.AllocsPerRun(100, func() { s.Mask() }); n != 0 {
		t.Errorf("a warm mask allocates %v times", n)
	}
	kept := first.Clone()
	walkBeside(t, p, e, 30, 5, 30)
	if !first.Equal(kept) {
		t.Error("a mask that was handed out changed")
	}
}

// TestEagerStops checks that compiling ends with an error when it is cancelled, and that what does
// not fit the budget is built later: the masks are right all the same.
func TestEagerStops(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		e := &engine{problem: p, cached: true, limit: maxBytes}
		e.core.Store(newCore(e))
		c := e.core.Load()
		must.OK(t, c.visitAll(t.Context(), budget{all: 1, caches: 1 << 20}))
		if c.visited != 0 {
			t.Errorf("with a budget of 1 byte %d lexer states are built", c.visited)
		}
		before := c.things()
		walkBeside(t, p, e, 60, 20, 40)
		if c.things() == before {
			t.Error("nothing was built later")
		}
	}
	p := nested(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (algorithm{}).Compile(ctx, p, algorithms.Options{"compile": "eager"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestEagerForgets builds all states with next to no memory for what can be found again: it is the
// same engine.
func TestEagerForgets(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		e := &engine{problem: p, cached: true, limit: maxBytes}
		e.core.Store(newCore(e))
		c := e.core.Load()
		must.OK(t, c.visitAll(t.Context(), budget{all: 1 << 30, caches: 1}))
		before := checkWhole(t, p, e)
		whole := compile(t, p, algorithms.Options{"compile": "eager"}).core.Load()
		if p.Layout == nil && before != whole.offline {
			t.Errorf("%d starts and transitions, with all memory %d", before, whole.offline)
		}
	}
}

// checkWhole checks that an engine has built all lexer states, and builds nothing later where there
// is no layout. It returns how much it had built.
func checkWhole(t *testing.T, p *algorithms.Problem, e *engine) (before int64) {
	t.Helper()
	c := e.core.Load()
	if c.visited != p.Lexer.NumStates() {
		t.Errorf("%d of %d lexer states are built", c.visited, p.Lexer.NumStates())
	}
	before = c.things()
	walkBeside(t, p, e, 80, 20, 40)
	if n := c.things() - before; p.Layout == nil && n != 0 {
		t.Errorf("%d starts and transitions were built later", n)
	}
	return before
}

// TestStats checks the counters that a reader of results relies on.
func TestStats(t *testing.T) {
	p := nested(t)
	e := compile(t, p, nil)
	walkBeside(t, p, e, 40, 10, 30)
	got := map[string]float64{}
	st := e.Stats()
	for _, c := range st.Counters {
		got[c.Name] = c.Value
	}
	for _, name := range []string{"states", "transitions", "distinct masks", "masks", "depth p50", "depth max", "terminal sequences", "token groups"} {
		if got[name] <= 0 {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if st.Bytes <= 0 || got["depth p50"] > got["depth max"] || got["final states"] > got["states"] {
		t.Errorf("%d bytes, %v", st.Bytes, got)
	}
}

// TestClasses checks which registers are told apart at the start of a lexer state: by what a line
// can become, not by how they came about.
func TestClasses(t *testing.T) {
	p := lined(t)
	c := compile(t, p, nil).core.Load()
	rows := func(texts ...string) map[*row]bool {
		set := map[*row]bool{}
		for _, text := range texts {
			s, ok := p.Start(), true
			for _, b := range []byte(text) {
				if s, ok = p.Step(s, b); !ok {
					t.Fatalf("%q is refused", text)
				}
			}
			var key []byte
			set[c.row(s.Lexer, s.Layout, &key)] = true
		}
		return set
	}
	if n := len(rows("a:\n    b", "a:\n    b()\n    b", "a:\n  b()\nb:\n    b")); n != 1 {
		t.Errorf("one block of one column makes %d classes", n)
	}
	if n := len(rows("a:\n  b", "a:\n\tb")); n < 2 {
		t.Errorf("blocks of different columns make %d class", n)
	}
}

// TestBuild: a mask that was asked for is built, another one is once Build was called, and is the
// same then.
func TestBuild(t *testing.T) {
	for _, lang := range []string{"json", "python"} {
		c := realtext.Need(t, lang, "r50k_base", 1)
		e := compile(t, c.Problem, nil)
		known, fresh, same := e.Start(), e.Start(), realtext.MustCompile(t, "trie", c.Problem, nil).Start()
		known.Mask()
		for _, id := range c.Texts[0][:20] {
			if fresh.Commit(int(id)) != nil || same.Commit(int(id)) != nil {
				t.Fatal("refused")
			}
		}
		unbuilt := func(s algorithms.State) bool { return s.(algorithms.Builder).Unbuilt() }
		if unbuilt(known) || !unbuilt(fresh) {
			t.Errorf("%s: unbuilt: one that was asked for %v, one that was not %v", lang, unbuilt(known), unbuilt(fresh))
		}
		if fresh.(algorithms.Builder).Build(); unbuilt(fresh) {
			t.Errorf("%s: unbuilt after it was built", lang)
		}
		if !fresh.Mask().Equal(same.Mask()) {
			t.Errorf("%s: another mask", lang)
		}
	}
}
