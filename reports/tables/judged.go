package tables

import (
	"gcdbench/harness/judged"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// verdictColumns are the classes of both sides, in the order of tables.
var verdictColumns = []struct {
	head, whose string
	class       judged.Class
}{
	{"engine admits invalid", judged.Engine, judged.AdmitsInvalid},
	{"engine excludes valid", judged.Engine, judged.ExcludesValid},
	{"engine dead end", judged.Engine, judged.DeadEnd},
	{"engine's convention", judged.Engine, judged.Convention},
	{"ours admits invalid", judged.Reference, judged.AdmitsInvalid},
	{"ours excludes valid", judged.Reference, judged.ExcludesValid},
	{"our dead end", judged.Reference, judged.DeadEnd},
	{"our convention", judged.Reference, judged.Convention},
	{"undecided", "", judged.Undecided},
}

// judgedTable counts positions by class; nil if nothing was judged.
func judgedTable(s *result.Set) *document.Table {
	of := document.PartOf(func(c *result.Cell) *result.Judged { return c.Judged })
	var verdicts []document.Figure[*result.Cell]
	for _, v := range verdictColumns {
		verdicts = append(verdicts, of(v.head, func(j *result.Judged) string { return leadingShare(j, v.whose, v.class) }))
	}
	return each(s, document.Titled("judged"),
		where(func(c *result.Cell) bool { return c.Judged != nil }), []document.Figure[*result.Cell]{
			of("identical", func(j *result.Judged) string { return show.ShareOf(j.Compared-j.Differ, j.Compared) }),
		}, verdicts, []document.Figure[*result.Cell]{
			of("any undecided", func(j *result.Judged) string { return undecidedShare(j, j.Undecided) }),
			document.Worded("looked at", func(c *result.Cell) string { return c.Judged.Sample() }),
		}).OrNil()
}

// leadingShare is Judged.Leading, as text.
func leadingShare(j *result.Judged, whose string, class judged.Class) string {
	n := j.Leading(whose, class)
	if class == judged.Undecided {
		return undecidedShare(j, n)
	}
	return show.Count(n)
}

// undecidedShare is a number of the positions that were judged, with its share where there are any.
func undecidedShare(j *result.Judged, n int) string {
	if n == 0 {
		return show.Count(0)
	}
	return show.ShareOf(n, j.Judged)
}

// judgedShown is how many causes of a cell and class the table of causes lists; the JSON has all.
const judgedShown = 4

// causesTable lists the most frequent causes of each class, with their shortest witnesses; nil if
// nothing was judged.
func causesTable(s *result.Set) *document.Table {
	causes := func(c *result.Cell) []result.JudgedFinding {
		if c.Judged == nil {
			return nil
		}
		return shown(c.Judged)
	}
	whose := map[string]string{judged.Engine: "engine", judged.Reference: "ours"}
	return each(s, document.Titled("judged-causes", judgedShown), causes, []document.Figure[result.JudgedFinding]{
		document.Worded("whose", func(f result.JudgedFinding) string { return whose[f.Whose] }),
		document.Worded("witness", func(f result.JudgedFinding) string { return f.Shown.String() }),
		document.Worded("file", func(f result.JudgedFinding) string { return show.Shortened(f.Witness, 16) }),
	}).OrNil()
}

// shown are the causes that the table lists.
func shown(j *result.Judged) (list []result.JudgedFinding) {
	type kind struct {
		whose string
		class judged.Class
	}
	listed := map[kind]int{}
	for _, f := range j.Findings {
		k := kind{f.Whose, f.Class}
		if listed[k]++; listed[k] <= judgedShown {
			list = append(list, f)
		}
	}
	return list
}
