package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// load prepares the only group of a configuration whose text was changed.
func (w *world) load(t *testing.T, changes ...string) (*prepare.Prepared, error) {
	t.Helper()
	opt := w.options()
	opt.Progress = &w.notes
	text := strings.NewReplacer(changes...).Replace(string(w.config(t, "naive", "by the rule, positions: 30").Text))
	cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return prepare.NewLoader(cfg, &opt).Prepare(t.Context(), cfg.Workloads[0], cfg.Tokenizers[0])
}

// TestPrepare: each document is its document and EOS.
func TestPrepare(t *testing.T) {
	g := must.Get(newWorld(t).load(t))(t)
	if len(g.Documents) != len(positives)+len(negatives) || g.LoadedTokenizer.BuildNS <= 0 || len(g.Workload.CompileNS) != prepare.Repeats {
		t.Fatalf("%d documents", len(g.Documents))
	}
	for i, s := range g.Documents {
		want := append(append([]string(nil), positives...), negatives...)[i]
		last := len(s.Tokens) - 1
		text, err := g.Units[0].SharedProblem.Vocabulary.Decode(s.Tokens[:last])
		if err != nil || string(text) != want || s.Bytes != len(want) || s.Negative != (i >= len(positives)) {
			t.Errorf("%s: %q, negative %v, %v; want %q", s.ID, text, s.Negative, err, want)
		}
		if !g.Units[0].SharedProblem.Vocabulary.IsEOS(int(s.Tokens[last])) {
			t.Errorf("%s does not end with EOS", s.ID)
		}
	}
}

// TestQuestion: what changes the question changes the shared part of the keys,
// and what does not change it does not.
func TestQuestion(t *testing.T) {
	w := newWorld(t)
	w.file(t, "other.lark", strings.Replace(listGrammar, "[0-9]+", "[0-9]{1,9}", 1))
	w.file(t, "same.jsonl", strings.Repeat("\n", 3)+`{"id": "p0", "content": "[1]"}`+"\n")
	w.file(t, "renamed.jsonl", `{"id": "q0", "content": "[1]"}`+"\n")
	w.file(t, "negative.jsonl", `{"id": "p0", "content": "[1]", "valid": false}`+"\n")
	w.file(t, "one.jsonl", `{"id": "p0", "content": "[1]"}`+"\n")
	question := func(changes ...string) any {
		t.Helper()
		g := must.Get(w.load(t, changes...))(t)
		return g.Question
	}
	base := question("docs.jsonl", "one.jsonl")
	for what, changes := range map[string][]string{
		"blank lines": {"docs.jsonl", "same.jsonl"},
		"a name":      {"docs.jsonl", "one.jsonl", "workloads: [{", "workloads: [{name: other, "},
		"a label":     {"docs.jsonl", "one.jsonl", "file: tok.json", "file: tok.json, label: mine"},
	} {
		if got := question(changes...); !reflect.DeepEqual(got, base) {
			t.Errorf("%s: another question", what)
		}
	}
	for what, changes := range map[string][]string{
		"the grammar":       {"docs.jsonl", "one.jsonl", "list.lark", "other.lark"},
		"an id":             {"docs.jsonl", "renamed.jsonl"},
		"the kind":          {"docs.jsonl", "negative.jsonl"},
		"more documents":    {},
		"a cut vocabulary":  {"docs.jsonl", "one.jsonl", "file: tok.json", "file: tok.json, cut: 260"},
		"a chosen document": {"path: docs.jsonl", "path: docs.jsonl, limit: 1, negatives: none"},
	} {
		if got := question(changes...); reflect.DeepEqual(got, base) {
			t.Errorf("%s: the same question", what)
		}
	}
}

func TestSelection(t *testing.T) {
	w := newWorld(t)
	ids := func(changes ...string) string {
		t.Helper()
		g := must.Get(w.load(t, changes...))(t)
		var list []string
		for _, s := range g.Documents {
			list = append(list, s.ID)
		}
		return strings.Join(list, " ")
	}
	for add, want := range map[string]string{
		"negatives: none":             "p0 p1 p2 p3 p4 p5",
		"limit: 2, negatives: 1":      "p0 p1 z0",
		"limit: 2":                    "p0 p1 z0 z1",
		"min_bytes: 15":               "p1 p3 p4 p5",
		"max_bytes: 6":                "p2 z0",
		"filter: parses, limit: 99":   "p0 p1 p2 p3 p4 p5 z0 z1",
		"min_bytes: 15, negatives: 1": "p1 p3 p4 p5",
	} {
		w.notes.Reset()
		if got := ids("path: docs.jsonl", "path: docs.jsonl, "+add); got != want {
			t.Errorf("%s: %s, want %s", add, got, want)
		}
		if said := strings.Contains(w.notes.String(), `"negatives: 1" finds no document with a known mistake: 4 documents that the sizes leave out may be some`); said != strings.HasPrefix(add, "min_bytes: 15, ") {
			t.Errorf("%s: %s", add, &w.notes)
		}
	}
	sample := ids("path: docs.jsonl", "path: docs.jsonl, limit: 3, sample: random, negatives: none")
	if again := ids("path: docs.jsonl", "path: docs.jsonl, limit: 3, sample: random, negatives: none"); again != sample || len(strings.Fields(sample)) != 3 {
		t.Errorf("one seed draws %q and %q", sample, again)
	}
	other := ids("path: docs.jsonl", "path: docs.jsonl, limit: 3, sample: random, negatives: none", "seed: 3", "seed: 4")
	if other == sample {
		t.Logf("two seeds draw the same three of six: %s", sample)
	}
}

// TestInvalidFolder: the files of a folder that a glob names are negatives.
func TestInvalidFolder(t *testing.T) {
	w := newWorld(t)
	w.file(t, "own/a.list", "[1]")
	w.file(t, "own/b.list", "[2]")
	w.file(t, "own/invalid/c.list", "[3")
	g := must.Get(w.load(t, "format: jsonl, path: docs.jsonl", "format: dir, path: own, invalid: 'invalid/**', limit: 1"))(t)
	if len(g.Documents) != 2 || g.Documents[0].Negative || !g.Documents[1].Negative || g.Documents[1].ID != "invalid/c.list" || plan.Negatives(g) != 1 {
		t.Errorf("%d documents, the last %+v", len(g.Documents), g.Documents[len(g.Documents)-1])
	}
}

func TestPrepareErrors(t *testing.T) {
	w := newWorld(t)
	w.file(t, "own/a.list", "[1]")
	w.file(t, "empty.jsonl", "")
	w.file(t, "same-ids.jsonl", `{"id": "a", "content": "[]"}`+"\n"+`{"id": "a", "content": "[1]"}`+"\n")
	w.file(t, "no-eos/tok.json", strings.Replace(tinyTokenizer(), "<end>", "<other>", 1))
	for what, c := range map[string]struct {
		changes []string
		want    string
	}{
		"no EOS":        {[]string{"file: tok.json", "file: no-eos/tok.json"}, "no EOS token"},
		"cut too large": {[]string{"file: tok.json", "file: tok.json, cut: 9999"}, "cannot cut to 9999 ids"},
		"empty corpus":  {[]string{"docs.jsonl", "empty.jsonl"}, "has no lines"},
		"equal ids":     {[]string{"docs.jsonl", "same-ids.jsonl"}, `two documents have the id "a"`},
		"no negative":   {[]string{"format: jsonl, path: docs.jsonl", "format: dir, path: own, invalid: 'inval/**'"}, `of 1 document none matches "inval/**"`},
		"nothing left":  {[]string{"path: docs.jsonl", "path: docs.jsonl, min_bytes: 1MB"}, "nothing was selected"},
	} {
		_, err := w.load(t, c.changes...)
		var input *prepare.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) || input.Pos.Line == 0 {
			t.Errorf("%s: %v, want %q in it", what, err, c.want)
		}
	}
}

// TestGrammarLimits: a Lark grammar whose compile takes longer than it may, or more memory, is a
// failure of its workload. The others go on, and what it holds is charged to none of them.
func TestGrammarLimits(t *testing.T) {
	grow := func(ctx context.Context, stop bool) error {
		full := never // of this case
		var ballast [][]byte
		for len(ballast) < 300 && !(stop && ctx.Err() != nil) {
			ballast = append(ballast, make([]byte, 1<<20))
			time.Sleep(time.Millisecond)
		}
		if !stop {
			<-full
		}
		ballast[0][0]++ // held until here
		return ctx.Err()
	}
	for _, c := range []struct {
		what    string
		compile func(ctx context.Context) error
		grammarLimit
	}{
		{"slow", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, grammarLimit{cell.Timeout, "not done after 5s", 0}},
		{"hangs", func(context.Context) error { <-never; return nil }, grammarLimit{cell.Timeout, "it did not stop when told to", 1}},
		{"grows", func(ctx context.Context) error { return grow(ctx, true) }, grammarLimit{cell.OutOfMemory, "above the limit of 128 MiB", 0}},
		{"grows and stays", func(ctx context.Context) error { return grow(ctx, false) }, grammarLimit{cell.OutOfMemory, "it did not stop when told to", 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			defer func() { prepare.LoadGrammar = languages.LoadWith }()
			prepare.LoadGrammar = func(ctx context.Context, name string, o languages.Options) (*grammar.Grammar, error) {
				if filepath.Base(name) == "large.lark" {
					if err := c.compile(ctx); err != nil {
						return nil, err
					}
				}
				return languages.LoadWith(ctx, name, o)
			}
			inBubble(t, func(t *testing.T) {
				w := newWorld(t)
				w.file(t, "large.lark", listGrammar)
				c.run(t, w, "timeout: 5s, memory: 128MiB")
			})
		})
	}
}

// TestLargeGrammar: the same of a grammar that really is as large, and of one that is larger than
// any may be.
func TestLargeGrammar(t *testing.T) {
	chain := func(levels int) string {
		var b strings.Builder
		b.WriteString("start: r0\n")
		for i := range levels { // as an expression grammar has them: the tables grow with the square
			fmt.Fprintf(&b, "r%d: r%d (\"+\" r%d)*\n", i, i+1, i+1)
		}
		fmt.Fprintf(&b, "r%d: \"[\"\n", levels)
		return b.String()
	}
	seed.Usual(t) // it fills memory
	w := newWorld(t)
	w.file(t, "large.lark", chain(1000))
	(&grammarLimit{cell.OutOfMemory, "above the limit of 64 MiB", 0}).run(t, w, "timeout: 1h, memory: 64MiB")

	if !seed.Full() { // package recognizer has such a chain
		return
	}
	w = newWorld(t)
	w.file(t, "large.lark", chain(30000))
	opt := w.options()
	var input *prepare.InputError
	if _, err := Run(t.Context(), w.twoGrammars(t, "timeout: 1h"), opt); !errors.As(err, &input) || !strings.Contains(err.Error(), "test.yaml:5:") || len(err.Error()) > 1000 {
		t.Errorf("%.1000v", err)
	}
}

// twoGrammars is a configuration of two workloads, with the grammars large.lark and list.lark.
func (w *world) twoGrammars(t *testing.T, measure string) *config.Config {
	t.Helper()
	text := strings.Replace(string(w.config(t, "trie, naive", "by the rule, warmup: 0, repeat: 1, "+measure).Text), "workloads: [",
		"workloads: [{grammar: large.lark, dataset: {format: jsonl, path: docs.jsonl}}, ", 1)
	cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{}))(t)
	return cfg
}

// grammarLimit is what becomes of a workload whose grammar runs into a limit.
type grammarLimit struct {
	outcome cell.Outcome
	detail  string // a part of it
	behind  int    // operations that go on beside the other workload
}

// run runs two workloads, of which the first has such a grammar.
func (l *grammarLimit) run(t *testing.T, w *world, measure string) {
	t.Helper()
	cfg := w.twoGrammars(t, measure)
	var log strings.Builder
	opt := w.options()
	opt.Progress = &log
	sum, err := Run(t.Context(), cfg, opt)
	must.OK(t, err)
	if sum.Measured != 4 || sum.Failed != 0 || sum.Outcomes[l.outcome] != 2 || sum.Outcomes[cell.OK] != 2 {
		t.Errorf("%+v", sum)
	}
	if said := fmt.Sprintf("the grammar of large/docs.jsonl does not compile: %s: ", l.outcome); strings.Count(log.String(), said) != 1 {
		t.Errorf("%q is not said once:\n%s", said, log.String())
	}
	l.check(t, w)
	// Neither a plan nor a verification stumbles over it, or a third abandoned one is one too many.
	var full *bounds.AbandonedError
	plan, err := plan.MakePlan(t.Context(), cfg, w.options())
	if ends := errors.As(err, &full); ends && l.behind == 0 || !ends && (err != nil || len(plan.Cells) != 4) {
		t.Errorf("plan: %+v, %v", plan, err)
	}
	v, err := verify.Verify(t.Context(), cfg, w.options())
	if ends := errors.As(err, &full); ends && l.behind == 0 || !ends && (err != nil || v.Cells[0].Outcome != l.outcome || v.Cells[3].Outcome != cell.OK) {
		t.Errorf("verify: %+v, %v", v, err)
	}
	var input *prepare.InputError
	if errors.As(err, &input) {
		t.Errorf("an abandoned operation is said to be a mistake of the input: %v", err)
	}
}

// check: the cells of large.lark say what became of its grammar, those of list.lark nothing.
func (l *grammarLimit) check(t *testing.T, w *world) {
	t.Helper()
	store := must.Get(cell.Open(w.out))(t)
	manifest := must.Get(store.Manifest())(t)
	for _, planned := range manifest.Cells {
		r := must.Get(store.Get(planned.Key))(t)
		p := r.Problems[0]
		if r.Grammar == "list.lark" {
			if r.Outcome != cell.OK || len(r.GrammarNS) != prepare.Repeats || r.Samples[0].Abandoned != l.behind {
				t.Errorf("%s on %s: %s, grammar %v, %d abandoned", r.Label, r.Workload, r.Outcome, r.GrammarNS, r.Samples[0].Abandoned)
			}
			continue
		}
		if r.Outcome != l.outcome || p.Outcome != l.outcome || p.Stage != cell.StageGrammar || !strings.Contains(p.Detail, l.detail) || len(r.GrammarNS) != 0 || len(p.CompileNS) != 0 {
			t.Errorf("%s on %s: %s, %+v", r.Label, r.Workload, r.Outcome, p)
		}
		for _, s := range r.Samples {
			if s.Outcome != l.outcome || s.Passed() || s.Detail != p.Detail {
				t.Errorf("%s, %s: %+v", r.Label, s.ID, s)
			}
		}
	}
}
