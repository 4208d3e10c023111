package reports

import (
	"cmp"
	"math"
	"slices"

	"gcdbench/harness/cell"
)

// Times by schema, and the slowest schemas.

// addSchemaTimes fills in the times by schema: of a cell whose masks were right, once its steps are
// known.
func (c *Cell) addSchemaTimes() {
	f := c.SchemaFigures
	if f == nil {
		return
	}
	var grammar, engine, first []float64 // by schema
	for i := range c.record.Problems {
		s, ok := timesOf(&c.record.Problems[i])
		if !ok {
			continue
		}
		grammar, engine, first = append(grammar, s.GrammarNS), append(engine, s.EngineNS), append(first, s.FirstMaskNS)
		f.ttfm = append(f.ttfm, s.TTFMNS)
		f.SlowestTTFM = append(f.SlowestTTFM, s)
	}
	if c.outside() { // its grammar is a part of its compile
		grammar = nil
	}
	f.GrammarNS, c.CompileNS, c.FirstMaskNS, c.TTFMNS = summary(grammar), summary(engine), summary(first), summary(f.ttfm)
	f.SlowestTTFM = slowestBy(f.SlowestTTFM, func(s *SlowSchema) float64 { return s.TTFMNS })
	c.addRequests()
	c.addGroupTimes()
	f.SlowestWarm, f.SlowestCold = c.slowestSteps(stateAgain), c.slowestSteps(stateFirst)
}

// timesOf are a schema's sizes and its times to the first mask, each the median of its compiles;
// not ok if it has none.
func timesOf(p *cell.Problem) (s SlowSchema, ok bool) {
	if p.Outcome != cell.OK || len(p.CompileNS) == 0 || len(p.FirstMaskNS) == 0 {
		return s, false
	}
	s = sizesOf(p)
	s.GrammarNS, s.EngineNS, s.FirstMaskNS = median(p.GrammarNS), median(p.CompileNS), median(p.FirstMaskNS)
	s.TTFMNS = median(sums(p.GrammarNS, p.CompileNS, p.FirstMaskNS))
	return s, true
}

// slowestSteps finds each schema's longest step in a state, and of those the longest.
func (c *Cell) slowestSteps(state string) []SlowSchema {
	worst := map[int]SlowSchema{}
	var problems []int
	for i := range c.steps {
		s := &c.steps[i]
		problem := c.record.Samples[s.sample].Problem
		old, seen := worst[problem]
		if !seen { // the order of the corpus, which a map would not keep
			old = sizesOf(&c.record.Problems[problem])
			problems = append(problems, problem)
		}
		for _, p := range s.passesIn(state) {
			for at, ns := range p.Step {
				if step := float64(ns); step > old.StepNS {
					old.StepNS, old.MaskNS, old.CommitNS = step, float64(p.Mask[at]), step-float64(p.Mask[at])
					old.Sample, old.Position = s.id, int(s.positions[at])
				}
			}
		}
		worst[problem] = old
	}
	list := make([]SlowSchema, 0, len(problems))
	for _, p := range problems {
		if s := worst[p]; s.StepNS > 0 {
			list = append(list, s)
		}
	}
	return slowestBy(list, func(s *SlowSchema) float64 { return s.StepNS })
}

// slowestBy keeps the slowest, the slowest first, in the order of the corpus where times are equal.
func slowestBy(list []SlowSchema, time func(*SlowSchema) float64) []SlowSchema {
	slices.SortStableFunc(list, func(a, b SlowSchema) int { return cmp.Compare(time(&b), time(&a)) })
	return slices.Clip(list[:min(slowest, len(list))])
}

// sizesOf is a schema with its sizes and no times yet.
func sizesOf(p *cell.Problem) SlowSchema {
	return SlowSchema{ID: p.ID, Group: p.Group, Bytes: p.Bytes, Terminals: p.Terminals, Rules: p.Rules, LRStates: p.LRStates}
}

// median of times; 0 of none. Of an even number it is the lower of the two in the middle, which is
// one that was measured.
func median(ns []int64) float64 {
	if len(ns) == 0 {
		return 0
	}
	return float64(slices.Sorted(slices.Values(ns))[(len(ns)-1)/2])
}

// sums adds series entry by entry, as far as the shortest that has any goes.
func sums(series ...[]int64) []int64 {
	n := math.MaxInt
	for _, s := range series {
		if len(s) > 0 {
			n = min(n, len(s))
		}
	}
	if n == math.MaxInt {
		return nil
	}
	out := make([]int64, n)
	for _, s := range series {
		for i := range min(n, len(s)) {
			out[i] += s[i]
		}
	}
	return out
}
