package loads

import (
	"cmp"
	"slices"
	"strconv"

	underload "gcdbench/harness/load"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/plots"
)

// The figures of loads.

// figures are the plots of loads: latency over load, the parts of TTFT, memory over time, and
// capacities.
func (l *Loads) figures() []*plots.Figure {
	rate := plots.Scale{Label: "requests a second", Log: true, Format: plots.Quantity}
	ns := func(label string, log bool) plots.Scale {
		return plots.Scale{Label: label, Log: log, Format: plots.Duration}
	}
	mib := plots.Scale{Label: "resident memory, MiB", Format: plots.Quantity}
	seconds := plots.Scale{Label: "seconds since the first request", Format: plots.Quantity}
	of := plots.Scale{Label: "engine", Format: func(float64) string { return "" }}
	return slices.DeleteFunc([]*plots.Figure{
		plots.Chart("load-ttft", rate, ns("time to the first token, p99 or the largest", true), l.latencies(func(c *underload.Cell) *stats.Summary { return &c.TTFT })),
		plots.Chart("load-itl", rate, ns("time from a token to the next, p99", true), l.latencies(func(c *underload.Cell) *stats.Summary { return &c.ITL })),
		plots.Chart("load-ttft-parts", rate, ns("parts of the time to the first token, means", true), l.parts()),
		plots.Chart("load-memory", seconds, mib, l.memory()),
		plots.Chart("load-capacity", of, plots.Scale{Label: "requests a second within the limits", Format: plots.Quantity}, l.bars()),
	}, func(f *plots.Figure) bool { return f == nil })
}

// panelOf names a panel.
func panelOf(id *underload.ID) string { return id.Workload + ", " + id.Model + ", " + mixOf(id) }

// lineOf is the line of an engine.
func lineOf(c *underload.Cell) plots.Line {
	return plots.Line{Label: c.ID.Label, Algorithm: c.Algorithm}
}

// served are the loads at a rate, those of the same engine and rate together.
func (l *Loads) served() [][]*underload.Cell {
	var list []*underload.Cell
	for _, c := range l.Cells {
		if c.ID.Scenario == "server" && c.TTFT.N > 0 && !c.Cut {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *underload.Cell) int {
		return cmp.Or(cmp.Compare(panelOf(&a.ID), panelOf(&b.ID)), cmp.Compare(a.ID.Label, b.ID.Label), cmp.Compare(a.ID.Rate, b.ID.Rate))
	})
	var groups [][]*underload.Cell
	for _, c := range list {
		if n := len(groups); n > 0 && groups[n-1][0].ID.Label == c.ID.Label && groups[n-1][0].ID.Rate == c.ID.Rate && panelOf(&groups[n-1][0].ID) == panelOf(&c.ID) {
			groups[n-1] = append(groups[n-1], c)
		} else {
			groups = append(groups, []*underload.Cell{c})
		}
	}
	return groups
}

// latencies are the means of a percentile over repetitions, with the least and the most.
func (l *Loads) latencies(of func(*underload.Cell) *stats.Summary) (dots []plots.Dot) {
	for _, group := range l.served() {
		c := group[0]
		d := plots.Dot{Panel: panelOf(&c.ID), Line: lineOf(c), X: c.ID.Rate}
		for i, c := range group {
			s := of(c)
			v := s.Max
			if s.P99 != nil {
				v = *s.P99
			}
			if d.Y += v / float64(len(group)); i == 0 {
				d.Low, d.High = v, v
			}
			d.Low, d.High = min(d.Low, v), max(d.High, v)
		}
		dots = append(dots, d)
	}
	return dots
}

// parts are the parts of TTFT, with a panel for each engine.
func (l *Loads) parts() (dots []plots.Dot) {
	served := l.served()
	for _, group := range served {
		c := group[0]
		panel := c.ID.Label
		if panelOf(&served[0][0].ID) != panelOf(&served[len(served)-1][0].ID) { // they are in order
			panel += ", " + panelOf(&c.ID)
		}
		for _, part := range []string{"model", "masks", "compile", "waiting", "place"} {
			mean := document.NumberIn(document.Field(c, "ttft_parts_ns."+part+".mean"))
			dots = append(dots, plots.Dot{Panel: panel, Line: plots.Line{Label: part, Algorithm: part}, X: c.ID.Rate, Y: mean})
		}
	}
	return dots
}

// memory is that of the highest rate that an engine kept the limits at, or else of its last load.
func (l *Loads) memory() (dots []plots.Dot) {
	chosen := map[string]*underload.Cell{}
	var order []string
	for _, c := range l.Cells {
		if len(c.Memory) == 0 {
			continue
		}
		key := panelOf(&c.ID) + "\x00" + c.ID.Label
		if chosen[key] == nil {
			order = append(order, key)
		}
		if best := l.best(&c.ID); best == nil || best == c || chosen[key] == nil {
			chosen[key] = c
		}
	}
	for _, key := range order {
		c := chosen[key]
		for _, at := range c.Memory {
			dots = append(dots, plots.Dot{Panel: panelOf(&c.ID), Line: lineOf(c), X: float64(at[0]) / 1e9, Y: float64(at[1]) / (1 << 20)})
		}
	}
	return dots
}

// bars are the capacities, each a line from 0 with its interval.
func (l *Loads) bars() (dots []plots.Dot) {
	places := map[string]int{}
	for _, c := range l.Capacities {
		panel := panelOf(&c.ID)
		places[panel]++
		line := plots.Line{Label: c.ID.Label, Algorithm: l.algorithm(&c.ID)}
		x := float64(places[panel])
		dots = append(dots, plots.Dot{Panel: panel, Line: line, X: x},
			plots.Dot{Panel: panel, Line: line, X: x, Y: c.Mean, Low: c.Interval.Low, High: c.Interval.High})
	}
	return dots
}

// algorithm is the algorithm of an engine of some load.
func (l *Loads) algorithm(id *underload.ID) string {
	for _, c := range l.Cells {
		if c.ID.Label == id.Label {
			return c.Algorithm
		}
	}
	return strconv.Quote(id.Label)
}
