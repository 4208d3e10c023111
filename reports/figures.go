package reports

import (
	"reflect"
	"slices"
	"strings"

	"gcdbench/harness/stats"
	"gcdbench/reports/plots"
)

// The plots of a report. Package plots draws them.

// Figures are the plots of the set, in the order of a report. Each vocabulary has the distribution
// of masks on new documents (ecdf), the tail of steps (steps-tail), online over offline time
// (tradeoff), and the time spent after n tokens (cumulative). Workloads of schemas have the
// distributions of the time to the first mask (ttfm) and of steps (tbm), and their tails. A
// workload with two or more vocabulary sizes has the throughput over the size. A workload with
// batches has tokens per second over the batch, a panel for each model (serving). Names of
// vocabularies are part of a figure's name where there are several.
func (s *Set) Figures() []*plots.Figure {
	figures := s.figures()
	makeVisible(reflect.ValueOf(figures)) // as in a Document, nothing is hidden
	return figures
}

// figures is Figures with names not escaped.
func (s *Set) figures() []*plots.Figure {
	var figures []*plots.Figure
	add := func(f *plots.Figure) {
		if f != nil {
			figures = append(figures, f)
		}
	}
	for _, tokenizer := range s.tokenizerNames() {
		suffix := ""
		if s.tokenizers() > 1 {
			suffix = "-" + fileName(tokenizer)
		}
		var masks, steps []plots.Sample
		for _, c := range s.Cells {
			if c.Tokenizer != tokenizer || c.HeadlineState == "" {
				continue
			}
			masks = append(masks, plots.Sample{Panel: c.Workload, Line: s.line(c), Values: c.values(maskTimes, c.HeadlineState).Values})
			steps = append(steps, plots.Sample{Panel: c.Workload, Line: s.line(c), Values: c.values(stepTimes, c.HeadlineState).Values})
		}
		if f := plots.ECDF("ecdf"+suffix, masks); f != nil {
			f.XLabel = "time of one delivered mask, new document"
			add(f)
		}
		if hasTail(steps) && slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.Tokenizer == tokenizer && c.SchemaFigures == nil }) { // of schemas alone it is tbm-tail
			f := plots.Tail("steps-tail"+suffix, steps)
			f.XLabel, f.YLabel = "time of one step (commit and mask), new document", "steps at least as slow"
			add(f)
		}
		add(plots.TradeOff("tradeoff"+suffix, s.costs(tokenizer)))
		add(s.cumulative("cumulative"+suffix, tokenizer))
	}
	figures = append(append(figures, s.schemaFigures()...), s.toolFigures()...)
	add(plots.Throughput("throughput", s.rates()))
	return append(figures, s.servingFigures()...)
}

// rates are the mean steps on new documents, by size of the vocabulary.
func (s *Set) rates() (rates []plots.Rate) {
	for _, c := range s.Cells {
		m := c.headline(c.TBMNS)
		if m == nil {
			continue
		}
		r := plots.Rate{Panel: c.Workload, Line: s.line(c), Size: c.VocabularySize, MeanNS: m.Mean}
		if c.Intervals != nil {
			r.Interval = c.Intervals.TBMNS.Mean
		}
		rates = append(rates, r)
	}
	return rates
}

// cumulative is the figure of the time spent after n tokens; nil if no cell has all of its steps.
func (s *Set) cumulative(name, tokenizer string) *plots.Figure {
	var curves []plots.Curve
	for _, c := range s.Cells {
		if c.Tokenizer != tokenizer {
			continue
		}
		if curve := c.plotCurve(); curve != nil {
			curves = append(curves, plots.Curve{Panel: c.Workload, Line: s.line(c), Tokens: curve[0], NS: curve[1]})
		}
	}
	return plots.Cumulative(name, curves)
}

// plotCurve is the curve of the bill with its beginning at 0 tokens; nil if there is none.
func (c *Cell) plotCurve() *[2][]float64 {
	tokens, ns := c.curve()
	if len(tokens) == 0 {
		return nil
	}
	before := c.Offline.Sum
	if c.SchemaFigures != nil {
		before = c.Offline.Vocabulary
	}
	curve := [2][]float64{{0}, {before}}
	for i, n := range tokens {
		curve[0], curve[1] = append(curve[0], float64(n)), append(curve[1], ns[i])
	}
	return &curve
}

// schemaFigures are, for each vocabulary, the distributions of the time to the first mask and of
// the time of a step over the schemas, and their tails: users of schemas meet the steps that are
// slow once in a thousand times.
func (s *Set) schemaFigures() []*plots.Figure {
	var figures []*plots.Figure
	only := s.schemaCells()
	for _, tokenizer := range only.tokenizerNames() {
		suffix := ""
		if s.tokenizers() > 1 {
			suffix = "-" + fileName(tokenizer)
		}
		var ttfm []plots.Sample
		for _, c := range only.Cells {
			if c.Tokenizer == tokenizer {
				ttfm = append(ttfm, plots.Sample{Panel: c.Workload, Line: s.line(c), Values: c.ttfm})
			}
		}
		figures = append(figures, distribution("ttfm", suffix, "time from the schema to the first mask", "schemas", ttfm, false)...)
		steps, pairs := only.stepSamples(tokenizer)
		figures = append(figures, distribution("tbm", suffix, "time of one step (commit and mask)", "steps", steps, pairs)...)
	}
	return figures
}

// leastTail is how many values a line must have for a figure of tails. The tail of fewer is one or
// two values, for which a table is better.
const leastTail = 100

// distribution is the figure of the distribution of times, and that of their tail if there are
// enough; none without times. Paired panels stand in two columns.
func distribution(name, suffix, time, of string, samples []plots.Sample, pairs bool) []*plots.Figure {
	all := plots.ECDF(name+suffix, samples)
	if all == nil {
		return nil
	}
	all.XLabel, all.YLabel = time, "share of "+of
	figures := []*plots.Figure{all}
	if hasTail(samples) {
		tail := plots.Tail(name+"-tail"+suffix, samples)
		tail.XLabel, tail.YLabel = time, of+" at least as slow"
		figures = append(figures, tail)
	}
	if pairs {
		for _, f := range figures {
			f.Columns = 2
		}
	}
	return figures
}

// hasTail reports whether some line has values enough for a figure of tails.
func hasTail(samples []plots.Sample) bool {
	return slices.ContainsFunc(samples, func(s plots.Sample) bool { return len(s.Values) >= leastTail })
}

// stepSamples are the steps on a vocabulary. For one algorithm the first passes and the later ones
// are two lines of one panel. Several algorithms have a pair of panels, since twelve lines in one
// would be unreadable.
func (s *Set) stepSamples(tokenizer string) (samples []plots.Sample, pairs bool) {
	labels, workloads := map[string]bool{}, map[string]bool{}
	for _, c := range s.Cells {
		if c.Tokenizer == tokenizer {
			labels[c.Label], workloads[c.Workload] = true, true
		}
	}
	for _, c := range s.Cells {
		if c.Tokenizer != tokenizer {
			continue
		}
		for _, state := range []string{stateFirst, stateAgain} {
			sample := plots.Sample{Panel: c.Workload, Line: s.line(c), Values: c.values(stepTimes, state).Values}
			switch {
			case len(labels) == 1:
				sample.State = state
			case len(workloads) == 1:
				sample.Panel = state
			default:
				sample.Panel += ", " + state
			}
			samples = append(samples, sample)
		}
	}
	return samples, len(labels) > 1
}

// costs are the offline times and the times of delivered masks on new documents, for a vocabulary.
func (s *Set) costs(tokenizer string) []plots.Cost {
	var costs []plots.Cost
	for _, c := range s.Cells {
		online := c.headline(c.MaskNS)
		if c.Tokenizer != tokenizer || c.Offline == nil || online == nil {
			continue
		}
		cost := plots.Cost{Panel: c.Workload, Line: s.line(c), OfflineNS: c.Offline.Sum, OnlineNS: online.Mean}
		if i := c.Offline.Algorithm95; i.Valid() {
			rest := c.Offline.Sum - c.Offline.Algorithm
			cost.Offline = stats.Interval{Low: rest + i.Low, High: rest + i.High}
		}
		if c.Intervals != nil {
			cost.Online = c.Intervals.MaskNS.Mean
		}
		costs = append(costs, cost)
	}
	return costs
}

// line is the algorithm of a cell's line in a plot.
func (s *Set) line(c *Cell) plots.Line {
	algorithms := map[string]string{}
	for _, c := range s.Cells {
		algorithms[c.Label] = c.Algorithm
	}
	return plots.Line{Label: c.Label, Algorithm: c.Algorithm, Variant: plots.Variants(algorithms)[c.Label]}
}

// tokenizerNames lists the vocabularies in the order of the configuration.
func (s *Set) tokenizerNames() []string {
	return distinct(s.Cells, func(c *Cell) string { return c.Tokenizer })
}

// fileName makes a part of a file's name of any text.
func fileName(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, s), "-.")
}
