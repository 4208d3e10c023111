package reports

import (
	"fmt"
	"slices"

	"gcdbench/datasets/toolcalls"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/plots"
)

// Requests with tools. What a mask costs depends on what is being written: in a text nearly every
// token is legal, in a name a few are, in arguments a schema decides. So steps are told apart by
// the class of the token that their mask is for, and times are read over the number of tools.

// toolCells are the cells of requests with tools.
func (s *Set) toolCells() []*Cell {
	return s.only(func(c *Cell) bool { return c.record.Tools != nil }).Cells
}

// classesOf are the classes of the tokens of a sample, by position; the end has none.
func classesOf(s *cell.Sample) (list []string) {
	for _, p := range s.Parts {
		list = append(list, slices.Repeat([]string{p.Class}, p.Tokens)...)
	}
	return list
}

// classTimes are the steps of first passes by the class of the token that is masked.
func (c *Cell) classTimes() map[string][]float64 {
	out := map[string][]float64{}
	for i := range c.steps {
		s := &c.steps[i]
		classes := classesOf(&c.record.Samples[s.sample])
		for _, p := range s.passesIn(stateFirst) {
			for at, ns := range p.Step {
				if position := int(s.positions[at]); position < len(classes) {
					out[classes[position]] = append(out[classes[position]], float64(ns))
				}
			}
		}
	}
	return out
}

// toolsText is how many tools the requests of a cell have.
func toolsText(c *Cell) string {
	if n := c.record.Tools.Count; n > 0 {
		return count(n)
	}
	return "own"
}

// toolCalls is the table over the number of tools; nil without requests with tools.
func (s *Set) toolCalls() *Table {
	times := map[*Cell]map[string][]float64{}
	for _, c := range s.toolCells() {
		times[c] = c.classTimes()
	}
	figures := []figure[*Cell]{
		text("format", func(c *Cell) string { return c.record.Tools.Format }),
		text("choice", func(c *Cell) string { return c.record.Tools.Choice }),
		{head: "tools", of: toolsText},
	}
	for _, class := range toolcalls.Classes() {
		for _, f := range []struct{ head, path, unit string }{{string(class) + " n", "n", "n"}, {"mean µs", "mean", "µs"}, {"p99 µs", "p99", "µs"}} {
			figures = append(figures, figure[*Cell]{head: f.head, of: func(c *Cell) string {
				return numberOrNone(numberIn(field(struct{ Of *stats.Summary }{summary(times[c][string(class)])}, "of."+f.path)), units[f.unit])
			}})
		}
	}
	return each(s, titled("tools"), where(func(c *Cell) bool { return c.record.Tools != nil }), figures, []figure[*Cell]{{head: "memory MiB", of: (*Cell).toolMemory}}).orNil()
}

// toolMemory is what an engine has after use, or says that it has.
func (c *Cell) toolMemory() string {
	if c.Offline == nil {
		return none
	}
	if text := c.memoryText(c.EngineBytes.Used); text != none {
		return text
	}
	return megabytesOrNone(c.EngineSaysBytes)
}

// toolFigures is the plot over the number of tools: time to the first mask, and the mean step of
// each class that has any; none unless requests of two sizes were measured.
func (s *Set) toolFigures() []*plots.Figure {
	var rates []plots.Rate
	for _, c := range s.toolCells() {
		size := c.record.Tools.Count
		if size == 0 {
			continue
		}
		add := func(what string, ns float64) {
			panel := fmt.Sprintf("%s, %s: %s", c.record.Tools.Format, c.record.Tools.Choice, what)
			rates = append(rates, plots.Rate{Panel: panel, Line: s.line(c), Size: size, MeanNS: ns})
		}
		if c.TTFMNS != nil {
			add("first mask", c.TTFMNS.P50)
		}
		times := c.classTimes()
		for _, class := range toolcalls.Classes() {
			if m := summary(times[string(class)]); m != nil {
				add(string(class), m.Mean)
			}
		}
	}
	if f := plots.TimesOver("tools", "tools in a request", "p50 of the first mask, mean of steps", rates); f != nil {
		return []*plots.Figure{f}
	}
	return nil
}
