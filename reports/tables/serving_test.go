package tables

import (
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/reports/result"
)

// TestBatchFailed: a cell with a batch that failed is not right, and its row says why.
func TestBatchFailed(t *testing.T) {
	c := &result.Cell{BatchOutcome: cell.Crash, Record: &cell.Record{}}
	c.Label, c.Semantics, c.Outcome = "one", algorithms.SemanticsContract, cell.OK
	s := &result.Set{Cells: []*result.Cell{c}}
	if v := Verdicts(s); len(v.Rows) != 1 || v.Rows[0][len(v.Rows[0])-1].Body != "ok, in a batch crash" {
		t.Errorf("%+v", v)
	}
	if got := notRight(s); !strings.Contains(got, "ok, in a batch crash: one") {
		t.Error(got)
	}
}
