package result

import (
	"iter"
	"math"
	"slices"

	"gcdbench/harness/stats"
)

// Comparisons of cells. Two algorithms are compared at identical positions of identical samples
// only. A comparison of two averages would favour an algorithm that fails on hard samples.

// Group is the cells of one workload and tokenizer, which answer the same
// questions and can be compared.
type Group struct {
	Workload, Tokenizer string
	Cells               []*Cell
}

// Groups lists the groups in the order of the configuration.
func (s *Set) Groups() []*Group { return GroupsOf(s.Cells) }

// GroupsOf puts cells together by workload and tokenizer.
func GroupsOf(cells []*Cell) (groups []*Group) {
	for _, c := range cells {
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
		g.precision()
		s.rank(g)
		base := g.Baseline()
		for _, c := range g.Cells {
			if base != nil && c != base && len(c.Steps) > 0 {
				c.Against = against(c, base)
			}
		}
	}
}

// rank puts the cells of a group into their order in tables, at the group's places in the set.
func (s *Set) rank(g *Group) {
	ranked := g.ranked()
	next := 0
	for i, c := range s.Cells {
		if next < len(ranked) && c.Workload == g.Workload && c.Tokenizer == g.Tokenizer {
			s.Cells[i] = ranked[next]
			next++
		}
	}
	g.Cells = ranked
}

// Baseline is the first cell with times.
func (g *Group) Baseline() *Cell {
	for _, c := range g.Cells {
		if len(c.Steps) > 0 {
			return c
		}
	}
	return nil // then there is nothing to divide
}

// common computes the figures over the samples that all cells with times ended
// well.
func (g *Group) common() {
	g.commonRequests()
	seen := map[string]int{} // cells that ended it well, by sample
	timed := 0
	for _, c := range g.Cells {
		if len(c.Steps) == 0 {
			continue
		}
		timed++
		for _, s := range c.Steps {
			seen[s.ID]++
		}
	}
	for _, c := range g.Cells {
		if len(c.Steps) == 0 {
			continue
		}
		c.Common = &Common{}
		var mask, tbm []float64
		for i := range c.Steps {
			s := &c.Steps[i]
			if seen[s.ID] != timed {
				continue
			}
			c.Common.Samples++
			for _, p := range s.passesIn(c.HeadlineState) {
				mask, tbm = append(mask, stats.Floats(p.Mask)...), append(tbm, stats.Floats(p.Step)...)
			}
		}
		c.Common.MaskNS, c.Common.TBMNS = Summary(mask), Summary(tbm)
	}
}

// Uneven reports whether the cells with times ended different samples well, so that their plain
// averages are not comparable.
func (g *Group) Uneven() bool {
	for _, c := range g.Cells {
		if c.Common != nil && c.Common.Samples != len(c.Steps) {
			return true
		}
	}
	return false
}

// against compares a cell with a baseline of its group.
func against(c, base *Cell) *Against {
	a := &Against{Baseline: base.Label, MaskIn: map[string]stats.Ratio{}, TBMIn: map[string]stats.Ratio{}}
	seed := c.Record.ID.Seed
	for _, state := range StateNames {
		if mask := pair(c, base, MaskTimes, state).Ratio(seed); mask.N > 0 {
			a.MaskIn[state], a.TBMIn[state] = mask, pair(c, base, StepTimes, state).Ratio(seed)
		}
	}
	a.Mask, a.TBM = a.MaskIn[c.HeadlineState], a.TBMIn[c.HeadlineState]
	a.Turns, a.Samples = InTurn(c, base)
	a.Interleaved = a.Samples > 0 && a.Turns == a.Samples
	return a
}

// InTurn counts the samples that two cells were both timed on, and those of them on which they took
// turns.
func InTurn(a, b *Cell) (turns, samples int) {
	other := b.ByID()
	for i := range a.Steps {
		o := other[a.Steps[i].ID]
		if o == nil {
			continue
		}
		samples++
		x, y := &a.Record.Samples[a.Steps[i].sample], &b.Record.Samples[o.sample]
		if x.TookTurns(b.Key) && y.TookTurns(a.Key) {
			turns++
		}
	}
	return turns, samples
}

// ByID are the steps of a cell by the id of their sample.
func (c *Cell) ByID() map[string]*Steps {
	m := map[string]*Steps{}
	for i := range c.Steps {
		m[c.Steps[i].ID] = &c.Steps[i]
	}
	return m
}

// pair lines up the times of two cells in a state, at identical positions of identical samples,
// pass by pass: more passes make a ratio more certain and do not shift it. naive may have been
// asked at some positions only.
func pair(a, b *Cell, of Kind, state string) *stats.Pairs {
	pairs := new(stats.Pairs)
	EachPair(a, b, of, state, pairs.Add)
	return pairs
}

// EachPair visits the pairs of pair, with the cluster of a's sample.
func EachPair(a, b *Cell, of Kind, state string, visit func(cluster int, x, y float64)) {
	other := b.ByID()
	for i := range a.Steps {
		s := &a.Steps[i]
		o := other[s.ID]
		if o == nil || !SameSample(a, s, b, o) {
			continue
		}
		x, y := s.passesIn(state), o.passesIn(state)
		for n := range min(len(x), len(y)) {
			EachCommon(s.Positions, o.Positions, func(i, j int) {
				visit(s.cluster, float64(of(x[n])[i]), float64(of(y[n])[j]))
			})
		}
	}
}

// SameSample is whether two samples of one id are of one size: in another result the id may stand
// for another text.
func SameSample(a *Cell, s *Steps, b *Cell, o *Steps) bool {
	x, y := &a.Record.Samples[s.sample], &b.Record.Samples[o.sample]
	return x.Tokens == y.Tokens && x.Bytes == y.Bytes
}

// EachCommon visits the positions that two ascending lists of them have in common, by their index
// in each.
func EachCommon(a, b []uint32, visit func(i, j int)) {
	j := 0
	for i, pos := range a {
		for j < len(b) && b[j] < pos {
			j++
		}
		if j < len(b) && b[j] == pos {
			visit(i, j)
		}
	}
}

// Noise is an A/A comparison: the same algorithm with the same options measured twice in one group.
// A difference of that size means nothing.
type Noise struct {
	Workload, Tokenizer string
	A, B                string      // labels, A the one entered first
	Mask                stats.Ratio // B's times divided by A's; 1 is no noise
	// Mean, P99 and Offline are the ratios of the headline's mean step, of its p99, and of what is
	// paid first; NaN where one of them is missing.
	Mean, P99, Offline float64
}

// Noise lists the A/A comparisons of the set.
func (s *Set) Noise() []Noise {
	var list []Noise
	for _, g := range s.Groups() {
		for a, b := range g.Twins() {
			mask := pair(b, a, MaskTimes, b.HeadlineState)
			n := Noise{Workload: g.Workload, Tokenizer: g.Tokenizer, A: a.Label, B: b.Label, Mask: mask.Ratio(a.Record.ID.Seed), Offline: math.NaN()}
			x, y := a.Headline(a.TBMNS), b.Headline(b.TBMNS)
			n.Mean, n.P99 = y.Mean/x.Mean, P99(y)/P99(x)
			if a.Offline != nil && b.Offline != nil {
				n.Offline = b.Offline.Sum / a.Offline.Sum
			}
			list = append(list, n)
		}
	}
	return list
}

// Twins are the A/A comparisons of a group: pairs of cells with times that are equal in all that
// can change a result, and two entries of the configuration.
func (g *Group) Twins() iter.Seq2[*Cell, *Cell] {
	return func(yield func(a, b *Cell) bool) {
		for i, a := range g.Cells {
			for _, b := range g.Cells[i+1:] {
				if equalEntries(a, b) && len(a.Steps) > 0 && len(b.Steps) > 0 && !yield(a, b) {
					return
				}
			}
		}
	}
}

// equalEntries reports whether two cells are equal but for their entries in the configuration.
func equalEntries(a, b *Cell) bool {
	x, y := a.Record.ID, b.Record.ID
	x.Copy, y.Copy = 0, 0
	return x.Key() == y.Key()
}

// Floor is the largest share by which an A/A comparison differs from 1, the far
// end of its interval if it has one; 0 of none.
func Floor(list []Noise) float64 {
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

// RatioOf compares the delivered masks of two cells in a state of the engine, by its name in JSON:
// a's times divided by b's, at identical positions. Its N is 0 if there are none.
func RatioOf(a, b *Cell, state string) stats.Ratio {
	return pair(a, b, MaskTimes, state).Ratio(a.Record.ID.Seed)
}
