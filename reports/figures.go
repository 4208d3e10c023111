package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/reports/plots"
)

// Figures are the plots of the set: for each vocabulary the distribution of mask
// times, and online over offline time; for workloads of schemas those of the first mask and of steps; and, where a workload was measured on two or more vocabulary sizes, the
// throughput over the size.
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
// over the schemas, the latter warm and cold.
func (s *Set) schemaFigures() []*plots.Figure {
	var figures []*plots.Figure
	only := s.schemaCells()
	for _, tokenizer := range only.tokenizerNames() {
		suffix := ""
		if s.tokenizers() > 1 {
			suffix = "-" + fileName(tokenizer)
		}
		var ttfm, tbm []plots.Sample
		for _, c := range only.Cells {
			if c.Tokenizer != tokenizer {
				continue
			}
			ttfm = append(ttfm, plots.Sample{Panel: c.Workload, Algorithm: c.Label, Values: c.ttfm})
			warm, cold := c.stepTimes()
			tbm = append(tbm, plots.Sample{Panel: c.Workload, Algorithm: c.Label + ", warm", Values: warm}, plots.Sample{Panel: c.Workload, Algorithm: c.Label + ", cold", Values: cold})
		}
		if f := plots.ECDF("ttfm"+suffix, ttfm); f != nil {
			f.XLabel, f.YLabel = "time from the schema to the first mask", "share of schemas"
			figures = append(figures, f)
		}
		if f := plots.ECDF("tbm"+suffix, tbm); f != nil {
			f.XLabel, f.YLabel = "time of one step (mask and commit)", "share of steps"
			figures = append(figures, f)
		}
	}
	return figures
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

// WriteFiles writes the set into a directory: report.EXT in the format, and each
// figure as SVG and PNG. It returns the paths written.
func WriteFiles(dir string, set *Set, format string) ([]string, error) {
	var report strings.Builder
	if err := Write(&report, set, format); err != nil {
		return nil, err
	}
	files := []struct {
		name string
		data []byte
	}{{"report." + Extension(format), []byte(report.String())}}
	for _, f := range set.Figures() {
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		png, err := f.PNG()
		if err != nil {
			return nil, err
		}
		files = append(files, struct {
			name string
			data []byte
		}{f.Name + ".svg", svg}, struct {
			name string
			data []byte
		}{f.Name + ".png", png})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the directory for the report: %w", err)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return paths, fmt.Errorf("cannot write the report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
