package reports

import (
	"math"
	"slices"

	"gcdbench/reports/stats"
)

// Comparisons: what a cell's figures mean beside those of another. Two algorithms are compared at identical positions of
// identical samples only, never by two averages, since the ones that give up on hard samples would win.

// Group is the cells of one workload and tokenizer, which answer the same
// questions and can be compared.
type Group struct {
	Workload, Tokenizer string
	Cells               []*Cell
}

// Groups lists the groups in the order of the configuration.
func (s *Set) Groups() []*Group {
	var groups []*Group
	for _, c := range s.Cells {
		i := slices.IndexFunc(groups, func(g *Group) bool {
			return g.Workload == c.Workload && g.Tokenizer == c.Tokenizer
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &Group{Workload: c.Workload, Tokenizer: c.Tokenizer})
		}
		groups[i].Cells = append(groups[i].Cells, c)
	}
	return groups
}

// compare fills in the figures that need more than one cell.
func (s *Set) compare() {
	for _, g := range s.Groups() {
		g.common()
		base := g.baseline()
		for _, c := range g.Cells {
			if base != nil && c != base && len(c.steps) > 0 {
				c.Against = against(c, base)
			}
		}
	}
}

// baseline is the first cell with times.
func (g *Group) baseline() *Cell {
	for _, c := range g.Cells {
		if len(c.steps) > 0 {
			return c
		}
	}
	return nil // then there is nothing to divide
}

// common computes the figures over the samples that all cells with times ended
// well.
func (g *Group) common() {
	seen := map[string]int{} // cells that ended it well, by sample
	timed := 0
	for _, c := range g.Cells {
		if len(c.steps) == 0 {
			continue
		}
		timed++
		for _, s := range c.steps {
			seen[s.id]++
		}
	}
	for _, c := range g.Cells {
		if len(c.steps) == 0 {
			continue
		}
		c.Common = &Common{}
		var mask, tbm []float64
		for _, s := range c.steps {
			if seen[s.id] == timed {
				c.Common.Samples++
				mask = append(mask, s.times.Mask...)
				tbm = append(tbm, s.tbm()...)
			}
		}
		c.Common.MaskNS, c.Common.TBMNS = summary(mask), summary(tbm)
	}
}

// uneven reports whether the cells with times ended different samples well, so
// that their plain averages are not about the same thing.
func (g *Group) uneven() bool {
	for _, c := range g.Cells {
		if c.Common != nil && c.Common.Samples != len(c.steps) {
			return true
		}
	}
	return false
}

// against compares a cell with a baseline of its group.
func against(c, base *Cell) *Against {
	mask, tbm := pair(c, base)
	seed := c.record.ID.Seed
	return &Against{
		Baseline:    base.Label,
		Mask:        mask.Ratio(seed),
		TBM:         tbm.Ratio(seed),
		Interleaved: slices.Contains(c.record.Group, base.record.Label) && slices.Contains(base.record.Group, c.record.Label),
	}
}

// pair lines up the steps of two cells at identical positions of identical
// samples.
func pair(a, b *Cell) (mask, tbm stats.Pairs) {
	other := map[string]*steps{}
	for i := range b.steps {
		other[b.steps[i].id] = &b.steps[i]
	}
	for _, s := range a.steps {
		o := other[s.id]
		// Other positions would be other work: results of two directories may have been masked by different seeds.
		if o == nil || !slices.Equal(s.positions, o.positions) {
			continue
		}
		for i := range s.positions {
			mask.Add(s.cluster, s.times.Mask[i], o.times.Mask[i])
			tbm.Add(s.cluster, s.times.Mask[i]+s.times.Commit[i], o.times.Mask[i]+o.times.Commit[i])
		}
	}
	return mask, tbm
}

// Noise is an A/A comparison: the same algorithm with the same options measured
// twice in one group. What it differs from itself by is the size of difference
// that means nothing.
type Noise struct {
	Workload, Tokenizer string
	A, B                string      // labels, A the one entered first
	Mask                stats.Ratio // B's times divided by A's; 1 is no noise
}

// Noise lists the A/A comparisons of the set.
func (s *Set) Noise() []Noise {
	var list []Noise
	for _, g := range s.Groups() {
		for i, a := range g.Cells {
			for _, b := range g.Cells[i+1:] {
				if !equalEntries(a, b) || len(a.steps) == 0 || len(b.steps) == 0 {
					continue
				}
				mask, _ := pair(b, a)
				list = append(list, Noise{g.Workload, g.Tokenizer, a.Label, b.Label, mask.Ratio(a.record.ID.Seed)})
			}
		}
	}
	return list
}

// equalEntries reports whether two cells are an A/A comparison: equal in everything
// that changes a result but which of the entries it is.
func equalEntries(a, b *Cell) bool {
	x, y := a.record.ID, b.record.ID
	x.Copy, y.Copy = 0, 0
	return x.Key() == y.Key()
}

// floor is the largest share by which an A/A comparison differs from 1, the far
// end of its interval if it has one; 0 of none.
func floor(list []Noise) float64 {
	most := 0.0
	for _, n := range list {
		for _, v := range []float64{n.Mask.Value, n.Mask.Interval.Low, n.Mask.Interval.High} {
			if v > 0 {
				most = max(most, math.Abs(v-1))
			}
		}
	}
	return most
}
