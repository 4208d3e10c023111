package labels_test

import (
	"os"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/datasets/labels"
)

// apart is where the JSON Schema Test Suite asks for what is not asserted here: by a part of the sample's id, why.
var apart = []struct{ part, why string }{
	{"/format/idn-", "idn-email and idn-hostname are not among the formats"},
	{"/content/", "contentEncoding and contentMediaType are annotations, as since draft 2019-09"},
	{"draft4/optional/zeroTerminatedFloats/", "1.0 is an integer in every draft"},
	{"/vocabulary/", "a draft of one's own is read as 2020-12, whatever vocabularies it lists"},
	{"/optional/ecmascript-regex/", "two patterns that are an error in ECMAScript are read all the same"},
}

// TestSuiteVerdicts judges the JSON Schema Test Suite, if GCDBENCH_TEST_SUITE says where a copy of it is.
func TestSuiteVerdicts(t *testing.T) {
	path := os.Getenv("GCDBENCH_TEST_SUITE")
	if path == "" {
		t.Skip("needs a copy of the JSON Schema Test Suite, and GCDBENCH_TEST_SUITE to name its folder")
	}
	src, err := datasets.Open("json-schema-test-suite", path, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Load(t.Context(), src, datasets.Query{Negatives: -1})
	if err != nil {
		t.Fatal(err)
	}
	remote, validators := 0, map[*datasets.Schema]*labels.Validator{}
	for _, s := range d.Schemas {
		v, err := labels.New(s.Text)
		switch {
		case err == nil:
			validators[s] = v
		case strings.Contains(err.Error(), "nothing is loaded"):
			remote++
		default:
			t.Errorf("%s: %v", s.ID, err)
		}
	}
	var c comparison
	for i := range d.Samples {
		c.judge(validators[d.Samples[i].Schema], &d.Samples[i])
	}
	t.Logf("%d schemas, %d of them refer to others; %d of %d verdicts agree", len(d.Schemas), remote, c.agree, c.judged)
	for kind, list := range c.kinds {
		for _, what := range list {
			if !isApart(what) {
				t.Errorf("%s: %s", kind, what)
			}
		}
	}
}

func isApart(what string) bool {
	for _, a := range apart {
		if strings.Contains(what, a.part) {
			return true
		}
	}
	return false
}
