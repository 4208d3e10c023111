package reports

import (
	"slices"
	"strings"
)

// The groups of a corpus of schemas. A corpus such as MaskBench has parts that differ more than
// engines do, so one figure over all of it mostly reflects the sizes of the parts.

// addGroupTimes fills in the times of each group.
func (c *Cell) addGroupTimes() {
	type times struct{ ttfm, warm, cold []float64 }
	groups := map[string]*times{}
	for _, g := range c.Groups {
		groups[g.Group] = &times{}
	}
	for i := range c.record.Problems {
		p := &c.record.Problems[i]
		if s, ok := timesOf(p); ok {
			g := groups[p.Group]
			g.ttfm = append(g.ttfm, s.TTFMNS)
		}
	}
	for i := range c.steps {
		s := &c.steps[i]
		g := groups[c.record.Problems[c.record.Samples[s.sample].Problem].Group]
		for _, p := range s.passesIn(stateAgain) {
			g.warm = appendWords(g.warm, p.Step)
		}
		for _, p := range s.passesIn(stateFirst) {
			g.cold = appendWords(g.cold, p.Step)
		}
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		g.TTFMNS, g.TBMNS, g.ColdTBMNS = summary(groups[g.Group].ttfm), summary(groups[g.Group].warm), summary(groups[g.Group].cold)
	}
}

// schemaGroups breaks the corpus down; nil if no corpus has groups. Cells that did the same share
// their rows.
func (s *Set) schemaGroups() *Table {
	type group struct {
		workload, who string
		SchemaGroup
	}
	var list []group
	var done []*Cell
	for _, c := range s.Cells {
		if len(c.Groups) < 2 || slices.ContainsFunc(done, func(o *Cell) bool { return sameGroups(o, c) }) {
			continue
		}
		done = append(done, c)
		for _, g := range c.Groups {
			list = append(list, group{c.Workload, s.whoElse(c), g})
		}
	}
	return fill(titled("schema-groups").naming(2), list, []figure[group]{
		text("workload", func(g group) string { return g.workload }),
		text("algorithm", func(g group) string { return g.who }),
		text("group", func(g group) string { return g.name() }),
	}).orNil()
}

// name is the group's, for a table.
func (g SchemaGroup) name() string {
	if g.Group == "" {
		return "(no group)"
	}
	return g.Group
}

// sameGroups reports whether two cells of a workload have the same counts in all groups.
func sameGroups(a, b *Cell) bool {
	return a.Workload == b.Workload && slices.EqualFunc(a.Groups, b.Groups, func(x, y SchemaGroup) bool {
		x.TTFMNS, x.TBMNS, x.ColdTBMNS, y.TTFMNS, y.TBMNS, y.ColdTBMNS = nil, nil, nil, nil, nil, nil
		return x == y
	})
}

// whoElse names the algorithms with the same figures as a cell by group: "all" if those are all of
// the workload.
func (s *Set) whoElse(c *Cell) string {
	var names []string
	all := true
	for _, o := range s.Cells {
		switch {
		case o.Workload != c.Workload:
		case !sameGroups(o, c):
			all = false
		case !slices.Contains(names, o.Label):
			names = append(names, o.Label)
		}
	}
	if all {
		return "all"
	}
	return strings.Join(names, ", ")
}

// fewSchemas is how many schemas a cell needs for a table of times by group: with fewer, a group
// has a handful, and the tables of slowest schemas list the slowest.
const fewSchemas = 100

// groupTimes is the table of times by group; nil if no corpus is large enough and has groups.
func (s *Set) groupTimes() *Table {
	groups := func(c *Cell) []SchemaGroup {
		if len(c.Groups) < 2 || c.Schemas < fewSchemas || c.TTFMNS == nil {
			return nil
		}
		return c.Groups
	}
	return each(s, titled("schema-group-times"), groups, []figure[SchemaGroup]{text("group", SchemaGroup.name)}).orNil()
}
