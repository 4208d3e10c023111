package published

import (
	"math"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// Our schema workloads beside what is published about MaskBench, for those that declare it.

// maskBenchIdentity is what a workload declares to have MaskBench's published figures beside its
// own.
const maskBenchIdentity = "maskbench"

// PublishedSchemas are two tables, of times and of verdicts; none without a workload that declares
// it.
func PublishedSchemas(s *result.Set) []*document.Table {
	only := s.SchemaCells().Only(func(c *result.Cell) bool { return c.Published == maskBenchIdentity })
	if len(only.Cells) == 0 {
		return nil
	}
	return []*document.Table{publishedTimes(only), publishedVerdicts(only)}
}

// publishedTimes is the table of times to the first mask and of steps.
func publishedTimes(s *result.Set) *document.Table {
	var list []publishedRow
	row := func(c *result.Cell, name, note, by string, ttfm, tbm spread) {
		r := publishedRow{cell: c, name: name, nameNote: note, by: by}
		for _, v := range []float64{ttfm.mean, ttfm.p50, ttfm.p90, ttfm.p99, ttfm.max, tbm.mean, tbm.p50, tbm.p90, tbm.p99, tbm.p999, tbm.max} {
			r.figures = append(r.figures, datum{value: v})
		}
		list = append(list, r)
	}
	for _, c := range s.Cells {
		row(c, c.EngineName()+", first pass", "", "gcdbench", spreadOf(c.TTFMNS, 1e6), spreadOf(c.TBMNS.Of(result.StateFirst), 1e3))
		row(c, c.EngineName()+", again", "", "gcdbench", spreadOf(c.TTFMNS, 1e6), spreadOf(c.TBMNS.Of(result.StateAgain), 1e3))
	}
	for _, f := range publishedOnSchemas {
		row(s.Cells[len(s.Cells)-1], f.system, f.note, f.source.name, f.ttfm, f.tbm)
	}
	write := func(_ string, v float64) string {
		if math.IsInf(v, 1) {
			return "timeout"
		}
		return show.Significant(v)
	}
	return fillPublished(document.Titled("published-schemas", captions(schemaSources())), list, write,
		"TTFM mean ms", "p50 ms", "p90 ms", "p99 ms", "max ms", "TBM mean µs", "p50 µs", "p90 µs", "p99 µs", "p99.9 µs", "max µs")
}

// publishedVerdicts is the table of what became of the schemas.
func publishedVerdicts(s *result.Set) *document.Table {
	var list []publishedRow
	row := func(c *result.Cell, name, note, by string, v schemaVerdicts) {
		r := publishedRow{cell: c, name: name, nameNote: note, by: by}
		for _, n := range []float64{v.schemas, v.right, 100 * v.right / v.schemas, v.declined, v.lost, v.validRefused, v.invalidAccepted} {
			r.figures = append(r.figures, datum{value: n})
		}
		list = append(list, r)
	}
	write := func(head string, v float64) string {
		if head == "right %" {
			return show.Significant(v)
		}
		return show.Whole(v)
	}
	for _, c := range s.Cells {
		row(c, c.EngineName(), "", "gcdbench", verdictsOf(c))
	}
	for _, f := range publishedOnSchemas {
		row(s.Cells[len(s.Cells)-1], f.system, f.note, f.source.name, f.verdicts)
	}
	return fillPublished(document.Titled("published-schema-verdicts"), list, write,
		"schemas", "right", "right %", "no grammar", "crash, memory, time", "valid refused", "invalid accepted")
}

// schemaSources are where the published figures are from, each once.
func schemaSources() []*source {
	var list []*source
	for i := range publishedOnSchemas {
		if s := publishedOnSchemas[i].source; !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// spreadOf is a summary in so many ns.
func spreadOf(s *stats.Summary, unit float64) spread {
	if s == nil {
		return spread{unsaid, unsaid, unsaid, unsaid, unsaid, unsaid}
	}
	return spread{s.Mean / unit, s.P50 / unit, s.P90 / unit, result.P99(s) / unit, result.P999(s) / unit, s.Max / unit}
}

// verdictsOf counts a cell's schemas as the published figures do.
func verdictsOf(c *result.Cell) schemaVerdicts {
	f := c.SchemaFigures
	v := schemaVerdicts{schemas: float64(f.Schemas), right: float64(f.Right), lost: float64(f.Crashes + f.Timeouts + f.OutOfMemory)}
	for i := range c.Record.Problems {
		switch c.Record.Problems[i].Outcome {
		case cell.OK, cell.Crash, cell.Timeout, cell.OutOfMemory:
		default:
			v.declined++
		}
		if f.Verdicts[i].ValidRefused+f.Verdicts[i].KeyOrder > 0 {
			v.validRefused++
		}
		if f.Verdicts[i].InvalidAccepted > 0 {
			v.invalidAccepted++
		}
	}
	return v
}
