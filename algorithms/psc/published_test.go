package psc

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// TestPublished: the paper's form gives the contract's masks.
func TestPublished(t *testing.T) {
	realtext.CheckPublished(t, algorithm{}, algorithms.Options{algorithms.FormOption: algorithms.FormPublished})
}

// TestPublishedOptions: options that do not go together, and limits that are none, are refused.
func TestPublishedOptions(t *testing.T) {
	p := realtext.Small(t, "start: \"x\"\n", false, []string{"x"})
	for _, o := range []algorithms.Options{{"form": "published", "compile": "eager"}, {"states": "0"}, {"seconds": "many"}} {
		if _, err := (algorithm{}).Compile(t.Context(), p, o); err == nil || !strings.Contains(err.Error(), "option") {
			t.Errorf("%v: %v", o, err)
		}
	}
}
