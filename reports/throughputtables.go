package reports

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
)

// What is shown of batches: tables, lines of CSV, and figures.

// batchNames are the columns that name a batch.
func (s *Set) batchNames() []figure[servedAs] {
	list := []figure[servedAs]{
		text("workload", func(b servedAs) string { return b.Workload }),
		text("vocabulary", func(b servedAs) string { return b.Tokenizer }),
		text("model", func(b servedAs) string { return b.Throughput.Model }),
		text("device", func(b servedAs) string { return b.device() }),
		text("masks", func(b servedAs) string { return b.Throughput.Masks }),
		text("threads", func(b servedAs) string { return strconv.Itoa(b.Threads) }),
		text("batch", func(b servedAs) string { return strconv.Itoa(b.Batch) }),
		text("algorithm", func(b servedAs) string { return b.Label }).noted(func(b servedAs) string {
			if b.Served != nil {
				return ""
			}
			return string(b.Throughput.Outcome) + ": " + oneLine(b.Throughput.Detail)
		}),
		text("engine", func(b servedAs) string { return b.State }),
	}
	only := map[string]bool{"vocabulary": s.tokenizers() < 2, "device": len(s.devices()) < 2, "threads": len(s.threads()) < 2}
	return slices.DeleteFunc(list, func(f figure[servedAs]) bool { return only[f.head] })
}

// batches are all batches, in the order of tables.
func (s *Set) batches() (list []servedAs) {
	for _, g := range s.Groups() {
		list = append(list, g.batchesOf()...)
	}
	return list
}

// modelsTable says what the models' times are.
func (s *Set) modelsTable() *Table {
	var list []cell.Model
	for _, m := range s.models {
		if !slices.ContainsFunc(list, func(o cell.Model) bool {
			return o.Tokenizer == m.Tokenizer && o.Table.Model == m.Table.Model && o.Table.Device == m.Table.Device && o.Table.Kind == m.Table.Kind
		}) {
			list = append(list, m)
		}
	}
	ofPrompt := func(head string, of func(m cell.Model) string) figure[cell.Model] {
		return figure[cell.Model]{head: head, of: func(m cell.Model) string {
			if m.Table.Prompt == 0 {
				return none
			}
			return of(m)
		}}
	}
	return fill(titled("models"), list, []figure[cell.Model]{
		{head: "batch 1 ms", of: func(m cell.Model) string { return millis(m.Table.NS(1)) }},
		{head: "largest batch", of: func(m cell.Model) string { return count(m.Table.Largest()) }},
		{head: "its step ms", of: func(m cell.Model) string { return millis(m.Table.NS(m.Table.Largest())) }},
		ofPrompt("prompt", func(m cell.Model) string { return count(m.Table.Prompt) }),
		ofPrompt("its prefill ms", func(m cell.Model) string { return millis(1e6 * m.Table.PrefillMS) }),
	})
}

// batchColumns are the columns of a batch.
const batchColumns = `workload tokenizer vocabulary_size algorithm label model device model_times masks threads batch state outcome
	output_tokens_per_second unconstrained_tokens_per_second share_lost mean_batch requests tokens steps cold_ttft_ns ttft_ns* tpot_ns* itl_ns* masks_per_step_ns* key`

// WriteThroughput writes a line of CSV for each batch beside each model: times in nanoseconds,
// empty where there is no figure. The error is w's.
func WriteThroughput(w io.Writer, set *Set) error {
	var lines []any
	for _, b := range set.batches() {
		lines = append(lines, struct {
			*Names
			*Throughput
		}{&b.Names, b.Throughput})
	}
	return writeLines(w, batchColumns, lines)
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
