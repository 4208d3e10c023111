package reports

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	underload "gcdbench/harness/load"
	"gcdbench/harness/stats"
)

// Loads are the loads that a command has served, and the capacities that it has found.
type Loads struct {
	Cells      []*underload.Cell
	Capacities []*underload.Found
}

// Summary is the first screen, as text.
func (l *Loads) Summary() string {
	var b strings.Builder
	if err := writeSummary(&b, l.document()); err != nil {
		panic(err) // a Builder takes everything
	}
	return b.String()
}

// WriteLoads writes the report and its figures into a directory, and returns the paths.
func WriteLoads(dir string, l *Loads) ([]string, error) {
	d := l.document()
	var text, markdown strings.Builder
	if err := writeText(&text, d); err != nil {
		return nil, err
	}
	if err := writeMarkdown(&markdown, d); err != nil {
		return nil, err
	}
	files, err := figureFiles(l.figures())
	if err != nil {
		return nil, err
	}
	return writeAll(dir, append([]file{{"load.txt", []byte(text.String())}, {"load.md", []byte(markdown.String())}}, files...))
}

// document lays the loads out.
func (l *Loads) document() *Document {
	d := &Document{Title: "Requests under load"}
	for _, c := range l.Cells {
		if c.Outcome != cell.OK {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s, %s: %s: %s", c.ID.Label, scenarioOf(&c.ID), c.Outcome, c.Detail))
		}
	}
	if len(l.Cells) > 0 {
		d.Lead = []string{l.lead()}
	}
	if t := l.capacityTable(); t != nil {
		d.Summary = append(d.Summary, t)
		d.Tables = []*Table{l.latencyTable(), l.partsTable(), l.costTable()}
	} else {
		d.Summary = append(d.Summary, l.latencyTable())
		d.Tables = []*Table{l.partsTable(), l.costTable()}
	}
	makeVisible(reflect.ValueOf(d))
	return d
}

// lead says how requests were served, and on what.
func (l *Loads) lead() string {
	c := l.Cells[0]
	s, limits := &c.Settings, &c.Limits
	dirty := ""
	if c.Dirty {
		dirty = " with changes"
	}
	limit := "no limit of time for a compile"
	if s.CompileNS > 0 {
		limit = fmt.Sprintf("compiles of at most %s ms", millis(float64(s.CompileNS)))
	}
	return fmt.Sprintf("A batch of %d, masks %s the model's step, threads for compiles: %d, for masks: %d, a cache of %s MiB, %s. "+
		"Limits: %s ms to the first token and %s ms for each other one, kept by %s of the requests that an engine takes. %s, %d cores; revision %.12s%s, program %.12s, seed %d.",
		s.Batch, map[string]string{"overlapped": "during", "before": "before", "after": "after"}[s.Masks], s.CompileThreads, s.MaskThreads, megabytes(s.CacheBytes), limit,
		millis(float64(limits.TTFTNS)), millis(float64(limits.ITLNS)), percent(limits.Share), c.CPU, c.Cores, c.Revision, dirty, c.Program, c.Seed)
}

// scenarioOf names a load but for what it is beside.
func scenarioOf(id *underload.ID) string {
	if id.Rate > 0 {
		return significant(id.Rate) + " requests/s"
	}
	return id.Scenario
}

// mixOf names what requests are drawn from.
func mixOf(id *underload.ID) string {
	text := percent(id.Unseen) + " unseen"
	if id.Hostile > 0 {
		text += ", " + percent(id.Hostile) + " hostile"
	}
	return text
}

// sameLoad reports whether two loads are of the same question, but for the engine, the rate and the
// repetition.
func sameLoad(a, b *underload.ID) bool {
	return a.Workload == b.Workload && a.Tokenizer == b.Tokenizer && a.Model == b.Model && a.Device == b.Device && a.Unseen == b.Unseen && a.Hostile == b.Hostile
}

// loadNames are the columns that name a load.
func loadNames[T any](id func(T) *underload.ID) []figure[T] {
	return []figure[T]{
		text("workload", func(r T) string { return id(r).Workload + ", " + id(r).Tokenizer }),
		text("model", func(r T) string { return id(r).Model }),
		text("grammars", func(r T) string { return mixOf(id(r)) }),
		text("engine", func(r T) string { return id(r).Label }),
	}
}

// capacityTable is the headline: the capacities, and latencies at the highest rate that kept the
// limits. It is nil without a search.
func (l *Loads) capacityTable() *Table {
	type found = *underload.Found
	of := partOf(func(c found) *underload.Cell { return l.best(&c.ID) })
	return fill(titled("capacity"),
		l.Capacities, loadNames(func(c found) *underload.ID { return &c.ID }), []figure[found]{
			{head: "requests/s", of: func(c found) string { return significant(c.Mean) + interval(c.Interval, significant) }},
			{head: "of none's", of: l.ofNone},
			{head: "of the bound", of: func(c found) string { return percent(c.Mean / c.Bound) }},
			of("TTFT p50 ms", func(c *underload.Cell) string { return millis(c.TTFT.P50) }),
			of("TTFT p99 ms", func(c *underload.Cell) string { return millis(p99(&c.TTFT)) }),
			of("ITL p50 ms", func(c *underload.Cell) string { return millis(c.ITL.P50) }),
			of("ITL p99 ms", func(c *underload.Cell) string { return millis(p99(&c.ITL)) }),
			of("not taken", func(c *underload.Cell) string { return percent(float64(c.Refused) / float64(max(1, c.Requests))) }),
			of("MiB peak", func(c *underload.Cell) string { return megabytes(c.ResidentPeak) }),
		}).orNil()
}

// ofNone is a capacity as a share of that without masks.
func (l *Loads) ofNone(c *underload.Found) string {
	for _, o := range l.Capacities {
		if o.ID.Label == underload.Unconstrained && sameLoad(&o.ID, &c.ID) && o.Mean > 0 {
			return percent(c.Mean / o.Mean)
		}
	}
	return none
}

// best is the load of an engine with the highest rate that kept the limits; nil if none did.
func (l *Loads) best(id *underload.ID) (best *underload.Cell) {
	for _, c := range l.Cells {
		if c.Kept && c.ID.Label == id.Label && sameLoad(&c.ID, id) && c.ID.Scenario == "server" && (best == nil || c.ID.Rate > best.ID.Rate) {
			best = c
		}
	}
	return best
}

// loadFigure is a figure of a load.
type loadFigure = figure[*underload.Cell]

// table is a table with a row for each load that was served well.
func (l *Loads) table(t *Table, figures ...loadFigure) *Table {
	served := slices.DeleteFunc(slices.Clone(l.Cells), func(c *underload.Cell) bool { return c.Outcome != cell.OK })
	return fill(t, served, loadNames(func(c *underload.Cell) *underload.ID { return &c.ID }), []loadFigure{
		text("load", func(c *underload.Cell) string { return scenarioOf(&c.ID) }),
		{head: "repeat", of: func(c *underload.Cell) string { return count(c.ID.Repeat + 1) }},
	}, figures)
}

// latencies are percentiles of a time of a load, in ms.
func latencies(name string, of func(c *underload.Cell) *stats.Summary, which ...string) (list []loadFigure) {
	for _, head := range which {
		list = append(list, loadFigure{head: name + " " + head, of: func(c *underload.Cell) string { return millis(drawn[head](of(c))) }})
	}
	return list
}

// latencyTable is the latencies of all loads.
func (l *Loads) latencyTable() *Table {
	return l.table(titled("loads"),
		slices.Concat([]loadFigure{
			{head: "requests", of: func(c *underload.Cell) string { return count(c.Requests) }},
			{head: "not taken", of: func(c *underload.Cell) string { return count(c.Refused) }},
			{head: "timed out", of: func(c *underload.Cell) string { return count(c.TimedOut) }},
			{head: "unfinished", of: func(c *underload.Cell) string { return count(c.Unfinished) }},
			{head: "within the limits", of: func(c *underload.Cell) string { return percent(c.GoodShare) }},
			{head: "goodput/s", of: func(c *underload.Cell) string { return significant(c.Goodput) }},
			{head: "tokens/s", of: func(c *underload.Cell) string { return significant(c.TokensPerSecond) }},
			{head: "mean batch", of: func(c *underload.Cell) string { return significant(c.MeanBatch) }},
		}, latencies("TTFT", func(c *underload.Cell) *stats.Summary { return &c.TTFT }, "p50", "p99", "p99.9"),
			latencies("TPOT", func(c *underload.Cell) *stats.Summary { return &c.TPOT }, "p50", "p99"),
			latencies("ITL", func(c *underload.Cell) *stats.Summary { return &c.ITL }, "p50", "p99", "p99.9", "max"))...)
}

// loadParts are the parts of TTFT.
var loadParts = map[string]func(c *underload.Cell) *stats.Summary{
	"waiting": func(c *underload.Cell) *stats.Summary { return &c.Parts.Waiting },
	"compile": func(c *underload.Cell) *stats.Summary { return &c.Parts.Compile },
	"place":   func(c *underload.Cell) *stats.Summary { return &c.Parts.Place },
	"model":   func(c *underload.Cell) *stats.Summary { return &c.Parts.Model },
	"masks":   func(c *underload.Cell) *stats.Summary { return &c.Parts.Masks },
}

// partsTable takes TTFT apart.
func (l *Loads) partsTable() *Table {
	var figures []loadFigure
	for _, part := range []string{"waiting", "compile", "place", "model", "masks"} {
		list := latencies(part, loadParts[part], "mean", "p99")
		list[0].head, list[1].head = part, "p99"
		figures = append(figures, list...)
	}
	return l.table(titled("ttft"), figures...)
}

// costTable is what a load costs the machine.
func (l *Loads) costTable() *Table {
	return l.table(titled("costs"),
		loadFigure{head: "CPU s per 1,000 tokens", of: func(c *underload.Cell) string { return significant(c.CPUPer1000) }},
		loadFigure{head: "masks of a step p50 µs", of: func(c *underload.Cell) string { return micros(c.Masks.P50) }},
		loadFigure{head: "p99 µs", of: func(c *underload.Cell) string { return micros(p99(&c.Masks)) }},
		loadFigure{head: "MiB at first", of: func(c *underload.Cell) string { return megabytes(c.ResidentFirst) }},
		loadFigure{head: "MiB peak", of: func(c *underload.Cell) string { return megabytes(c.ResidentPeak) }},
		loadFigure{head: "cache MiB", of: func(c *underload.Cell) string { return megabytes(c.CachePeak) }},
		loadFigure{head: "hits", of: func(c *underload.Cell) string { return percent(c.Hits) }},
		loadFigure{head: "evicted", of: func(c *underload.Cell) string { return count(c.Evicted) }},
		loadFigure{head: "collections", of: func(c *underload.Cell) string { return count(int(c.Collections)) }},
		loadFigure{head: "their CPU ms", of: func(c *underload.Cell) string { return millis(float64(c.CollectNS)) }},
		loadFigure{head: "bad neighbours", of: func(c *underload.Cell) string { return fmt.Sprintf("%d of %d", c.HostileOK, c.Hostile) }},
		loadFigure{head: "variants", of: func(c *underload.Cell) string { return count(c.Reused) }},
		loadFigure{head: "masks checked", of: func(c *underload.Cell) string { return count(c.Checked) }})
}
