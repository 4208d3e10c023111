package tables

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/result"
)

// TestGroupTimesTable: of large corpora with groups, a row for each group, and dashes where nothing
// was timed.
func TestGroupTimesTable(t *testing.T) {
	s := func(ms float64) *stats.Summary {
		return &stats.Summary{N: 7, P50: ms * 1e6, P99: new(2 * ms * 1e6), Max: 3 * ms * 1e6}
	}
	groups := []result.SchemaGroup{{Group: "a", TTFMNS: s(1), TBMNS: s(0.001), ColdTBMNS: s(0.01)}, {TTFMNS: s(4)}}
	large := loaded.CellOf("w", "v", "psc", result.SchemaFigures{Schemas: FewSchemas, Groups: groups})
	small := loaded.CellOf("x", "v", "psc", result.SchemaFigures{Schemas: FewSchemas - 1, Groups: groups})
	single := loaded.CellOf("y", "v", "psc", result.SchemaFigures{Schemas: FewSchemas, Groups: groups[:1]})
	wrong := loaded.CellOf("w", "v", "trie", result.SchemaFigures{Schemas: FewSchemas, Groups: groups})
	for _, c := range []*result.Cell{large, small, single} {
		c.TTFMNS = s(1)
	}
	table := groupTimes((&result.Set{Cells: []*result.Cell{large, wrong, small, single}}))
	want := []string{"w|psc|a|7|1.00|2.00|3.00|7|10.0|20.0|30.0|1.00|2.00|3.00", "||(no group)|7|4.00|8.00|12.0|–|–|–|–|–|–|–"}
	if got := loaded.Rows(table); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(table.Columns) != len(table.Rows[0]) {
		t.Errorf("%d columns, %d entries", len(table.Columns), len(table.Rows[0]))
	}
	for i, c := range table.Columns {
		if c.Right != (i > 2) { // workload, algorithm and group are words
			t.Errorf("the column %s stands right: %v", c.Head, c.Right)
		}
	}
	if groupTimes((&result.Set{Cells: []*result.Cell{small, single, wrong}})) != nil {
		t.Error("a table of nothing")
	}
}

// TestSameGroups: times do not count.
func TestSameGroups(t *testing.T) {
	a := loaded.CellOf("w", "v", "a", result.SchemaFigures{Groups: []result.SchemaGroup{{Group: "g", Schemas: 3, TTFMNS: &stats.Summary{N: 1}}}})
	b := loaded.CellOf("w", "v", "b", result.SchemaFigures{Groups: []result.SchemaGroup{{Group: "g", Schemas: 3, TTFMNS: &stats.Summary{N: 2}, TBMNS: &stats.Summary{}}}})
	c := loaded.CellOf("w", "v", "c", result.SchemaFigures{Groups: []result.SchemaGroup{{Group: "g", Schemas: 3, Compiled: 1}}})
	d := loaded.CellOf("x", "v", "d", result.SchemaFigures{Groups: a.Groups})
	if !sameGroups(a, b) || sameGroups(a, c) || sameGroups(a, d) {
		t.Errorf("%v %v %v", sameGroups(a, b), sameGroups(a, c), sameGroups(a, d))
	}
}
