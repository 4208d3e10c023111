package parserdwa_test

import (
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

func entries(t testing.TB) []conformance.Entry {
	t.Helper()
	var list []conformance.Entry
	for _, o := range variants {
		list = append(list, conformance.Entry{Algorithm: realtext.Lookup(t, "parserdwa"), Options: o})
	}
	return list
}

func TestSuite(t *testing.T) {
	for name, o := range variants {
		t.Run(name, func(t *testing.T) { realtext.CheckSuite(t, realtext.Lookup(t, "parserdwa"), o) })
	}
}

func TestRandomGrammars(t *testing.T) {
	list := entries(t)
	realtext.WalkRandom(t, seed.Rounds(80, 120, 2000), func(uint64) []conformance.Entry { return list })
}
