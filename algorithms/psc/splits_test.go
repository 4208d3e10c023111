package psc

import (
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
)

// TestSplits compares the splits of reductions on single symbols with what the symbolic parser says
// of each terminal: what it accepts and refuses at once is in the split, and of the rest nothing is
// lost. Parts of a split for a set and for all others unite to the split.
func TestSplits(t *testing.T) {
	for _, p := range []*algorithms.Problem{nested(t), lined(t)} {
		a := compile(t, p, algorithms.Options{"compile": "eager"}).core.Load().auto
		c := newColumns(a)
		s, checked := a.splits, 0
		for id := range len(a.sym.goals) {
			g := a.sym.goals[id]
			if !g.leaf || g.pops > 0 {
				continue
			}
			for y := range int32(p.Tables.NumStates()) {
				split := s.rowOf(c, a.sym.shapeOf(0, g.lhs), a.decider.lists.of([]int32{y}))[0]
				part := s.partOf(split, g.look)
				accepts := bitset.Intersect(a.sym.set(s.list.at(part)[0]), a.sym.set(g.look))
				switch a.sym.follow(int32(id), y) {
				case accepted:
					if !accepts {
						t.Errorf("goal %+v is accepted on %d, its split %v", g, y, s.list.at(part))
					}
				case nothing:
					if part != noSplit {
						t.Errorf("goal %+v is refused on %d, its split %v", g, y, s.list.at(part))
					}
				}
				others := s.all()
				without(others, a.sym.set(g.look))
				if both := s.unite(part, s.partOf(split, a.sym.setOf(others))); both != split {
					t.Errorf("split %v, in two parts and together again: %v", s.list.at(split), s.list.at(both))
				}
				checked++
			}
		}
		if checked < 20 || slices.Max(a.sym.set(s.list.at(noSplit)[0])) != 0 {
			t.Errorf("%d splits checked", checked)
		}
	}
}
