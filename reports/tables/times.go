package tables

import (
	"fmt"
	"slices"

	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// masksTable is the main table: delivered masks.
func masksTable(s *result.Set) *document.Table {
	return timesTable(s, document.Titled("masks", lookupCaption(s), stateCaption(s)),
		result.MaskTimes, func(c *result.Cell) *result.States { return c.MaskNS }, func(c *result.Cell) *result.States { return c.LookupNS })
}

// lookupCaption says what a lookup is, if some engine has it.
func lookupCaption(s *result.Set) string {
	if !slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.LookupNS != nil }) {
		return ""
	}
	return "Lookup: until an engine that keeps masks has a view of one; the rest is the copy. "
}

// wholeSteps is the table of steps.
func wholeSteps(s *result.Set) *document.Table {
	return timesTable(s, document.Titled("steps", stateCaption(s)),
		result.StepTimes, func(c *result.Cell) *result.States { return c.TBMNS }, func(c *result.Cell) *result.States { return c.CommitNS })
}

// inState is a cell in a state of the engine.
type inState struct {
	*result.Cell
	state         string
	times, beside *stats.Summary // of a kind and of another; nil for none
	against, note string         // the ratio to the first algorithm, with a footnote
}

// timesTable fills in a table of one kind of time, a row for each state of each cell, with a figure
// of another kind.
func timesTable(s *result.Set, t *document.Table, of result.Kind, states, others func(c *result.Cell) *result.States) *document.Table {
	var list []inState
	for _, g := range s.Groups() {
		for _, state := range result.StateNames {
			for _, c := range g.Cells {
				m := states(c).Of(state)
				switch {
				case state == result.StateFirst && c.SchemaFigures == nil: // a program's first passes are fresh and new
					continue
				case m == nil && (len(c.Steps) > 0 || state != g.Shown()): // who has no times at all has one row that says so
					continue
				}
				against, note := againstText(c, g.Baseline(), of, m, state)
				list = append(list, inState{c, state, m, others(c).Of(state), against, note})
			}
		}
	}
	names := namesOf(s, func(r inState) *result.Cell { return r.Cell })
	names[len(names)-1].Note = func(r inState) string { return caveat(r.Cell) }
	t.Once = len(names) - 1
	return document.Fill(t, list, names, []document.Figure[inState]{
		document.Declared[inState]("n", "times.n n").Noted(inState.sparseNote),
		{Head: "mean µs [95%]", Of: func(r inState) string {
			if r.times == nil {
				return show.None
			}
			return show.Micros(r.times.Mean) + show.Interval(stats.BootstrapMean(r.Values(of, r.state), r.Record.ID.Seed), show.Micros)
		}},
		{Head: "time against the first [95%]", Of: func(r inState) string { return r.against }, Note: func(r inState) string { return r.note }},
	})
}

// sparseNote says that masks were asked for at some positions only; "" if at all.
func (r inState) sparseNote() string {
	if r.times == nil || !slices.ContainsFunc(r.Steps, func(s result.Steps) bool { return r.Sparse(&s) }) {
		return ""
	}
	return "at a random sample of positions, without the ends of documents: in between it only commits, which leaves other caches than decoding does"
}

// stateCaption says what the states are, and how the figures are made.
func stateCaption(s *result.Set) string {
	text := "New: a document that the engine has not seen, after others, which is what a server meets; fresh: the first document of a new engine; again: a document that it has walked before."
	if len(s.SchemaCells().Cells) > 0 {
		text += " Of a JSON schema fresh is its first instance, new its others; first: both."
	}
	return text + " n: steps of all timed passes; percentiles are over them, raw. [95%]: bootstrap interval over whole samples" + bySchema(s) + fmt.Sprintf("; none over fewer than %d", stats.MinClusters) +
		". Time against the first: the mean over that of the first algorithm of the workload and vocabulary, with the same documents drawn of both for its interval; ~ means that it holds 1, and there is none of fewer than 3 documents."
}

// bySchema adds what else a bootstrap draws.
func bySchema(s *result.Set) string {
	if len(s.SchemaCells().Cells) == 0 {
		return ""
	}
	return ", of a workload of schemas over whole schemas with their instances"
}

// commonSubset is the table over the samples that all algorithms ended well, where plain averages
// are over different samples.
func commonSubset(s *result.Set) *document.Table {
	uneven := map[*result.Cell]bool{}
	for _, g := range s.Groups() {
		for _, c := range g.Cells {
			uneven[c] = g.Uneven() && c.Common != nil
		}
	}
	return each(s, document.Titled("common"), where(func(c *result.Cell) bool { return uneven[c] }))
}

// leastPairs is how many steps two cells must have in common for a ratio, unless they have fewer
// steps at all: a few random positions say little about the rest. Nor is there a ratio over one or
// two documents, which says nothing about a third.
const leastPairs = 10

// againstText compares the mean of a state with that of the first algorithm of the group, at the
// positions that both were asked at. A comparison across runs has a footnote: between two runs a
// machine may have got slower.
func againstText(c, base *result.Cell, of result.Kind, m *stats.Summary, state string) (text, note string) {
	if c == base {
		return show.TheFirst, ""
	}
	if c.Against == nil || m == nil {
		return show.None, ""
	}
	var x, y stats.Data
	result.EachPair(c, base, of, state, func(cluster int, v, w float64) {
		x.Add(cluster, v)
		y.Add(cluster, w)
	})
	r := stats.MeanRatio(x, y, c.Record.ID.Seed)
	if r.N < min(m.N, leastPairs) || r.Clusters < stats.MinClusters {
		return show.None, ""
	}
	switch a := c.Against; {
	case !a.Interleaved:
		note = fmt.Sprintf("measured in turn with %s on %s of %s: in between the machine may have changed", a.Baseline, show.Count(a.Turns), show.Plural(a.Samples, "sample"))
	case r.N != m.N || r.N != len(base.Values(of, state).Values):
		note = fmt.Sprintf("of the means at the %s at which both have times", show.Plural(r.N, "step"))
	}
	return show.Speed(r), note
}
