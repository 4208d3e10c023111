package tables

import (
	"fmt"
	"math"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/draw"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// memoryText is one of these figures in MiB; none for a process that was not weighed: it compiles
// one schema after the other, or had ended.
func memoryText(c *result.Cell, bytes int64) string {
	if c.FromOutside() && bytes == 0 {
		return show.None
	}
	return show.Megabytes(bytes)
}

// buildingText is building in ms; ~ where it is not above 0, or not above the difference of two
// later passes over the same documents.
func buildingText(c *result.Cell) string {
	switch {
	case c.BuildingNS == nil:
		return show.None
	case *c.BuildingNS <= c.AgainSpread():
		return "~"
	}
	return show.Millis(*c.BuildingNS)
}

// The tables of the bill: offline times, the time of a generation after n tokens and where one
// algorithm overtakes another, memory, and the counters of engines.

// billTable is the table of offline times and of what is built on the way; nil if nothing compiled.
func billTable(s *result.Set) *document.Table {
	of := document.PartOf(func(c *result.Cell) *result.Offline { return c.Offline })
	billed := func(c *result.Cell, text string) string {
		if c.Offline == nil {
			return show.None
		}
		return text
	}
	return each(s, document.Footed(document.Titled("bill", compiles(s), show.None, schemaBill(s)), caveat), every, []document.Figure[*result.Cell]{
		of("algorithm ms [95%]", func(o *result.Offline) string {
			return show.Millis(o.Algorithm) + show.Interval(o.Algorithm95, show.Millis)
		}),
		{Head: "built on the way ms", Of: func(c *result.Cell) string { return billed(c, buildingText(c)) }},
		{Head: "positions that built", Of: func(c *result.Cell) string { return show.NumberOrNone(c.BuiltShare(), show.Percent) }, Some: func(c *result.Cell) bool { return !math.IsNaN(c.BuiltShare()) },
			Words: " Positions that built: the share of the documents' positions whose masks had to build something first, by the engine's own count."},
	})
}

// schemaBill explains the bill of a corpus of schemas.
func schemaBill(s *result.Set) string {
	if len(s.SchemaCells().Cells) == 0 {
		return ""
	}
	return " Of JSON schemas grammar and algorithm are means over those that compiled, and vocabulary has what an algorithm keeps for all of them."
}

// compiles says how often each grammar was compiled.
func compiles(s *result.Set) string {
	most := 0
	for _, c := range s.Cells {
		if c.CompileNS != nil && c.SchemaFigures == nil {
			most = max(most, c.CompileNS.N)
		}
	}
	switch {
	case most > 1:
		return fmt.Sprintf(", the mean of up to %s, with its 95%% interval by Student's t", show.Plural(most, "repetition"))
	case most == 1:
		return ", once"
	}
	return ""
}

// spentTable is the table of the time after n tokens; nil if no cell has all of its steps.
func spentTable(s *result.Set) *document.Table {
	t := document.Titled("spent", show.None)
	if len(s.SchemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the compile of each is added where its first document begins."
	}
	return each(s, t, where(func(c *result.Cell) bool { return c.Spent != nil && !math.IsNaN(c.Spent[0]) }))
}

// crossings lists where one algorithm's bill overtakes another's.
func crossings(s *result.Set) *document.Table {
	type crossing struct {
		workload, tokenizer string
		plots.Overtaking
	}
	var list []crossing
	for _, tokenizer := range s.TokenizerNames() {
		f := draw.Cumulative(s, "crossings", tokenizer)
		if f == nil {
			continue
		}
		for _, p := range f.Panels {
			for _, o := range p.Crossings {
				if !second(s, p.Title, tokenizer, o.Before) && !second(s, p.Title, tokenizer, o.After) {
					list = append(list, crossing{p.Title, tokenizer, o})
				}
			}
		}
	}
	figures := []document.Figure[crossing]{
		document.Worded("vocabulary", func(o crossing) string { return o.tokenizer }),
		// A crossing between two tokens counts at the later one.
		{Head: "after tokens", Of: func(o crossing) string { return show.Count(int(math.Ceil(o.Tokens))) }},
	}
	if s.Tokenizers() < 2 {
		figures = figures[1:]
	}
	return document.Fill(document.Titled("crossings"), list, figures)
}

// second reports whether a curve is that of a second entry of an algorithm.
func second(s *result.Set, workload, tokenizer, label string) bool {
	return slices.ContainsFunc(s.Cells, func(c *result.Cell) bool {
		return c.Workload == workload && c.Tokenizer == tokenizer && c.Label == label && c.Provenance.Copy > 0
	})
}

// memoryTable is the table of the engines' memory.
func memoryTable(s *result.Set) *document.Table {
	return each(s, document.Titled("memory"), where(func(c *result.Cell) bool { return c.Offline != nil }), []document.Figure[*result.Cell]{
		{Head: "compiled MiB", Of: func(c *result.Cell) string { return memoryText(c, c.EngineBytes.Compiled) }},
		{Head: "used MiB", Of: func(c *result.Cell) string { return memoryText(c, c.EngineBytes.Used) }},
		{Head: "peak MiB", Of: func(c *result.Cell) string { return memoryText(c, c.EngineBytes.Peak) }},
		{Head: "kept for all schemas MiB", Of: func(c *result.Cell) string { return show.MegabytesOrNone(c.EngineBytes.Kept) }, Some: func(c *result.Cell) bool { return c.SchemaFigures != nil },
			Words: " Of JSON schemas these are of the largest of those that were weighed; of an engine from outside, whose process compiles them all, nobody knows them. Kept for all schemas: what outlives their engines."},
	})
}

// counterTable lists what the engines count.
func counterTable(s *result.Set) *document.Table {
	t := document.Titled("counters")
	if len(s.SchemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the means over those that compiled."
	}
	counted := func(c *result.Cell) []cell.Counter {
		if c.Provenance.Copy > 0 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(c.Counters), func(n cell.Counter) bool { return n.Value == 0 })
	}
	return each(s, t, counted)
}
