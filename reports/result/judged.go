package result

import (
	"cmp"
	"fmt"

	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/reports/show"
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

// Leading counts the positions where a class of one side is the gravest.
func (j *Judged) Leading(whose string, class judged.Class) (n int) {
	for _, f := range j.Findings {
		if f.Whose == whose && f.Class == class {
			n += f.Leading
		}
	}
	return n
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
	if w == nil {
		return nil
	}
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
	all, damaged, err := judged.Read(store.Dir())
	if err != nil {
		return err
	}
	for _, c := range cells {
		if stored := all[c.Key]; stored != nil {
			c.Judged = s.judgedOf(store.Dir(), stored)
		}
	}
	for _, d := range damaged {
		s.warn("%v; 'gcdbench judge %s' judges again what is lost", d, store.Dir())
	}
	s.damaged = s.damaged || len(damaged) > 0
	return nil
}

// judgedOf adds documents up.
func (s *Set) judgedOf(dir string, stored *judged.Cell) *Judged {
	j := &Judged{Reference: stored.Reference, Sum: stored.Sum(), Findings: []JudgedFinding{}}
	for _, f := range j.Sum.Findings {
		found := JudgedFinding{SummedFinding: f}
		if f.Witness != "" {
			w, err := judged.Stored(dir, f.Witness)
			if found.Shown = shownOf(w); err != nil {
				s.warn("%v; it is not shown", err)
			}
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
	text := fmt.Sprintf("after %q: %q", show.Shortened(s.Prefix, 40), cmp.Or(s.Token, "the end"))
	if s.Text != "" {
		text += ", as in " + show.Shortened(s.Text, 60)
	}
	return text
}
