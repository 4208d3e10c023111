package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// The tables of workloads of JSON schemas. The tables of verdicts come before all times, those of
// the slowest schemas last.

// only is the set with some of its cells.
func (s *Set) only(those func(c *Cell) bool) *Set {
	only := *s
	only.Cells = slices.DeleteFunc(slices.Clone(s.Cells), func(c *Cell) bool { return !those(c) })
	return &only
}

// schemaCells are the cells of workloads of schemas, as a set of their own.
func (s *Set) schemaCells() *Set { return s.only(func(c *Cell) bool { return c.SchemaFigures != nil }) }

// schemaTables are the tables of verdicts and times by schema, nil for those that have nothing to
// say; none without schemas.
func (s *Set) schemaTables() []*Table {
	only := s.schemaCells()
	if len(only.Cells) == 0 {
		return nil
	}
	return []*Table{only.schemas(), only.schemaInstances(), only.schemaFailures(), only.wrongVerdicts(), only.schemaGroups(), only.schemaTimes(), only.toolCalls(),
		only.requestTimes(), only.groupTimes()}
}

// slowTables explain the slowest schemas; nil where there are none.
func (s *Set) slowTables() []*Table {
	only := s.schemaCells().only(func(c *Cell) bool { return c.Provenance.Copy == 0 }) // noise is no reason
	return []*Table{only.slowestTTFM(), only.slowestSteps()}
}

// schemas says how many schemas are right.
func (s *Set) schemas() *Table {
	return each(s, footed(titled("schemas", s.schemaOptions()), (*Cell).caveat),
		every, []figure[*Cell]{
			{head: "right, of all [95%]", of: func(c *Cell) string { return right(c.Right, c.Schemas, c.RightRate95) }},
			{head: "right, of those with instances [95%]", of: func(c *Cell) string { return right(c.TestedRight, c.Tested, c.TestedRightRate95) }},
			{head: "crash, timeout, memory", of: func(c *Cell) string {
				return fmt.Sprintf("%s, %s, %s", count(c.Crashes), count(c.Timeouts), count(c.SchemaFigures.OutOfMemory))
			}},
		})
}

// schemaInstances says which verdicts on instances are wrong.
func (s *Set) schemaInstances() *Table {
	return each(s, titled("schema-instances"),
		every, []figure[*Cell]{
			{head: "not judged", of: func(c *Cell) string { return shareOf(c.Unjudged, c.ValidInstances+c.InvalidInstances) }},
			{head: "invalid, refused by commit only", of: func(c *Cell) string { return shareOf(c.InvalidRefusedByCommit, c.InvalidInstances) },
				some:  func(c *Cell) bool { return c.InvalidRefusedByCommit > 0 },
				words: " Refused by commit only: the masks allow every token of the invalid instance, and a sampler obeys masks; that the engine finds the mistake when the token is committed does not make it right. Such instances are not among those accepted."},
		})
}

// schemaOptions says how the schemas of each workload were compiled, those of equal options
// together.
func (s *Set) schemaOptions() string {
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
		return none
	}
	return fmt.Sprintf("%s of %s = %s [%.1f–%.1f%%]", count(k), count(n), percent(share(k, n)), 100*i.Low, 100*i.High)
}

// shareOf writes "12 of 14 (85.7%)", and plainly 0 of none.
func shareOf(k, n int) string {
	switch {
	case n == 0:
		return none
	case k == 0:
		return "0 of " + count(n)
	}
	return fmt.Sprintf("%s of %s (%s)", count(k), count(n), percent(share(k, n)))
}

// share is k of n, from 0 to 1; n is not 0.
func share(k, n int) float64 { return float64(k) / float64(n) }

// schemaFailures lists why schemas have no engine. A failure of the grammar is the same for all
// algorithms, and is shown once for a workload.
func (s *Set) schemaFailures() *Table {
	type failure struct {
		workload, who string
		SchemaFailure
	}
	var list []failure
	for _, c := range s.Cells {
		for _, f := range c.Failures {
			who := c.Label
			if s.tokenizers() > 1 {
				who += " on " + c.Tokenizer
			}
			if f.Stage == cell.StageGrammar {
				who = everything
			}
			if !slices.ContainsFunc(list, func(o failure) bool {
				return o.workload == c.Workload && o.who == who && o.Stage == f.Stage && o.Outcome == f.Outcome && o.Reason == f.Reason
			}) {
				list = append(list, failure{c.Workload, who, f})
			}
		}
	}
	return fill(titled("schema-failures").naming(1), list, []figure[failure]{
		text("algorithm", func(f failure) string { return f.who }),
		text("reason", func(f failure) string { return oneLine(f.Reason) }),
	}).orNil()
}

// maxWrong is how many instances with a wrong verdict are listed. The JSON has them all.
const maxWrong = 20

// wrongVerdicts lists the instances with a wrong verdict, but for the order of keys; nil if there
// are none. Algorithms with equal masks have the same list, so a line of an earlier cell is not
// repeated.
func (s *Set) wrongVerdicts() *Table {
	type wrong struct {
		workload string
		WrongVerdict
	}
	var list []wrong
	seen := map[wrong]bool{}
	for _, c := range s.Cells {
		for _, w := range c.Wrong {
			if w := (wrong{c.Workload, w}); w.Verdict != keyOrder && !seen[w] {
				seen[w] = true
				list = append(list, w)
			}
		}
	}
	t := titled("schema-verdicts")
	if len(list) > maxWrong {
		t.Caption = fmt.Sprintf("The first %d of %d. ", maxWrong, len(list)) + t.Caption
	}
	return fill(t, list[:min(maxWrong, len(list))], []figure[wrong]{
		{head: "refused at token", of: func(w wrong) string {
			if w.Verdict == invalidAccepted {
				return none
			}
			return count(w.RefusedAt)
		}},
	}).orNil()
}

// remembered warns, as a part of a sentence, where a schema was compiled several times; "" where
// once.
func (s *Set) remembered() string {
	for _, c := range s.Cells {
		if c.record.ID.Compiles > 1 {
			return ", of which all but the first find what the algorithm kept of the schema (without compiles each is compiled once)"
		}
	}
	return ""
}

// schemaTimes is the table of the time to the first mask.
func (s *Set) schemaTimes() *Table { return each(s, titled("ttfm", s.remembered()), every) }

// slowestTTFM lists the schemas that take longest to the first mask; nil if there are none.
func (s *Set) slowestTTFM() *Table {
	return each(s, titled("slowest-ttfm", shownWords()), func(c *Cell) []SlowSchema { return c.slowestShown(c.SlowestTTFM) }).orNil()
}

// slowestSteps lists the schemas with the longest steps; nil if there are none.
func (s *Set) slowestSteps() *Table {
	return each(s, titled("slowest-tbm", shownWords()).naming(1), func(c *Cell) (list []SlowSchema) {
		for _, pass := range []struct {
			name string
			list []SlowSchema
		}{{stateFirst, c.SlowestCold}, {stateAgain, c.SlowestWarm}} {
			for _, x := range c.slowestShown(pass.list) {
				x.pass = pass.name
				list = append(list, x)
			}
		}
		return list
	}).orNil()
}

// shownShare is the share of a corpus that the tables list as its slowest: the slowest of a few
// schemas say little, and the tables of a first run should fit on a screen. The JSON has more.
const shownShare = 5

// slowestShown are the slowest that the tables list.
func (c *Cell) slowestShown(list []SlowSchema) []SlowSchema {
	return list[:min(len(list), (c.Schemas+shownShare-1)/shownShare)]
}

// shownWords says how many those are.
func shownWords() string { return fmt.Sprintf("at most %d and one in %d", slowest, shownShare) }

// The percentiles of a summary that may be of too few values; NaN then.

func p99(s *stats.Summary) float64  { return stats.Figure(s.P99) }
func p999(s *stats.Summary) float64 { return stats.Figure(s.P999) }
