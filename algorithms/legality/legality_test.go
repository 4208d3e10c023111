package legality_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/legality"
	_ "gcdbench/algorithms/naive"
	"gcdbench/internal/seed"
)

// variants are option values that each take another way through the code.
var variants = []algorithms.Options{
	nil,
	{"rows": "eager"},
	{"basis": "terminal"},
	{"basis": "state", "rows": "eager"},
	{"always": "off"},
	{"never": "off"},
	{"joint": "off"},
	{"always": "off", "never": "off", "joint": "off"},
	{"always": "off", "never": "off"},
	{"always": "off", "joint": "off", "basis": "terminal"},
	{"never": "off", "joint": "off", "basis": "terminal"},
	{"stack": "2"},
	{"slices": "off"},
	{"slices": "off", "basis": "terminal"},
	{"stack": "3", "basis": "state", "rows": "eager"},
}

// TestContract holds all variants to the contract.
func TestContract(t *testing.T) {
	var list []conformance.Entry
	for _, o := range variants {
		list = append(list, conformance.Entry{Algorithm: realtext.Lookup(t, "legality"), Options: o})
	}
	realtext.Contract(t, seed.Rounds(10, 60, 5000), list)
}

// TestOptions: sizes that make no sense are refused before anything is done.
func TestOptions(t *testing.T) {
	for _, o := range []algorithms.Options{{"memory": "0"}, {"memory": "much"}, {"stack": "1"}} {
		if _, err := algorithms.Resolve(realtext.Lookup(t, "legality"), o); err == nil {
			t.Errorf("%v was accepted", o)
		}
	}
}
