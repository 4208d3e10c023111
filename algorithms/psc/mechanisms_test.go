package psc

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/jsontokens"
)

// withouts are values of the option without: each mechanism alone, some together, and all.
func withouts() []string {
	all := jsontokens.MechanismNames
	return append(slices.Clone(all), "literals+deltas", "shapes+depths", strings.Join(all, "+"))
}

// TestWithoutRefused: what is no mechanism is refused, with the names of those that there are.
func TestWithoutRefused(t *testing.T) {
	for _, value := range []string{"x", "", "lists+x", "literals,lists"} {
		_, err := algorithms.Resolve(algorithm{}, algorithms.Options{"without": value})
		if err == nil || !strings.Contains(err.Error(), "literals") || !strings.Contains(err.Error(), "digits") {
			t.Errorf("%q: %v", value, err)
		}
	}
}
