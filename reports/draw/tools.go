package draw

import (
	"fmt"

	"gcdbench/datasets/toolcalls"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
)

// ToolFigures is the plot over the number of tools: time to the first mask, and the mean step of
// each class that has any; none unless requests of two sizes were measured.
func ToolFigures(s *result.Set) []*plots.Figure {
	var rates []plots.Rate
	for _, c := range s.ToolCells() {
		size := c.Record.Tools.Count
		if size == 0 {
			continue
		}
		add := func(what string, ns float64) {
			panel := fmt.Sprintf("%s, %s: %s", c.Record.Tools.Format, c.Record.Tools.Choice, what)
			rates = append(rates, plots.Rate{Panel: panel, Line: Line(s, c), Size: size, MeanNS: ns})
		}
		if c.TTFMNS != nil {
			add("first mask", c.TTFMNS.P50)
		}
		times := c.ClassTimes()
		for _, class := range toolcalls.Classes() {
			if m := result.Summary(times[string(class)]); m != nil {
				add(string(class), m.Mean)
			}
		}
	}
	if f := plots.TimesOver("tools", "tools in a request", "p50 of the first mask, mean of steps", rates); f != nil {
		return []*plots.Figure{f}
	}
	return nil
}
