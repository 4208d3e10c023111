package result

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// The groups of a corpus of schemas. A corpus such as MaskBench has parts that differ more than
// engines do, so one figure over all of it mostly reflects the sizes of the parts.

// addGroupTimes fills in the times of each group.
func (c *Cell) addGroupTimes() {
	type times struct{ ttfm, warm, cold []float64 }
	groups := map[string]times{}
	for _, line := range c.SchemaLines() {
		g := groups[line.Group]
		if s, ok := TimesOf(line.Problem); ok {
			g.ttfm = append(g.ttfm, s.TTFMNS)
		}
		g.warm, g.cold = append(g.warm, line.warm...), append(g.cold, line.cold...)
		groups[line.Group] = g
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		t := groups[g.Group]
		g.TTFMNS, g.TBMNS, g.ColdTBMNS = Summary(t.ttfm), Summary(t.warm), Summary(t.cold)
	}
}

// A schemaLine has the figures of a cell for one schema.
type schemaLine struct {
	*cell.Problem
	verdict
	warm, cold []float64 // its steps, in valid instances that ended well
}

// SchemaLines are the cell's schemas in the order of the corpus.
func (c *Cell) SchemaLines() []schemaLine {
	rows := make([]schemaLine, len(c.Record.Problems))
	for i := range rows {
		rows[i].Problem, rows[i].verdict = &c.Record.Problems[i], c.Verdicts[i]
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		r := &rows[c.Record.Samples[s.sample].Problem]
		for _, p := range s.passesIn(StateAgain) {
			r.warm = append(r.warm, stats.Floats(p.Step)...)
		}
		for _, p := range s.passesIn(StateFirst) {
			r.cold = append(r.cold, stats.Floats(p.Step)...)
		}
	}
	return rows
}

// Fields are the figures of a schema, by column. A schema without an engine has neither sizes nor
// times nor verdicts: its instances were never tried.
func (r *schemaLine) Fields(c *Cell) any {
	compiled := r.Outcome == cell.OK
	line := map[string]any{"workload": c.Workload, "tokenizer": c.Tokenizer, "vocabulary_size": c.VocabularySize, "algorithm": c.Algorithm, "label": c.Label, "key": c.Key,
		"schema": r.ID, "group": r.Group, "outcome": r.Outcome, "stage": r.Stage, "reason": reasonOf(r.Problem), "bytes": r.Bytes,
		"right": compiled && r.wrong()+r.KeyOrder == 0, "valid_instances": r.valid, "invalid_instances": r.invalid, "tbm_ns": Summary(r.warm), "cold_tbm_ns": Summary(r.cold)}
	if compiled {
		maps.Copy(line, map[string]any{"invalid_accepted": r.InvalidAccepted, "valid_refused": r.ValidRefused, "valid_refused_key_order": r.KeyOrder,
			"invalid_refused_by_commit_only": r.byCommit, "unjudged_instances": r.unjudged, "terminals": r.Terminals, "rules": r.Rules, "lr_states": r.LRStates, "approximated_keywords": r.Approximated})
	}
	if times, timed := TimesOf(r.Problem); timed && c.Outcome != cell.WrongMask { // as everywhere: no time where a mask is wrong
		maps.Copy(line, map[string]any{"schema_grammar_ns": times.GrammarNS, "compile_ns": times.EngineNS, "first_mask_ns": times.FirstMaskNS, "ttfm_ns": times.TTFMNS})
		if !r.Unweighed {
			line["engine_bytes"] = r.EngineBytes
		}
	}
	return line
}

// Times by schema, and the slowest schemas.

// addSchemaTimes fills in the times by schema: of a cell whose masks were right, once its steps are
// known.
func (c *Cell) addSchemaTimes() {
	f := c.SchemaFigures
	if f == nil {
		return
	}
	var grammar, engine, first []float64 // by schema
	for i := range c.Record.Problems {
		s, ok := TimesOf(&c.Record.Problems[i])
		if !ok {
			continue
		}
		grammar, engine, first = append(grammar, s.GrammarNS), append(engine, s.EngineNS), append(first, s.FirstMaskNS)
		f.TTFMOf = append(f.TTFMOf, s.TTFMNS)
		f.SlowestTTFM = append(f.SlowestTTFM, s)
	}
	if c.FromOutside() { // its grammar is a part of its compile
		grammar = nil
	}
	f.GrammarNS, c.CompileNS, c.FirstMaskNS, c.TTFMNS = Summary(grammar), Summary(engine), Summary(first), Summary(f.TTFMOf)
	f.SlowestTTFM = slowestBy(f.SlowestTTFM, func(s *SlowSchema) float64 { return s.TTFMNS })
	c.addRequests()
	c.addGroupTimes()
	f.SlowestWarm, f.SlowestCold = c.slowestSteps(StateAgain), c.slowestSteps(StateFirst)
}

// TimesOf are a schema's sizes and its times to the first mask, each the median of its compiles;
// not ok if it has none.
func TimesOf(p *cell.Problem) (s SlowSchema, ok bool) {
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
	for i := range c.Steps {
		s := &c.Steps[i]
		problem := c.Record.Samples[s.sample].Problem
		old, seen := worst[problem]
		if !seen { // the order of the corpus, which a map would not keep
			old = sizesOf(&c.Record.Problems[problem])
			problems = append(problems, problem)
		}
		for _, p := range s.passesIn(state) {
			for at, ns := range p.Step {
				if step := float64(ns); step > old.StepNS {
					old.StepNS, old.MaskNS, old.CommitNS = step, float64(p.Mask[at]), step-float64(p.Mask[at])
					old.Sample, old.Position = s.ID, int(s.Positions[at])
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
	return slices.Clip(list[:min(Slowest, len(list))])
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
