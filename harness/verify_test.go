package harness

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
)

func TestVerify(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "right, naive, trie, flips, panics, unsupported, too-strict-2", "")
	v := must.Get(verify.Verify(context.Background(), cfg, w.options()))(t)
	want := map[string]struct {
		outcome   cell.Outcome
		reference string
	}{
		"right": {cell.OK, "naive"}, "naive": {cell.OK, ""}, "trie": {cell.OK, "naive"},
		"flips": {cell.WrongMask, "naive"}, "panics": {cell.Crash, "naive"},
		"unsupported": {cell.Unsupported, ""}, "too-strict-2": {cell.WrongVerdict, ""},
	}
	for _, c := range v.Cells {
		x := want[c.Label]
		if c.Outcome != x.outcome || c.Reference != x.reference {
			t.Errorf("%s: %s compared with %q, want %s with %q", c.Label, c.Outcome, c.Reference, x.outcome, x.reference)
		}
		sum := 0
		for _, n := range c.Outcomes {
			sum += n
		}
		if sum != 8 || c.Positives != 6 || c.Negatives != 2 || len(c.Outcomes) != len(cell.Outcomes) {
			t.Errorf("%s: %d samples, %d positives, %d negatives, outcomes %v", c.Label, sum, c.Positives, c.Negatives, c.Outcomes)
		}
		if c.Outcome == cell.OK && (c.PositivesPassed != 6 || c.NegativesPassed != 2 || c.Masks < 60) {
			t.Errorf("%s: %+v", c.Label, c)
		}
		if x.reference != "" && c.Outcome == cell.OK && c.Compared != c.Masks {
			t.Errorf("%s: %d of %d masks compared", c.Label, c.Compared, c.Masks)
		}
		if (c.Difference != nil) != (c.Outcome == cell.WrongMask) {
			t.Errorf("%s: difference %+v", c.Label, c.Difference)
		}
	}
	if v.Failed() != 3 {
		t.Errorf("%d failed, want flips, panics and too-strict-2", v.Failed())
	}
	var text strings.Builder
	must.OK(t, v.WriteText(&text))
	for _, part := range []string{"list/docs.jsonl", "(the reference)", "wrong mask: flips", `flips refuses token 55 "7"`, "masks compared bit for bit", "crash: panics"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is not in\n%s", part, text.String())
		}
	}
	if _, err := json.Marshal(v.Cells[3]); err != nil {
		t.Error(err)
	}
}

func TestVerifyInterrupted(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := verify.Verify(ctx, w.config(t, "naive, naps", ""), w.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestPlanOfVocabularies: a trial with one vocabulary is good enough for another one of about its
// size, and batches are in the estimate.
func TestPlanOfVocabularies(t *testing.T) { inBubble(t, plannedOnce) }

func plannedOnce(t *testing.T) {
	w := newWorld(t)
	text := strings.Replace(string(w.config(t, "naps", "warmup: 0, repeat: 1, compiles: 1").Text), "[{file: tok.json}]", "[{file: tok.json}, {file: tok.json, label: twin}]", 1)
	seconds := func(section string) (list []float64) {
		t.Helper()
		cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text+section), config.Names{}))(t)
		p := must.Get(plan.MakePlan(t.Context(), cfg, w.options()))(t)
		if a, b := p.Cells[0], p.Cells[1]; a.Basis != "trial" || b.Basis != "trial with tok.json" || a.Tokenizer != "tok.json" {
			t.Errorf("bases are %q and %q", a.Basis, b.Basis)
		}
		return []float64{p.Cells[0].Seconds, p.Cells[1].Seconds}
	}
	alone := seconds("")
	batched := seconds("throughput: {batch: [1, 2, 64], models: [{model: gemma-3-270m, device: a100-40gb, tokenizer: twin}]}\n")
	tokens := 0
	for _, s := range prepareWorld(t, w).Documents {
		if !s.Negative {
			tokens += s.Length
		}
	}
	// Two sizes, each with the first mask of an engine and two passes, at 5 ms a mask.
	if want := alone[1] + 2*0.005*float64(1+2*tokens); alone[0] != alone[1] || batched[0] != alone[0] || math.Abs(batched[1]-want) > 1e-6 {
		t.Errorf("%v s without batches, %v s with, want %v s", alone, batched, want)
	}
}

func TestPlan(t *testing.T) { inBubble(t, planned) }

func planned(t *testing.T) {
	w := newWorld(t)
	planOf := func(algorithms string) *plan.Plan {
		t.Helper()
		p := must.Get(plan.MakePlan(context.Background(), w.config(t, algorithms, "by the rule, warmup: 1, repeat: 2, timeout: 1s"), w.options()))(t)
		return p
	}
	bases := func(p *plan.Plan) string {
		var list []string
		for _, c := range p.Cells {
			list = append(list, c.Label+": "+c.Basis)
		}
		return strings.Join(list, "; ")
	}
	before := planOf("naive, naps, unsupported, slow-compiling")
	if got, want := bases(before), "naive: trial; naps: trial; unsupported: none: the trial ended with unsupported; slow-compiling: none: the trial ended with timeout"; got != want {
		t.Errorf("before the first run: %s, want %s", got, want)
	}
	naps := before.Cells[1]
	// 5 ms for the first mask of each engine, five that are timed and one whose answers are
	// compared, and for each of some 80: compared, first, compared again, and as often as it is
	// repeated; negatives are compared only.
	want := func(repeat int) float64 {
		masks := prepare.Repeats + 1
		for _, s := range prepareWorld(t, w).Documents {
			masks += s.Want * map[bool]int{false: 3 + repeat, true: 1}[s.Negative]
		}
		return 0.005 * float64(masks)
	}
	if want := want(2); naps.Positions < 70 || math.Abs(naps.Seconds-want) > 1e-6 {
		t.Errorf("naps: %d positions in %.3f s, want %.3f s", naps.Positions, naps.Seconds, want)
	}
	if naps.Samples != 8 || naps.Tokens != naps.Positions || before.Cells[3].Seconds != 8 {
		t.Errorf("%+v, %+v", naps, before.Cells[3])
	}
	w.run(t, w.config(t, "naps", "by the rule, warmup: 1, repeat: 2, timeout: 1s"))
	if got, want := bases(planOf("naps, right")), "naps: done; right: trial"; got != want {
		t.Errorf("after it: %s, want %s", got, want)
	}
	other := must.Get(plan.MakePlan(context.Background(), w.config(t, "naps", "by the rule, warmup: 1, repeat: 5, timeout: 1s"), w.options()))(t)
	if got := bases(other); got != "naps: earlier result" || math.Abs(other.Seconds()-want(5)) > 1e-3 {
		t.Errorf("with more passes: %s, %v s; want %v s", got, other.Seconds(), want(5))
	}
	var text strings.Builder
	if err := (&plan.Plan{Cells: before.Cells[:1]}).WriteText(&text); err != nil || !strings.Contains(text.String(), "\n1 cell, about") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := before.WriteText(&text); err != nil || !strings.Contains(text.String(), "4 cells, about") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestPlanSaysNegatives: a limit counts valid documents, and a plan says what comes besides.
func TestPlanSaysNegatives(t *testing.T) {
	w := newWorld(t)
	text := func(selection string) string {
		t.Helper()
		cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"),
			[]byte(strings.Replace(string(w.config(t, "naive, trie", "repeat: 1").Text), "path: docs.jsonl", "path: docs.jsonl, "+selection, 1)), config.Names{}))(t)
		p := must.Get(plan.MakePlan(t.Context(), cfg, w.options()))(t)
		for _, c := range p.Cells {
			if c.Samples-c.Negatives > 1 && strings.Contains(selection, "limit: 1") {
				t.Errorf("%s: %d samples, %d negatives", selection, c.Samples, c.Negatives)
			}
		}
		var b strings.Builder
		must.OK(t, p.WriteText(&b))
		return b.String()
	}
	const note = `list/docs.jsonl: "limit: 1" is about valid documents; those with a known mistake come besides, 2 of them ("negatives: none" leaves them out)`
	for selection, want := range map[string]int{"limit: 1": 1, "limit: 1, negatives: 1": 0, "negatives: all": 0} {
		if got := text(selection); strings.Count(got, note) != want || !strings.Contains(got, "negatives") {
			t.Errorf("%s: want the note %d times:\n%s", selection, want, got)
		}
	}
}
