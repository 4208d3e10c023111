package judging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/harness/judged"
	"gcdbench/judges"
	"gcdbench/recognizer"
	"gcdbench/recognizer/completion"
)

// settle finds out what a difference at a position comes to. A brief answer is the first that is
// found, others look for a text that says more about the token. The error is ctx's; that an engine
// failed, or nobody knows, is a finding.
func (h *hearing) settle(ctx context.Context, p *position, d difference, allows string, brief bool) (*settled, error) {
	if err := h.alive(ctx); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, h.opt.Timeout, errTooLong)
	defer cancel()
	c := &question{hearing: h, position: p, difference: d, allows: allows, brief: brief}
	c.found.Document = h.document
	err := c.settle(limited)
	h.died = err != nil || limited.Err() != nil
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		c.undecided("no witness within the time limit", h.opt.Timeout.String())
	case err != nil:
		var failed *algorithms.ProcessError
		if !errors.As(err, &failed) {
			return nil, err
		}
		c.undecided("the engine failed", failed.Error())
	}
	c.complete()
	return &c.found, nil
}

var errTooLong = errors.New("the time limit of a witness is over")

// settled is what a difference comes to.
type settled struct {
	judged.Witness
}

// kind is what is counted.
func (s *settled) kind() judged.Finding {
	return judged.Finding{Whose: s.Whose, Class: s.Class, Cause: s.Cause}
}

// question is a token at a position that one side allows.
type question struct {
	*hearing
	*position
	difference
	allows string
	brief  bool
	found  settled
}

// is notes the answer.
func (q *question) is(whose string, class judged.Class, cause string) {
	q.found.Whose, q.found.Class, q.found.Cause = whose, class, cause
}

// undecided notes that there is none.
func (q *question) undecided(cause, why string) {
	q.is("", judged.Undecided, cause)
	q.found.Why = why
}

// settle asks everybody.
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

// settleEnd is about EOS: the text is what was read so far.
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

// settleExcluded is about a token that only the reference allows: the reference's shortest end
// makes a text of it. The shortest may be a mere convention where others are not (-0 and -1 behind
// a minus sign), so then some others are tried.
func (q *question) settleExcluded(ctx context.Context) error {
	token := q.vocabulary.Token(int(q.token))
	after, ok := q.recognizer.Read(q.state, token)
	if !ok {
		q.undecided("the reference's mask is not its grammar's", "")
		return nil
	}
	end, err := q.completer.Shortest(ctx, after)
	var limit *completion.LimitError
	switch {
	case errors.Is(err, completion.ErrDeadEnd):
		q.is(judged.Reference, judged.DeadEnd, "no text ends behind the token")
		return nil
	case errors.As(err, &limit):
		q.undecided("no completion found", err.Error())
		return nil
	case err != nil:
		return err
	}
	text := slices.Concat(q.text, token)
	if err := q.judgeExcluded(ctx, slices.Concat(text, end.Text)); err != nil || q.brief || q.found.Class != judged.Convention {
		return err
	}
	for _, more := range q.otherEnds(ctx, after) {
		one := *q
		if err := one.judgeExcluded(ctx, slices.Concat(text, more)); err != nil {
			return err
		}
		if one.found.Class == judged.ExcludesValid {
			q.found = one.found
			return nil
		}
	}
	return nil
}

// otherEnds are some completions of a state that begin differently.
func (h *hearing) otherEnds(ctx context.Context, s recognizer.State) (list [][]byte) {
	const most = 3
	for _, b := range []byte(`1a7 ",-}`) {
		next, ok := h.recognizer.Read(s, []byte{b})
		if !ok {
			continue
		}
		if c, err := h.completer.Shortest(ctx, next); err == nil {
			list = append(list, append([]byte{b}, c.Text...))
		}
		if len(list) == most {
			break
		}
	}
	return list
}

// judgeExcluded is about a text that the reference allows and the engine does not, at least not in
// these tokens.
func (q *question) judgeExcluded(ctx context.Context, text []byte) error {
	q.witness(text)
	verdict, decided := q.ask(ctx, text)
	if decided && !verdict.Valid {
		q.is(judged.Reference, judged.AdmitsInvalid, verdict.Rule)
		return nil
	}
	cause, err := q.engineConvention(ctx, text)
	switch {
	case err != nil:
		return err
	case cause != "":
		q.is(judged.Engine, judged.Convention, cause)
	case !decided: // the cause is in q.found already
	case verdict.Note == judges.RepeatedKey:
		q.is(judged.Engine, judged.Convention, conventionTwice)
	default:
		q.is(judged.Engine, judged.ExcludesValid, q.where())
	}
	return nil
}

// settleAdmitted is about a token that only the engine allows: the engine is driven to an end.
func (q *question) settleAdmitted(ctx context.Context) error {
	from, err := q.behind()
	if err != nil {
		return err
	}
	if from == nil {
		q.is(judged.Engine, judged.DeadEnd, "it refuses a token that its mask allows")
		q.found.WitnessIDs = ints(append(q.prefix[:len(q.prefix):len(q.prefix)], q.token))
		return nil
	}
	var best *settled // the gravest answer so far, the shortest text of it
	var stuck *drive
	var failed error
	err = q.ends(ctx, from, func(d drive) bool {
		if d.stuck {
			if stuck == nil {
				stuck = &d
			}
			return true
		}
		one := *q
		if failed = one.judgeAdmitted(ctx, d.ids); failed != nil {
			return false
		}
		if best == nil || one.found.better(best) {
			best = &one.found
		}
		return !q.brief && (best.Class == judged.AdmitsInvalid || best.Class == judged.Convention)
	})
	switch {
	case failed != nil:
		return failed
	case best != nil && best.Class != judged.Undecided:
		q.found = *best
		return nil
	case err != nil:
		return err
	case best != nil:
		q.found = *best
		return nil
	case stuck != nil:
		cause := "the mask becomes empty"
		if stuck.contradicts {
			cause = "it refuses a token that its mask allows"
		}
		q.is(judged.Engine, judged.DeadEnd, cause)
		q.found.WitnessIDs = ints(stuck.ids)
		return nil
	}
	q.undecided("the engine was not brought to an end", fmt.Sprintf("%d drives of %d tokens", drives, driveSteps))
	return nil
}

// better orders answers about one token: a valid text says more about it than an invalid one, which
// may have gone wrong later.
func (s *settled) better(o *settled) bool {
	order := []judged.Class{judged.Undecided, judged.AdmitsInvalid, judged.Convention, judged.ExcludesValid}
	if a, b := slices.Index(order, s.Class), slices.Index(order, o.Class); a != b {
		return a > b
	}
	return len(s.WitnessBytes) < len(o.WitnessBytes)
}

// behind is the engine behind the token, nil if it refuses it.
func (q *question) behind() (from algorithms.State, err error) {
	defer algorithms.CatchProcess(&err)
	from, err = q.engineAt(q.position)
	if err != nil {
		return nil, err
	}
	from = from.Clone()
	var refused *algorithms.RefusedError
	if err = from.Commit(int(q.token)); errors.As(err, &refused) {
		return nil, nil
	}
	return from, err
}

// judgeAdmitted is about a text that the engine ended, as tokens, and the reference refuses.
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
		q.is(judged.Engine, judged.AdmitsInvalid, verdict.Rule)
		return nil
	}
	cause, spelled, err := q.referenceConvention(ctx, text)
	switch {
	case err != nil:
		return err
	case cause != "":
		q.found.Respelled, q.found.RespelledBytes = string(spelled), spelled
		q.is(judged.Reference, judged.Convention, cause)
	case verdict.Note == judges.RepeatedKey:
		q.is(judged.Reference, judged.Convention, conventionTwice)
	default:
		q.is(judged.Reference, judged.ExcludesValid, q.where())
	}
	return nil
}

// ask has a text judged. decided is false, and the reason noted, if there is no verdict.
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
	begins := len(token) > 0 && !utf8.RuneStart(token[0])
	return begins || endsInside(token)
}

// endsInside reports whether bytes end in the middle of a character.
func endsInside(text []byte) bool {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			return !utf8.FullRune(tail)
		}
	}
	return false
}

// where says at what a valid text is refused.
func (q *question) where() string {
	token := q.vocabulary.Token(int(q.token))
	if q.vocabulary.IsEOS(int(q.token)) || q.at >= len(token) {
		return "the end"
	}
	b := token[q.at]
	class := classOf(b)
	if q.order == nil {
		if class > ' ' && class < 0x7F && class != '0' {
			return "punctuation"
		}
		return class.String()
	}
	place := jsonPlace(slices.Concat(q.text, token[:q.at]))
	switch {
	case place != inAString:
		return place + ": " + class.String()
	case b == '"':
		return "the end of a string"
	case b == '\\':
		return "an escape"
	case b < ' ' || b == 0x7F:
		return place + ": " + class.String()
	}
	return "a character of a string" // which one is seldom the reason
}

// inAString is what jsonPlace says of characters.
const inAString = "a string"

// jsonPlace says where in a JSON text its end is.
func jsonPlace(text []byte) string {
	quoted, escape := false, false
	number := false
	for _, c := range text {
		switch {
		case escape:
			escape = false
		case quoted && c == '\\':
			escape = true
		case c == '"':
			quoted, number = !quoted, false
		case !quoted:
			number = c >= '0' && c <= '9' || c == '-' || number && (c == '.' || c|' ' == 'e' || c == '+')
		}
	}
	switch {
	case escape:
		return "an escape"
	case quoted:
		return inAString
	case number:
		return "a number"
	}
	return "between values"
}

// witness notes the text that settles the question.
func (q *question) witness(text []byte) {
	q.found.Witness.Witness, q.found.WitnessBytes = string(text), text
}

// complete fills in what the witness has of the question itself.
func (q *question) complete() {
	w := &q.found.Witness
	q.hearing.describe(w)
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
