package labels_test

import (
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
	"gcdbench/datasets/schemasuite"
)

// apart is where the suite asks for what is not asserted here.
var apart = append(schemasuite.Apart(),
	schemasuite.Exception{Part: "/optional/ecmascript-regex/", Why: "two patterns that are an error in ECMAScript are read all the same"})

// TestSuiteVerdicts judges the JSON Schema Test Suite, if there is a copy of it.
func TestSuiteVerdicts(t *testing.T) {
	d := schemasuite.Need(t)
	remote, validators := 0, map[*datasets.Schema]*labels.Validator{}
	remotes := schemasuite.Remotes(t)
	for _, s := range d.Schemas {
		v, err := labels.NewAmong(s.Text, "", remotes)
		switch {
		case err == nil:
			validators[s] = v
		case strings.Contains(err.Error(), "nothing is loaded"), strings.HasPrefix(s.ID, "v1/") && strings.Contains(err.Error(), "not found in schema"):
			remote++
		default:
			t.Errorf("%s: %v", s.ID, err)
		}
	}
	var c comparison
	for i := range d.Samples {
		c.judge(validators[d.Samples[i].Schema], &d.Samples[i])
	}
	t.Logf("%d schemas, %d of them refer to what the validator does not find; %d of %d verdicts agree", len(d.Schemas), remote, c.agree, c.judged)
	for kind, list := range c.kinds {
		for _, what := range list {
			if !apart.Has(what) {
				t.Errorf("%s: %s", kind, what)
			}
		}
	}
}
