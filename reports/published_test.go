package reports

import (
	"regexp"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/show"
)

// TestColumnsOfFigures: in every table of every kind, figures stand right, so that their digits are
// below each other, and words left.
func TestColumnsOfFigures(t *testing.T) {
	m := made.Results{Workloads: []string{"java", "maskbench"}, Vocabulary: []int{32000}, Samples: 15, Change: func(r *cell.Record, traces []cell.Trace) {
		r.Published = "psc-java"
		if r.Workload == "maskbench" {
			made.OfSchemas(r, traces)
		}
		r.Tokenizer = "llama3"
	}}
	set := load(t, m.Store(t))
	for _, c := range set.Cells { // as the plan of the run would have it
		c.Tokenizer = "llama3"
	}
	figure := regexp.MustCompile(`^(–|[0-9][0-9,.]*%?( of [0-9,]+)?( .*\[.*\]| \(.*%\))?( = .*)?|[0-9]+, [0-9]+, [0-9]+|~?.*x (faster|slower).*)$`)
	tables := 0
	for _, table := range set.Document().Tables {
		tables++
		for i, column := range table.Columns {
			figures, words := 0, 0
			for _, row := range table.Rows {
				switch body := row[i].Body; {
				case body == "" || body == show.None:
				case figure.MatchString(body):
					figures++
				default:
					words++
				}
			}
			if figures > words && !column.Right || words > figures && column.Right {
				t.Errorf("%s: the column %q has %d figures and %d words, and stands right: %v", table.ID, column.Head, figures, words, column.Right)
			}
		}
	}
	if tables < 14 {
		t.Errorf("only %d tables", tables)
	}
}
