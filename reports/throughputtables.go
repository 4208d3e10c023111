package reports

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/plots"
)

// What is shown of batches: tables, lines of CSV, and figures.

// batchColumns name a row of a table of batches, and fill it.
func (s *Set) batchColumns() ([]Column, func(b servedAs) []Text) {
	cols := []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "model"}, {Head: "device"}, {Head: "masks"}, {Head: "threads"}, {Head: "batch"}, {Head: "algorithm"}, {Head: "engine"}}
	several := []bool{true, s.tokenizers() > 1, true, len(s.devices()) > 1, true, len(s.threads()) > 1, true, true, true}
	only := func(i int) bool { return several[i] }
	return choose(cols, only), func(b servedAs) []Text {
		return choose([]Text{{Body: b.Workload}, {Body: b.Tokenizer}, {Body: b.Throughput.Model}, {Body: b.device()}, {Body: b.Throughput.Masks}, numbered(b.Threads), numbered(b.Batch), {Body: b.Label}, {Body: b.State}}, only)
	}
}

// choose are the entries of a list at some places.
func choose[T any](list []T, only func(i int) bool) (chosen []T) {
	for i, v := range list {
		if only(i) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// numbered is a count that names a row, by which rows are sorted.
func numbered(n int) Text {
	v := float64(n)
	return Text{Body: strconv.Itoa(n), Value: &v}
}

// batchTable is a table with a row for each batch. figures are those of a row with times.
func (s *Set) batchTable(t *Table, columns []Column, figures func(b servedAs) []Text) *Table {
	names, fill := s.batchColumns()
	t.Columns = append(names, columns...)
	for _, g := range s.Groups() {
		for _, b := range g.batchesOf() {
			row := fill(b)
			switch {
			case b.Served == nil:
				row[len(row)-2].Mark = t.note(string(b.Throughput.Outcome) + ": " + oneLine(b.Throughput.Detail))
				row = append(row, slices.Repeat([]Text{{Body: none}}, len(columns))...)
			default:
				row = append(row, figures(b)...)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// tokensTable is the table of tokens per second.
func (s *Set) tokensTable() *Table {
	t := &Table{ID: "serving", Title: "Throughput: tokens per second with a model, and without a constraint",
		Caption: "Output tokens over the duration, as vLLM's benchmark has them with --max-concurrency: the batch is full until requests run out, and then drains. " +
			"The model's step comes from a table (see the table of models); commits and masks of a batch are measured together. Serial: masks after the model's step; overlapped: while it runs, and the step ends with the later of both. " +
			"Lost: the share of the duration that masks add. Masks of a step: until all rows of the batch stand there; stolen: the share of their time in which something else had the core, which is not dropped (of one thread, where the system tells). Engine: first, it meets the documents for the first time; again, once more. A batch has different documents: sizes above their number are left out. An engine decodes the documents that it took in its cell: where some engines take fewer, each has a throughput without a constraint of its own, and the dotted line of the figures is the first algorithm's.",
	}
	stolen := func(b servedAs) string {
		if b.StolenShare == nil {
			return none
		}
		return percent(*b.StolenShare)
	}
	return s.batchTable(t, []Column{{"tokens/s", true}, {"unconstrained", true}, {"lost", true}, {"masks of a step p50 µs", true}, {"p99 µs", true}, {"stolen", true}, {"mean batch", true}, {"steps", true}}, func(b servedAs) []Text {
		return []Text{{Body: significant(b.TokensPerSecond)}, {Body: significant(b.Unconstrained)}, {Body: percent(b.Lost)},
			{Body: micros(b.PerStep.P50)}, {Body: micros(p99(&b.PerStep))}, {Body: stolen(b)}, {Body: significant(b.Live)}, {Body: count(b.Served.Steps)}}
	})
}

// latencyTable is the table of times to tokens.
func (s *Set) latencyTable() *Table {
	t := &Table{ID: "latency", Title: "Latencies with a model, in ms",
		Caption: "TTFT: from a request to its first token: the compile of its own JSON schema, if it has one, then the reading of its prompt, then its first step; cold: of the first request of all, with the compile of the grammar. " +
			"TPOT: the mean time of a request's other tokens. ITL: from a token to the next, over all tokens. One slow mask delays all generations of its batch. Prompts are read beside the batch, one at a time, and delay none of its steps; the table of models says how long that takes. Where it says nothing, TTFT has no prompt."}
	columns := []Column{{"TTFT p50 ms", true}, {"TTFT p99 ms", true}, {"cold ms", true}, {"TPOT p50 ms", true}, {"TPOT p99 ms", true}, {"ITL p50 ms", true}, {"ITL p99 ms", true}, {"ITL max ms", true}}
	return s.batchTable(t, columns, func(b servedAs) []Text {
		cold := none
		if b.ColdTTFT != nil {
			cold = millis(*b.ColdTTFT)
		}
		ms := func(sum *stats.Summary) []Text { return []Text{{Body: millis(sum.P50)}, {Body: millis(p99(sum))}} }
		return slices.Concat(ms(&b.TTFT), []Text{{Body: cold}}, ms(&b.TPOT), ms(&b.ITL), []Text{{Body: millis(b.ITL.Max)}})
	})
}

// modelsTable says what the models' times are.
func (s *Set) modelsTable() *Table {
	t := &Table{ID: "models", Title: "The models beside which batches are shown",
		Columns: []Column{{Head: "model"}, {Head: "vocabulary"}, {Head: "device"}, {Head: "times"}, {Head: "source"}, {"context", true}, {"batch 1 ms", true}, {"largest batch", true}, {"its step ms", true}, {"prompt", true}, {"its prefill ms", true}},
		Caption: "A roofline is the least time that a step can take by a device's data sheet: weights and caches read once, or two operations for each weight and sequence. A real step takes longer, and masks then cost a smaller share. Context: tokens in the cache of each sequence. Prefill: all tokens of a prompt but the last, which the first step reads, of one request; a roofline of it has the layers' weights read once, or two operations for each weight and token, and those of attention."}
	var seen []cell.Model
	for _, m := range s.models {
		if slices.ContainsFunc(seen, func(o cell.Model) bool {
			return o.Tokenizer == m.Tokenizer && o.Table.Model == m.Table.Model && o.Table.Device == m.Table.Device && o.Table.Kind == m.Table.Kind
		}) {
			continue
		}
		seen = append(seen, m)
		k := m.Table
		prompt, prefill := none, none
		if k.Prompt > 0 {
			prompt, prefill = count(k.Prompt), millis(1e6*k.PrefillMS)
		}
		t.Rows = append(t.Rows, []Text{{Body: k.Model}, {Body: m.Tokenizer}, {Body: k.Device}, {Body: k.Kind}, {Body: k.Source}, {Body: count(k.Context)},
			{Body: millis(k.NS(1))}, {Body: count(k.Largest())}, {Body: millis(k.NS(k.Largest()))}, {Body: prompt}, {Body: prefill}})
	}
	return t
}

// csv are the columns of a batch.
func (b servedAs) csv() []csvField {
	s, has := b.Served, b.Served != nil
	if !has {
		s = new(Served)
	}
	whole := func(n int) string { return number(float64(n), has) }
	cold := new(float64)
	if b.ColdTTFT != nil {
		cold = b.ColdTTFT
	}
	fields := []csvField{
		{"workload", b.Workload}, {"tokenizer", b.Tokenizer}, {"vocabulary_size", strconv.Itoa(b.VocabularySize)}, {"algorithm", b.Algorithm}, {"label", b.Label},
		{"model", b.Throughput.Model}, {"device", b.Device}, {"model_times", b.Kind}, {"masks", b.Throughput.Masks},
		{"threads", strconv.Itoa(b.Threads)}, {"batch", strconv.Itoa(b.Batch)}, {"state", b.State},
		{"outcome", string(b.Throughput.Outcome)},
		{"output_tokens_per_second", number(s.TokensPerSecond, has)}, {"unconstrained_tokens_per_second", number(s.Unconstrained, has)}, {"share_lost", number(s.Lost, has)},
		{"mean_batch", number(s.Live, has)}, {"requests", whole(s.Requests)}, {"tokens", whole(s.Tokens)}, {"steps", whole(s.Steps)},
		{"cold_ttft_ns", number(*cold, b.ColdTTFT != nil)},
	}
	for _, t := range []struct {
		name string
		of   stats.Summary
	}{{"ttft_ns", s.TTFT}, {"tpot_ns", s.TPOT}, {"itl_ns", s.ITL}, {"masks_per_step_ns", s.PerStep}} {
		of := &t.of
		if !has {
			of = nil
		}
		fields = append(fields, csvSummary(t.name, of)...)
	}
	return append(fields, csvField{"key", b.Key})
}

// WriteThroughput writes a line of CSV for each batch beside each model: times in nanoseconds,
// empty where there is no figure. The error is w's.
func WriteThroughput(w io.Writer, set *Set) error {
	var lines [][]csvField
	for _, g := range set.Groups() {
		for _, b := range g.batchesOf() {
			lines = append(lines, b.csv())
		}
	}
	return writeFields(w, servedAs{&Cell{}, new(Throughput)}.csv(), lines)
}

// servingFigures are tokens per second over the size of the batch: for each workload, schedule,
// number of threads and device a figure with a panel for each model, and a line for each algorithm
// beside the unconstrained one. What there is only one of is not in a figure's name.
func (s *Set) servingFigures() (figures []*plots.Figure) {
	devices := s.devices()
	for _, workload := range s.workloadNames() {
		for _, masks := range []string{"serial", "overlapped"} {
			for _, threads := range s.threads() {
				for _, device := range devices {
					name := "serving-" + fileName(workload) + "-" + masks
					if len(s.threads()) > 1 {
						name += "-" + strconv.Itoa(threads)
					}
					if len(devices) > 1 {
						name += "-" + strings.ReplaceAll(fileName(device), "--", "-")
					}
					var points []plots.Served
					for _, c := range s.Cells {
						for _, t := range c.Throughput {
							if c.Workload == workload && t.Masks == masks && t.device() == device && t.Threads == threads && t.State == stateFirst && t.Served != nil {
								points = append(points, plots.Served{Panel: t.Model, Line: s.line(c), Batch: t.Batch, PerSecond: t.TokensPerSecond, Unconstrained: t.Unconstrained})
							}
						}
					}
					slices.SortStableFunc(points, func(a, b plots.Served) int { return cmp.Compare(s.modelPlace(a.Panel), s.modelPlace(b.Panel)) })
					if f := plots.Serving(name, points); f != nil {
						f.XLabel += ", " + workload + ", masks " + masks
						if len(s.threads()) > 1 {
							f.XLabel += ", threads: " + strconv.Itoa(threads)
						}
						f.YLabel += " (" + s.kindOf(device) + ")"
						figures = append(figures, f)
					}
				}
			}
		}
	}
	return figures
}

// modelPlace is where a model stands in the configuration, whose order panels have.
func (s *Set) modelPlace(model string) int {
	return slices.IndexFunc(s.models, func(m cell.Model) bool { return m.Table.Model == model })
}

// kindOf is the kind of the times of a device's models.
func (s *Set) kindOf(device string) string {
	for _, m := range s.models {
		if m.Table.Device+", "+m.Table.Kind == device {
			return m.Table.Kind
		}
	}
	return ""
}

// devices are what runs models, with the kind of their times.
func (s *Set) devices() (list []string) {
	for _, c := range s.Cells {
		for _, t := range c.Throughput {
			if !slices.Contains(list, t.device()) {
				list = append(list, t.device())
			}
		}
	}
	return list
}

// threads are the numbers of threads of measured batches.
func (s *Set) threads() (list []int) {
	for _, c := range s.Cells {
		for _, t := range c.Throughput {
			if !slices.Contains(list, t.Threads) {
				list = append(list, t.Threads)
			}
		}
	}
	if list == nil {
		list = []int{1}
	}
	slices.Sort(list)
	return list
}
