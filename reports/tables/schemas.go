package tables

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// requestTimes is the table of whole requests.
func requestTimes(s *result.Set) *document.Table {
	return each(s, document.Titled("requests"), every, []document.Figure[*result.Cell]{{Head: "sum ms", Of: func(c *result.Cell) string { return sumText(c.RequestFigures.Common) }}})
}

// sumText is the sum of the values of a summary, in ms.
func sumText(r *stats.Summary) string {
	if r == nil {
		return show.None
	}
	return show.Millis(r.Mean * float64(r.N))
}

// requestText is what the first screen says of whole requests.
func requestText(c *result.Cell) string {
	r := c.RequestFigures.Common
	if r == nil {
		return show.None
	}
	return show.Millis(r.P50) + " / " + show.Millis(result.P99(r)) + "; " + sumText(r)
}

// schemaGroups breaks the corpus down; nil if no corpus has groups. Cells that did the same share
// their rows.
func schemaGroups(s *result.Set) *document.Table {
	type group struct {
		workload, who string
		result.SchemaGroup
	}
	var list []group
	var done []*result.Cell
	for _, c := range s.Cells {
		if len(c.Groups) < 2 || slices.ContainsFunc(done, func(o *result.Cell) bool { return sameGroups(o, c) }) {
			continue
		}
		done = append(done, c)
		for _, g := range c.Groups {
			list = append(list, group{c.Workload, whoElse(s, c), g})
		}
	}
	return document.Fill(document.Titled("schema-groups").Naming(2), list, []document.Figure[group]{
		document.Worded("workload", func(g group) string { return g.workload }),
		document.Worded("algorithm", func(g group) string { return g.who }),
		document.Worded("group", func(g group) string { return name(g.SchemaGroup) }),
	}).OrNil()
}

// name is the group's, for a table.
func name(g result.SchemaGroup) string {
	if g.Group == "" {
		return "(no group)"
	}
	return g.Group
}

// sameGroups reports whether two cells of a workload have the same counts in all groups.
func sameGroups(a, b *result.Cell) bool {
	return a.Workload == b.Workload && slices.EqualFunc(a.Groups, b.Groups, func(x, y result.SchemaGroup) bool {
		x.TTFMNS, x.TBMNS, x.ColdTBMNS, y.TTFMNS, y.TBMNS, y.ColdTBMNS = nil, nil, nil, nil, nil, nil
		return x == y
	})
}

// whoElse names the algorithms with the same figures as a cell by group: "all" if those are all of
// the workload.
func whoElse(s *result.Set, c *result.Cell) string {
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

// FewSchemas is how many schemas a cell needs for a table of times by group: with fewer, a group
// has a handful, and the tables of slowest schemas list the slowest.
const FewSchemas = 100

// groupTimes is the table of times by group; nil if no corpus is large enough and has groups.
func groupTimes(s *result.Set) *document.Table {
	groups := func(c *result.Cell) []result.SchemaGroup {
		if len(c.Groups) < 2 || c.Schemas < FewSchemas || c.TTFMNS == nil {
			return nil
		}
		return c.Groups
	}
	return each(s, document.Titled("schema-group-times"), groups, []document.Figure[result.SchemaGroup]{document.Worded("group", name)}).OrNil()
}

// schemaTables are the tables of verdicts and times by schema, nil for those that have nothing to
// say; none without schemas.
func schemaTables(s *result.Set) []*document.Table {
	only := s.SchemaCells()
	if len(only.Cells) == 0 {
		return nil
	}
	return []*document.Table{schemasTable(only), schemaInstances(only), schemaFailures(only), wrongVerdicts(only), schemaGroups(only), schemaTimes(only), toolCalls(only),
		requestTimes(only), groupTimes(only)}
}

// slowTables explain the slowest schemas; nil where there are none.
func slowTables(s *result.Set) []*document.Table {
	only := s.SchemaCells().Only(func(c *result.Cell) bool { return c.Provenance.Copy == 0 }) // noise is no reason
	return []*document.Table{slowestTTFM(only), slowestSteps(only)}
}

// schemasTable says how many schemas are right.
func schemasTable(s *result.Set) *document.Table {
	return each(s, document.Footed(document.Titled("schemas", schemaOptions(s)), caveat),
		every, []document.Figure[*result.Cell]{
			{Head: "right, of all [95%]", Of: func(c *result.Cell) string { return right(c.Right, c.Schemas, c.RightRate95) }},
			{Head: "right, of those with instances [95%]", Of: func(c *result.Cell) string { return right(c.TestedRight, c.Tested, c.TestedRightRate95) }},
			{Head: "crash, timeout, memory", Of: func(c *result.Cell) string {
				return fmt.Sprintf("%s, %s, %s", show.Count(c.Crashes), show.Count(c.Timeouts), show.Count(c.SchemaFigures.OutOfMemory))
			}},
		})
}

// schemaInstances says which verdicts on instances are wrong.
func schemaInstances(s *result.Set) *document.Table {
	return each(s, document.Titled("schema-instances"),
		every, []document.Figure[*result.Cell]{
			{Head: "not judged", Of: func(c *result.Cell) string { return show.ShareOf(c.Unjudged, c.ValidInstances+c.InvalidInstances) }},
			{Head: "invalid, refused by commit only", Of: func(c *result.Cell) string { return show.ShareOf(c.InvalidRefusedByCommit, c.InvalidInstances) },
				Some:  func(c *result.Cell) bool { return c.InvalidRefusedByCommit > 0 },
				Words: " Refused by commit only: the masks allow every token of the invalid instance, and a sampler obeys masks; that the engine finds the mistake when the token is committed does not make it right. Such instances are not among those accepted."},
		})
}

// schemaOptions says how the schemas of each workload were compiled, those of equal options
// together.
func schemaOptions(s *result.Set) string {
	var options []cell.SchemaOptions
	workloads := map[cell.SchemaOptions][]string{}
	for _, c := range s.Cells {
		o := c.SchemaFigures.Options
		if workloads[o] == nil {
			options = append(options, o)
		}
		if !slices.Contains(workloads[o], c.Workload) {
			workloads[o] = append(workloads[o], c.Workload)
		}
	}
	var parts []string
	for _, o := range options {
		verb := "was"
		if len(workloads[o]) > 1 {
			verb = "were"
		}
		text := fmt.Sprintf("%s %s compiled with white space: %s, order of keys: %s", strings.Join(workloads[o], ", "), verb, o.WhiteSpace, o.Order)
		if o.Lenient {
			text += ", lenient: what is not supported is left out, so that invalid instances may be accepted"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ". ") + "."
}

// right writes "12 of 14 = 85.7% [60–96%]".
func right(k, n int, i stats.Interval) string {
	if n == 0 {
		return show.None
	}
	return fmt.Sprintf("%s of %s = %s [%.1f–%.1f%%]", show.Count(k), show.Count(n), show.Percent(show.Share(k, n)), 100*i.Low, 100*i.High)
}

// schemaFailures lists why schemas have no engine. A failure of the grammar is the same for all
// algorithms, and is shown once for a workload.
func schemaFailures(s *result.Set) *document.Table {
	type failure struct {
		workload, who string
		result.SchemaFailure
	}
	var list []failure
	for _, c := range s.Cells {
		for _, f := range c.Failures {
			who := c.Label
			if s.Tokenizers() > 1 {
				who += " on " + c.Tokenizer
			}
			if f.Stage == cell.StageGrammar {
				who = document.Everything
			}
			if !slices.ContainsFunc(list, func(o failure) bool {
				return o.workload == c.Workload && o.who == who && o.Stage == f.Stage && o.Outcome == f.Outcome && o.Reason == f.Reason
			}) {
				list = append(list, failure{c.Workload, who, f})
			}
		}
	}
	return document.Fill(document.Titled("schema-failures").Naming(1), list, []document.Figure[failure]{
		document.Worded("algorithm", func(f failure) string { return f.who }),
		document.Worded("reason", func(f failure) string { return show.OneLine(f.Reason) }),
	}).OrNil()
}

// maxWrong is how many instances with a wrong verdict are listed. The JSON has them all.
const maxWrong = 20

// wrongVerdicts lists the instances with a wrong verdict, but for the order of keys; nil if there
// are none. Algorithms with equal masks have the same list, so a line of an earlier cell is not
// repeated.
func wrongVerdicts(s *result.Set) *document.Table {
	type wrong struct {
		workload string
		result.WrongVerdict
	}
	var list []wrong
	seen := map[wrong]bool{}
	for _, c := range s.Cells {
		for _, w := range c.Wrong {
			if w := (wrong{c.Workload, w}); w.Verdict != result.KeyOrder && !seen[w] {
				seen[w] = true
				list = append(list, w)
			}
		}
	}
	t := document.Titled("schema-verdicts")
	if len(list) > maxWrong {
		t.Caption = fmt.Sprintf("The first %d of %d. ", maxWrong, len(list)) + t.Caption
	}
	return document.Fill(t, list[:min(maxWrong, len(list))], []document.Figure[wrong]{
		{Head: "refused at token", Of: func(w wrong) string {
			if w.Verdict == result.InvalidAccepted {
				return show.None
			}
			return show.Count(w.RefusedAt)
		}},
	}).OrNil()
}

// remembered warns, as a part of a sentence, where a schema was compiled several times; "" where
// once.
func remembered(s *result.Set) string {
	for _, c := range s.Cells {
		if c.Record.ID.Compiles > 1 {
			return ", of which all but the first find what the algorithm kept of the schema (without compiles each is compiled once)"
		}
	}
	return ""
}

// schemaTimes is the table of the time to the first mask.
func schemaTimes(s *result.Set) *document.Table {
	return each(s, document.Titled("ttfm", remembered(s)), every)
}

// slowestTTFM lists the schemas that take longest to the first mask; nil if there are none.
func slowestTTFM(s *result.Set) *document.Table {
	return each(s, document.Titled("slowest-ttfm", shownWords()), func(c *result.Cell) []result.SlowSchema { return slowestShown(c, c.SlowestTTFM) }).OrNil()
}

// slowestSteps lists the schemas with the longest steps; nil if there are none.
func slowestSteps(s *result.Set) *document.Table {
	return each(s, document.Titled("slowest-tbm", shownWords()).Naming(1), func(c *result.Cell) (list []result.SlowSchema) {
		for _, pass := range []struct {
			name string
			list []result.SlowSchema
		}{{result.StateFirst, c.SlowestCold}, {result.StateAgain, c.SlowestWarm}} {
			for _, x := range slowestShown(c, pass.list) {
				x.Pass = pass.name
				list = append(list, x)
			}
		}
		return list
	}).OrNil()
}

// shownShare is the share of a corpus that the tables list as its slowest: the slowest of a few
// schemas say little, and the tables of a first run should fit on a screen. The JSON has more.
const shownShare = 5

// slowestShown are the slowest that the tables list.
func slowestShown(c *result.Cell, list []result.SlowSchema) []result.SlowSchema {
	return list[:min(len(list), (c.Schemas+shownShare-1)/shownShare)]
}

// shownWords says how many those are.
func shownWords() string { return fmt.Sprintf("at most %d and one in %d", result.Slowest, shownShare) }
