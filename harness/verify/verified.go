package verify

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gcdbench/harness/ask"
	"gcdbench/harness/cell"
	"gcdbench/internal/words"
)

// Verified is the result of Verify for one cell: the line that `verify --json` prints.
type Verified struct {
	Algorithm string               `json:"algorithm"`
	Label     string               `json:"label"`
	Options   map[string]string    `json:"options"`
	Tokenizer string               `json:"tokenizer"`
	Workload  string               `json:"workload"`
	Reference string               `json:"reference"` // "" if it was compared with none
	Outcome   cell.Outcome         `json:"outcome"`
	Outcomes  map[cell.Outcome]int `json:"outcomes"`
	Detail    string               `json:"detail"`
	Compared  int                  `json:"positions_compared"` // with any reference
	// ComparedWith has the positions by the label of the reference; a position may count for two.
	ComparedWith map[string]int `json:"positions_compared_with"`
	Masks        int            `json:"masks"`

	Positives       int `json:"positives"`
	PositivesPassed int `json:"positives_passed"`
	Negatives       int `json:"negatives"`
	NegativesPassed int `json:"negatives_passed"`

	*VerifiedSchemas // nil but for schema corpora

	Difference *ask.Difference `json:"difference"` // the first wrong mask, made small; null without one
}

// Verification is the result of Verify.
type Verification struct {
	Cells   []*Verified
	Seconds float64
}

// Failed counts the cells with an outcome that is a failure (exit status 1).
func (v *Verification) Failed() int {
	n := 0
	for _, c := range v.Cells {
		if c.Outcome.Failure() {
			n++
		}
	}
	return n
}

// Compared is how many masks were compared with a reference.
func (v *Verification) Compared() int {
	n := 0
	for _, c := range v.Cells {
		n += c.Compared
	}
	return n
}

// comparedWithNone is the reason why the masks of a cell were not compared. A corpus of schemas
// without a mask is no failure, but should not look like a success.
func (c *Verified) comparedWithNone() string {
	switch s := c.VerifiedSchemas; {
	case c.Masks > 0:
		return "(the reference)"
	case s != nil && s.Compiled == 0:
		return "nothing: no schema compiled"
	case s != nil && s.Tested == 0:
		return "nothing: no schema has instances"
	}
	return "nothing"
}

// comparedWithText says how many masks were compared with those of which reference; "" of none.
func comparedWithText(with map[string]int) string {
	var list []string
	for _, label := range slices.Sorted(maps.Keys(with)) {
		list = append(list, fmt.Sprintf("%s (%d)", label, with[label]))
	}
	return strings.Join(list, ", ")
}

// WriteText writes a line for each cell, the wrong masks, and the sum.
func (v *Verification) WriteText(w io.Writer) error {
	var b strings.Builder
	labels, workloads, tokenizers := len("algorithm"), len("workload"), len("tokenizer")
	for _, c := range v.Cells {
		labels, workloads, tokenizers = max(labels, len(c.Label)), max(workloads, len(c.Workload)), max(tokenizers, len(c.Tokenizer))
	}
	line := fmt.Sprintf("%%-%ds  %%-%ds  %%-%ds  %%10s  %%10s  %%10s  %%-14s  %%s\n", workloads, tokenizers, labels)
	fmt.Fprintf(&b, line, "workload", "tokenizer", "algorithm", "positives", "negatives", "compared", "outcome", "with")
	for _, c := range v.Cells {
		with, compared := comparedWithText(c.ComparedWith), fmt.Sprint(c.Compared)
		if with == "" {
			with, compared = c.comparedWithNone(), "-"
		}
		fmt.Fprintf(&b, line, c.Workload, c.Tokenizer, c.Label,
			fmt.Sprintf("%d/%d", c.PositivesPassed, c.Positives), fmt.Sprintf("%d/%d", c.NegativesPassed, c.Negatives),
			compared, string(c.Outcome), with)
	}
	if err := errors.Join(v.writeSchemas(&b), verifiedText.Execute(&b, v)); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

//go:embed verified.txt
var verifiedFile string

var verifiedText = words.Template(verifiedFile)
