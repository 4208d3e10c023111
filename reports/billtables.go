package reports

import (
	"fmt"
	"math"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
)

// The tables of the bill: offline times, the time of a generation after n tokens and where one
// algorithm overtakes another, memory, and the counters of engines.

// bill is the table of offline times and of what is built on the way; nil if nothing compiled.
func (s *Set) bill() *Table {
	of := partOf(func(c *Cell) *Offline { return c.Offline })
	billed := func(c *Cell, text string) string {
		if c.Offline == nil {
			return none
		}
		return text
	}
	return each(s, titled("bill", s.compiles(), none, s.schemaBill()).footed((*Cell).caveat), every, []figure[*Cell]{
		of("algorithm ms [95%]", func(o *Offline) string { return millis(o.Algorithm) + interval(o.Algorithm95, millis) }),
		{head: "built on the way ms", of: func(c *Cell) string { return billed(c, c.buildingText()) }},
		{head: "positions that built", of: func(c *Cell) string { return numberOrNone(c.builtShare(), percent) }, some: func(c *Cell) bool { return !math.IsNaN(c.builtShare()) },
			words: " Positions that built: the share of the documents' positions whose masks had to build something first, by the engine's own count."},
	})
}

// numberOrNone writes a number; none if it is not one.
func numberOrNone(v float64, write func(float64) string) string {
	if math.IsNaN(v) {
		return none
	}
	return write(v)
}

// schemaBill explains the bill of a corpus of schemas.
func (s *Set) schemaBill() string {
	if len(s.schemaCells().Cells) == 0 {
		return ""
	}
	return " Of JSON schemas grammar and algorithm are means over those that compiled, and vocabulary has what an algorithm keeps for all of them."
}

// compiles says how often each grammar was compiled.
func (s *Set) compiles() string {
	most := 0
	for _, c := range s.Cells {
		if c.CompileNS != nil && c.SchemaFigures == nil {
			most = max(most, c.CompileNS.N)
		}
	}
	switch {
	case most > 1:
		return fmt.Sprintf(", the mean of up to %s, with its 95%% interval by Student's t", plural(most, "repetition"))
	case most == 1:
		return ", once"
	}
	return ""
}

// spent is the table of the time after n tokens; nil if no cell has all of its steps.
func (s *Set) spent() *Table {
	t := titled("spent", none)
	if len(s.schemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the compile of each is added where its first document begins."
	}
	return each(s, t, where(func(c *Cell) bool { return c.Spent != nil && !math.IsNaN(c.Spent[0]) }))
}

// crossings lists where one algorithm's bill overtakes another's.
func (s *Set) crossings() *Table {
	type crossing struct {
		workload, tokenizer string
		plots.Overtaking
	}
	var list []crossing
	for _, tokenizer := range s.tokenizerNames() {
		f := s.cumulative("crossings", tokenizer)
		if f == nil {
			continue
		}
		for _, p := range f.Panels {
			for _, o := range p.Crossings {
				if !s.second(p.Title, tokenizer, o.Before) && !s.second(p.Title, tokenizer, o.After) {
					list = append(list, crossing{p.Title, tokenizer, o})
				}
			}
		}
	}
	figures := []figure[crossing]{
		text("vocabulary", func(o crossing) string { return o.tokenizer }),
		// A crossing between two tokens counts at the later one.
		{head: "after tokens", of: func(o crossing) string { return count(int(math.Ceil(o.Tokens))) }},
	}
	if s.tokenizers() < 2 {
		figures = figures[1:]
	}
	return fill(titled("crossings"), list, figures)
}

// second reports whether a curve is that of a second entry of an algorithm.
func (s *Set) second(workload, tokenizer, label string) bool {
	return slices.ContainsFunc(s.Cells, func(c *Cell) bool {
		return c.Workload == workload && c.Tokenizer == tokenizer && c.Label == label && c.Provenance.Copy > 0
	})
}

// memory is the table of the engines' memory.
func (s *Set) memory() *Table {
	return each(s, titled("memory"), where(func(c *Cell) bool { return c.Offline != nil }), []figure[*Cell]{
		{head: "compiled MiB", of: func(c *Cell) string { return c.memoryText(c.EngineBytes.Compiled) }},
		{head: "used MiB", of: func(c *Cell) string { return c.memoryText(c.EngineBytes.Used) }},
		{head: "peak MiB", of: func(c *Cell) string { return c.memoryText(c.EngineBytes.Peak) }},
		{head: "kept for all schemas MiB", of: func(c *Cell) string { return megabytesOrNone(c.EngineBytes.Kept) }, some: func(c *Cell) bool { return c.SchemaFigures != nil },
			words: " Of JSON schemas these are of the largest of those that were weighed; of an engine from outside, whose process compiles them all, nobody knows them. Kept for all schemas: what outlives their engines."},
	})
}

// counterTable lists what the engines count.
func (s *Set) counterTable() *Table {
	t := titled("counters")
	if len(s.schemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the means over those that compiled."
	}
	counted := func(c *Cell) []cell.Counter {
		if c.Provenance.Copy > 0 {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(c.Counters), func(n cell.Counter) bool { return n.Value == 0 })
	}
	return each(s, t, counted)
}

// whole writes a number without rounding if it is a whole one.
func whole(v float64) string {
	const exact = 1 << 53 // up to there every whole number is a float64
	if v == math.Trunc(v) && math.Abs(v) < exact {
		return count(int(v))
	}
	return significant(v)
}
