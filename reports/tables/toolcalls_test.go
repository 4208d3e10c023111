package tables

import (
	"slices"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/draw"
	"gcdbench/reports/result"
)

// toolCell is a cell of requests with so many tools, whose steps take the times of their classes.
func toolCell(label string, tools int, ttfm float64) *result.Cell {
	c := &result.Cell{Names: result.Names{Label: label, Algorithm: label, Workload: "calls", Tokenizer: "t"}, SchemaFigures: &result.SchemaFigures{},
		Record: &cell.Record{Tools: &cell.ToolsOptions{Format: "hermes", Choice: "auto", Count: tools},
			Samples: []cell.Sample{{Parts: []cell.SamplePart{{Class: "text", Tokens: 2}, {Class: "marker", Tokens: 1}, {Class: "name", Tokens: 1}, {Class: "arguments", Tokens: 2}, {Class: "marker", Tokens: 1}}}}},
		Steps: []result.Steps{{Positions: []uint32{0, 1, 2, 3, 4, 5, 6, 7}, Passes: []cell.Pass{
			{State: cell.Fresh, Step: []uint32{1000, 3000, 4000, 5000, 6000, 8000, 10000, 99000}},
			{State: cell.Again, Step: []uint32{1, 1, 1, 1, 1, 1, 1, 1}}}}}}
	one := stats.Summarize([]float64{ttfm})
	c.TTFMNS = &one
	return c
}

// TestClassTimes: a step counts for the class of the token that its mask is for, of first passes
// only, and the mask at the end for none.
func TestClassTimes(t *testing.T) {
	got := toolCell("a", 8, 1e6).ClassTimes()
	for class, want := range map[string][]float64{"text": {1000, 3000}, "marker": {4000, 10000}, "name": {5000}, "arguments": {6000, 8000}, result.Chosen: {6000}} {
		if !slices.Equal(got[class], want) {
			t.Errorf("%s: %v, want %v", class, got[class], want)
		}
	}
	if len(got) != 5 {
		t.Errorf("classes %v", got)
	}
}

// TestToolCalls: the table has a row for each cell, the figure a panel for each class and one for
// the first mask, and neither is there without requests.
func TestToolCalls(t *testing.T) {
	s := &result.Set{Cells: []*result.Cell{toolCell("a", 8, 1e6), toolCell("a", 64, 3e6)}}
	table := toolCalls(s)
	if table == nil || len(table.Rows) != 2 {
		t.Fatalf("%+v", table)
	}
	var row []string
	for i, text := range table.Rows[1] {
		if len(text.Body) > 0 {
			row = append(row, table.Columns[i].Head+"="+text.Body)
		}
	}
	for _, want := range []string{"tools=64", "TTFM p50 ms=3.00", "text n=2", "mean µs=2.00", "mean µs=7.00", "mean µs=5.00"} {
		if !slices.Contains(row, want) {
			t.Errorf("%q is not in %v", want, row)
		}
	}
	figures := draw.ToolFigures(s)
	if len(figures) != 1 || len(figures[0].Panels) != 5 {
		t.Fatalf("%+v", figures)
	}
	if p := figures[0].Panels[0]; p.Title != "hermes, auto: first mask" || !slices.Equal(p.Series[0].X, []float64{8, 64}) || !slices.Equal(p.Series[0].Y, []float64{1e6, 3e6}) {
		t.Errorf("%+v", p)
	}
	s.Cells = s.Cells[:1]
	if draw.ToolFigures(s) != nil {
		t.Error("a figure of one size")
	}
	s.Cells[0].Record.Tools = nil
	if toolCalls(s) != nil {
		t.Error("a table without requests")
	}
}
