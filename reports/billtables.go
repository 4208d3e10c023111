package reports

import (
	"fmt"
	"math"
	"slices"

	"gcdbench/reports/plots"
)

// The tables of the bill: offline times, the time of a generation after n tokens and where one
// algorithm overtakes another, memory, and the counters of engines.

// bill is the table of offline times and of what is built on the way; nil if nothing compiled.
func (s *Set) bill() *Table {
	names, fill := s.columns()
	t := &Table{ID: "bill", Title: "The bill: offline by part and in sum, and what is built on the way, in ms",
		Columns: append(names, Column{"grammar ms", true}, Column{"vocabulary ms", true}, Column{"algorithm ms [95%]", true}, Column{"offline in sum ms", true},
			Column{"first mask ms", true}, Column{"built on the way ms", true}),
		Caption: "Grammar: from its text to lexer and parser tables, the same for all algorithms. Vocabulary: what all grammars share. Algorithm: its own compile" + s.compiles() + ". " +
			"First mask: the median of the first masks of new engines. Built on the way: the first mask, and what the first passes over all documents cost beyond later ones, which is in no offline time; below 0 it is noise, and " +
			none + " where masks were asked for at some positions only." + s.schemaBill()}
	counted := slices.ContainsFunc(s.Cells, func(c *Cell) bool { return !math.IsNaN(c.builtShare()) })
	if counted {
		t.Columns = append(t.Columns, Column{"positions that built", true})
		t.Caption += " Positions that built: the share of the documents' positions whose masks had to build something first, by the engine's own count."
	}
	for _, c := range s.Cells {
		row := append(t.marked(fill(c), c), billFigures(c)...)
		if counted {
			row = append(row, Text{Body: shareText(c.builtShare())})
		}
		t.add(c, "", row)
	}
	return t
}

// shareText is a share in percent.
func shareText(share float64) string {
	if math.IsNaN(share) {
		return none
	}
	return percent(share)
}

// schemaBill explains the bill of a corpus of schemas.
func (s *Set) schemaBill() string {
	if len(s.schemaCells().Cells) == 0 {
		return ""
	}
	return " Of JSON schemas grammar and algorithm are means over those that compiled, and vocabulary has what an algorithm keeps for all of them."
}

// billFigures are a row's figures; compile times are there even if no sample was timed.
func billFigures(c *Cell) []Text {
	o := c.Offline
	if o == nil {
		return slices.Repeat([]Text{{Body: none}}, 6)
	}
	return []Text{{Body: millis(o.Grammar)}, {Body: millis(o.Vocabulary)}, {Body: millis(o.Algorithm) + interval(o.Algorithm95, millis)}, {Body: millis(o.Sum)},
		millisOf(c.FirstMaskNS, p50), {Body: c.buildingText()}}
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
	names, fill := s.columns()
	t := &Table{ID: "spent", Title: "The bill: time spent after n tokens, everything offline included, in ms", Columns: names,
		Caption: "Offline, and the steps of one generation that reads the documents one after the other on an engine that begins empty; " + none + " where the documents have fewer tokens. " +
			"Algorithms that did not end a document well, or were asked for masks at some positions only, are not listed."}
	for _, n := range spentAfter {
		t.Columns = append(t.Columns, Column{plural(n, "token") + " ms", true})
	}
	if len(s.schemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the compile of each is added where its first document begins."
	}
	for _, c := range s.Cells {
		if c.Spent == nil || math.IsNaN(c.Spent[0]) {
			continue
		}
		row := fill(c)
		for i := range spentAfter {
			row = append(row, Text{Body: millis(c.Spent[i])})
		}
		t.add(c, "", row)
	}
	return t
}

// crossings lists where one algorithm's bill overtakes another's.
func (s *Set) crossings() *Table {
	many := s.tokenizers() > 1
	t := &Table{ID: "crossings", Title: "Where one bill overtakes another", Columns: []Column{{Head: "workload"}},
		Caption: "From so many tokens on the second has spent less than the first, offline and what is built on the way included. Each curve is one generation, " +
			"so only what is clear is listed: of two that differ by a tenth or more in what is paid first and at the end, in the other order, the last time that it happens. Second entries of an algorithm are left out."}
	if many {
		t.Columns = append(t.Columns, Column{Head: "vocabulary"})
	}
	t.Columns = append(t.Columns, Column{Head: "cheaper before"}, Column{Head: "cheaper from there on"}, Column{"after tokens", true}, Column{"time spent ms", true})
	for _, tokenizer := range s.tokenizerNames() {
		f := s.cumulative("crossings", tokenizer)
		if f == nil {
			continue
		}
		for _, p := range f.Panels {
			for i, o := range p.Crossings {
				again := slices.ContainsFunc(p.Crossings[i+1:], func(later plots.Overtaking) bool { return later.Before == o.Before && later.After == o.After })
				if again || !s.clear(p.Title, tokenizer, o.Before, o.After) {
					continue
				}
				row := []Text{{Body: p.Title}}
				if many {
					row = append(row, Text{Body: tokenizer})
				}
				// A crossing between two tokens counts at the later one.
				t.Rows = append(t.Rows, append(row, Text{Body: o.Before}, Text{Body: o.After}, Text{Body: count(int(math.Ceil(o.Tokens)))}, Text{Body: millis(o.NS)}))
			}
		}
	}
	return t
}

// twice reports whether two labels of a workload and a vocabulary are entries of the same algorithm
// clear reports whether one bill overtakes another beyond doubt: neither is a second entry of an
// algorithm, and they differ by a tenth or more at the beginning and, in the other order, at the
// end.
func (s *Set) clear(workload, tokenizer, before, after string) bool {
	find := func(label string) *Cell {
		i := slices.IndexFunc(s.Cells, func(c *Cell) bool { return c.Workload == workload && c.Tokenizer == tokenizer && c.Label == label })
		return s.Cells[i] // a curve is that of a cell
	}
	a, b := find(before), find(after)
	if a.Provenance.Copy > 0 || b.Provenance.Copy > 0 {
		return false
	}
	const tenth = 1.1
	x, y := a.plotCurve(), b.plotCurve()
	ends := func(curve *[2][]float64) (first, last float64) { return curve[1][0], curve[1][len(curve[1])-1] }
	firstA, lastA := ends(x)
	firstB, lastB := ends(y)
	return firstB >= tenth*firstA && lastA >= tenth*lastB
}

// memory is the table of the engines' memory.
func (s *Set) memory() *Table {
	names, fill := s.columns()
	t := &Table{ID: "memory", Title: "Memory of an engine, in MiB",
		Columns: append(names, Column{"compiled MiB", true}, Column{"used MiB", true}, Column{"peak MiB", true}, Column{"engine says MiB", true}),
		Caption: "Compiled: growth of the live heap over compile and first mask. Used: what is let go of with the engine after all documents. Peak: the most of both and of the compile, garbage included. " +
			"Engine says: what the engine itself counts after all documents."}
	if len(s.schemaCells().Cells) > 0 {
		t.Columns = append(t.Columns, Column{"kept for all schemas MiB", true})
		t.Caption += " Of JSON schemas these are of the largest of those that were weighed; of an engine from outside, whose process compiles them all, nobody knows them. Kept for all schemas: what outlives their engines."
	}
	for _, c := range s.Cells {
		if c.Offline == nil {
			continue
		}
		b := &c.EngineBytes
		row := append(fill(c), Text{Body: c.memoryText(b.Compiled)}, Text{Body: c.memoryText(b.Used)}, Text{Body: c.memoryText(b.Peak)}, Text{Body: megabytesOrNone(c.EngineSaysBytes)})
		if len(row) < len(t.Columns) {
			row = append(row, Text{Body: megabytesOrNone(b.Kept)})
		}
		t.add(c, "", row)
	}
	return t
}

// counterTable lists what the engines count.
func (s *Set) counterTable() *Table {
	names, fill := s.columns()
	t := &Table{ID: "counters", Title: "What the engines count of themselves", Columns: append(names, Column{Head: "counter"}, Column{"value", true}, Column{Head: "unit"}),
		Caption: "After all documents, the passes that check the clock included; what each means is in the package comment of the algorithm. Those of 0 are left out."}
	if len(s.schemaCells().Cells) > 0 {
		t.Caption += " Of JSON schemas the means over those that compiled."
	}
	for _, c := range s.Cells {
		if len(c.Counters) == 0 || c.Provenance.Copy > 0 {
			continue
		}
		head := fill(c)
		for _, one := range c.Counters {
			if one.Value == 0 {
				continue
			}
			t.add(c, "", append(slices.Clone(head), Text{Body: one.Name}, Text{Body: whole(one.Value)}, Text{Body: one.Unit}))
			head = make([]Text, len(head))
		}
	}
	return t
}

// whole writes a number without rounding if it is a whole one.
func whole(v float64) string {
	const exact = 1 << 53 // up to there every whole number is a float64
	if v == math.Trunc(v) && math.Abs(v) < exact {
		return count(int(v))
	}
	return significant(v)
}
