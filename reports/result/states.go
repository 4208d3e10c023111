package result

import (
	"cmp"
	"slices"

	"gcdbench/datasets/toolcalls"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// P99 is the 99th percentile of a summary, NaN if that is of too few values.
func P99(s *stats.Summary) float64 { return stats.Figure(s.P99) }

// P999 is the 99.9th percentile of a summary, NaN if that is of too few values.
func P999(s *stats.Summary) float64 { return stats.Figure(s.P999) }

// Every time of a step is given in three states of the engine, by what it had seen of the document
// before. States are never mixed. The headline is the new document, as a server meets it.

// The names of the states, as JSON and tables have them.
const (
	StateFresh = "fresh" // the first document of a new engine
	StateNew   = "new"   // a document that the engine has not seen, after others
	StateAgain = "again" // a document that it has walked before
	StateFirst = "first" // fresh and new together: every document's first pass
)

// StateNames are the states in the order of tables, the headline first.
var StateNames = []string{StateNew, StateFresh, StateAgain, StateFirst}

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
	case StateFresh:
		return s.Fresh
	case StateNew:
		return s.New
	case StateAgain:
		return s.Again
	case StateFirst:
		return s.First
	}
	return nil
}

// Kind is one of the times of a step.
type Kind func(*cell.Pass) []uint32

func lookupTimes(p *cell.Pass) []uint32 { return p.Lookup }

func MaskTimes(p *cell.Pass) []uint32 { return p.Mask }

func commitTimes(p *cell.Pass) []uint32 { return p.Commit }

func StepTimes(p *cell.Pass) []uint32 { return p.Step }

// passesIn are the passes over a sample in a state.
func (s *Steps) passesIn(state string) (list []*cell.Pass) {
	for i := range s.Passes {
		p := &s.Passes[i]
		first := p.State != cell.Again
		if p.State.String() == state || state == StateFirst && first {
			list = append(list, p)
		}
	}
	return list
}

// Values are the raw times of a kind in a state, by cluster.
func (c *Cell) Values(of Kind, state string) (d stats.Data) {
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, p := range s.passesIn(state) {
			for _, ns := range of(p) {
				d.Add(s.cluster, float64(ns))
			}
		}
	}
	return d
}

// states summarizes a kind of time; nil if there are no values at all.
func (c *Cell) states(of Kind) *States {
	in := func(state string) *stats.Summary { return Summary(c.Values(of, state).Values) }
	s := &States{in(StateFresh), in(StateNew), in(StateAgain), in(StateFirst)}
	if s.First == nil && s.Again == nil {
		return nil
	}
	return s
}

// headlineState is the state whose figures stand for the cell: new documents, or fresh if the
// workload has one document only; "" if the cell has no times. For JSON schemas it is all first
// passes: each schema is new to its engine, and many have one instance only.
func (c *Cell) headlineState() string {
	order := []string{StateNew, StateFresh, StateAgain}
	if c.Record.Schemas != nil {
		order = []string{StateFirst, StateAgain}
	}
	for _, state := range order {
		if c.MaskNS.Of(state) != nil {
			return state
		}
	}
	return ""
}

// Headline is the summary of a kind of time in the headline's state; nil if there is none.
func (c *Cell) Headline(s *States) *stats.Summary { return s.Of(c.HeadlineState) }

// Headline is the state whose figures come first in a group; "" if it has no times.
func (g *Group) Headline() string {
	for _, state := range StateNames {
		if slices.ContainsFunc(g.Cells, func(c *Cell) bool { return c.MaskNS.Of(state) != nil }) {
			return state
		}
	}
	return ""
}

// Shown is the state under which cells without times are listed.
func (g *Group) Shown() string { return cmp.Or(g.Headline(), StateNew) }

// classesOf are the classes of the tokens of a sample, by position; the end has none.
func classesOf(s *cell.Sample) (list []string) {
	for _, p := range s.Parts {
		list = append(list, slices.Repeat([]string{p.Class}, p.Tokens)...)
	}
	return list
}

// Chosen is the class of the slowest step of a call from behind its name to the first token of its
// arguments: an engine that builds the grammar of a tool on demand does so there.
const Chosen = "tool chosen"

// ClassTimes are the steps of first passes by the class of the token that is masked, and the chosen
// ones.
func (c *Cell) ClassTimes() map[string][]float64 {
	out := map[string][]float64{}
	for i := range c.Steps {
		s := &c.Steps[i]
		classes := classesOf(&c.Record.Samples[s.sample])
		for _, p := range s.passesIn(StateFirst) {
			slowest := -1.0
			for at, ns := range p.Step {
				position := int(s.Positions[at])
				if position >= len(classes) {
					continue
				}
				class := classes[position]
				out[class] = append(out[class], float64(ns))
				switch {
				case class == string(toolcalls.Name):
					slowest = 0
				case slowest >= 0:
					slowest = max(slowest, float64(ns))
				}
				if slowest >= 0 && class == string(toolcalls.Arguments) {
					out[Chosen], slowest = append(out[Chosen], slowest), -1.0
				}
			}
		}
	}
	return out
}
