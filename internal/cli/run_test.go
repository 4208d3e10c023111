package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/config"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestReplaceCorpus: which workloads get the file, how it is read, and what they are called then.
func TestReplaceCorpus(t *testing.T) {
	file := write(t, "new.jsonl", "")
	for _, c := range []struct {
		about     string
		workloads []config.Workload
		want      []string // name, format and base of the path
	}{
		{"embedded samples", []config.Workload{{Name: "java", Grammar: "java", Dataset: config.Dataset{Name: "java-samples"}}}, []string{"java jsonl new.jsonl"}},
		{"called by its file", []config.Workload{{Name: "java/old.zip", Grammar: "java", Dataset: config.Dataset{Format: "zip", Path: "/x/old.zip", Glob: "*.java"}}},
			[]string{"java/new.jsonl jsonl new.jsonl"}},
		{"called otherwise", []config.Workload{{Name: "mine", Grammar: "java", Dataset: config.Dataset{Format: "zip", Path: "/x/old.zip"}}}, []string{"mine jsonl new.jsonl"}},
		{"two of a file", []config.Workload{{Name: "java/a", Grammar: "java", Dataset: config.Dataset{Format: "jsonl", Path: "/x/a"}},
			{Name: "java/b", Grammar: "java", Dataset: config.Dataset{Format: "jsonl", Path: "/x/b"}}}, []string{"java/new.jsonl jsonl new.jsonl", "java/b jsonl new.jsonl"}},
		{"another grammar stays", []config.Workload{{Name: "java", Grammar: "java", Dataset: config.Dataset{Name: "java-samples"}},
			{Name: "go/b", Grammar: "go", Dataset: config.Dataset{Format: "dir", Path: "/x/b", Glob: "*.go"}}}, []string{"java jsonl new.jsonl", "go/b dir b *.go"}},
		{"schemas", []config.Workload{{Name: "schema", Grammar: "java", Schema: &config.SchemaOptions{}, Dataset: config.Dataset{Name: "schema-samples"}}}, []string{"schema maskbench new.jsonl"}},
		{"schemas in a format", []config.Workload{{Name: "s", Grammar: "java", Schema: &config.SchemaOptions{}, Dataset: config.Dataset{Format: "schemas", Path: "/x/y"}}}, []string{"s schemas new.jsonl"}},
	} {
		cfg := &config.Config{Workloads: c.workloads}
		given, err := parseCorpus("java=" + file)
		if err == nil {
			err = given.replace(cfg)
		}
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
			continue
		}
		for i, w := range cfg.Workloads {
			got := strings.TrimSpace(w.Name + " " + w.Dataset.Format + " " + filepath.Base(w.Dataset.Path) + " " + w.Dataset.Glob)
			if got != c.want[i] || w.Dataset.Name != "" || !filepath.IsAbs(w.Dataset.Path) {
				t.Errorf("%s: workload %d is %q, %+v, want %q", c.about, i, got, w.Dataset, c.want[i])
			}
		}
	}
}

// TestReplaceMissingCorpus: what --corpus replaces need not be there, and nothing else is let off.
func TestReplaceMissingCorpus(t *testing.T) {
	seed.Usual(t)
	const head = "name: c\nalgorithms: [trie]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads:\n"
	schemas := write(t, "mine.jsonl", `{"id": "a", "schema": {"const": 1}, "tests": [{"valid": true, "data": 1}]}`+"\n")
	texts := write(t, "texts.jsonl", `{"id": "a", "content": "[1]"}`+"\n")
	rows := write(t, "rows.parquet", "PAR1 and no more PAR1")
	for _, c := range []struct {
		about, workloads string
		corpora          []string
		want             string // in the error, or, after "ok ", in the output
	}{
		{"a corpus of schemas", "- {grammar: schema, dataset: {format: maskbench, path: gone.jsonl.gz}}", []string{"schema=" + schemas}, "ok schema/mine.jsonl"},
		{"documents", "- {grammar: json, dataset: {format: zip, path: gone.zip, glob: '*.json'}}", []string{"json=" + texts}, "ok json/texts.jsonl"},
		{"documents with negatives", "- {grammar: json, dataset: {format: dir, path: gone, invalid: 'bad/**'}}", []string{"json=" + texts}, "ok json/texts.jsonl"},
		{"a glob", "- {grammar: json, dataset: {format: files, path: gone/*.json, limit: 3}}", []string{"json=" + texts}, "ok json/texts.jsonl"},
		{"both", "- {grammar: json, dataset: {format: dir, path: gone}}\n- {grammar: schema, dataset: {format: maskbench, path: gone}}", []string{"json=" + texts, "schema=" + schemas}, "ok json/texts.jsonl"},
		{"none", "- {grammar: schema, dataset: {format: maskbench, path: gone.jsonl}}", nil, `c.yaml:5:56: the dataset file "gone.jsonl" does not exist`},
		{"one of two", "- {grammar: json, dataset: {format: dir, path: gone}}\n- {grammar: schema, dataset: {format: maskbench, path: gone}}", []string{"json=" + texts}, `c.yaml:6:56: the dataset file "gone" does not exist`},
		{"the replacement is not there either", "- {grammar: json, dataset: {format: dir, path: gone}}", []string{"json=missing.jsonl"}, "--corpus json=missing.jsonl: missing.jsonl: no such file"},
		{"the replacement is cut off", "- {grammar: json, dataset: {format: dir, path: gone}}", []string{"json=" + rows}, "rows.parquet: the Parquet file is damaged or cut off"},
		{"a bad glob is one still", "- {grammar: json, dataset: {format: files, path: '[a'}}", []string{"json=" + texts}, `bad glob "[a"`},
		{"a corpus by its name", "- {grammar: json, dataset: {format: dir, path: gone}}", []string{"json=json-samples"}, "ok json/json-samples"},
		{"schemas by their name", "- {grammar: schema, dataset: {format: maskbench, path: gone, limit: 1}}", []string{"schema=schema-samples"}, "ok schema/schema-samples"},
		{"schemas for a program", "- {grammar: json, dataset: {format: dir, path: gone}}", []string{"json=schema-samples"}, "schema-samples brings a schema with its documents, and the grammar of workload json/gone is json"},
		{"programs for schemas", "- {grammar: schema, dataset: {format: maskbench, path: gone}}", []string{"schema=json-samples"}, "json-samples has no schemas; of the corpora known by name schema-samples"},
		{"a grammar of no workload", "- {grammar: json, dataset: json-samples}", []string{"schema=" + schemas}, `no workload of`},
	} {
		args := []string{"verify", write(t, "c.yaml", head+c.workloads+"\n")}
		for _, corpus := range c.corpora {
			args = append(args, "--corpus", corpus)
		}
		r := gcdbench(t, "", args...)
		if want, ok := strings.CutPrefix(c.want, "ok "); ok {
			if r.status != exitOK || !strings.Contains(r.out, want) {
				t.Errorf("%s: exit status %d, no %q in %s%s", c.about, r.status, want, r.out, r.err)
			}
		} else if r.status != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit status %d, no %q in %s", c.about, r.status, c.want, r.err)
		}
	}
}

// TestReplaceOfFile: a grammar of one's own is named as a file where the command runs.
func TestReplaceOfFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"own/tiny.lark": tiny, "own/old.jsonl": `{"content": "a a"}` + "\n", "new.jsonl": `{"content": "a b"}` + "\n",
		"own/c.yaml": "name: c\nalgorithms: [trie]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: tiny.lark, dataset: {format: jsonl, path: old.jsonl}}]\n"} {
		must.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	r := gcdbench(t, "", "verify", "own/c.yaml", "--corpus", "own/tiny.lark=new.jsonl")
	if r.status != exitOK || !strings.Contains(r.out, "tiny/new.jsonl") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestRunInterrupted: an interrupted run says that it can go on, and is no success.
func TestRunInterrupted(t *testing.T) {
	cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: schema, dataset: {name: schema-samples, limit: 1}}]\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "out")
	var out, errOut bytes.Buffer
	status := run(ctx, []string{"run", cfg, "--out", dir}, strings.NewReader(""), &out, &errOut)
	if status != exitFailure || out.Len() > 0 || !strings.Contains(errOut.String(), "kept in "+dir+"; the same command goes on") || !strings.HasSuffix(errOut.String(), "gcdbench: interrupted\n") {
		t.Errorf("exit status %d: %s%s", status, out.String(), errOut.String())
	}
}
