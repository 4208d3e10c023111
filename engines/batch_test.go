package engines

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/engines/wire"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// batchTexts are what the batches of these tests generate.
var batchTexts = []string{`{"a": [1, 22, "b"], "c": null}`, `[]`, `[[1], [true, "éé"]]`, `"x"`, `{"k": {"a": 1}}`}

// batchRun is what a batch gave: the hashes of masks by request and position, and a time a step.
type batchRun struct {
	hashes map[[2]int]uint64
	ns     []int64
}

// runBatch decodes texts with the engines that it is given for them.
func runBatch(t *testing.T, engine func(ctx context.Context, request int) (algorithms.Engine, error), width, threads int) (batchRun, error) {
	t.Helper()
	v := testVocabulary(t)
	run := batchRun{hashes: map[[2]int]uint64{}}
	r := &measure.Requests{Engine: engine, Width: width, Threads: threads, Size: v.Len(), Clock: environment.Calibrate(),
		Check: func(request, position int, mask algorithms.Mask) error {
			run.hashes[[2]int{request, position}] = mask.Hash()
			return nil
		}}
	for _, text := range batchTexts {
		r.Tokens = append(r.Tokens, tokensOf(v, text))
	}
	var err error
	run.ns, err = r.Time(t.Context())
	return run, err
}

// compilePSC has psc compile in this process.
func compilePSC(t *testing.T, p *algorithms.Problem) (algorithms.Engine, error) {
	t.Helper()
	a, err := algorithms.Lookup("psc")
	if err != nil {
		return nil, err
	}
	o, err := algorithms.Resolve(a, nil)
	if err != nil {
		return nil, err
	}
	return a.Compile(t.Context(), p, o)
}

// TestBatchAsChild: psc in the harness and psc as a child make the same batches, with equal masks
// and a time for each step, on one thread and on two. The times of the two are of one kind: the
// medians are apart by less than a factor that no load of the machine explains.
func TestBatchAsChild(t *testing.T) {
	p := grammarProblem(t, testVocabulary(t), "json")
	here := must.Get(compilePSC(t, p))(t)
	child := outside(t, p, "psc", "")
	child.mostRows = 40 * 8 * 3 // so that a stretch of steps is sent in parts
	for _, threads := range []int{1, 2} {
		for _, width := range []int{1, 3, 5} {
			var medians []int64
			var runs []batchRun
			for _, e := range []algorithms.Engine{here, child} {
				run, err := runBatch(t, func(context.Context, int) (algorithms.Engine, error) { return e, nil }, width, threads)
				if err != nil {
					t.Fatalf("width %d, threads %d: %v", width, threads, err)
				}
				ns := slices.Sorted(slices.Values(run.ns))
				medians, runs = append(medians, ns[len(ns)/2]), append(runs, run)
			}
			if len(runs[0].ns) != len(runs[1].ns) || len(runs[0].hashes) == 0 {
				t.Fatalf("width %d, threads %d: %d steps here, %d in the child", width, threads, len(runs[0].ns), len(runs[1].ns))
			}
			for at, hash := range runs[0].hashes {
				if runs[1].hashes[at] != hash {
					t.Errorf("width %d, threads %d: request %d has another mask at position %d in the child", width, threads, at[0], at[1])
				}
			}
			t.Logf("width %d, threads %d: a step takes %d ns here, %d ns in the child", width, threads, medians[0], medians[1])
			if a, b := max(medians[0], 100), max(medians[1], 100); threads == 1 && (a > 30*b || b > 30*a) {
				t.Errorf("width %d: a step takes %d ns here and %d ns in the child", width, medians[0], medians[1])
			}
		}
	}
	if child.again != 0 {
		t.Errorf("the child compiled the grammar %d times again", child.again)
	}
}

// TestBatchOfGrammars: the generations of a batch may be of several grammars, of which the process
// compiled one after the other.
func TestBatchOfGrammars(t *testing.T) {
	v := testVocabulary(t)
	kept := algorithms.NewKept()
	defer kept.Close()
	hashes := []map[[2]int]uint64{}
	for _, compile := range []func(text string) (algorithms.Engine, error){
		func(text string) (algorithms.Engine, error) {
			return compilePSC(t, schemaProblem(t, v, text, nil))
		},
		func(text string) (algorithms.Engine, error) {
			p := schemaProblem(t, v, text, nil)
			p.Kept = kept
			o, err := algorithms.Resolve(own{}, algorithms.Options{"algorithm": "psc"})
			if err != nil {
				return nil, err
			}
			return own{}.Compile(t.Context(), p, o)
		},
	} {
		schemas := []string{`{"type": "object"}`, `{"type": "array", "maxItems": 2}`, `{"type": "array"}`, `{"type": "string"}`, `true`}
		run := must.Get(runBatch(t, func(_ context.Context, request int) (algorithms.Engine, error) { return compile(schemas[request]) }, 3, 1))(t)
		hashes = append(hashes, run.hashes)
	}
	for at, hash := range hashes[0] {
		if hashes[1][at] != hash {
			t.Errorf("request %d has another mask at position %d in the child", at[0], at[1])
		}
	}
}

// TestBatchRefused: a token that the grammar refuses is found by its mask, or by the commit where
// nobody looked at the mask.
func TestBatchRefused(t *testing.T) {
	seed.Usual(t)
	p := grammarProblem(t, testVocabulary(t), "json")
	child := outside(t, p, "psc", "")
	schema := schemaProblem(t, testVocabulary(t), `{"type": "string"}`, nil)
	strings := outside(t, schema, "psc", "")
	_, err := runBatch(t, func(context.Context, int) (algorithms.Engine, error) { return strings, nil }, 2, 1)
	var of *measure.RequestError
	var refused *measure.RefusedError
	if !errors.As(err, &of) || of.Request != 0 || !errors.As(err, &refused) || refused.Position != 0 || refused.ByCommit {
		t.Errorf("an object for strings: %v", err)
	}
	must.OK(t, child.Hold(t.Context(), 0, true))
	stepped := 0
	s := &measure.Script{Width: 2, Threads: 1, Steps: [][]int32{{measure.Begins, measure.Empty}, {int32(']'), measure.Empty}},
		Stepped: func(int, float64, func(int) []uint64) error { stepped++; return nil }}
	var slot *measure.SlotError
	if err := child.AdvanceBatch(t.Context(), s); !errors.As(err, &slot) || *slot != (measure.SlotError{Step: 1, Slot: 0}) || stepped != 1 {
		t.Errorf("a commit that is refused: %v after %d steps", err, stepped)
	}
	s.Steps = [][]int32{{measure.Empty, 5}}
	var died *algorithms.ProcessError
	if err := child.AdvanceBatch(t.Context(), s); !errors.As(err, &died) || died.Outcome != wire.Crash {
		t.Errorf("a slot that holds nothing: %v", err)
	}
}
