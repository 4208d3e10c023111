package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/internal/words"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/tables"
)

// CSV is for further computation: figures are raw, all in one unit, with all their digits, and no
// field holds two values. The times of a failure are empty fields, which no program takes for zero.
// Columns have the names of the JSON's fields, and their values.

// writeLines writes a line of names, and one of values for each of the lines.
func writeLines(w io.Writer, list string, lines []any) error {
	columns := csvColumns(list)
	out := csv.NewWriter(w)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, line := range lines {
		for i, c := range columns {
			row[i] = defused(c.of(line))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// formulas are the signs that a spreadsheet takes for the beginning of a formula, also as wide as
// Chinese characters.
const formulas = "=+-@＝＋－＠"

// defused is a value that a spreadsheet shows and does not run, since names come from corpora of
// strangers. A text that would be a formula gets an apostrophe before it.
func defused(value string) string {
	value = words.Visible(value)
	if first, _ := utf8.DecodeRuneInString(value); !strings.ContainsRune(formulas, first) {
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return "'" + value
}

// A csvColumn is a field of the JSON, by its path.
type csvColumn struct {
	name, path string
}

// csvParts are what the fields of a summary, *, and of an interval, ^, are called.
var csvParts = map[byte][]string{'*': {"n", "mean", "p50", "p90", "p99", "p999", "max"}, '^': {"low", "high"}}

// csvColumns reads a list of columns: paths, behind a name with = where that is not the path
// itself.
func csvColumns(list string) (columns []csvColumn) {
	for _, word := range strings.Fields(list) {
		name, path, named := strings.Cut(word, "=")
		if !named {
			name, path = strings.TrimRight(strings.ReplaceAll(word, ".", "_"), "*^"), word
		}
		parts := csvParts[path[len(path)-1]]
		path = strings.TrimRight(path, "*^")
		if parts == nil {
			columns = append(columns, csvColumn{name, path})
		}
		for _, part := range parts {
			columns = append(columns, csvColumn{name + "_" + part, path + "." + part})
		}
	}
	return columns
}

// of is the text of the column of a line; of a figure that there is none of nothing, but a count of
// 0 values.
func (c csvColumn) of(line any) string {
	v := document.Field(line, c.path)
	switch {
	case !v.IsValid() && strings.HasSuffix(c.path, ".n"):
		return "0"
	case !v.IsValid():
		return ""
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// cellColumns are the columns of a cell.
const cellColumns = `workload tokenizer vocabulary_size algorithm label outcome positives positives_passed negatives negatives_passed
	positions_compared positions_compared_with OUTCOMES compile_ns* first_mask_ns* clone_ns*
	mask_ns.new* mask_ns.fresh* mask_ns.again* mask_ns.first* lookup_ns.new* lookup_ns.fresh* lookup_ns.again* lookup_ns.first*
	commit_ns.new* commit_ns.fresh* commit_ns.again* commit_ns.first* tbm_ns.new* tbm_ns.fresh* tbm_ns.again* tbm_ns.first*
	headline_state mask_ns_mean_95=intervals_95.mask_ns.mean^ against=against.baseline mask_ratio=against.mask.value mask_ratio_95=against.mask.interval^
	schemas schemas_compiled schemas_right schemas_with_instances schemas_with_instances_right schemas_with_instances_right_but_for_key_order
	valid_instances invalid_instances invalid_accepted invalid_refused_by_commit_only valid_refused valid_refused_key_order
	schemas_crashed schemas_timed_out schemas_out_of_memory schema_grammar_ns* ttfm_ns* request_ns* cold_tbm_ns*
	offline_ns.grammar offline_ns.vocabulary offline_ns.algorithm offline_ns.sum offline_ns.algorithm_95^ building_ns
	spent_ns_after.1 spent_ns_after.100 spent_ns_after.1000 spent_ns_after.10000
	engine_bytes.compiled engine_bytes.used engine_bytes.peak engine_bytes.kept compile_peak_bytes key`

// writeCSV writes one line a cell with raw figures: times in nanoseconds, sizes
// in bytes, empty where there is no figure.
func writeCSV(w io.Writer, set *Set) error {
	var lines []any
	for _, c := range set.Cells {
		lines = append(lines, struct {
			*result.Cell
			ComparedWith string `json:"positions_compared_with"` // as text
		}{c, tables.ComparedText(c)})
	}
	outcomes := ""
	for _, o := range cell.Outcomes {
		outcomes += fmt.Sprintf(" outcome_%s=outcomes.%[1]s", o)
	}
	return writeLines(w, strings.Replace(cellColumns, "OUTCOMES", outcomes, 1), lines)
}

// batchColumns are the columns of a batch.
const batchColumns = `workload tokenizer vocabulary_size algorithm label model device model_times masks threads batch state outcome
	output_tokens_per_second unconstrained_tokens_per_second share_lost mean_batch requests tokens steps cold_ttft_ns ttft_ns* tpot_ns* itl_ns* masks_per_step_ns* key`

// WriteThroughput writes a line of CSV for each batch beside each model: times in nanoseconds,
// empty where there is no figure. The error is w's.
func WriteThroughput(w io.Writer, set *Set) error {
	var lines []any
	for _, b := range tables.Batches(set.Set) {
		lines = append(lines, struct {
			*result.Names
			*result.Throughput
		}{&b.Names, b.Throughput})
	}
	return writeLines(w, batchColumns, lines)
}
