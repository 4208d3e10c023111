package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/internal/words"
)

// Engines from outside are rows like ours. A table of their own has the rest: the version, the kind
// of text that was compiled, and the cost of clock and binding. Each engine enforces a language of
// its own, so a different mask is not a wrong one; 'gcdbench judge' settles the differences.

// outside reports whether a cell is of an engine from outside with a language of its own. An
// algorithm of ours that runs as a child is held to the contract like any other.
func (c *Cell) outside() bool {
	return c.Semantics != algorithms.SemanticsContract && (c.record.ID.Version != "" || c.record.Outside != nil)
}

// ofContract is the set without cells that have a language of their own.
func (s *Set) ofContract() *Set {
	return s.only(func(c *Cell) bool { return c.Semantics == algorithms.SemanticsContract })
}

// engineName is the name of an engine from outside, with its version if that is known.
func (c *Cell) engineName() string {
	if c.Outside == nil || c.Outside.Version == "" {
		return c.Label
	}
	return c.Label + " " + c.Outside.Version
}

// outsideText is a sentence that says how right the engines from outside are; "" if there are none.
// Each engine is named once, with each workload once, unless it depends on the vocabulary; many
// workloads of schemas are summed.
func (s *Set) outsideText() string {
	var engines []string
	cells := map[string][]*Cell{} // by label
	for _, c := range s.only((*Cell).outside).Cells {
		if cells[c.Label] == nil {
			engines = append(engines, c.Label)
		}
		cells[c.Label] = append(cells[c.Label], c)
	}
	if len(engines) == 0 {
		return ""
	}
	for i, label := range engines {
		engines[i] = rightTexts(rightParts(cells[label]))
	}
	return "Engines from outside, each with a language of its own: " + strings.Join(engines, "; ") +
		". Their times are over the documents that they took; the table of the common subset compares equal documents."
}

// rightOf is what an engine from outside got right of a workload, with some vocabularies.
type rightOf struct {
	engine, workload, text string
	vocabularies           []string
}

// manyWorkloads is the number of workloads of schemas from which on they are summed.
const manyWorkloads = 3

// rightParts is what an engine got right of its cells.
func rightParts(cells []*Cell) (parts []rightOf) {
	apart := func(c *Cell) bool { return c.SchemaFigures == nil || c.Tokenizer != cells[0].Tokenizer }
	if len(cells) >= manyWorkloads && !slices.ContainsFunc(cells, apart) {
		sum := SchemaFigures{}
		name := ""
		for _, c := range cells {
			name = max(name, c.engineName())
			sum.Compiled, sum.Schemas, sum.Right = sum.Compiled+c.SchemaFigures.Compiled, sum.Schemas+c.SchemaFigures.Schemas, sum.Right+c.SchemaFigures.Right
			sum.InvalidAccepted += c.SchemaFigures.InvalidAccepted
			sum.InvalidRefusedByCommit += c.SchemaFigures.InvalidRefusedByCommit
		}
		workloads := fmt.Sprintf("%d workloads", len(cells))
		return []rightOf{{name, workloads, sum.rightText(workloads), []string{cells[0].Tokenizer}}}
	}
	for _, c := range cells {
		parts = append(parts, rightOf{c.engineName(), c.Workload, c.rightOutside(), []string{c.Tokenizer}})
	}
	return parts
}

// rightTexts joins what an engine got right.
func rightTexts(parts []rightOf) string {
	var list []rightOf
	name, vocabularies := parts[0].engine, map[string]int{}
	for _, p := range parts {
		name = max(name, p.engine) // the version is not known of a cell in which nothing started
		vocabularies[p.workload]++
		i := slices.IndexFunc(list, func(o rightOf) bool { return o.workload == p.workload && o.text == p.text })
		if i >= 0 {
			list[i].vocabularies = append(list[i].vocabularies, p.vocabularies...)
			continue
		}
		list = append(list, p)
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.text
		if len(p.vocabularies) < vocabularies[p.workload] {
			texts[i] += " with " + strings.Join(p.vocabularies, " and ")
		}
		if i > 0 && strings.HasPrefix(list[i-1].text, "accepted ") {
			texts[i] = strings.TrimPrefix(texts[i], "accepted ")
		}
	}
	return name + " " + strings.Join(texts, ", ")
}

// rightOutside says how many schemas or documents an engine got right.
func (c *Cell) rightOutside() string {
	if f := c.SchemaFigures; f != nil {
		return f.rightText(c.Workload)
	}
	text := fmt.Sprintf("accepted %s of %s of %s", count(c.PositivesPassed), plural(c.Positives, "positive"), c.Workload)
	if c.Negatives > 0 {
		text += fmt.Sprintf(" and refused %s of %s%s", count(c.NegativesPassed), plural(c.Negatives, "negative"), byCommitText(c.NegativesByCommit))
	}
	return text
}

// rightText says how many schemas of some workloads an engine got right.
func (f *SchemaFigures) rightText(workloads string) string {
	return fmt.Sprintf("compiled %s of %s (%s) and is right on %s, with %s accepted%s", count(f.Compiled), plural(f.Schemas, "schema"), workloads,
		count(f.Right), plural(f.InvalidAccepted, "invalid instance"), byCommitText(f.InvalidRefusedByCommit))
}

// byCommitText tells of texts with a mistake that masks allow and Commit refuses; "" if there are
// none.
func byCommitText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s more by commit only, whose tokens its masks allow)", count(n))
}

// outsideTable describes the engines from outside; nil if there are none.
func (s *Set) outsideTable() *Table {
	of := partOf(func(c *Cell) *algorithms.Provenance { return c.Outside })
	notes := func(c *Cell) string {
		if c.Outside == nil || len(c.Outside.Notes) == 0 {
			return ""
		}
		return c.Label + ": " + strings.Join(c.Outside.Notes, "; ")
	}
	return each(s, footed(titled("outside"), notes), where((*Cell).outside), []figure[*Cell]{
		of("version", func(p *algorithms.Provenance) string { return strings.TrimSpace(p.Version + " " + p.Build) }).inWords(),
		of("options", func(p *algorithms.Provenance) string { return optionsText(p.Options) }).inWords(),
	}).orNil()
}

// nanos writes whole nanoseconds.
func nanos(ns float64) string { return fmt.Sprintf("%.0f", ns) }

// optionsText lists options by name.
func optionsText(o map[string]string) string {
	var list []string
	for name, value := range o {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return words.Visible(strings.Join(list, ", "))
}
