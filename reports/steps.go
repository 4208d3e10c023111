package reports

import (
	"fmt"
	"slices"
	"strings"
)

// What a mask is not: the rest of a step, what is paid once, memory, and the noise.

// steps is what remains of a cell: whole steps, start-up and memory.
func (s *Set) steps() *Table {
	names, fill := s.columns()
	t := &Table{ID: "steps", Title: "Whole steps (mask and commit, in µs), start-up (in ms) and memory (in MiB)",
		Columns: append(names,
			Column{"step p50 µs", true}, Column{"step p99 µs", true}, Column{"step max µs", true}, Column{"commit p50 µs", true},
			Column{"cold step p50 µs", true}, Column{"cold step p99 µs", true}, Column{"cold step max µs", true},
			Column{"compile ms", true}, Column{"first mask ms", true}, Column{"engine MiB", true}, Column{"compile peak MiB", true}),
		Caption: "Step (TBM): mask and commit of one position, as the median of its timed passes. Cold: in the first pass, when the document was new to the engine and the documents before it were not; " +
			"it is made once, so that the slowest ones are also what else the machine did" + s.sharedEngines() + ". Compile: the algorithm's offline work" + s.compiles() + "; the time to the first mask (TTFM) is compile and first mask together. " +
			"Engine: growth of the live heap; compile peak: most heap above the level before, garbage included. " + s.shared()}
	for _, c := range s.Cells {
		t.Rows = append(t.Rows, append(t.marked(fill(c), c), stepFigures(c)...))
	}
	return t
}

// stepFigures are a row's figures; compile times are there even if no sample was
// timed.
func stepFigures(c *Cell) []Text {
	row := []Text{
		{Body: microsOf(c.TBMNS, p50)}, {Body: microsOf(c.TBMNS, p99)}, {Body: microsOf(c.TBMNS, longest)}, {Body: microsOf(c.CommitNS, p50)},
		{Body: microsOf(c.ColdTBMNS, p50)}, {Body: microsOf(c.ColdTBMNS, p99)}, {Body: microsOf(c.ColdTBMNS, longest)},
	}
	if c.CompileNS == nil {
		return append(row, slices.Repeat([]Text{{Body: none}}, 4)...)
	}
	return append(row, Text{Body: millis(c.CompileNS.P50)}, Text{Body: millis(c.FirstMaskNS.P50)},
		Text{Body: megabytes(c.EngineBytes)}, Text{Body: megabytes(c.CompilePeakBytes)})
}

// sharedEngines warns, as a part of a sentence, that cold steps of algorithms in turn on JSON schemas are not those of each
// alone; "" if there are none.
func (s *Set) sharedEngines() string {
	for _, c := range s.schemaCells().Cells {
		if len(c.record.Group) > 1 && c.ColdTBMNS != nil {
			return "; where algorithms take turns on a JSON schema, what they share (what its strings do with the vocabulary, say) is built by the one that comes first and found by the others, " +
				"so a cold figure for one algorithm needs a run of it alone"
		}
	}
	return ""
}

// compiles says how often each grammar was compiled.
func (s *Set) compiles() string {
	most := 0
	for _, c := range s.Cells {
		if c.CompileNS != nil && c.SchemaFigures == nil {
			most = max(most, c.CompileNS.N)
		}
	}
	text := ""
	switch {
	case most > 1:
		text = fmt.Sprintf(" (median of up to %s)", plural(most, "compile"))
	case most == 1:
		text = " (once)"
	}
	if len(s.schemaCells().Cells) > 0 {
		text += "; of a workload of schemas, the median over its schemas"
	}
	return text
}

// shared lists what is built once for all algorithms and is in none of their
// compile times.
func (s *Set) shared() string {
	var parts []string
	seen := map[string]bool{}
	add := func(name string, ns int64) {
		if text := fmt.Sprintf("%s %s ms", name, millis(float64(ns))); ns > 0 && !seen[name] {
			seen[name] = true
			parts = append(parts, text)
		}
	}
	for _, c := range s.Cells {
		if c.SchemaFigures == nil { // those of schemas are in their TTFM
			add("grammar "+c.Workload, c.GrammarNS)
		}
	}
	for _, c := range s.Cells {
		add("vocabulary "+c.Tokenizer, c.VocabularyNS)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Built once and shared by all, in none of these times: " + strings.Join(parts, ", ") + "."
}

// noise is the table of A/A comparisons; nil if there are none.
func (s *Set) noise() *Table {
	list := s.Noise()
	if len(list) == 0 {
		return nil
	}
	t := &Table{ID: "noise", Title: "Noise floor: an algorithm against itself",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "entries"}, {"positions", true}, {"ratio of mask times [95%]", true}},
		Caption: fmt.Sprintf("The same algorithm was entered twice and measured in turn with the others. Here it differs from itself by up to %s: a smaller difference between two algorithms is noise.", percent(floor(list)))}
	for _, n := range list {
		t.Rows = append(t.Rows, []Text{{Body: n.Workload}, {Body: n.Tokenizer}, {Body: n.B + " / " + n.A},
			{Body: count(n.Mask.N)}, {Body: significant(n.Mask.Value) + interval(n.Mask.Interval, significant)}})
	}
	return t
}
