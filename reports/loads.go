package reports

import (
	"fmt"
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
	d.makeVisible()
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

// loadColumns name a row.
var loadColumns = []Column{{Head: "workload"}, {Head: "model"}, {Head: "grammars"}, {Head: "engine"}}

// loadNames are a row's names.
func loadNames(id *underload.ID) []Text {
	return []Text{{Body: id.Workload + ", " + id.Tokenizer}, {Body: id.Model}, {Body: mixOf(id)}, {Body: id.Label}}
}

// capacityTable is the headline: the capacities, and latencies at the highest rate that kept the
// limits. It is nil without a search.
func (l *Loads) capacityTable() *Table {
	if len(l.Capacities) == 0 {
		return nil
	}
	t := &Table{ID: "capacity", Title: "Capacity: the highest rate of requests that keeps the limits",
		Columns: slices.Concat(loadColumns, []Column{{"requests/s", true}, {"of none's", true}, {"of the bound", true}, {"TTFT p50 ms", true}, {"TTFT p99 ms", true}, {"ITL p50 ms", true}, {"ITL p99 ms", true}, {"not taken", true}, {"MiB peak", true}}),
		Caption: "Requests/s: the mean of the searches, with its 95% interval. None: the same loop without masks and compiles. The bound: all places of the batch taken in all steps, by arithmetic. " +
			"Latencies and memory are of the highest rate that kept the limits. Not taken: requests whose schema or document the engine refuses, which make its load lighter."}
	for _, c := range l.Capacities {
		row := append(loadNames(&c.ID), Text{Body: significant(c.Mean) + interval(c.Interval, significant)}, Text{Body: l.ofNone(c)}, Text{Body: percent(c.Mean / c.Bound)})
		best := l.best(&c.ID)
		if best == nil {
			t.Rows = append(t.Rows, append(row, slices.Repeat([]Text{{Body: none}}, len(t.Columns)-len(row))...))
			continue
		}
		t.Rows = append(t.Rows, append(row, Text{Body: millis(best.TTFT.P50)}, Text{Body: millis(p99(&best.TTFT))}, Text{Body: millis(best.ITL.P50)}, Text{Body: millis(p99(&best.ITL))},
			Text{Body: percent(float64(best.Refused) / float64(max(1, best.Requests)))}, Text{Body: megabytes(best.ResidentPeak)}))
	}
	return t
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

// table is a table with a row for each load that was served well.
func (l *Loads) table(t *Table, columns []Column, row func(c *underload.Cell) []string) *Table {
	t.Columns = slices.Concat(loadColumns, []Column{{Head: "load"}, {"repeat", true}}, columns)
	for _, c := range l.Cells {
		if c.Outcome != cell.OK {
			continue
		}
		texts := append(loadNames(&c.ID), Text{Body: scenarioOf(&c.ID)}, Text{Body: count(c.ID.Repeat + 1)})
		for _, body := range row(c) {
			texts = append(texts, Text{Body: body})
		}
		t.Rows = append(t.Rows, texts)
	}
	return t
}

// latencyTable is the latencies of all loads.
func (l *Loads) latencyTable() *Table {
	t := &Table{ID: "loads", Title: "Loads, times in ms",
		Caption: "TTFT: from a request's arrival to its first token. ITL: from a token to the next, over all tokens. TPOT: a request's mean of that. Within the limits: of the requests that the engine takes. Goodput: those a second."}
	heads := []Column{{"requests", true}, {"not taken", true}, {"timed out", true}, {"unfinished", true}, {"within the limits", true}, {"goodput/s", true}, {"tokens/s", true}, {"mean batch", true}, {"TTFT p50", true}, {"TTFT p99", true}, {"TTFT p99.9", true}, {"TPOT p50", true}, {"TPOT p99", true}, {"ITL p50", true}, {"ITL p99", true}, {"ITL p99.9", true}, {"ITL max", true}}
	return l.table(t, heads, func(c *underload.Cell) []string {
		return []string{count(c.Requests), count(c.Refused), count(c.TimedOut), count(c.Unfinished), percent(c.GoodShare), significant(c.Goodput), significant(c.TokensPerSecond), significant(c.MeanBatch),
			millis(c.TTFT.P50), millis(p99(&c.TTFT)), millis(stats.Figure(c.TTFT.P999)), millis(c.TPOT.P50), millis(p99(&c.TPOT)), millis(c.ITL.P50), millis(p99(&c.ITL)), millis(stats.Figure(c.ITL.P999)), millis(c.ITL.Max)}
	})
}

// partsTable takes TTFT apart.
func (l *Loads) partsTable() *Table {
	t := &Table{ID: "ttft", Title: "The parts of TTFT, mean and p99 in ms",
		Caption: "Waiting: for a compile thread. Compile: with the first mask, where compile threads make it. Place: waiting for a place in the batch. Model: the first step, with the reading of the prompt. Masks: what masks add to that step."}
	var heads []Column
	for _, part := range []string{"waiting", "compile", "place", "model", "masks"} {
		heads = append(heads, Column{part, true}, Column{"p99", true})
	}
	return l.table(t, heads, func(c *underload.Cell) (list []string) {
		for _, p := range []*stats.Summary{&c.Parts.Waiting, &c.Parts.Compile, &c.Parts.Place, &c.Parts.Model, &c.Parts.Masks} {
			list = append(list, millis(p.Mean), millis(p99(p)))
		}
		return list
	})
}

// costTable is what a load costs the machine.
func (l *Loads) costTable() *Table {
	t := &Table{ID: "costs", Title: "What the loads cost",
		Caption: "Processor seconds: of all threads, compiles and garbage collection included. MiB: the resident memory of the process, with its vocabulary and, of engines in this process, the corpus. Hits: requests whose grammar was in the cache. Bad neighbours: how many of them were served. Masks checked: compared with naive's after the load; all were equal."}
	heads := []Column{{"CPU s per 1,000 tokens", true}, {"masks of a step p50 µs", true}, {"p99 µs", true}, {"MiB at first", true}, {"MiB peak", true}, {"cache MiB", true}, {"hits", true}, {"evicted", true}, {"collections", true}, {"their CPU ms", true}, {"bad neighbours", true}, {"variants", true}, {"masks checked", true}}
	return l.table(t, heads, func(c *underload.Cell) []string {
		return []string{significant(c.CPUPer1000), micros(c.Masks.P50), micros(p99(&c.Masks)), megabytes(c.ResidentFirst), megabytes(c.ResidentPeak), megabytes(c.CachePeak), percent(c.Hits), count(c.Evicted), count(int(c.Collections)), millis(float64(c.CollectNS)),
			fmt.Sprintf("%d of %d", c.HostileOK, c.Hostile), count(c.Reused), count(c.Checked)}
	})
}
