// Package tables says which tables a set of results has, and what stands in them.
package tables

import (
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/published"
	"gcdbench/reports/result"
)

// Document is Document with all texts as they come.
func Document(s *result.Set) *document.Document {
	d := &document.Document{Title: "gcdbench: " + s.Name(), Warnings: s.Problems(), Lead: lead(s), Summary: summaryTables(s), About: About(s), State: firstState(s)}
	tables := append([]*document.Table{Verdicts(s), selections(s)}, schemaTables(s)...)
	tables = append(tables, widerTable(s), masksTable(s), wholeSteps(s), commonSubset(s), billTable(s), spentTable(s), crossings(s), memoryTable(s))
	tables = append(tables, throughputTables(s)...)
	tables = append(append(tables, outsideTable(s), auditTable(s), judgedTable(s), causesTable(s)), slowTables(s)...)
	tables = append(tables, noiseTable(s), clockTable(s), published.PublishedTable(s))
	for _, t := range append(append(tables, published.PublishedSchemas(s)...), counterTable(s)) { // last, for it is long
		if t == nil {
			continue
		}
		if t = t.Telling(); t != nil {
			d.Tables = append(d.Tables, t)
		}
	}
	return d
}

// firstState is the state that a reader should see first: the headline's, or "" for all if
// workloads differ in it.
func firstState(s *result.Set) string {
	state := ""
	for _, g := range s.Groups() {
		switch headline := g.Headline(); {
		case headline == "" || headline == state:
		case state != "":
			return ""
		default:
			state = headline
		}
	}
	return state
}

// caveat says how a cell ended if that is not well, and whether its masks are wider; "" for
// neither.
func caveat(c *result.Cell) string {
	text := widerNote(c)
	if c.Outcome != cell.OK || c.Outcomes[cell.WrongMask] > 0 {
		text = strings.Trim(result.OutcomeNote(c)+"; "+text, "; ")
	}
	return text
}
