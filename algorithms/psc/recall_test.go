package psc

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
)

// TestKeptMasks walks engines that compose masks, and keeps those of contexts that are met again:
// as many as there is room for, and next to none. All are naive's, and those of later walks are
// views of what was kept.
func TestKeptMasks(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		for _, limit := range []int64{maxRecalled, 300} {
			e := compile(t, p, algorithms.Options{"compile": "eager"})
			kept := &e.core.Load().composer.kept
			kept.limit = limit
			walkBeside(t, p, e, 14, 40, 12)
			held, masks := kept.bytes()
			if masks == 0 {
				t.Error("no mask was kept")
			}
			if limit < maxRecalled && held > 2*limit {
				t.Errorf("%d bytes are held, the limit is %d", held, limit)
			}
			walkBeside(t, p, e, 14, 40, 12) // what was met once is kept now
			_, second := kept.bytes()
			walkBeside(t, p, e, 14, 40, 12)
			// (Contexts that share a slot would take it from one another; with this seed none do.)
			if _, third := kept.bytes(); limit == maxRecalled && third != second {
				t.Errorf("the same walks kept %d masks, then %d, then %d more", masks, second-masks, third-second)
			}
		}
	}
}

// TestOwnSums: where everything is built, deltas with more than a few own groups have a sum, and
// the masks are naive's.
func TestOwnSums(t *testing.T) {
	p := specProblem(t, conformance.Spec{Grammar: `
start: "(" item ("<1" | "<2" | "<3" | "<4" | "<5" | "<6") | "[" item "<7"
item: WORD
WORD: /[a-z]+/
`, Vocabulary: []string{"(", "[", "a", "<", "1", "2", "3", "4", "5", "6", "7", "a<"}})
	e := compile(t, p, algorithms.Options{"compile": "eager"})
	sums := 0
	for _, o := range e.core.Load().composer.own {
		made := o.sums.Load()
		if made == nil {
			continue
		}
		for id, sum := range *made {
			sums++
			if n := len(e.core.Load().composer.deltas[id].own); n != 6 || sum.put(make([]uint64, 4)) == 0 {
				t.Errorf("a sum of %d own groups, want 6", n)
			}
		}
	}
	if sums == 0 {
		t.Error("there are no sums")
	}
	walkBeside(t, p, e, 3, 30, 6)
}
