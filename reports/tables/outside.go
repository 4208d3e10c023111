package tables

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/internal/words"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// outsideText is a sentence that says how right the engines from outside are; "" if there are none.
// Each engine is named once, with each workload once, unless it depends on the vocabulary; many
// workloads of schemas are summed.
func outsideText(s *result.Set) string {
	var engines []string
	cells := map[string][]*result.Cell{} // by label
	for _, c := range s.Only((*result.Cell).FromOutside).Cells {
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
func rightParts(cells []*result.Cell) (parts []rightOf) {
	apart := func(c *result.Cell) bool { return c.SchemaFigures == nil || c.Tokenizer != cells[0].Tokenizer }
	if len(cells) >= manyWorkloads && !slices.ContainsFunc(cells, apart) {
		sum := result.SchemaFigures{}
		name := ""
		for _, c := range cells {
			name = max(name, c.EngineName())
			sum.Compiled, sum.Schemas, sum.Right = sum.Compiled+c.SchemaFigures.Compiled, sum.Schemas+c.SchemaFigures.Schemas, sum.Right+c.SchemaFigures.Right
			sum.InvalidAccepted += c.SchemaFigures.InvalidAccepted
			sum.InvalidRefusedByCommit += c.SchemaFigures.InvalidRefusedByCommit
		}
		workloads := fmt.Sprintf("%d workloads", len(cells))
		return []rightOf{{name, workloads, schemasText(&sum, workloads), []string{cells[0].Tokenizer}}}
	}
	for _, c := range cells {
		parts = append(parts, rightOf{c.EngineName(), c.Workload, rightOutside(c), []string{c.Tokenizer}})
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
func rightOutside(c *result.Cell) string {
	if f := c.SchemaFigures; f != nil {
		return schemasText(f, c.Workload)
	}
	text := fmt.Sprintf("accepted %s of %s of %s", show.Count(c.PositivesPassed), show.Plural(c.Positives, "positive"), c.Workload)
	if c.Negatives > 0 {
		text += fmt.Sprintf(" and refused %s of %s%s", show.Count(c.NegativesPassed), show.Plural(c.Negatives, "negative"), byCommitText(c.NegativesByCommit))
	}
	return text
}

// schemasText says how many schemas of some workloads an engine got right.
func schemasText(f *result.SchemaFigures, workloads string) string {
	return fmt.Sprintf("compiled %s of %s (%s) and is right on %s, with %s accepted%s", show.Count(f.Compiled), show.Plural(f.Schemas, "schema"), workloads,
		show.Count(f.Right), show.Plural(f.InvalidAccepted, "invalid instance"), byCommitText(f.InvalidRefusedByCommit))
}

// byCommitText tells of texts with a mistake that masks allow and Commit refuses; "" if there are
// none.
func byCommitText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s more by commit only, whose tokens its masks allow)", show.Count(n))
}

// outsideTable describes the engines from outside; nil if there are none.
func outsideTable(s *result.Set) *document.Table {
	of := document.PartOf(func(c *result.Cell) *algorithms.Provenance { return c.Outside })
	notes := func(c *result.Cell) string {
		if c.Outside == nil || len(c.Outside.Notes) == 0 {
			return ""
		}
		return c.Label + ": " + strings.Join(c.Outside.Notes, "; ")
	}
	return each(s, document.Footed(document.Titled("outside"), notes), where((*result.Cell).FromOutside), []document.Figure[*result.Cell]{
		of("version", func(p *algorithms.Provenance) string { return strings.TrimSpace(p.Version + " " + p.Build) }).InWords(),
		of("options", func(p *algorithms.Provenance) string { return optionsText(p.Options) }).InWords(),
	}).OrNil()
}

// optionsText lists options by name.
func optionsText(o map[string]string) string {
	var list []string
	for name, value := range o {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return words.Visible(strings.Join(list, ", "))
}
