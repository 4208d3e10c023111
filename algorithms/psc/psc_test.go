package psc

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/naive"
	"gcdbench/internal/seed"
)

// variants are the combinations of options worth a run each.
var variants = []algorithms.Options{
	{},
	{"compile": "eager"},
	{"cache": "off"},
	{"compile": "eager", "cache": "off", "prune": "off"},
	{"memo": "off", "prune": "off"},
	{"ahead": "off"},
}

// TestContract holds all variants to the contract.
func TestContract(t *testing.T) {
	var list []conformance.Entry
	for _, o := range variants {
		list = append(list, conformance.Entry{Algorithm: algorithm{}, Options: o})
	}
	realtext.Contract(t, seed.Rounds(15, 100, 2000), list)
}
