package labels_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
)

// TestDevelopmentLabels judges every label of MaskBench's development part. Upstream the labels were checked by a
// Python and a Rust validator, so most must agree; those that do not are listed by kind, and their number is
// bounded, so that a change of the validator or of how it is asked shows.
func TestDevelopmentLabels(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the development data: %v", err)
	}
	src, err := datasets.Open("maskbench", path, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Load(t.Context(), src, datasets.Query{Negatives: -1})
	if err != nil {
		t.Fatal(err)
	}
	judged, agree := 0, 0
	kinds := map[string][]string{}
	add := func(kind, what string) { kinds[kind] = append(kinds[kind], what) }
	rest := d.Samples
	for _, schema := range d.Schemas {
		n := 0
		for n < len(rest) && rest[n].Schema == schema {
			n++
		}
		of := rest[:n]
		rest = rest[n:]
		v, err := labels.New(schema.Text)
		if err != nil {
			add("the schema does not compile", schema.ID+": "+err.Error())
			continue
		}
		for i := range of {
			why, err := v.Explain(of[i].Content)
			judged++
			switch {
			case err != nil:
				add("no verdict", of[i].ID+": "+err.Error())
			case of[i].Negative == (why != ""):
				agree++
			case of[i].Negative:
				add("labelled invalid, judged valid", of[i].ID+": "+of[i].Description)
			default:
				add("labelled valid, judged invalid", of[i].ID+": "+why)
			}
		}
	}
	t.Logf("%d of %d verdicts agree (%d instances)", agree, judged, len(d.Samples))
	for kind, list := range kinds {
		slices.Sort(list)
		t.Logf("%s: %d\n\t%s", kind, len(list), strings.Join(list, "\n\t"))
	}
}
