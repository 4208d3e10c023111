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

// chosen is the class of the slowest step of a call from behind its name to the first token of its
// arguments: an engine that builds the grammar of a tool on demand does so there.
const chosen = "tool chosen"

// classTimes are the steps of first passes by the class of the token that is masked, and the chosen
// ones.
func (c *Cell) classTimes() map[string][]float64 {
	out := map[string][]float64{}
	for i := range c.steps {
		s := &c.steps[i]
		classes := classesOf(&c.record.Samples[s.sample])
		for _, p := range s.passesIn(stateFirst) {
			slowest := -1.0
			for at, ns := range p.Step {
				position := int(s.positions[at])
				if position >= len(classes) {
					continue
				}
				class := classes[position]
				out[class] = append(out[class], float64(ns))
				switch {
				case class == string(toolcalls.Name):
					slowest = 0
				case slowest >= 0:
					slowest = max(slowest, float64(ns))
				}
				if slowest >= 0 && class == string(toolcalls.Arguments) {
					out[chosen], slowest = append(out[chosen], slowest), -1.0
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
			figures = append(figures, toolFigure(times, string(class), f.head, f.path, f.unit))
		}
	}
	for _, f := range [][2]string{{chosen + " p50 µs", "p50"}, {"p99 µs", "p99"}} {
		figures = append(figures, toolFigure(times, chosen, f[0], f[1], "µs"))
	}
	return each(s, titled("tools"), where(func(c *Cell) bool { return c.record.Tools != nil }), figures, []figure[*Cell]{{head: "new MiB", of: (*Cell).newMemory}, {head: "memory MiB", of: (*Cell).toolMemory}}).orNil()
}

// toolFigure is a column of a figure of the steps of a class.
func toolFigure(times map[*Cell]map[string][]float64, class, head, path, unit string) figure[*Cell] {
	return figure[*Cell]{head: head, of: func(c *Cell) string {
		return numberOrNone(numberIn(field(struct{ Of *stats.Summary }{summary(times[c][class])}, "of."+path)), units[unit])
	}}
}

// newMemory is what an engine has after its first mask.
func (c *Cell) newMemory() string {
	if c.Offline == nil {
		return none
	}
	return c.memoryText(c.EngineBytes.Compiled)
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
