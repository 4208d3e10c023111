// Package loads makes reports of loads: requests under which engines served, and the capacities
// that were found.
package loads

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	underload "gcdbench/harness/load"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/output"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// Loads are the loads that a command has served, and the capacities that it has found.
type Loads struct {
	Cells      []*underload.Cell
	Capacities []*underload.Found
}

// Summary is the first screen, as text.
func (l *Loads) Summary() string {
	var b strings.Builder
	if err := document.WriteSummary(&b, l.document()); err != nil {
		panic(err) // a Builder takes everything
	}
	return b.String()
}

// Stored are the capacities as a result's JSON has them. name is the configuration's.
func (l *Loads) Stored(name string) *result.Stored {
	s := &result.Stored{Name: name, Cells: []*result.Cell{}, Warnings: l.warnings(), Missing: []cell.Planned{}, About: []string{}}
	if len(l.Cells) > 0 {
		s.About = append(s.About, l.lead())
	}
	for _, c := range l.Capacities {
		one := &result.Capacity{Workload: c.ID.Workload, Tokenizer: c.ID.Tokenizer, Model: c.ID.Model, Device: c.ID.Device, Grammars: mixOf(&c.ID), Label: c.ID.Label,
			Rate: c.Mean, Interval: c.Interval}
		if of, interval, ok := l.shareOfNone(c); ok {
			one.OfNone, one.OfNoneInterval = &of, interval
		}
		if best := l.best(&c.ID); best != nil {
			refused := best.NotTaken()
			one.TTFT, one.ITL, one.NotTaken, one.Peak = &best.TTFT, &best.ITL, &refused, best.ResidentPeak
		}
		s.Capacities = append(s.Capacities, one)
	}
	return s
}

// warnings say which loads failed, and where the machine was another one in some repetition.
func (l *Loads) warnings() []string {
	list := []string{}
	for _, c := range l.Cells {
		if c.Outcome != cell.OK {
			list = append(list, fmt.Sprintf("%s, %s: %s: %s", c.ID.Label, scenarioOf(&c.ID), c.Outcome, c.Detail))
		}
	}
	return append(list, l.disturbed()...)
}

// much is how many times the processor time of a token in one repetition another one may have.
const much = 1.5

// disturbed are the models beside which most engines took much more processor time for a token in
// one repetition than in another. An engine alone may have met slow grammars there; if most did, it
// was the machine.
func (l *Loads) disturbed() (list []string) {
	for _, of := range l.Capacities {
		if of.ID.Label != underload.Unconstrained {
			continue
		}
		engines, slower := 0, []string{}
		for _, c := range l.Capacities {
			if c == of || !sameLoad(&c.ID, &of.ID) {
				continue
			}
			engines++
			if times := l.spread(&c.ID); times > much {
				slower = append(slower, fmt.Sprintf("%s %.1f times", c.ID.Label, times))
			}
		}
		if 2*len(slower) > engines && engines > 1 {
			list = append(list, fmt.Sprintf("The machine was disturbed: beside %s, for one token in one repetition %s the processor time of another; its capacities are too low.", of.ID.Model, strings.Join(slower, ", ")))
		}
	}
	return list
}

// spread is how many times the processor time for a token in one repetition an engine took in
// another, at most. Of a repetition the load with the least time counts, as times a token rise
// where few requests come.
func (l *Loads) spread(id *underload.ID) float64 {
	least := map[int]float64{}
	for _, c := range l.Cells {
		if c.Outcome != cell.OK || c.Tokens == 0 || c.ID.Label != id.Label || !sameLoad(&c.ID, id) {
			continue
		}
		if before, ok := least[c.ID.Repeat]; !ok || c.CPUPer1000 < before {
			least[c.ID.Repeat] = c.CPUPer1000
		}
	}
	if len(least) == 0 {
		return 1
	}
	times := slices.Sorted(maps.Values(least))
	return times[len(times)-1] / times[0]
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
	if err := document.WriteText(&text, d); err != nil {
		return nil, err
	}
	if err := document.WriteMarkdown(&markdown, d); err != nil {
		return nil, err
	}
	files, err := output.Figures(l.figures())
	if err != nil {
		return nil, err
	}
	return output.Write(dir, append([]output.File{{Name: "load.txt", Data: []byte(text.String())}, {Name: "load.md", Data: []byte(markdown.String())}, {Name: "load.json", Data: append(data, '\n')}}, files...))
}

// document lays the loads out.
func (l *Loads) document() *document.Document {
	d := &document.Document{Title: "Requests under load", Warnings: l.warnings()}
	if len(l.Cells) > 0 {
		d.Lead = []string{l.lead()}
	}
	d.Tables = []*document.Table{l.capacityTable(), l.table("loads"), l.table("ttft"), l.table("costs")}
	if d.Tables[0] == nil {
		d.Tables = d.Tables[1:]
	}
	d.Summary, d.Tables = d.Tables[:1], d.Tables[1:]
	document.MakeVisible(reflect.ValueOf(d))
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
		limit = fmt.Sprintf("compiles of at most %s ms", show.Millis(float64(s.CompileNS)))
	}
	if s.YieldNS > 0 {
		limit += fmt.Sprintf(", compiles and masks that let others pass after %s ms", show.Millis(float64(s.YieldNS)))
	}
	if s.GOGC > 0 {
		limit += fmt.Sprintf(", GOGC=%d", s.GOGC)
	}
	return fmt.Sprintf("A batch of %d, masks %s the model's step, threads for compiles: %d, for masks: %d, a cache of %s MiB, %s. "+
		"Limits: %s ms to the first token and %s ms for each other one, kept by %s of the requests that an engine takes. %s, %d cores; revision %.12s%s, program %.12s, seed %d.",
		s.Batch, map[string]string{"overlapped": "during", "before": "before", "after": "after"}[s.Masks], s.CompileThreads, s.MaskThreads, show.Megabytes(s.CacheBytes), limit,
		show.Millis(float64(limits.TTFTNS)), show.Millis(float64(limits.ITLNS)), show.Percent(limits.Share), c.CPU, c.Cores, c.Revision, dirty, c.Program, c.Seed)
}

// scenarioOf names a load but for what it is beside.
func scenarioOf(id *underload.ID) string {
	if id.Rate > 0 {
		return show.Significant(id.Rate) + " requests/s"
	}
	return id.Scenario
}

// mixOf names what requests are drawn from.
func mixOf(id *underload.ID) string {
	text := show.Percent(id.Unseen) + " unseen"
	if id.Hostile > 0 {
		text += ", " + show.Percent(id.Hostile) + " hostile"
	}
	return text
}

// sameLoad reports whether two loads are of the same question, but for the engine, the rate and the
// repetition.
func sameLoad(a, b *underload.ID) bool {
	return a.Workload == b.Workload && a.Tokenizer == b.Tokenizer && a.Model == b.Model && a.Device == b.Device && a.Unseen == b.Unseen && a.Hostile == b.Hostile
}

// loadNames are the columns that name a load.
func loadNames[T any](id func(T) *underload.ID) []document.Figure[T] {
	return []document.Figure[T]{
		document.Worded("workload", func(r T) string { return id(r).Workload + ", " + id(r).Tokenizer }),
		document.Worded("model", func(r T) string { return id(r).Model }),
		document.Worded("grammars", func(r T) string { return mixOf(id(r)) }),
		document.Worded("engine", func(r T) string { return id(r).Label }),
	}
}

// foundAt is a capacity with the load at the highest rate that kept the limits; nil if none did.
type foundAt struct {
	*underload.Found
	best *underload.Cell
}

// capacityTable is the headline: the capacities, and latencies at the highest rate that kept the
// limits. It is nil without a search.
func (l *Loads) capacityTable() *document.Table {
	var list []foundAt
	for _, c := range l.Capacities {
		list = append(list, foundAt{c, l.best(&c.ID)})
	}
	return document.Fill(document.Titled("capacity"), list, loadNames(func(c foundAt) *underload.ID { return &c.ID }), []document.Figure[foundAt]{
		{Head: "requests/s", Of: func(c foundAt) string { return show.Significant(c.Mean) + show.Interval(c.Interval, show.Significant) }},
		{Head: "of none's", Of: l.ofNone},
		{Head: "of the bound", Of: func(c foundAt) string { return show.Percent(c.Mean / c.Bound) }},
		{Head: "not taken", Of: func(c foundAt) string {
			if c.best == nil {
				return show.None
			}
			return show.Percent(c.best.NotTaken())
		}},
	}).OrNil()
}

// ofNone is a capacity as a share of that without masks.
func (l *Loads) ofNone(c foundAt) string {
	if share, interval, ok := l.shareOfNone(c.Found); ok {
		return show.Percent(share) + show.Interval(interval, show.Percent)
	}
	return show.None
}

// shareOfNone is a capacity as a share of that without masks, if that was measured. All engines get
// the same requests in a repetition, so the interval is that of the repetitions' shares.
func (l *Loads) shareOfNone(c *underload.Found) (share float64, interval stats.Interval, ok bool) {
	for _, o := range l.Capacities {
		if o.ID.Label != underload.Unconstrained || !sameLoad(&o.ID, &c.ID) || o.Mean == 0 {
			continue
		}
		var each []float64
		for i := range min(len(c.Each), len(o.Each)) {
			if o.Each[i] > 0 {
				each = append(each, c.Each[i]/o.Each[i])
			}
		}
		return c.Mean / o.Mean, stats.MeanInterval(each), true
	}
	return 0, stats.Interval{}, false
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
func (l *Loads) table(id string) *document.Table {
	type load = *underload.Cell
	served := slices.DeleteFunc(slices.Clone(l.Cells), func(c load) bool { return c.Outcome != cell.OK })
	names := append(loadNames(func(c load) *underload.ID { return &c.ID }), document.Worded("load", func(c load) string { return scenarioOf(&c.ID) }))
	figures := []document.Figure[load]{{Head: "repeat", Of: func(c load) string {
		return show.Count(c.ID.Repeat+1) + map[bool]string{true: ", again"}[c.ID.Again]
	}}}
	if id == "costs" {
		figures = append(figures, document.Figure[load]{Head: "bad neighbours", Of: func(c load) string { return fmt.Sprintf("%d of %d", c.HostileOK, c.Hostile) }})
	}
	return document.Fill(document.Titled(id), served, names, figures)
}
