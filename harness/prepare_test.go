package harness

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/config"
)

// load prepares the only group of a configuration whose text was changed.
func (w *world) load(t *testing.T, changes ...string) (*prepared, error) {
	t.Helper()
	opt := w.options()
	text := strings.NewReplacer(changes...).Replace(string(w.config(t, "naive", "positions: 30").Text))
	cfg, err := config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(text), config.Names{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return newLoader(cfg, &opt).prepare(t.Context(), cfg.Workloads[0], cfg.Tokenizers[0])
}

// TestPrepare: each script is its document and EOS.
func TestPrepare(t *testing.T) {
	g, err := newWorld(t).load(t)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.scripts) != len(positives)+len(negatives) || g.tokenizer.buildNS <= 0 || len(g.workload.compileNS) != repeats {
		t.Fatalf("%d scripts", len(g.scripts))
	}
	for i, s := range g.scripts {
		want := append(append([]string(nil), positives...), negatives...)[i]
		last := len(s.tokens) - 1
		text, err := g.units[0].problem.Vocabulary.Decode(s.tokens[:last])
		if err != nil || string(text) != want || s.bytes != len(want) || s.negative != (i >= len(positives)) {
			t.Errorf("%s: %q, negative %v, %v; want %q", s.id, text, s.negative, err, want)
		}
		if !g.units[0].problem.Vocabulary.IsEOS(int(s.tokens[last])) {
			t.Errorf("%s does not end with EOS", s.id)
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
		g, err := w.load(t, changes...)
		if err != nil {
			t.Fatal(err)
		}
		return g.question
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
		g, err := w.load(t, changes...)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, s := range g.scripts {
			list = append(list, s.id)
		}
		return strings.Join(list, " ")
	}
	for add, want := range map[string]string{
		"negatives: none":           "p0 p1 p2 p3 p4 p5",
		"limit: 2, negatives: 1":    "p0 p1 z0",
		"limit: 2":                  "p0 p1 z0 z1",
		"min_bytes: 15":             "p1 p3 p4 p5",
		"max_bytes: 6":              "p2 z0",
		"filter: parses, limit: 99": "p0 p1 p2 p3 p4 p5 z0 z1",
	} {
		if got := ids("path: docs.jsonl", "path: docs.jsonl, "+add); got != want {
			t.Errorf("%s: %s, want %s", add, got, want)
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
	g, err := w.load(t, "format: jsonl, path: docs.jsonl", "format: dir, path: own, invalid: 'invalid/**', limit: 1")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.scripts) != 2 || g.scripts[0].negative || !g.scripts[1].negative || g.scripts[1].id != "invalid/c.list" || g.negatives() != 1 {
		t.Errorf("%d scripts, the last %+v", len(g.scripts), g.scripts[len(g.scripts)-1])
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
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) || input.Pos.Line == 0 {
			t.Errorf("%s: %v, want %q in it", what, err, c.want)
		}
	}
}
