package datasets_test

import (
	"os"
	"path/filepath"
	"testing"

	"gcdbench/datasets"
)

// shared is a file of development data, which lies beside the repository.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the development data: %v", err)
	}
	return path
}

func TestMaskBenchDevelopmentCorpus(t *testing.T) {
	d := load(t, open(t, "maskbench", shared(t, "maskbench-dev.jsonl.gz"), ""), datasets.Query{Negatives: -1})
	positives := 0
	for i := range d.Samples {
		if !d.Samples[i].Negative {
			positives++
		}
	}
	if len(d.Schemas) != 1500 || positives != 2203 || len(d.Samples)-positives != 3724 {
		t.Errorf("%d schemas, %d valid and %d invalid instances, want 1500, 2203, 3724", len(d.Schemas), positives, len(d.Samples)-positives)
	}
	groups := map[string]int{}
	for _, s := range d.Schemas {
		groups[s.Group]++
	}
	if groups["BFCL"] != 162 || groups["Kubernetes"] != 107 || len(groups) != 15 {
		t.Errorf("groups %v", groups)
	}
}
