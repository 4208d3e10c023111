package reports

import (
	"encoding/json"
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

// A Capacity is the highest rate of requests at which an engine keeps the limits, with the load at
// the highest rate that did. Times are in ns.
type Capacity struct {
	Workload  string         `json:"workload"`
	Tokenizer string         `json:"tokenizer"`
	Model     string         `json:"model"`
	Device    string         `json:"device"`
	Grammars  string         `json:"grammars"` // what requests are drawn from, in words
	Label     string         `json:"label"`
	Rate      float64        `json:"requests_per_second"` // the mean of the searches; 0 for none
	Interval  stats.Interval `json:"interval_95"`
	// OfNone is the share of the capacity without masks; null where that was not measured.
	OfNone *float64 `json:"of_none"`
	// The load at the highest rate that kept the limits; null where none did.
	TTFT     *stats.Summary `json:"ttft_ns"`
	ITL      *stats.Summary `json:"itl_ns"`
	NotTaken *float64       `json:"not_taken"` // the share of requests that the engine refuses
	Peak     int64          `json:"resident_peak_bytes"`
}

// Stored are the capacities as a result's JSON has them. name is the configuration's.
func (l *Loads) Stored(name string) *Stored {
	s := &Stored{Name: name, Cells: []*Cell{}, Warnings: l.warnings(), Missing: []cell.Planned{}, About: []string{}}
	if len(l.Cells) > 0 {
		s.About = append(s.About, l.lead())
	}
	for _, c := range l.Capacities {
		one := &Capacity{Workload: c.ID.Workload, Tokenizer: c.ID.Tokenizer, Model: c.ID.Model, Device: c.ID.Device, Grammars: mixOf(&c.ID), Label: c.ID.Label,
			Rate: c.Mean, Interval: c.Interval}
		if of, ok := l.shareOfNone(c); ok {
			one.OfNone = &of
		}
		if best := l.best(&c.ID); best != nil {
			refused := float64(best.Refused) / float64(max(1, best.Requests))
			one.TTFT, one.ITL, one.NotTaken, one.Peak = &best.TTFT, &best.ITL, &refused, best.ResidentPeak
		}
		s.Capacities = append(s.Capacities, one)
	}
	return s
}

// warnings say which loads failed.
func (l *Loads) warnings() []string {
	list := []string{}
	for _, c := range l.Cells {
		if c.Outcome != cell.OK {
			list = append(list, fmt.Sprintf("%s, %s: %s: %s", c.ID.Label, scenarioOf(&c.ID), c.Outcome, c.Detail))
		}
	}
	return list
}

// WriteLoads writes the report of a configuration and its figures into a directory, and returns the
// paths.
func WriteLoads(dir, name string, l *Loads) ([]string, error) {
	d := l.document()
	var text, markdown strings.Builder
	data, err := json.MarshalIndent(l.Stored(name), "", " ")
	if err != nil {
		return nil, err
	}
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
	return writeAll(dir, append([]file{{"load.txt", []byte(text.String())}, {"load.md", []byte(markdown.String())}, {"load.json", append(data, '\n')}}, files...))
}

// document lays the loads out.
func (l *Loads) document() *Document {
	d := &Document{Title: "Requests under load", Warnings: l.warnings()}
	if len(l.Cells) > 0 {
		d.Lead = []string{l.lead()}
	}
	d.Tables = []*Table{l.capacityTable(), l.table("loads"), l.table("ttft"), l.table("costs")}
	if d.Tables[0] == nil {
		d.Tables = d.Tables[1:]
	}
	d.Summary, d.Tables = d.Tables[:1], d.Tables[1:]
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

// foundAt is a capacity with the load at the highest rate that kept the limits; nil if none did.
type foundAt struct {
	*underload.Found
	best *underload.Cell
}

// capacityTable is the headline: the capacities, and latencies at the highest rate that kept the
// limits. It is nil without a search.
func (l *Loads) capacityTable() *Table {
	var list []foundAt
	for _, c := range l.Capacities {
		list = append(list, foundAt{c, l.best(&c.ID)})
	}
	return fill(titled("capacity"), list, loadNames(func(c foundAt) *underload.ID { return &c.ID }), []figure[foundAt]{
		{head: "requests/s", of: func(c foundAt) string { return significant(c.Mean) + interval(c.Interval, significant) }},
		{head: "of none's", of: l.ofNone},
		{head: "of the bound", of: func(c foundAt) string { return percent(c.Mean / c.Bound) }},
		{head: "not taken", of: func(c foundAt) string {
			if c.best == nil {
				return none
			}
			return percent(float64(c.best.Refused) / float64(max(1, c.best.Requests)))
		}},
	}).orNil()
}

// ofNone is a capacity as a share of that without masks.
func (l *Loads) ofNone(c foundAt) string {
	if share, ok := l.shareOfNone(c.Found); ok {
		return percent(share)
	}
	return none
}

// shareOfNone is a capacity as a share of that without masks, if that was measured.
func (l *Loads) shareOfNone(c *underload.Found) (share float64, ok bool) {
	for _, o := range l.Capacities {
		if o.ID.Label == underload.Unconstrained && sameLoad(&o.ID, &c.ID) && o.Mean > 0 {
			return c.Mean / o.Mean, true
		}
	}
	return 0, false
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
func (l *Loads) table(id string) *Table {
	type load = *underload.Cell
	served := slices.DeleteFunc(slices.Clone(l.Cells), func(c load) bool { return c.Outcome != cell.OK })
	names := append(loadNames(func(c load) *underload.ID { return &c.ID }), text("load", func(c load) string { return scenarioOf(&c.ID) }))
	figures := []figure[load]{{head: "repeat", of: func(c load) string { return count(c.ID.Repeat + 1) }}}
	if id == "costs" {
		figures = append(figures, figure[load]{head: "bad neighbours", of: func(c load) string { return fmt.Sprintf("%d of %d", c.HostileOK, c.Hostile) }})
	}
	return fill(titled(id), served, names, figures)
}
