package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
)

// Questions to judges and grammar, as many at a time as there are judges, and the counting of the
// answers. A question is made from its number when it is asked, so that texts are not kept, and
// whatever follows from the answers follows from their order by number.

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
