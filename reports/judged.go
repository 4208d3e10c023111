package reports

import (
	"cmp"
	"fmt"

	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
)

// The findings of `gcdbench judge DIR` about the masks of engines from outside. A mask that differs
// from the contract's is not wrong by that alone: a witness, which everyone can check, shows which
// side is right.

// Judged are the differences between a cell's masks and those of the contract.
type Judged struct {
	// Reference is the key of the cell of the contract that it was judged with.
	Reference string `json:"reference"`
	// Counts over all documents, judged or not, the limits of the judgement, and what was judged.
	judged.Sum
	Findings []JudgedFinding `json:"findings"` // the gravest first
}

// A JudgedFinding counts the differences of one kind.
type JudgedFinding struct {
	judged.SummedFinding
	Shown *Shown `json:"shown,omitempty"` // what the file of its witness says; null without one
}

// Shown is a witness as a reader needs it: the place where the masks part, the text that settles
// it, and what the judge says of that text.
type Shown struct {
	Document string `json:"document"`
	Prefix   string `json:"prefix"`
	Token    string `json:"token"`  // "" of the end of text
	Allows   string `json:"allows"` // who allows the token: engine or reference
	Text     string `json:"text,omitempty"`
	Judge    string `json:"judge,omitempty"`
	Valid    *bool  `json:"valid"` // null if nobody judged the text
	Reason   string `json:"reason,omitempty"`
}

// shownOf is a witness for readers.
func shownOf(w *judged.Witness) *Shown {
	s := &Shown{Document: w.Document, Prefix: w.Prefix, Token: w.TokenText, Allows: w.Allows, Text: w.Witness, Judge: w.Judge, Reason: w.Why}
	if w.EOS {
		s.Token = ""
	}
	if v := w.Verdict; v != nil {
		s.Valid, s.Reason = &v.Valid, cmp.Or(v.Why, w.Why)
	}
	return s
}

// readJudged reads the findings about the cells of a directory.
func (s *Set) readJudged(store *cell.Store, cells []*Cell) error {
	all, err := judged.Read(store.Dir())
	if err != nil {
		return err
	}
	for _, c := range cells {
		if stored := all[c.Key]; stored != nil {
			c.Judged = judgedOf(store.Dir(), stored)
		}
	}
	return nil
}

// judgedOf adds documents up.
func judgedOf(dir string, stored *judged.Cell) *Judged {
	j := &Judged{Reference: stored.Reference, Sum: stored.Sum(), Findings: []JudgedFinding{}}
	for _, f := range j.Sum.Findings {
		found := JudgedFinding{SummedFinding: f}
		if w, err := judged.ReadWitness(judged.Path(dir, f.Witness)); f.Witness != "" && err == nil {
			found.Shown = shownOf(w)
		}
		j.Findings = append(j.Findings, found)
	}
	return j
}

// String is the witness on a line; "" without one.
func (s *Shown) String() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("after %q: %q", shortened(s.Prefix, 40), cmp.Or(s.Token, "the end"))
	if s.Text != "" {
		text += ", as in " + shortened(s.Text, 60)
	}
	return text
}

// shortened keeps the end of a text that is long.
func shortened(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return "..." + string(r[len(r)-most:])
}

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
func (s *Set) judgedTable() *Table {
	of := partOf(func(c *Cell) *Judged { return c.Judged })
	var verdicts []figure[*Cell]
	for _, v := range verdictColumns {
		verdicts = append(verdicts, of(v.head, func(j *Judged) string { return j.leadingShare(v.whose, v.class) }))
	}
	return each(s, titled("judged"),
		where(func(c *Cell) bool { return c.Judged != nil }), []figure[*Cell]{
			of("identical", func(j *Judged) string { return shareOf(j.Compared-j.Differ, j.Compared) }),
		}, verdicts, []figure[*Cell]{
			of("any undecided", func(j *Judged) string { return j.undecidedShare(j.Undecided) }),
			text("looked at", func(c *Cell) string { return c.Judged.Sample() }),
		}).orNil()
}

// leadingShare is leading, as text.
func (j *Judged) leadingShare(whose string, class judged.Class) string {
	n := j.leading(whose, class)
	if class == judged.Undecided {
		return j.undecidedShare(n)
	}
	return count(n)
}

// undecidedShare is a number of the positions that were judged, with its share where there are any.
func (j *Judged) undecidedShare(n int) string {
	if n == 0 {
		return count(0)
	}
	return shareOf(n, j.Judged)
}

// leading counts the positions where a class of one side is the gravest.
func (j *Judged) leading(whose string, class judged.Class) int {
	n := 0
	for _, f := range j.Findings {
		if f.Whose == whose && f.Class == class {
			n += f.Leading
		}
	}
	return n
}

// judgedShown is how many causes of a cell and class the table of causes lists; the JSON has all.
const judgedShown = 4

// causesTable lists the most frequent causes of each class, with their shortest witnesses; nil if
// nothing was judged.
func (s *Set) causesTable() *Table {
	causes := func(c *Cell) []JudgedFinding {
		if c.Judged == nil {
			return nil
		}
		return c.Judged.shown()
	}
	whose := map[string]string{judged.Engine: "engine", judged.Reference: "ours"}
	return each(s, titled("judged-causes", judgedShown), causes, []figure[JudgedFinding]{
		text("whose", func(f JudgedFinding) string { return whose[f.Whose] }),
		text("witness", func(f JudgedFinding) string { return f.Shown.String() }),
		text("file", func(f JudgedFinding) string { return shortened(f.Witness, 16) }),
	}).orNil()
}

// shown are the causes that the table lists.
func (j *Judged) shown() (list []JudgedFinding) {
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
