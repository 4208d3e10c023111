package psc

import (
	"fmt"
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
	{"compile": "background"},
	{"cache": "off"},
	{"compile": "eager", "cache": "off", "prune": "off"},
	{"memo": "off", "prune": "off"},
	{"ahead": "off"},
}

func TestConformance(t *testing.T) {
	for _, o := range variants {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			realtext.CheckSuite(t, algorithm{}, o)
		})
	}
}

// TestRandomGrammars walks random grammars: each with the usual options, and two of the others.
func TestRandomGrammars(t *testing.T) {
	realtext.WalkRandom(t, seed.Rounds(80, 150, 2000), func(seed uint64) (list []conformance.Entry) {
		for i, o := range variants {
			if i == 0 || seed%3 == uint64(i)%3 {
				list = append(list, conformance.Entry{Algorithm: algorithm{}, Options: o})
			}
		}
		return list
	})
}
