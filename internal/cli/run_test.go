package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/config"
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
		if err := replaceCorpus(cfg, "java="+file); err != nil {
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
