package parserdwa_test

import (
	"maps"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/naive"
	_ "gcdbench/algorithms/parserdwa"
	"gcdbench/internal/seed"
)

// variants are the options that every test of masks runs with.
var variants = map[string]algorithms.Options{
	"lazy":  nil,
	"eager": {"determinize": "eager"},
	"none":  {"determinize": "none"},
	"whole": {"slices": "off"},
}

// TestContract holds all variants to the contract.
func TestContract(t *testing.T) {
	var list []conformance.Entry
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		list = append(list, conformance.Entry{Algorithm: realtext.Lookup(t, "parserdwa"), Options: variants[name]})
	}
	realtext.Contract(t, seed.Rounds(30, 100, 2000), list)
}

// TestOptions: limits that make no sense are refused.
func TestOptions(t *testing.T) {
	for value, ok := range map[string]bool{"1": true, "0": false, "x": false, "99999999": false} {
		if _, err := algorithms.Resolve(realtext.Lookup(t, "parserdwa"), algorithms.Options{"limit": value}); (err == nil) != ok {
			t.Errorf("limit=%s: %v", value, err)
		}
	}
}
