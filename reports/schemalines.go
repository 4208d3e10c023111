package reports

import (
	"errors"
	"io"
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
	only := set.SchemaCells()
	if len(only.Cells) == 0 {
		return ErrNoSchemas
	}
	var lines []any
	for _, c := range only.Cells {
		for _, r := range c.SchemaLines() {
			lines = append(lines, r.Fields(c))
		}
	}
	return writeLines(w, schemaColumns, lines)
}

// schemaColumns are the columns of a schema.
const schemaColumns = `workload tokenizer vocabulary_size algorithm label schema group outcome stage reason right valid_instances invalid_instances
	invalid_accepted valid_refused valid_refused_key_order invalid_refused_by_commit_only unjudged_instances bytes terminals rules lr_states approximated_keywords
	schema_grammar_ns compile_ns first_mask_ns ttfm_ns tbm_ns* cold_tbm_ns* engine_bytes key`
