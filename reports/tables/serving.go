package tables

import (
	"cmp"
	"slices"
	"strconv"

	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// throughputTables are what batches show: tokens per second, latencies, and the models.
func throughputTables(s *result.Set) []*document.Table {
	if !s.Served() {
		return nil
	}
	return []*document.Table{document.Fill(document.Titled("serving"), Batches(s), batchNames(s)), document.Fill(document.Titled("latency"), Batches(s), batchNames(s)), modelsTable(s)}
}

// servedAs is a batch of a cell.
type servedAs struct {
	*result.Cell
	*result.Throughput
}

// batchesOf are the batches of a group in the order of tables, what is compared together: by model,
// schedule, threads, batch and state, and then by algorithm.
func batchesOf(g *result.Group) []servedAs {
	var list []servedAs
	var models, masks []string
	for _, c := range g.Cells {
		for _, t := range c.Throughput {
			list = append(list, servedAs{c, t})
			models, masks = append(models, t.Model+t.RunBy()), append(masks, t.Masks)
		}
	}
	slices.SortStableFunc(list, func(a, b servedAs) int {
		return cmp.Or(
			cmp.Compare(slices.Index(models, a.Model+a.RunBy()), slices.Index(models, b.Model+b.RunBy())),
			cmp.Compare(slices.Index(masks, a.Masks), slices.Index(masks, b.Masks)),
			cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.Batch, b.Batch),
			cmp.Compare(slices.Index(result.StateNames, b.State), slices.Index(result.StateNames, a.State)))
	})
	return list
}

// What is shown of batches: tables, lines of CSV, and figures.

// batchNames are the columns that name a batch.
func batchNames(s *result.Set) []document.Figure[servedAs] {
	list := []document.Figure[servedAs]{
		document.Worded("workload", func(b servedAs) string { return b.Workload }),
		document.Worded("vocabulary", func(b servedAs) string { return b.Tokenizer }),
		document.Worded("model", func(b servedAs) string { return b.Throughput.Model }),
		document.Worded("device", func(b servedAs) string { return b.RunBy() }),
		document.Worded("masks", func(b servedAs) string { return b.Throughput.Masks }),
		document.Worded("threads", func(b servedAs) string { return strconv.Itoa(b.Threads) }),
		document.Worded("batch", func(b servedAs) string { return strconv.Itoa(b.Batch) }),
		document.Worded("algorithm", func(b servedAs) string { return b.Label }).Noted(func(b servedAs) string {
			if b.Served != nil {
				return ""
			}
			return string(b.Throughput.Outcome) + ": " + show.OneLine(b.Throughput.Detail)
		}),
		document.Worded("engine", func(b servedAs) string { return b.State }),
	}
	only := map[string]bool{"vocabulary": s.Tokenizers() < 2, "device": len(s.Devices()) < 2, "threads": len(s.Threads()) < 2}
	return slices.DeleteFunc(list, func(f document.Figure[servedAs]) bool { return only[f.Head] })
}

// Batches are all batches, in the order of tables.
func Batches(s *result.Set) (list []servedAs) {
	for _, g := range s.Groups() {
		list = append(list, batchesOf(g)...)
	}
	return list
}

// modelsTable says what the models' times are.
func modelsTable(s *result.Set) *document.Table {
	var list []cell.Model
	for _, m := range s.Models {
		if !slices.ContainsFunc(list, func(o cell.Model) bool {
			return o.Tokenizer == m.Tokenizer && o.Table.Model == m.Table.Model && o.Table.Device == m.Table.Device && o.Table.Kind == m.Table.Kind
		}) {
			list = append(list, m)
		}
	}
	ofPrompt := func(head string, of func(m cell.Model) string) document.Figure[cell.Model] {
		return document.Figure[cell.Model]{Head: head, Of: func(m cell.Model) string {
			if m.Table.Prompt == 0 {
				return show.None
			}
			return of(m)
		}}
	}
	return document.Fill(document.Titled("models"), list, []document.Figure[cell.Model]{
		{Head: "batch 1 ms", Of: func(m cell.Model) string { return show.Millis(m.Table.NS(1)) }},
		{Head: "largest batch", Of: func(m cell.Model) string { return show.Count(m.Table.Largest()) }},
		{Head: "its step ms", Of: func(m cell.Model) string { return show.Millis(m.Table.NS(m.Table.Largest())) }},
		ofPrompt("prompt", func(m cell.Model) string { return show.Count(m.Table.Prompt) }),
		ofPrompt("its prefill ms", func(m cell.Model) string { return show.Millis(1e6 * m.Table.PrefillMS) }),
	})
}
