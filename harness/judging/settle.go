package judging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
)

// settle settles a difference at a position. A brief answer is the first that is found; a thorough
// one comes from several texts. The error is ctx's: the failure of an engine is a finding.
func (h *comparison) settle(ctx context.Context, p *position, d difference, allows string, brief bool) (*settled, error) {
	if err := h.alive(ctx); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, h.opt.Timeout, errTooLong)
	defer cancel()
	c := &question{comparison: h, position: p, difference: d, allows: allows, brief: brief}
	c.found.Document = h.document
	h.until = time.Time{}
	err := c.settle(limited)
	h.died = err != nil || limited.Err() != nil
	var failed *algorithms.ProcessError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
	case limited.Err() != nil:
		c.undecided("no witness within the time limit", h.opt.Timeout.String())
	case errors.As(err, &failed):
		c.undecided("the engine failed", failed.Error())
	default:
		return nil, err
	}
	c.complete()
	for _, s := range c.later {
		one := *c
		one.found = *s
		one.complete()
		h.later = append(h.later, &one.found)
	}
	return &c.found, nil
}

var errTooLong = errors.New("the time limit of a witness is over")

// settled is the answer to a question.
type settled struct {
	judged.Witness
}

// kind is the finding, as it is counted.
func (s *settled) kind() judged.Finding {
	return judged.Finding{Whose: s.Whose, Class: s.Class, Cause: s.Cause}
}

// question is a token at a position that one side allows.
type question struct {
	*comparison
	*position
	difference
	allows string
	brief  bool
	found  settled
	// later are faults of either side that were found after the token.
	later []*settled
}

// is sets the answer.
func (q *question) is(whose string, class judged.Class, cause string) {
	q.found.Whose, q.found.Class, q.found.Cause = whose, class, cause
}

// admits is about a text that one side takes and the judge refuses. Where the judge's two lexers
// differ about it, nobody is wrong.
func (q *question) admits(whose string, v judges.Verdict) {
	class := judged.AdmitsInvalid
	if v.Rule == judges.LexersDiffer {
		class = judged.Convention
	}
	q.is(whose, class, v.Rule)
}

// undecided sets the answer to Undecided.
func (q *question) undecided(cause, why string) {
	q.is("", judged.Undecided, cause)
	q.found.Why = why
}

// settle finds the answer by the kind of the token.
func (q *question) settle(ctx context.Context) error {
	v := q.vocabulary
	switch {
	case v.IsEOS(int(q.token)):
		return q.settleEnd(ctx)
	case !v.Legal(int(q.token)):
		q.is(q.allows, judged.Convention, conventionControl)
		return nil
	case q.allows == judged.Reference:
		return q.settleExcluded(ctx)
	}
	return q.settleAdmitted(ctx)
}

// settleEnd is about EOS: the text is the one before the position.
func (q *question) settleEnd(ctx context.Context) error {
	if q.allows == judged.Engine {
		return q.judgeAdmitted(ctx, q.prefix)
	}
	for _, eos := range q.vocabulary.EOS() {
		if q.engineMask.Has(eos) {
			q.is(judged.Engine, judged.Convention, conventionEnd)
			return nil
		}
	}
	return q.judgeExcluded(ctx, q.text)
}

// settleAdmitted is about a token that only the engine allows: its masks drive it to an end.
func (q *question) settleAdmitted(ctx context.Context) error {
	from, err := q.after(q.engine)
	if err != nil {
		return err
	}
	if from == nil {
		q.is(judged.Engine, judged.DeadEnd, refusesAllowed)
		q.found.WitnessIDs = ints(append(q.prefix[:len(q.prefix):len(q.prefix)], q.token))
		return nil
	}
	var a answers
	var stuck *drive
	var failed error
	err = q.ends(ctx, q.engine, from, func(d drive) bool {
		if d.stuck {
			if stuck == nil {
				stuck = &d
			}
			return true
		}
		failed = a.ask(q, func(one *question) error { return one.judgeAdmitted(ctx, d.ids) })
		return failed == nil && !a.is(judged.ExcludesValid) && (!q.brief || a.is(judged.Undecided))
	})
	if err == nil {
		err = failed
	}
	if a.best != nil || err != nil {
		return a.end(q, err)
	}
	if stuck != nil {
		cause := "the mask becomes empty"
		if stuck.contradicts {
			cause = refusesAllowed
		}
		q.is(judged.Engine, judged.DeadEnd, cause)
		q.found.WitnessIDs = ints(stuck.ids)
		return nil
	}
	q.undecided("the engine was not brought to an end", fmt.Sprintf("%d drives of %d tokens", drives, driveSteps))
	return nil
}

// after is a side after the token; nil if it refuses the token.
func (q *question) after(who *engine) (from algorithms.State, err error) {
	defer algorithms.CatchProcess(&err)
	if who == q.engine {
		if from, err = q.engineAt(q.position); err != nil {
			return nil, err
		}
		from = from.Clone()
	} else if from, err = who.at(q.prefix); err != nil {
		return nil, err
	}
	var refused *algorithms.RefusedError
	if err = from.Commit(int(q.token)); errors.As(err, &refused) {
		return nil, nil
	}
	return from, err
}

// masksDiffer is the cause of a text that a mask of the reference refuses and its grammar takes.
const masksDiffer = "the mask leaves out what its grammar takes"

// judgeAdmitted is about a text of the engine, as tokens, that the reference refuses.
func (q *question) judgeAdmitted(ctx context.Context, ids []int32) error {
	text, err := q.vocabulary.Decode(ids)
	if err != nil {
		return err
	}
	q.witness(text)
	q.found.WitnessIDs = ints(ids)
	verdict, decided := q.ask(ctx, text)
	switch {
	case !decided:
		return nil
	case !verdict.Valid:
		q.admits(judged.Engine, verdict)
		return nil
	}
	stop := q.grammarReads(text)
	if end := len(q.text) + len(q.vocabulary.Token(int(q.token))); stop > len(text) || stop >= end && !q.vocabulary.IsEOS(int(q.token)) {
		q.is(judged.Reference, judged.ExcludesValid, masksDiffer)
		return nil
	}
	cause, spelled, list, err := q.referenceConvention(ctx, text)
	if err != nil {
		return err
	}
	declared := q.declared()
	switch {
	case cause != "" && declared.all(cause):
		q.found.Respelled, q.found.RespelledBytes = string(spelled), spelled
		q.is(judged.Reference, judged.Convention, cause)
		return nil
	case cause != "": // names the spelling that the reference refuses
		q.found.Why = fmt.Sprintf("the same value is taken as %q", spelled)
		q.is(judged.Reference, judged.ExcludesValid, cause)
		return nil
	}
	list = slices.DeleteFunc(list, func(t attempt) bool { return !declared.all(t.cause) })
	return q.refused(ctx, judged.Reference, text, stop, verdict, list)
}

// ask has a text judged. Without a verdict decided is false, and the answer Undecided.
func (q *question) ask(ctx context.Context, text []byte) (v judges.Verdict, decided bool) {
	if q.judge == nil {
		q.undecided("no judge", q.noJudge.Error())
		return v, false
	}
	v, err := q.judge.Judge(ctx, text)
	q.found.Judge, q.found.JudgeVersion = q.judge.Name(), q.judge.Version()
	if err != nil {
		var missing *judges.MissingError
		cause := "the judge has no verdict"
		if errors.As(err, &missing) {
			cause = "no judge"
		}
		q.undecided(cause, err.Error())
		return v, false
	}
	q.found.Verdict = &v
	return v, true
}

// insideCharacter reports whether the token begins or ends inside a character.
func (q *question) insideCharacter() bool {
	token := q.vocabulary.Token(int(q.token))
	return len(token) > 0 && !utf8.RuneStart(token[0]) || len(begunCharacter(token)) > 0
}

// witness sets the text that settles the question.
func (q *question) witness(text []byte) {
	q.found.Witness.Witness, q.found.WitnessBytes = string(text), text
}

// complete fills in the fields of the witness that are about the question.
func (q *question) complete() {
	w := &q.found.Witness
	q.comparison.describe(w)
	w.Position, w.Prefix, w.PrefixIDs = q.index, string(q.text), ints(q.prefix)
	w.Token, w.TokenText = int(q.token), string(q.vocabulary.Token(int(q.token)))
	w.EOS, w.Allows = q.vocabulary.IsEOS(int(q.token)), q.allows
}

// ints are tokens as JSON has them.
func ints(ids []int32) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}
