package engines

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// insideNames are the algorithms of this module.
func insideNames() (out []string) {
	for _, name := range algorithms.Names() {
		if a, err := algorithms.Lookup(name); err == nil && !algorithms.IsOutside(a) {
			out = append(out, name)
		}
	}
	return out
}

const testText = `{"a": [1, true, {"b": null}], "é": "x\n"}`

// prove walks a document in this process.
func prove(t *testing.T, e algorithms.Engine, d *measure.Document) measure.Proof {
	t.Helper()
	var p measure.Proof
	w := measure.NewWalker(testSize, false, environment.Clock{})
	must.OK(t, w.Prove(t.Context(), e, d, &p))
	return p
}

// same compares two proofs.
func same(t *testing.T, what string, got, want measure.Proof) {
	t.Helper()
	if !slices.Equal(got.Hashes, want.Hashes) || got.Refused != want.Refused || got.RefusedAt != want.RefusedAt || got.Contradiction != want.Contradiction {
		t.Errorf("%s: as a child %+v\n in process %+v", what, got, want)
	}
}

// TestChild: every algorithm gives the same masks as a child and in this process, in a walk and
// step by step, with all positions and with some; and it is timed at each of them.
func TestChild(t *testing.T) {
	v := testVocabulary(t)
	p := grammarProblem(t, v, "json")
	for _, name := range seed.Some(t, insideNames(), 3, 1, 1) {
		t.Run(name, func(t *testing.T) {
			a, err := algorithms.Lookup(name)
			must.OK(t, err)
			options := must.Get(algorithms.Resolve(a, nil))(t)
			in, err := a.Compile(t.Context(), p, options)
			var unsupported *algorithms.UnsupportedError
			if errors.As(err, &unsupported) {
				_, err := own{}.Compile(t.Context(), p, algorithms.Options{"algorithm": name})
				if !errors.As(err, &unsupported) {
					t.Errorf("in process it is unsupported, as a child: %v", err)
				}
				return
			}
			must.OK(t, err)
			out := outside(t, p, name, "")
			tokens := tokensOf(v, testText)
			for what, d := range map[string]*measure.Document{
				"all positions":      document(tokens),
				"some":               document(tokens, 0, 3, 4, uint32(len(tokens)-1)),
				"none but the first": document(tokens, 0),
				"refused":            document(append(tokensOf(v, `{"a": tr`)[:4:4], tokensOf(v, `}`)...)),
			} {
				same(t, what, prove(t, out, d), prove(t, in, d))
			}
			checkStepwise(t, out, in, tokens)
			checkTimes(t, out, tokens)
		})
	}
}

// checkStepwise compares begin and next with a state in this process: along a document, for a
// refused token, a clone, and after taking tokens back.
func checkStepwise(t *testing.T, out *Engine, in algorithms.Engine, tokens []int32) {
	t.Helper()
	a, b := out.Start(), in.Start()
	compare := func(what string, a, b algorithms.State) {
		if !a.Mask().Equal(b.Mask()) {
			t.Fatalf("%s: masks differ at %d", what, a.Mask().FirstDifference(b.Mask()))
		}
	}
	for i, token := range tokens {
		compare("on the way", a, b)
		if i%5 == 2 {
			var refused *algorithms.RefusedError
			if err := a.Commit(290); !errors.As(err, &refused) {
				t.Fatalf("a special token: %v", err)
			}
			compare("after a refusal", a, b)
			twin := a.Clone()
			must.OK(t, twin.Commit(int(token)))
			compare("behind its clone", a, b)
		}
		must.OK(t, errors.Join(a.Commit(int(token)), b.Commit(int(token))))
	}
	if a.Mask().Count() != 0 {
		t.Errorf("after EOS %d tokens are allowed", a.Mask().Count())
	}
	if a.Commit(eos) == nil || a.Commit(testSize) == nil || a.Commit(-1) == nil {
		t.Error("something may follow EOS, or is no token")
	}
	r := a.(algorithms.Rewinder)
	if err := r.Rollback(len(tokens) + 1); err == nil {
		t.Error("it took back more than it had")
	}
	must.OK(t, r.Rollback(3))
	c := in.Start()
	for _, token := range tokens[:len(tokens)-3] {
		must.OK(t, c.Commit(int(token)))
	}
	compare("taken back", a, c)
}

// checkTimes looks at the times of walks.
func checkTimes(t *testing.T, e *Engine, tokens []int32) {
	t.Helper()
	var times measure.Times
	for _, apply := range []bool{false, true} {
		must.OK(t, e.WalkTimed(t.Context(), document(tokens), apply, &times))
		if n := len(tokens); len(times.Mask) != n || len(times.Commit) != n || len(times.Step) != n || times.Lookup != nil {
			t.Errorf("%d positions: %d masks, %d commits, %d steps, lookups %v", n, len(times.Mask), len(times.Commit), len(times.Step), times.Lookup)
		}
	}
	if err := e.WalkTimed(t.Context(), document(tokens, 1, 4), false, &times); err != nil || len(times.Mask) != 2 || len(times.Step) != 2 {
		t.Errorf("two positions: %+v, %v", times, err)
	}
	blocks, err := e.WalkBlocks(t.Context(), document(tokens), 4)
	if err != nil || len(blocks) != (len(tokens)+3)/4 || slices.Max(blocks) <= 0 {
		t.Errorf("blocks %v, %v", blocks, err)
	}
	var refused *measure.RefusedError
	bad := append(slices.Clone(tokens[:3]), 290)
	if err := e.WalkTimed(t.Context(), document(bad), false, &times); !errors.As(err, &refused) || refused.Position != 3 {
		t.Errorf("a special token in a timed walk: %v", err)
	}
}

// TestLongDocument: a document whose rows would be too many at once is walked in slices, with the
// same answers.
func TestLongDocument(t *testing.T) {
	v := testVocabulary(t)
	p := grammarProblem(t, v, "json")
	out, in := outside(t, p, "trie", ""), inside(t, p, "trie", nil)
	tokens := tokensOf(v, testText)
	for what, d := range map[string]*measure.Document{
		"accepted": document(tokens), "some": document(tokens, 2, 5, 6, 9), "one": document(tokens, 3),
		"refused":                  document(append(slices.Clone(tokens[:6]), 290)),
		"refused in the first":     document(append(slices.Clone(tokens[:1]), 290, 290)),
		"refused behind the masks": document(append(slices.Clone(tokens[:6]), 290), 1, 2, 3),
		"refused between them":     document(append(slices.Clone(tokens[:3]), 290, 290, 290), 1, 2, 4),
	} {
		for n := int64(1); n < 5; n++ {
			out.mostRows = n * stride(testSize)
			same(t, fmt.Sprintf("%s, %d rows at once", what, n), prove(t, out, d), prove(t, in, d))
		}
	}
	out.mostRows = 2 * stride(testSize)
	var seen []int
	err := out.WalkProof(t.Context(), document(tokens), new(measure.Proof), func(pos int, _ []uint64) bool {
		seen = append(seen, pos)
		return pos < 3
	})
	if err != nil || !slices.Equal(seen, []int{0, 1, 2, 3}) {
		t.Errorf("seen %v, %v", seen, err)
	}
}

// TestBulkIsSmall: the file that is shared for a long document is no larger than it has to be.
func TestBulkIsSmall(t *testing.T) {
	const size = 262_144
	tokens := make([]int32, 4_000)
	for _, d := range slicesOf(document(tokens), int(mostRows/stride(size))) {
		w := (&Engine{size: size}).newWalk(d)
		w.rows(w.masked)
		if bytes := w.layout.Bytes(); bytes > 64<<20 {
			t.Errorf("%d MiB for %d masks", bytes>>20, w.masked)
		}
	}
}

// TestSchemas: a process compiles one schema after the other, with the options of the
// configuration, and an engine whose process has compiled another schema meanwhile is compiled
// again.
func TestSchemas(t *testing.T) {
	v, kept := testVocabulary(t), keptOpen(t)
	first := schemaProblem(t, v, `{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}`, map[string]string{"whitespace": "any"})
	second := schemaProblem(t, v, `{"type": "array", "items": {"type": "boolean"}}`, nil)
	first.Kept, second.Kept = kept, kept
	a := outside(t, first, "psc", "compile=lazy")
	b := outside(t, second, "psc", "compile=lazy")
	if a.host != b.host {
		t.Fatal("two schemas have two processes")
	}
	for range 2 {
		for _, c := range []struct {
			e    *Engine
			p    *algorithms.Problem
			text string
		}{{a, first, `{ "a":  1 }`}, {b, second, `[true, true]`}} {
			d := document(tokensOf(v, c.text))
			same(t, c.text, prove(t, c.e, d), prove(t, inside(t, c.p, "psc", algorithms.Options{"compile": "lazy"}), d))
		}
	}
	stats := a.Stats()
	if i := slices.IndexFunc(stats.Counters, func(c algorithms.Counter) bool { return c.Name == "compiled again" }); i < 0 || stats.Counters[i].Value != 2 {
		t.Errorf("counters %v", stats.Counters)
	}
	bill, made := a.Bill(), a.Provenance()
	if bill.GrammarNS <= 0 || bill.CompileNS <= 0 || bill.FirstMaskNS <= 0 || made.Name != "psc" || made.Kind != wire.KindGcdbench || made.Options["compile"] != "lazy" ||
		made.VocabularyNS <= 0 || made.ClockPairNS < made.ClockEmptyNS || made.ClockEmptyNS <= 0 {
		t.Errorf("bill %+v, provenance %+v", bill, made)
	}
}

// TestMeasure: clones, tokens taken back and drafts are timed where they can be.
func TestMeasure(t *testing.T) {
	v := testVocabulary(t)
	e := outside(t, grammarProblem(t, v, "json"), "psc", "")
	tokens := tokensOf(v, testText)
	n := len(tokens)
	for what, want := range map[string]struct {
		k, times int
		accepted int64
	}{wire.CanClone: {0, n, 0}, wire.CanRollback: {3, n - 3, 0}, wire.CanDraft: {4, n - 3, int64(4 * (n - 3))}} {
		ns, accepted, err := e.Measure(t.Context(), what, tokens, want.k)
		if err != nil || len(ns) != want.times || accepted != want.accepted {
			t.Errorf("%s: %d times, %d accepted, %v; want %+v", what, len(ns), accepted, err, want)
		}
	}
	var unsupported *algorithms.UnsupportedError
	if _, _, err := e.Measure(t.Context(), wire.CanBatch, tokens, 2); !errors.As(err, &unsupported) {
		t.Errorf("batch: %v", err)
	}
	if clones, err := e.WalkClones(t.Context(), document(tokens, 1, 2)); err != nil || len(clones) != 2 {
		t.Errorf("clones %v, %v", clones, err)
	}
}

// TestUnsupported: what the algorithm cannot do is said in the words of the algorithm, and the
// process goes on.
func TestUnsupported(t *testing.T) {
	seed.Usual(t)
	v, kept := testVocabulary(t), keptOpen(t)
	p := schemaProblem(t, v, `{"type": "string"}`, nil)
	p.Kept = kept
	bad := *p
	bad.Source = &algorithms.Source{Kind: algorithms.KindSchema, Name: "bad", Text: []byte(`{"type": "strin`)}
	if _, err := (own{}).Compile(t.Context(), &bad, algorithms.Options{"algorithm": "psc"}); died(t, err, wire.CompileError) == "" {
		t.Error(err)
	}
	lost := *p
	lost.Source = &algorithms.Source{Kind: algorithms.KindGrammar, Name: "no-such-grammar"}
	if _, err := (own{}).Compile(t.Context(), &lost, algorithms.Options{"algorithm": "psc"}); !strings.Contains(died(t, err, wire.CompileError), "no-such-grammar") {
		t.Error(err)
	}
	e := outside(t, p, "psc", "")
	if proof := prove(t, e, document(tokensOf(v, `"x"`))); proof.Refused {
		t.Errorf("%+v", proof)
	}
	if e.again != 0 {
		t.Error("the process was started again")
	}
}

// TestOptionsOfChild: options are checked before anything is started.
func TestOptionsOfChild(t *testing.T) {
	for what, o := range map[string]algorithms.Options{
		"an option": {"algorithm": "psc", "options": "compile=nonsense"}, "its form": {"algorithm": "psc", "options": "compile"},
	} {
		if err := (own{}).Ready(o); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := algorithms.Resolve(own{}, algorithms.Options{"algorithm": "llguidance"}); err == nil || !strings.Contains(err.Error(), "process of its own already") {
		t.Errorf("an engine from outside as a child: %v", err)
	}
	if got := algorithms.SemanticsOf(own{}, algorithms.Options{"algorithm": "psc"}); got != algorithms.SemanticsContract {
		t.Errorf("psc as a child has semantics %q", got)
	}
	if got := algorithms.SemanticsOf(byCommand{}, algorithms.Options{"command": "my engine"}); got != "my engine" {
		t.Errorf("an engine by its command has semantics %q", got)
	}
}

// TestNoSource: an engine from outside needs the text.
func TestNoSource(t *testing.T) {
	p := grammarProblem(t, testVocabulary(t), "json")
	p.Source = nil
	if _, err := (own{}).Compile(t.Context(), p, algorithms.Options{"algorithm": "psc"}); err == nil || !strings.Contains(err.Error(), "from their text") {
		t.Error(err)
	}
}
