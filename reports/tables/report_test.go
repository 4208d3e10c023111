package tables

import (
	"strings"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/stats"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

func TestMachineText(t *testing.T) {
	e := environment.Environment{Machine: environment.Machine{CPU: "CPU", Cores: 1, OS: "linux", Arch: "amd64", Go: "go1.26", GOMAXPROCS: 1, Program: "abc"},
		Kernel: "6", MemoryBytes: 2048 << 20, Clock: environment.Clock{PairNS: 76.24, EmptyNS: 38}, Date: time.Unix(0, 0)}
	want := "Measured on CPU, 1 core, 2,048 MiB, linux amd64 6, go1.26, GOMAXPROCS 1; program abc (revision unknown). " +
		"A pair of clock reads cost 76.2 ns; a pair around nothing reports 38.0 ns, which is taken off every time."
	if got := machineText(e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCompilesText: how often grammars were compiled, once for all cells of the table; those of
// schemas do not count.
func TestCompilesText(t *testing.T) {
	timed := func(n int) *result.Cell { return &result.Cell{Times: result.Times{CompileNS: &stats.Summary{N: n}}} }
	schemas := timed(900)
	schemas.SchemaFigures = &result.SchemaFigures{}
	for _, c := range []struct {
		cells []*result.Cell
		want  string
	}{
		{nil, ""},
		{[]*result.Cell{{}}, ""},
		{[]*result.Cell{timed(1)}, ", once"},
		{[]*result.Cell{timed(1), timed(5), {}}, ", the mean of up to 5 repetitions, with its 95% interval by Student's t"},
		{[]*result.Cell{timed(2), schemas}, ", the mean of up to 2 repetitions, with its 95% interval by Student's t"},
		{[]*result.Cell{schemas}, ""},
	} {
		if got := compiles((&result.Set{Cells: c.cells})); got != c.want {
			t.Errorf("%d cells: %q, want %q", len(c.cells), got, c.want)
		}
	}
}

// TestOutcomeNote: a footnote counts the ways in which samples ended, and says which samples are in
// the averages.
func TestOutcomeNote(t *testing.T) {
	samples := make([]cell.Sample, 3)
	timed := []result.Steps{{}}
	for _, c := range []struct {
		cell *result.Cell
		want string
	}{
		{&result.Cell{Counts: result.Counts{Outcome: cell.Crash}}, "crash"},
		{&result.Cell{Counts: result.Counts{Outcome: cell.Timeout, Outcomes: map[cell.Outcome]int{cell.OK: 1, cell.Timeout: 2}, Detail: "not done\nafter 1m"}}, "timeout in 2 of 3 samples: not done"},
		{&result.Cell{Counts: result.Counts{Outcome: cell.Crash, Outcomes: map[cell.Outcome]int{cell.Timeout: 1, cell.Crash: 2}}, Steps: timed}, "timeout in 1 of 3 samples, crash in 2 of 3 samples (these samples are in no average)"},
		{&result.Cell{Counts: result.Counts{Outcome: cell.WrongMask, Outcomes: map[cell.Outcome]int{cell.WrongMask: 3}}, Steps: timed}, "wrong-mask in 3 of 3 samples (a cell with a wrong mask gets no times)"},
	} {
		c.cell.Record = &cell.Record{Samples: samples}
		if got := result.OutcomeNote(c.cell); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := show.OneLine(strings.Repeat("é", 200)); got != strings.Repeat("é", 160)+"..." {
		t.Errorf("a long detail: %q", got)
	}
}
