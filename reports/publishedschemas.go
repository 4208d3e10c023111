package reports

import (
	"math"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// Our schema workloads beside what is published about MaskBench, for those that declare it.

// maskBenchIdentity is what a workload declares to have MaskBench's published figures beside its
// own.
const maskBenchIdentity = "maskbench"

// publishedSchemas are two tables, of times and of verdicts; none without a workload that declares
// it.
func (s *Set) publishedSchemas() []*Table {
	only := s.schemaCells()
	only.Cells = slices.DeleteFunc(slices.Clone(only.Cells), func(c *Cell) bool { return c.Published != maskBenchIdentity })
	if len(only.Cells) == 0 {
		return nil
	}
	return []*Table{only.publishedTimes(), only.publishedVerdicts()}
}

// publishedTimes is the table of times to the first mask and of steps.
func (s *Set) publishedTimes() *Table {
	t := &Table{ID: "published-schemas", Title: "Beside the published figures for JSON schemas",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"},
			{"TTFM mean ms", true}, {"p50 ms", true}, {"p90 ms", true}, {"p99 ms", true}, {"max ms", true},
			{"TBM mean µs", true}, {"p50 µs", true}, {"p90 µs", true}, {"p99 µs", true}, {"p99.9 µs", true}, {"max µs", true}, {Head: "measured by"}}}
	head := t.blockHead()
	for _, c := range s.Cells {
		for _, passes := range publishedPasses(c) {
			names := append(head(c), Text{Body: c.engineName() + ", " + passes.name})
			t.Rows = append(t.Rows, t.timesRow(names, spreadOf(c.TTFMNS, 1e6), spreadOf(passes.steps, 1e3), "gcdbench"))
		}
	}
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		t.Rows = append(t.Rows, t.timesRow([]Text{{}, {}, t.systemText(f)}, f.ttfm, f.tbm, f.source.name))
	}
	t.Caption = "Published figures for MaskBench, for orientation: versions, machine and the choice of schemas differ from ours. TTFM: from a schema to its first mask, " +
		"with the grammar's compile. TBM: mask and commit of a step. Published steps are of one pass over each instance with an engine made for its schema, with which our first passes " +
		"compare; our timed passes walk texts that the same engine has walked before, as no published run does. " + captions(schemaSources())
	return t
}

// publishedVerdicts is the table of what became of the schemas.
func (s *Set) publishedVerdicts() *Table {
	t := &Table{ID: "published-schema-verdicts", Title: "Beside the published verdicts on JSON schemas",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {"schemas", true}, {"right", true}, {"right %", true},
			{"no grammar", true}, {"crash, memory, time", true}, {"valid refused", true}, {"invalid accepted", true}, {Head: "measured by"}}}
	head := t.blockHead()
	for _, c := range s.Cells {
		t.Rows = append(t.Rows, t.verdictsRow(append(head(c), Text{Body: c.engineName()}), verdictsOf(c), "gcdbench"))
	}
	for i := range publishedOnSchemas {
		f := &publishedOnSchemas[i]
		t.Rows = append(t.Rows, t.verdictsRow([]Text{{}, {}, t.systemText(f)}, f.verdicts, f.source.name))
	}
	t.Caption = "Schemas by what became of them. Right: compiled, and every instance judged as labelled; one without instances is right if it compiles. No grammar: declared as not " +
		"supported, or refused in another orderly way (of glrmask's report all that were not built). Valid refused and invalid accepted: schemas with such an instance, " +
		"ours with those whose instance is refused only for the order of its keys; a schema may have both. The sources are those of the table before."
	return t
}

// blockHead returns a function that names a cell's workload and vocabulary, unless the row above
// has the same.
func (t *Table) blockHead() func(c *Cell) []Text {
	lastWorkload, lastTokenizer := "", ""
	return func(c *Cell) []Text {
		if c.Workload == lastWorkload && c.Tokenizer == lastTokenizer {
			return []Text{{}, {}}
		}
		lastWorkload, lastTokenizer = c.Workload, c.Tokenizer
		return []Text{t.measuredOn(c), {Body: c.Tokenizer}}
	}
}

// systemText names a published engine, with the footnote of its row.
func (t *Table) systemText(f *schemaFigure) Text {
	text := Text{Body: f.system}
	if f.note != "" {
		text.Mark = t.note(f.note)
	}
	return text
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

// passes are the steps of some passes over the instances.
type passes struct {
	name  string
	steps *stats.Summary
}

// publishedPasses are a cell's steps that stand beside published ones.
func publishedPasses(c *Cell) []passes {
	return []passes{{"first pass", c.TBMNS.Of(stateFirst)}, {"again", c.TBMNS.Of(stateAgain)}}
}

// spreadOf is a summary in so many ns.
func spreadOf(s *stats.Summary, unit float64) spread {
	if s == nil {
		return spread{unsaid, unsaid, unsaid, unsaid, unsaid, unsaid}
	}
	return spread{s.Mean / unit, s.P50 / unit, s.P90 / unit, p99(s) / unit, p999(s) / unit, s.Max / unit}
}

// verdictsOf counts a cell's schemas as the published figures do.
func verdictsOf(c *Cell) schemaVerdicts {
	f := c.SchemaFigures
	v := schemaVerdicts{schemas: float64(f.Schemas), right: float64(f.Right), lost: float64(f.Crashes + f.Timeouts + f.OutOfMemory)}
	for i := range c.record.Problems {
		switch c.record.Problems[i].Outcome {
		case cell.OK, cell.Crash, cell.Timeout, cell.OutOfMemory:
		default:
			v.declined++
		}
		if f.verdicts[i].validRefused+f.verdicts[i].keyOrder > 0 {
			v.validRefused++
		}
		if f.verdicts[i].invalidAccepted > 0 {
			v.invalidAccepted++
		}
	}
	return v
}

// timesRow is a row of the table of times, ours or a source's.
func (t *Table) timesRow(names []Text, ttfm, tbm spread, by string) []Text {
	row := slices.Clone(names)
	for _, v := range []float64{ttfm.mean, ttfm.p50, ttfm.p90, ttfm.p99, ttfm.max, tbm.mean, tbm.p50, tbm.p90, tbm.p99, tbm.p999, tbm.max} {
		text := significant(v)
		if math.IsInf(v, 1) {
			text = "timeout"
		}
		row = append(row, Text{Body: text})
	}
	return append(row, Text{Body: by})
}

// verdictsRow is a row of the table of verdicts, ours or a source's.
func (t *Table) verdictsRow(names []Text, v schemaVerdicts, by string) []Text {
	row := append(slices.Clone(names), Text{Body: counted(v.schemas)}, Text{Body: counted(v.right)}, Text{Body: significant(100 * v.right / v.schemas)})
	for _, n := range []float64{v.declined, v.lost, v.validRefused, v.invalidAccepted} {
		row = append(row, Text{Body: counted(n)})
	}
	return append(row, Text{Body: by})
}

// counted writes a count, or none where the source does not say it.
func counted(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	return count(int(v))
}
