package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
)

// Which plots a report has, and the files it is written into. How a plot looks is package plots.

// Figures are the plots of the set, in the order of a report: for each vocabulary
// the distribution of mask times (ecdf), and online over offline time (tradeoff);
// for workloads of schemas the distributions of the time to the first mask (ttfm)
// and of steps (tbm) and their tails; and, where a workload was measured on two or
// more vocabulary sizes, the throughput over the size. Names of vocabularies are
// part of a figure's name where there are several.
func (s *Set) Figures() []*plots.Figure {
	var figures []*plots.Figure
	for _, tokenizer := range s.tokenizerNames() {
		name := "ecdf"
		if s.tokenizers() > 1 {
			name += "-" + fileName(tokenizer)
		}
		var samples []plots.Sample
		for _, c := range s.Cells {
			if c.Tokenizer == tokenizer {
				samples = append(samples, plots.Sample{Panel: c.Workload, Algorithm: c.Label, Values: c.maskTimes()})
			}
		}
		if f := plots.ECDF(name, samples); f != nil {
			figures = append(figures, f)
		}
		if f := plots.TradeOff(strings.Replace(name, "ecdf", "tradeoff", 1), s.costs(tokenizer)); f != nil {
			figures = append(figures, f)
		}
	}
	figures = append(figures, s.schemaFigures()...)
	var rates []plots.Rate
	for _, c := range s.Cells {
		if c.TBMNS == nil {
			continue
		}
		r := plots.Rate{Panel: c.Workload, Algorithm: c.Label, Vocabulary: c.VocabularySize, MeanNS: c.TBMNS.Mean}
		if c.Intervals != nil {
			r.Interval = c.Intervals.TBMNS.Mean
		}
		rates = append(rates, r)
	}
	if f := plots.Throughput("throughput", rates); f != nil {
		figures = append(figures, f)
	}
	return figures
}

// schemaFigures are, for each vocabulary, the distributions of the time to the first mask and of the time of a step
// over the schemas, each also by its tail where there is one: what is slow once in a thousand times is what a user of schemas meets.
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
				ttfm = append(ttfm, plots.Sample{Panel: c.Workload, Algorithm: c.Label, Values: c.ttfm})
			}
		}
		figures = append(figures, distribution("ttfm", suffix, "time from the schema to the first mask", "schemas", ttfm, false)...)
		steps, pairs := only.stepSamples(tokenizer)
		figures = append(figures, distribution("tbm", suffix, "time of one step (mask and commit)", "steps", steps, pairs)...)
	}
	return figures
}

// leastTail is how many values a line must have for a figure of tails: with fewer, its end is one or two values, which a
// table says better.
const leastTail = 100

// distribution is the figure of how times are distributed, and the one of their tail if there are enough; none without
// times. Panels that go in pairs stand in two columns.
func distribution(name, suffix, time, of string, samples []plots.Sample, pairs bool) []*plots.Figure {
	all := plots.ECDF(name+suffix, samples)
	if all == nil {
		return nil
	}
	all.XLabel, all.YLabel = time, "share of "+of
	figures := []*plots.Figure{all}
	if slices.ContainsFunc(samples, func(s plots.Sample) bool { return len(s.Values) >= leastTail }) {
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

// stepSamples are the steps on a vocabulary. Of one algorithm, cold and warm steps are lines of one panel; several
// algorithms have a pair of panels, for the cold and for the warm ones, or twelve lines would lie across each other.
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
		warm, cold := c.stepTimes()
		for _, pass := range []struct {
			name   string
			values []float64
		}{{"cold", cold}, {"warm", warm}} {
			sample := plots.Sample{Panel: c.Workload, Algorithm: c.Label, Values: pass.values}
			switch {
			case len(labels) == 1:
				sample.Algorithm += ", " + pass.name
			case len(workloads) == 1:
				sample.Panel = pass.name
			default:
				sample.Panel += ", " + pass.name
			}
			samples = append(samples, sample)
		}
	}
	return samples, len(labels) > 1
}

// stepTimes are the whole steps of all samples that ended well, in timed passes and in first ones.
func (c *Cell) stepTimes() (warm, cold []float64) {
	for i := range c.steps {
		warm = append(warm, c.steps[i].tbm()...)
		cold = append(cold, c.steps[i].coldTBM()...)
	}
	return warm, cold
}

// costs are the offline and online times on a vocabulary.
func (s *Set) costs(tokenizer string) []plots.Cost {
	var costs []plots.Cost
	for _, c := range s.Cells {
		if c.Tokenizer == tokenizer && c.CompileNS != nil && c.MaskNS != nil {
			costs = append(costs, plots.Cost{Panel: c.Workload, Algorithm: c.Label, OfflineNS: c.CompileNS.Mean, OnlineNS: c.MaskNS.Mean})
		}
	}
	return costs
}

// tokenizerNames lists the vocabularies in the order of the configuration.
func (s *Set) tokenizerNames() []string {
	var names []string
	for _, c := range s.Cells {
		if !slices.Contains(names, c.Tokenizer) {
			names = append(names, c.Tokenizer)
		}
	}
	return names
}

// maskTimes are those of all samples that ended well; none of a cell with a wrong
// mask.
func (c *Cell) maskTimes() []float64 {
	var values []float64
	for _, s := range c.steps {
		values = append(values, s.times.Mask...)
	}
	return values
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

// file is one to be written.
type file struct {
	name string
	data []byte
}

// WriteFiles writes the set into a directory: report.EXT in the format, schemas.csv
// with a line for each schema if there are any, and each figure as SVG and PNG. It
// returns the paths written. Each file is there whole or not at all, or as it was before.
func WriteFiles(dir string, set *Set, format string) ([]string, error) {
	var report strings.Builder
	if err := Write(&report, set, format); err != nil {
		return nil, err
	}
	files := []file{{"report." + Extension(format), []byte(report.String())}}
	if len(set.schemaCells().Cells) > 0 {
		var rows strings.Builder
		if err := WriteSchemas(&rows, set); err != nil {
			return nil, err
		}
		files = append(files, file{"schemas.csv", []byte(rows.String())})
	}
	for _, f := range set.Figures() {
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		png, err := f.PNG()
		if err != nil {
			return nil, err
		}
		files = append(files, file{f.Name + ".svg", svg}, file{f.Name + ".png", png})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the directory for the report: %w", err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := cell.WriteFile(path, f.data); err != nil {
			return paths, fmt.Errorf("cannot write the report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
