package result

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// TestTook: a report says how long its groups took together, unless one was taken up again.
func TestTook(t *testing.T) {
	begin := time.Unix(1_800_000_000, 0)
	of := func(group, end time.Duration, sessions int) *Cell {
		c := &Cell{Record: &cell.Record{Started: begin.Add(group), Finished: begin.Add(group + time.Minute)}, batchesEnd: begin.Add(group + end)}
		c.Measured.Sessions = sessions
		return c
	}
	for _, c := range []struct {
		cells []*Cell
		want  string
	}{
		{[]*Cell{of(0, 0, 1), of(0, 150*time.Second, 1)}, "Configuration x took 2.5 minutes to measure."},
		{[]*Cell{of(0, 0, 1), of(time.Hour, 2*time.Minute, 1)}, "Configuration x took 3.0 minutes to measure."},
		{[]*Cell{of(0, 0, 1), of(0, 0, 2)}, ""},
		{[]*Cell{of(0, 0, 1)}, ""},
	} {
		s := new(Set)
		s.noteTook(&cell.Manifest{Name: "x", Config: "name: x", Cells: make([]cell.Planned, 2)}, c.cells)
		if got := strings.Join(s.Configs, " "); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestThroughputOfSchemas: each request waits for the compile of its own schema.
func TestThroughputOfSchemas(t *testing.T) {
	c := &Cell{Record: &cell.Record{Schemas: &cell.SchemaOptions{},
		Problems: []cell.Problem{{GrammarNS: []int64{10}, CompileNS: []int64{5}, FirstMaskNS: []int64{3}}, {GrammarNS: []int64{20}, CompileNS: []int64{7}}},
		Samples:  []cell.Sample{{Problem: 1}, {Problem: 0}}}}
	requests := []cell.Request{{Sample: 0, Tokens: 4}, {Sample: 1, Tokens: 2}}
	if b := c.batchOf(requests, 1); !slices.Equal(b.lengths, []int{4, 2}) || !slices.Equal(b.compile, []float64{27, 15}) {
		t.Errorf("%+v", b)
	}
	c.Outside = &algorithms.Provenance{}
	if b := c.batchOf(requests, 1); !slices.Equal(b.compile, []float64{27, 18}) {
		t.Errorf("from outside: %+v", b)
	}
}
