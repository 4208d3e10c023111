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
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gcdbench/judges"
	"gcdbench/recognizer"
)

// Options say what is compared.
type Options struct {
	Grammar  *recognizer.Recognizer
	Language *Language
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
	Judge    string    `json:"judge"`
	Version  string    `json:"version"`
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

// leftOut is the row of questions that are not asked.
const leftOut = "-"

// question is a text to ask about.
type question struct {
	row  string
	id   string
	line int // of the change; 0 for none
	text []byte
}

// questions are a list of them, each made when it is asked, by its number.
type questions struct {
	what    string // for progress
	n       int
	mutants bool
	text    func(i int) (question, error)
}

// outcome is a verdict and how the grammar does.
type outcome uint8

const (
	noVerdict outcome = iota
	outside           // not asked
	validAccepted
	validRefused
	compilerRefuses
	invalidAccepted
	invalidRefused
)

// answer is what was found about a question.
type answer struct {
	outcome outcome
	row     string
	size    int // of the text, in bytes
	err     error
}

// ask puts questions to the judges, as many at a time as there are, counts the answers and adds the
// first examples of each direction.
func (a *auditor) ask(ctx context.Context, q *questions) ([]answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers, next := make([]answer, q.n), make(chan int)
	var group sync.WaitGroup
	for _, j := range a.judges {
		group.Go(func() {
			for i := range next {
				if answers[i] = a.answer(ctx, j, q, i); answers[i].err != nil {
					cancel()
				}
			}
		})
	}
	a.feed(ctx, q, next)
	group.Wait()
	for _, answer := range answers { // the first error is that of the lowest number that has one
		if answer.err != nil && !errors.Is(answer.err, context.Canceled) {
			return nil, answer.err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, answer := range answers {
		a.count(q, answer)
	}
	return answers, a.examples(ctx, q, answers)
}

// progressEvery is the time between two messages of progress.
const progressEvery = 5 * time.Second

// feed numbers the questions and tells how far they are.
func (a *auditor) feed(ctx context.Context, q *questions, next chan<- int) {
	defer close(next)
	told := time.Now()
	for i := range q.n {
		if a.Progress != nil && time.Since(told) > progressEvery {
			told = time.Now()
			a.Progress(fmt.Sprintf("%s: %d of %d", q.what, i, q.n))
		}
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}

// answer asks about question i.
func (a *auditor) answer(ctx context.Context, j judges.Judge, q *questions, i int) answer {
	if err := ctx.Err(); err != nil {
		return answer{err: err}
	}
	question, err := q.text(i)
	if err != nil {
		return answer{err: err}
	}
	found := answer{row: question.row, size: len(question.text)}
	if question.row == leftOut {
		found.outcome = outside
		return found
	}
	found.outcome, _, found.err = a.compare(ctx, j, question.text)
	if found.err != nil {
		found.err = fmt.Errorf("%s: %w", question.id, found.err)
	}
	return found
}

// verdicts are what judge and grammar say about a text.
type verdicts struct {
	judge judges.Verdict
	ours  *recognizer.Refusal // nil if the grammar takes it
}

// compare asks judge and grammar about a text. Only a missing judge, a grammar that cannot decide
// and the end of ctx are errors.
func (a *auditor) compare(ctx context.Context, j judges.Judge, text []byte) (outcome, verdicts, error) {
	var v verdicts
	var err error
	if v.judge, err = j.Judge(ctx, text); err != nil {
		var missing *judges.MissingError
		if errors.As(err, &missing) || ctx.Err() != nil {
			return noVerdict, v, err
		}
		return noVerdict, v, nil
	}
	if err := a.Grammar.Check(text); err != nil && !errors.As(err, &v.ours) {
		return noVerdict, v, err
	}
	return v.outcome(), v, nil
}

// outcome compares the verdicts.
func (v *verdicts) outcome() outcome {
	switch {
	case v.judge.Valid && v.ours == nil:
		return validAccepted
	case v.judge.Valid && v.judge.Note != "":
		return compilerRefuses
	case v.judge.Valid:
		return validRefused
	case v.ours == nil:
		return invalidAccepted
	}
	return invalidRefused
}

// count adds an answer to its row. A text that is left out counts in the first row of its corpus.
func (a *auditor) count(q *questions, found answer) {
	if found.outcome == outside {
		a.row(rowName(q.what, a.Language.Classes[0]), false).LeftOut++
		return
	}
	r := a.row(found.row, q.mutants)
	if found.outcome == noVerdict {
		r.NoVerdict++
		return
	}
	r.Texts++
	*map[outcome]*int{
		validAccepted: &r.ValidAccepted, validRefused: &r.ValidRefused, compilerRefuses: &r.CompilerRefuses,
		invalidAccepted: &r.InvalidAccepted, invalidRefused: &r.InvalidRefused,
	}[found.outcome]++
}

// examples shows the first differences of each row and direction, by number.
func (a *auditor) examples(ctx context.Context, q *questions, answers []answer) error {
	type list struct {
		row     string
		outcome outcome
	}
	shown := map[list]int{}
	for i, found := range answers {
		at := list{found.row, found.outcome}
		if found.outcome != validRefused && found.outcome != invalidAccepted || shown[at] == a.Examples {
			continue
		}
		shown[at]++
		question, err := q.text(i)
		if err != nil {
			return err
		}
		example, err := a.example(ctx, question, found.outcome)
		if err != nil {
			return err
		}
		same := func(e Example) bool { return e.Row == example.Row && e.Text == example.Text }
		if slices.ContainsFunc(a.result.Examples, same) {
			shown[at]-- // another with the same cause says nothing new
			continue
		}
		a.result.Examples = append(a.result.Examples, *example)
	}
	return nil
}
