// Package audit compares a grammar with the language that it is written for, by asking the
// language's own parser (package judges).
//
// # What it counts
//
// Each text of a corpus is put to the judge and to the grammar's recognizer, and so are mutants:
// texts with one small change (mutate.go). There are four outcomes, counted by direction:
//
//	valid accepted      both take the text
//	valid refused       the grammar is narrower than the language
//	invalid accepted    the grammar is wider
//	invalid refused     both refuse it
//
// Where the parser takes what its compiler refuses as a matter of syntax (Verdict.Note), a refusal
// by the grammar is counted apart: the text is not in the language that the specification means.
//
// Mutants are made from texts that both take, so that one change decides. Each difference that is
// shown is made small first (shrink.go).
//
// # What bounds it
//
// A judge without a verdict, because it hung or has too little memory, decides nothing; such texts
// are counted apart. A mutant says how the grammar fares one step away from real texts: it is no
// proof about all texts. The share of valid mutants depends on the corpus. Everything follows from
// the seed and the texts, and not from the number of processes.
package audit

import (
	"context"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
)

// Options say what is compared.
type Options struct {
	Grammar  *recognizer.Recognizer
	Language *Language
	// Covers names the version of the language that the grammar covers; "" if it is not known.
	Covers string
	// Judge makes a judge, which the audit closes; it is called once for each of Jobs.
	Judge func() (judges.Judge, error)
	Jobs  int
	// Corpora are counted one by one.
	Corpora []Corpus
	// Mutants is the number of mutants, in turn of the Kinds.
	Mutants int
	Kinds   []Kind
	Seed    uint64
	// Examples is the largest number of examples of a row and a direction.
	Examples int
	// Progress, if set, is told what was done, every few seconds.
	Progress func(message string)
}

// A Row is the counts of a corpus, or of a kind of mutants.
type Row struct {
	Name string `json:"name"`
	// Mutants is whether the row is of mutants.
	Mutants bool `json:"mutants"`
	// Texts is the number of texts that were judged.
	Texts         int `json:"texts"`
	ValidAccepted int `json:"valid_accepted"`
	ValidRefused  int `json:"valid_refused"`
	// CompilerRefuses counts texts that the grammar refuses, the parser takes, and the compiler
	// refuses as a matter of syntax. They are in no other count.
	CompilerRefuses int `json:"compiler_refuses"`
	InvalidAccepted int `json:"invalid_accepted"`
	InvalidRefused  int `json:"invalid_refused"`
	// NoVerdict counts texts without a verdict of the judge; they are not among Texts.
	NoVerdict int `json:"no_verdict"`
	// LeftOut counts texts outside of what the grammar covers, such as SQL's CREATE INDEX.
	LeftOut int `json:"left_out"`
}

// Valid is the number of valid texts.
func (r *Row) Valid() int { return r.ValidAccepted + r.ValidRefused }

// Invalid is the number of invalid texts.
func (r *Row) Invalid() int { return r.InvalidAccepted + r.InvalidRefused }

// A Direction is a way to differ.
type Direction string

// The directions.
const (
	ValidRefused    Direction = "valid refused"
	InvalidAccepted Direction = "invalid accepted"
)

// An Example is a text about which grammar and judge differ.
type Example struct {
	Row       string    `json:"row"`
	Direction Direction `json:"direction"`
	// ID is that of the text, or of the text that was changed; Line is the place of the refusal or
	// of the change, from 1, or 0 if it is not known.
	ID   string `json:"id"`
	Line int    `json:"line"`
	// Text is the text made small.
	Text string `json:"text"`
	// Judge and Grammar say why they refuse the small text; one of them is empty.
	Judge   string `json:"judge"`
	Grammar string `json:"grammar"`
}

// A Result is what an audit found.
type Result struct {
	// Judge and Version identify the judge.
	Judge   string `json:"judge"`
	Version string `json:"version"`
	// Older is whether the judge's version is before the one that the grammar covers: then it knows
	// only what is valid.
	Older    bool      `json:"judge_older"`
	Rows     []*Row    `json:"rows"`
	Examples []Example `json:"examples"`
}

// A Corpus is a list of texts that are counted together.
type Corpus struct {
	Name  string
	Texts []Text
}

// A Text is a text of a corpus.
type Text struct {
	ID   string
	Read func() ([]byte, error)
}

// auditor is an audit that runs.
type auditor struct {
	Options
	judges []judges.Judge
	result *Result
	rows   map[string]*Row
	base   []Text // texts that both take, which mutants are made from
}

// Run compares grammar and language. An error is that of a text that cannot be read, of the judge
// if it is missing (*judges.MissingError), or ctx's.
func Run(ctx context.Context, opt Options) (*Result, error) {
	a := &auditor{Options: opt, result: &Result{Rows: []*Row{}, Examples: []Example{}}, rows: map[string]*Row{}}
	for range max(1, opt.Jobs) {
		j, err := opt.Judge()
		if err != nil {
			return nil, err
		}
		defer j.Close()
		a.judges = append(a.judges, j)
	}
	if err := a.corpora(ctx); err != nil {
		return nil, err
	}
	if err := a.mutants(ctx); err != nil {
		return nil, err
	}
	a.result.Judge, a.result.Version = a.judges[0].Name(), a.judges[0].Version()
	a.result.Older = older(a.result.Version, a.Covers, a.Language.dated)
	return a.result, nil
}

// row is the row of a name, added if there is none.
func (a *auditor) row(name string, mutants bool) *Row {
	r := a.rows[name]
	if r == nil {
		r = &Row{Name: name, Mutants: mutants}
		a.rows[name] = r
		a.result.Rows = append(a.result.Rows, r)
	}
	return r
}

// corpora judges the corpora one after the other.
func (a *auditor) corpora(ctx context.Context) error {
	for _, c := range a.Corpora {
		for _, class := range a.Language.Classes {
			a.row(rowName(c.Name, class), false) // in this order
		}
		q := questions{what: c.Name, n: len(c.Texts), text: func(i int) (question, error) {
			text, err := c.Texts[i].Read()
			return question{row: a.rowOf(c.Name, text), id: c.Texts[i].ID, text: text}, err
		}}
		answers, err := a.ask(ctx, &q)
		if err != nil {
			return err
		}
		for i, answer := range answers {
			if answer.outcome == validAccepted && answer.size > 0 && answer.size <= maxMutated {
				a.base = append(a.base, c.Texts[i])
			}
		}
	}
	return nil
}

// rowName is the name of the row of a corpus and a class of its texts.
func rowName(corpus, class string) string {
	if class == "" {
		return corpus
	}
	return corpus + ", " + class
}

// rowOf is the row of a text; the row leftOut of one that the grammar does not cover.
func (a *auditor) rowOf(corpus string, text []byte) string {
	if a.Language.Class == nil {
		return corpus
	}
	class := a.Language.Class(text)
	if class == "" {
		return leftOut
	}
	return rowName(corpus, class)
}
