package result

import (
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// The whole request: what a server pays for a schema that it has never seen. It is the time to the
// first mask, all later steps of one instance, and what the engine built between the steps. Nobody
// wins the first mask by hiding work in the steps, nor the steps by paying before.

// RequestFigures are the times of whole requests, in ns, with a value for each schema of which a
// valid instance was walked to its end; nil where there are none.
type RequestFigures struct {
	// Request is of the instance that was walked first, on the engine as it was compiled.
	Request *stats.Summary `json:"request_ns"`
	// Shared is of all valid instances of a schema, divided by their number: the compile is shared out
	// among them.
	Shared *stats.Summary `json:"request_shared_ns"`
	// Common is Request over the schemas that all algorithms of the workload and vocabulary have.
	Common *stats.Summary `json:"request_common_ns"`

	byProblem map[int]float64 // Request, by number of the schema
}

// addRequests fills in the whole requests of a cell of schemas.
func (c *Cell) addRequests() {
	type spent struct{ first, sum, instances float64 }
	all := map[int]*spent{}
	var order []int
	for i := range c.Steps {
		s := &c.Steps[i]
		problem := c.Record.Samples[s.sample].Problem
		times, ok := TimesOf(&c.Record.Problems[problem])
		passes := s.passesIn(StateFirst)
		if !ok || len(passes) == 0 || c.Sparse(s) {
			continue
		}
		one := all[problem]
		if one == nil {
			one = &spent{sum: times.TTFMNS}
			all[problem] = one
			order = append(order, problem)
		}
		walk := float64(passes[0].IdleNS)
		for at, ns := range passes[0].Step {
			if at > 0 { // the first mask is in the time to it
				walk += float64(ns)
			}
		}
		if one.instances++; one.first == 0 || passes[0].State == cell.Fresh {
			one.first = times.TTFMNS + walk
		}
		one.sum += walk
	}
	f := &c.RequestFigures
	f.byProblem = map[int]float64{}
	var request, shared []float64
	for _, p := range order {
		f.byProblem[p] = all[p].first
		request, shared = append(request, all[p].first), append(shared, all[p].sum/all[p].instances)
	}
	f.Request, f.Shared = Summary(request), Summary(shared)
}

// commonRequests fills in RequestFigures.Common.
func (g *Group) commonRequests() {
	times := map[int]int{} // cells that have the schema
	cells := 0
	for _, c := range g.Cells {
		if c.SchemaFigures == nil || c.Request == nil {
			continue
		}
		cells++
		for p := range c.byProblem {
			times[p]++
		}
	}
	for _, c := range g.Cells {
		if c.SchemaFigures == nil {
			continue
		}
		var list []float64
		for p := range len(c.Record.Problems) {
			if ns, has := c.byProblem[p]; has && times[p] == cells {
				list = append(list, ns)
			}
		}
		c.RequestFigures.Common = Summary(list)
	}
}
