package tables

import (
	"gcdbench/datasets/toolcalls"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// toolsText is how many tools the requests of a cell have.
func toolsText(c *result.Cell) string {
	if n := c.Record.Tools.Count; n > 0 {
		return show.Count(n)
	}
	return "own"
}

// toolCalls is the table over the number of tools; nil without requests with tools.
func toolCalls(s *result.Set) *document.Table {
	times := map[*result.Cell]map[string][]float64{}
	for _, c := range s.ToolCells() {
		times[c] = c.ClassTimes()
	}
	figures := []document.Figure[*result.Cell]{
		document.Worded("format", func(c *result.Cell) string { return c.Record.Tools.Format }),
		document.Worded("choice", func(c *result.Cell) string { return c.Record.Tools.Choice }),
		{Head: "tools", Of: toolsText},
	}
	for _, class := range toolcalls.Classes() {
		for _, f := range []struct{ head, path, unit string }{{string(class) + " n", "n", "n"}, {"mean µs", "mean", "µs"}, {"p99 µs", "p99", "µs"}} {
			figures = append(figures, toolFigure(times, string(class), f.head, f.path, f.unit))
		}
	}
	for _, f := range [][2]string{{result.Chosen + " p50 µs", "p50"}, {"p99 µs", "p99"}} {
		figures = append(figures, toolFigure(times, result.Chosen, f[0], f[1], "µs"))
	}
	return each(s, document.Titled("tools"), where(func(c *result.Cell) bool { return c.Record.Tools != nil }), figures, []document.Figure[*result.Cell]{{Head: "new MiB", Of: newMemory}, {Head: "memory MiB", Of: toolMemory}}).OrNil()
}

// toolFigure is a column of a figure of the steps of a class.
func toolFigure(times map[*result.Cell]map[string][]float64, class, head, path, unit string) document.Figure[*result.Cell] {
	return document.Figure[*result.Cell]{Head: head, Of: func(c *result.Cell) string {
		return show.NumberOrNone(document.NumberIn(document.Field(struct{ Of *stats.Summary }{result.Summary(times[c][class])}, "of."+path)), document.Units[unit])
	}}
}

// newMemory is what an engine has after its first mask.
func newMemory(c *result.Cell) string {
	if c.Offline == nil {
		return show.None
	}
	return memoryText(c, c.EngineBytes.Compiled)
}

// toolMemory is what an engine has after use, or says that it has.
func toolMemory(c *result.Cell) string {
	if c.Offline == nil {
		return show.None
	}
	if text := memoryText(c, c.EngineBytes.Used); text != show.None {
		return text
	}
	return show.MegabytesOrNone(c.EngineSaysBytes)
}
