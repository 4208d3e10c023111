package reports

import (
	"errors"
	"io"
	"maps"

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
	var lines []any
	for _, c := range only.Cells {
		for _, r := range c.schemaLines() {
			lines = append(lines, r.csv(c))
		}
	}
	return writeLines(w, schemaColumns, lines)
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

// schemaColumns are the columns of a schema.
const schemaColumns = `workload tokenizer vocabulary_size algorithm label schema group outcome stage reason right valid_instances invalid_instances
	invalid_accepted valid_refused valid_refused_key_order invalid_refused_by_commit_only unjudged_instances bytes terminals rules lr_states approximated_keywords
	schema_grammar_ns compile_ns first_mask_ns ttfm_ns tbm_ns* cold_tbm_ns* engine_bytes key`

// csv are the figures of a schema, by column. A schema without an engine has neither sizes nor
// times nor verdicts: its instances were never tried.
func (r *schemaLine) csv(c *Cell) any {
	compiled := r.Outcome == cell.OK
	line := map[string]any{"workload": c.Workload, "tokenizer": c.Tokenizer, "vocabulary_size": c.VocabularySize, "algorithm": c.Algorithm, "label": c.Label, "key": c.Key,
		"schema": r.ID, "group": r.Group, "outcome": r.Outcome, "stage": r.Stage, "reason": reasonOf(r.Problem), "bytes": r.Bytes,
		"right": compiled && r.wrong()+r.keyOrder == 0, "valid_instances": r.valid, "invalid_instances": r.invalid, "tbm_ns": summary(r.warm), "cold_tbm_ns": summary(r.cold)}
	if compiled {
		maps.Copy(line, map[string]any{"invalid_accepted": r.invalidAccepted, "valid_refused": r.validRefused, "valid_refused_key_order": r.keyOrder,
			"invalid_refused_by_commit_only": r.byCommit, "unjudged_instances": r.unjudged, "terminals": r.Terminals, "rules": r.Rules, "lr_states": r.LRStates, "approximated_keywords": r.Approximated})
	}
	if times, timed := timesOf(r.Problem); timed && c.Outcome != cell.WrongMask { // as everywhere: no time where a mask is wrong
		maps.Copy(line, map[string]any{"schema_grammar_ns": times.GrammarNS, "compile_ns": times.EngineNS, "first_mask_ns": times.FirstMaskNS, "ttfm_ns": times.TTFMNS})
		if !r.Unweighed {
			line["engine_bytes"] = r.EngineBytes
		}
	}
	return line
}
