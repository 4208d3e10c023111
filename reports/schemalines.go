package reports

import (
	"errors"
	"io"
	"strconv"

	"gcdbench/harness/cell"
)

// The rows of a corpus of schemas, one for each schema and cell, for readers who draw their own
// figures or look for one schema. The tables show the ends of these lists, and the JSON of cells
// their percentiles.

// ErrNoSchemas says that a set has no workload of JSON schemas, so that there are no schemas to
// list.
var ErrNoSchemas = errors.New("no workload of JSON schemas is among these results: there is a line for each cell only")

// WriteSchemas writes a line of CSV for each schema of each cell, in the order of cells and of the
// corpus: sizes in bytes, times in nanoseconds, empty where there is no figure. Columns that the
// JSON's cells have too have their names. The error is ErrNoSchemas or w's.
func WriteSchemas(w io.Writer, set *Set) error {
	only := set.schemaCells()
	if len(only.Cells) == 0 {
		return ErrNoSchemas
	}
	var lines [][]csvField
	for _, c := range only.Cells {
		for _, r := range c.schemaLines() {
			lines = append(lines, r.csv(c))
		}
	}
	return writeFields(w, (&schemaLine{Problem: &cell.Problem{}}).csv(&Cell{}), lines)
}

// A schemaLine has the figures of a cell for one schema.
type schemaLine struct {
	*cell.Problem
	verdict
	warm, cold []float64 // its steps, in valid instances that ended well
}

// schemaLines are the cell's schemas in the order of the corpus.
func (c *Cell) schemaLines() []schemaLine {
	rows := make([]schemaLine, len(c.record.Problems))
	for i := range rows {
		rows[i].Problem, rows[i].verdict = &c.record.Problems[i], c.verdicts[i]
	}
	for i := range c.steps {
		s := &c.steps[i]
		r := &rows[c.record.Samples[s.sample].Problem]
		for _, p := range s.passesIn(stateAgain) {
			r.warm = appendWords(r.warm, p.Step)
		}
		for _, p := range s.passesIn(stateFirst) {
			r.cold = appendWords(r.cold, p.Step)
		}
	}
	return rows
}

// csv are the columns of a schema. A schema without an engine has neither sizes nor times nor
// verdicts: its instances were never tried.
func (r *schemaLine) csv(c *Cell) []csvField {
	compiled := r.Outcome == cell.OK
	whole := func(n int) string { return number(float64(n), compiled) }
	fields := []csvField{
		{"workload", c.Workload}, {"tokenizer", c.Tokenizer}, {"vocabulary_size", strconv.Itoa(c.VocabularySize)},
		{"algorithm", c.Algorithm}, {"label", c.Label},
		{"schema", r.ID}, {"group", r.Group}, {"outcome", string(r.Outcome)}, {"stage", r.Stage}, {"reason", reasonOf(r.Problem)},
		{"right", strconv.FormatBool(compiled && r.wrong()+r.keyOrder == 0)},
		{"valid_instances", strconv.Itoa(r.valid)}, {"invalid_instances", strconv.Itoa(r.invalid)},
		{"invalid_accepted", whole(r.invalidAccepted)}, {"valid_refused", whole(r.validRefused)}, {"valid_refused_key_order", whole(r.keyOrder)},
		{"invalid_refused_by_commit_only", whole(r.byCommit)},
		{"unjudged_instances", whole(r.unjudged)},
		{"bytes", strconv.Itoa(r.Bytes)}, {"terminals", whole(r.Terminals)}, {"rules", whole(r.Rules)}, {"lr_states", whole(r.LRStates)},
		{"approximated_keywords", whole(r.Approximated)},
	}
	times, timed := timesOf(r.Problem)
	timed = timed && c.Outcome != cell.WrongMask // as everywhere: no time where a mask is wrong
	for _, t := range []struct {
		name string
		ns   float64
	}{{"schema_grammar_ns", times.GrammarNS}, {"compile_ns", times.EngineNS}, {"first_mask_ns", times.FirstMaskNS}, {"ttfm_ns", times.TTFMNS}} {
		fields = append(fields, csvField{t.name, number(t.ns, timed)})
	}
	fields = append(fields, csvSummary("tbm_ns", summary(r.warm))...)
	fields = append(fields, csvSummary("cold_tbm_ns", summary(r.cold))...)
	return append(fields, csvField{"engine_bytes", number(float64(r.EngineBytes), timed && !r.Unweighed)}, csvField{"key", c.Key})
}
