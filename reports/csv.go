package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// CSV is for further computation: figures are raw, all in one unit, with all their digits, and no
// field holds two values. The times of a failure are empty fields, which no program takes for zero.

// writeCSV writes one line a cell with raw figures: times in nanoseconds, sizes
// in bytes, empty where there is no figure. The columns have the names of the
// JSON's fields.
func writeCSV(w io.Writer, set *Set) error {
	lines := make([][]csvField, len(set.Cells))
	for i, c := range set.Cells {
		lines[i] = csvFields(c)
	}
	return writeFields(w, csvFields(&Cell{}), lines)
}

// writeFields writes a line of names and one of values for each of the lines, which
// all have the fields of empty.
func writeFields(w io.Writer, empty []csvField, lines [][]csvField) error {
	out := csv.NewWriter(w)
	names := make([]string, len(empty))
	for i, f := range empty {
		names[i] = f.name
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for _, line := range lines {
		values := make([]string, len(line))
		for i, f := range line {
			values[i] = defused(f.value)
		}
		if err := out.Write(values); err != nil {
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

// csvField is one value with the name of its column.
type csvField struct{ name, value string }

// csvFields are the columns and values of a cell. The columns are asked of an empty
// cell, so that names and values cannot come apart.
func csvFields(c *Cell) []csvField {
	fields := []csvField{
		{"workload", c.Workload}, {"tokenizer", c.Tokenizer}, {"vocabulary_size", strconv.Itoa(c.VocabularySize)},
		{"algorithm", c.Algorithm}, {"label", c.Label}, {"outcome", string(c.Outcome)},
		{"positives", strconv.Itoa(c.Positives)}, {"positives_passed", strconv.Itoa(c.PositivesPassed)},
		{"negatives", strconv.Itoa(c.Negatives)}, {"negatives_passed", strconv.Itoa(c.NegativesPassed)},
		{"positions_compared", strconv.Itoa(c.PositionsCompared)}, {"positions_compared_with", c.comparedText()},
	}
	for _, o := range cell.Outcomes {
		fields = append(fields, csvField{"outcome_" + string(o), strconv.Itoa(c.Outcomes[o])})
	}
	for _, s := range []struct {
		name string
		of   *stats.Summary
	}{{"compile_ns", c.CompileNS}, {"first_mask_ns", c.FirstMaskNS}, {"clone_ns", c.CloneNS}} {
		fields = append(fields, csvSummary(s.name, s.of)...)
	}
	for _, s := range []struct {
		name string
		of   *States
	}{{"mask_ns", c.MaskNS}, {"lookup_ns", c.LookupNS}, {"commit_ns", c.CommitNS}, {"tbm_ns", c.TBMNS}} {
		for _, state := range stateNames {
			fields = append(fields, csvSummary(s.name+"_"+state, s.of.Of(state))...)
		}
	}
	// The columns are the same for every cell, so that what a cell lacks is an empty field.
	iv := stats.Interval{}
	if c.Intervals != nil {
		iv = c.Intervals.MaskNS.Mean
	}
	fields = append(fields, csvField{"headline_state", c.HeadlineState})
	fields = append(fields, csvInterval("mask_ns_mean_95", iv)...)
	base, ratio := "", stats.Ratio{}
	if c.Against != nil {
		base, ratio = c.Against.Baseline, c.Against.Mask
	}
	fields = append(fields, csvField{"against", base}, csvField{"mask_ratio", number(ratio.Value, ratio.N > 0)})
	fields = append(fields, csvInterval("mask_ratio_95", ratio.Interval)...)
	fields = append(fields, csvSchemas(c)...)
	fields = append(fields, csvBill(c)...)
	return append(fields,
		csvField{"compile_peak_bytes", strconv.FormatInt(c.CompilePeakBytes, 10)},
		csvField{"key", c.Key})
}

// csvBill are the columns of the bill.
func csvBill(c *Cell) (fields []csvField) {
	o, building, spent := c.Offline, c.BuildingNS, c.Spent
	if o == nil {
		o = &Offline{}
	}
	for _, part := range []struct {
		name string
		ns   float64
	}{{"grammar", o.Grammar}, {"vocabulary", o.Vocabulary}, {"algorithm", o.Algorithm}, {"sum", o.Sum}} {
		fields = append(fields, csvField{"offline_ns_" + part.name, number(part.ns, c.Offline != nil)})
	}
	fields = append(fields, csvInterval("offline_ns_algorithm_95", o.Algorithm95)...)
	if building == nil {
		building = new(float64)
	}
	fields = append(fields, csvField{"building_ns", number(*building, c.BuildingNS != nil)})
	for i, n := range spentAfter {
		at := math.NaN()
		if spent != nil {
			at = spent[i]
		}
		fields = append(fields, csvField{fmt.Sprintf("spent_ns_after_%d", n), number(at, !math.IsNaN(at))})
	}
	for _, b := range []struct {
		name  string
		bytes int64
	}{{"compiled", c.EngineBytes.Compiled}, {"used", c.EngineBytes.Used}, {"peak", c.EngineBytes.Peak}, {"kept", c.EngineBytes.Kept}} {
		fields = append(fields, csvField{"engine_bytes_" + b.name, strconv.FormatInt(b.bytes, 10)})
	}
	return fields
}

// csvSchemas are the columns of workloads of schemas, empty for others.
func csvSchemas(c *Cell) []csvField {
	f, has := c.SchemaFigures, c.SchemaFigures != nil
	if !has {
		f = &SchemaFigures{}
	}
	var fields []csvField
	for _, n := range []struct {
		name  string
		value int
	}{{"schemas", f.Schemas}, {"schemas_compiled", f.Compiled}, {"schemas_right", f.Right}, {"schemas_with_instances", f.Tested},
		{"schemas_with_instances_right", f.TestedRight}, {"schemas_with_instances_right_but_for_key_order", f.RightButForOrder},
		{"valid_instances", f.ValidInstances}, {"invalid_instances", f.InvalidInstances}, {"invalid_accepted", f.InvalidAccepted}, {"invalid_refused_by_commit_only", f.InvalidRefusedByCommit},
		{"valid_refused", f.ValidRefused}, {"valid_refused_key_order", f.ValidRefusedKeyOrder},
		{"schemas_crashed", f.Crashes}, {"schemas_timed_out", f.Timeouts}, {"schemas_out_of_memory", f.OutOfMemory}} {
		fields = append(fields, csvField{n.name, number(float64(n.value), has)})
	}
	for _, s := range []struct {
		name string
		of   *stats.Summary
	}{{"schema_grammar_ns", f.GrammarNS}, {"ttfm_ns", c.TTFMNS}, {"request_ns", f.Request}, {"cold_tbm_ns", c.ColdTBMNS}} {
		fields = append(fields, csvSummary(s.name, s.of)...)
	}
	return fields
}

// csvSummary writes a summary as seven columns, n first.
func csvSummary(name string, s *stats.Summary) []csvField {
	has := s != nil
	if !has {
		s = &stats.Summary{}
	}
	return []csvField{
		{name + "_n", strconv.Itoa(s.N)}, {name + "_mean", number(s.Mean, has)}, {name + "_p50", number(s.P50, has)},
		{name + "_p90", number(s.P90, has)}, {name + "_p99", number(stats.Figure(s.P99), s.P99 != nil)}, {name + "_p999", number(stats.Figure(s.P999), s.P999 != nil)},
		{name + "_max", number(s.Max, has)},
	}
}

// csvInterval writes the ends of an interval as two columns.
func csvInterval(name string, i stats.Interval) []csvField {
	return []csvField{{name + "_low", number(i.Low, i.Valid())}, {name + "_high", number(i.High, i.Valid())}}
}

// number writes v with as many digits as it has, or nothing.
func number(v float64, has bool) string {
	if !has {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
