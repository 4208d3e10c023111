package labels_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// uncompiled is the schemas of the development part that the validator refuses, and why: members
// called id or $id that are no addresses but clash as such (as the name of an option, or a schema
// pasted twice), and one "id" that, read as draft 4 has it, moves the base that references beside
// it count from.
var uncompiled = map[string]string{
	"Github_hard---o41487":   "duplicate id",
	"Github_hard---o59999":   "duplicate id",
	"Github_medium---o8456":  "duplicate id",
	"Github_medium---o69202": "not found",
}

// TestDevelopmentLabels judges every label of MaskBench's development part, which upstream were
// checked by a Python and a Rust validator. All verdicts agree; a kind of disagreement is listed
// with its cases.
func TestDevelopmentLabels(t *testing.T) {
	seed.Usual(t)
	path := filepath.Join("..", "..", "..", "shared", "data", "maskbench-dev.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the development data: %v", err)
	}
	src := must.Get(datasets.Open("maskbench", path, ""))(t)
	d := must.Get(datasets.Load(t.Context(), src, datasets.Query{Negatives: -1}))(t)
	var c comparison
	validators := map[*datasets.Schema]*labels.Validator{}
	every := seed.Rounds(4, 1, 1)
	for i, schema := range d.Schemas {
		if i%every != 0 {
			continue
		}
		v, err := labels.New(schema.Text)
		validators[schema] = v
		if want := uncompiled[schema.ID]; err != nil && (want == "" || !strings.Contains(err.Error(), want)) || err == nil && want != "" {
			t.Errorf("%s: error %v, want %q", schema.ID, err, want)
		}
	}
	for i := range d.Samples {
		if v, chosen := validators[d.Samples[i].Schema]; chosen {
			c.judge(v, &d.Samples[i])
		}
	}
	t.Logf("%d schemas, %d of them not compiled; %d of %d verdicts agree", len(d.Schemas), len(uncompiled), c.agree, c.judged)
	for kind, list := range c.kinds {
		t.Errorf("%s: %d\n\t%s", kind, len(list), strings.Join(list, "\n\t"))
	}
	if c.judged < 5900/every*9/10 {
		t.Errorf("only %d instances were judged", c.judged)
	}
}

// comparison counts how labels and verdicts agree.
type comparison struct {
	judged, agree int
	kinds         map[string][]string // the disagreements
}

// judge compares the label of a sample, whose schema may not have compiled.
func (c *comparison) judge(v *labels.Validator, s *datasets.Sample) {
	if v == nil {
		return
	}
	why, err := v.Explain(s.Content)
	c.judged++
	switch {
	case err != nil:
		c.add("no verdict", s.ID+": "+err.Error())
	case s.Negative == (why != ""):
		c.agree++
	case s.Negative:
		c.add("labelled invalid, judged valid", s.ID+": "+s.Description)
	default:
		c.add("labelled valid, judged invalid", s.ID+": "+why)
	}
}

func (c *comparison) add(kind, what string) {
	if c.kinds == nil {
		c.kinds = map[string][]string{}
	}
	c.kinds[kind] = append(c.kinds[kind], what)
}

// TestSampleLabels judges every label of the embedded schemas.
func TestSampleLabels(t *testing.T) {
	src := must.Get(datasets.Lookup("schema-samples"))(t)
	d := must.Get(datasets.Load(t.Context(), src, datasets.Query{Negatives: -1}))(t)
	var c comparison
	for i := range d.Samples {
		v, err := labels.New(d.Samples[i].Schema.Text)
		if err != nil {
			t.Fatalf("%s: %v", d.Samples[i].ID, err)
		}
		c.judge(v, &d.Samples[i])
	}
	for kind, list := range c.kinds {
		t.Errorf("%s: %d\n\t%s", kind, len(list), strings.Join(list, "\n\t"))
	}
}
