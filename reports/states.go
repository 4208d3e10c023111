package reports

import (
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// Every time of a step is given in three states of the engine, by what it had seen of the document
// before. States are never mixed. The headline is the new document, as a server meets it.

// The names of the states, as JSON and tables have them.
const (
	stateFresh = "fresh" // the first document of a new engine
	stateNew   = "new"   // a document that the engine has not seen, after others
	stateAgain = "again" // a document that it has walked before
	stateFirst = "first" // fresh and new together: every document's first pass
)

// stateNames are the states in the order of tables, the headline first.
var stateNames = []string{stateNew, stateFresh, stateAgain, stateFirst}

// States are the figures of one kind of time in each state of the engine, null where there were no
// such passes. Percentiles are over raw steps: every step of every timed pass counts once.
type States struct {
	Fresh *stats.Summary `json:"fresh"`
	New   *stats.Summary `json:"new"`
	Again *stats.Summary `json:"again"`
	First *stats.Summary `json:"first"` // fresh and new together
}

// Of is the summary of a state by its name; nil if there is none, also of nil.
func (s *States) Of(state string) *stats.Summary {
	if s == nil {
		return nil
	}
	switch state {
	case stateFresh:
		return s.Fresh
	case stateNew:
		return s.New
	case stateAgain:
		return s.Again
	case stateFirst:
		return s.First
	}
	return nil
}

// kind is one of the times of a step.
type kind func(*cell.Pass) []uint32

func lookupTimes(p *cell.Pass) []uint32 { return p.Lookup }
func maskTimes(p *cell.Pass) []uint32   { return p.Mask }
func commitTimes(p *cell.Pass) []uint32 { return p.Commit }
func stepTimes(p *cell.Pass) []uint32   { return p.Step }

// passesIn are the passes over a sample in a state.
func (s *steps) passesIn(state string) (list []*cell.Pass) {
	for i := range s.passes {
		p := &s.passes[i]
		first := p.State != cell.Again
		if p.State.String() == state || state == stateFirst && first {
			list = append(list, p)
		}
	}
	return list
}

// values are the raw times of a kind in a state, by cluster.
func (c *Cell) values(of kind, state string) (d stats.Data) {
	for i := range c.steps {
		s := &c.steps[i]
		for _, p := range s.passesIn(state) {
			for _, ns := range of(p) {
				d.Add(s.cluster, float64(ns))
			}
		}
	}
	return d
}

// states summarizes a kind of time; nil if there are no values at all.
func (c *Cell) states(of kind) *States {
	in := func(state string) *stats.Summary { return summary(c.values(of, state).Values) }
	s := &States{in(stateFresh), in(stateNew), in(stateAgain), in(stateFirst)}
	if s.First == nil && s.Again == nil {
		return nil
	}
	return s
}

// headlineState is the state whose figures stand for the cell: new documents, or fresh if the
// workload has one document only; "" if the cell has no times. For JSON schemas it is all first
// passes: each schema is new to its engine, and many have one instance only.
func (c *Cell) headlineState() string {
	order := []string{stateNew, stateFresh, stateAgain}
	if c.record.Schemas != nil {
		order = []string{stateFirst, stateAgain}
	}
	for _, state := range order {
		if c.MaskNS.Of(state) != nil {
			return state
		}
	}
	return ""
}

// headline is the summary of a kind of time in the headline's state; nil if there is none.
func (c *Cell) headline(s *States) *stats.Summary { return s.Of(c.HeadlineState) }
