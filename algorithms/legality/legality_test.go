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

func TestSuite(t *testing.T) {
	for _, o := range variants {
		realtext.CheckSuite(t, realtext.Lookup(t, "legality"), o)
	}
}

func TestRandomWalks(t *testing.T) {
	realtext.WalkRandom(t, seed.Rounds(60, 100, 5000), func(seed uint64) (all []conformance.Entry) {
		for i, o := range variants {
			if i == 0 || seed%uint64(len(variants)) == uint64(i) {
				all = append(all, conformance.Entry{Algorithm: realtext.Lookup(t, "legality"), Options: o})
			}
		}
		return all
	})
}
