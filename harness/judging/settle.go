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
	// later are faults that were found behind the token, of either side.
	later []*settled
}

// behindToken marks the cause of a fault that was found behind the token.
const behindToken = ", behind the token"

// isLater notes a fault behind the token.
func (q *question) isLater(s settled) {
	s.Cause += behindToken
	q.later = append(q.later, &s)
}

// answers are those of several texts about one token.
type answers struct {
	best *settled // the one that says most about the token, the shortest text of it
	all  []*settled
}

// ask adds the answer that judge gives, as a question of its own.
func (a *answers) ask(q *question, judge func(one *question) error) error {
	one := *q
	one.found, one.later = settled{}, nil
	one.found.Document = q.document
	err := judge(&one)
	q.later = append(q.later, one.later...)
	if err != nil {
		return err
	}
	a.all = append(a.all, &one.found)
	if a.best == nil || one.found.better(a.best) {
		a.best = &one.found
	}
	return nil
}

// is reports whether the best answer is of a class.
func (a *answers) is(class judged.Class) bool { return a.best != nil && a.best.Class == class }

// end makes the best answer the question's. If there is one, err, which ended the search for more,
// does not matter. A text that is invalid although another one with the token is valid has gone wrong
// behind the token.
func (a *answers) end(q *question, err error) error {
	if a.best == nil || err != nil && a.best.Class == judged.Undecided {
		return err
	}
	q.found = *a.best
	for _, s := range a.all {
		if s.Class == judged.AdmitsInvalid && q.found.Class != judged.AdmitsInvalid && q.found.Class != judged.Undecided {
			q.isLater(*s)
		}
	}
	return nil
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

// settleExcluded is about a token that only the reference allows. Ends that make a text of it are the
// rest of the document, the reference's shortest, some others that begin differently, and what the
// reference is driven to by its own masks. Others than the first are asked for a thorough answer
// only, or where the first is no answer: the shortest may be a mere convention where others are not
// (-0 and -1 behind a minus sign).
func (q *question) settleExcluded(ctx context.Context) error {
	token := q.vocabulary.Token(int(q.token))
	text := slices.Concat(q.text, token)
	var a answers
	found, err := q.endsOfGrammar(ctx, text, func(end []byte) (more bool, err error) {
		err = a.ask(q, func(one *question) error { return one.judgeExcluded(ctx, slices.Concat(text, end)) })
		return !a.is(judged.ExcludesValid) && (!q.brief || a.is(judged.Undecided)), err
	})
	switch {
	case err == nil && !found && a.best == nil:
		q.is(judged.Reference, judged.DeadEnd, "no text ends behind the token")
		return nil
	case err != nil || q.brief && a.best != nil && a.best.Class != judged.Undecided:
		return a.end(q, err)
	}
	from, err := q.behind(q.reference)
	if err == nil && from == nil {
		q.is(judged.Reference, judged.DeadEnd, refusesAllowed)
		q.found.WitnessIDs = ints(append(q.prefix[:len(q.prefix):len(q.prefix)], q.token))
		return nil
	}
	if err == nil {
		err = q.ends(ctx, q.reference, from, func(d drive) bool {
			if d.ended {
				err = q.judgeDriven(ctx, &a, q.textOf(d.ids))
			}
			return err == nil
		})
	}
	if a.best == nil && err == nil {
		q.undecided("no completion found", "neither by the grammar nor by the masks")
	}
	return a.end(q, err)
}

// judgeDriven is about a text that the reference was driven to. Where there is an answer already, it
// is looked at for a fault of the reference alone.
func (q *question) judgeDriven(ctx context.Context, a *answers, text []byte) error {
	if q.judge != nil && a.best != nil && a.best.Class != judged.Undecided {
		if v, err := q.judge.Judge(ctx, text); err != nil || v.Valid {
			return err
		}
	}
	return a.ask(q, func(one *question) error { return one.judgeExcluded(ctx, text) })
}

// refusesAllowed is the cause of a dead end at once.
const refusesAllowed = "it refuses a token that its mask allows"

// endsOfGrammar calls visit with ends that the reference's grammar has for a text, until it returns
// false. found is false if the grammar has none, which is proof.
func (q *question) endsOfGrammar(ctx context.Context, text []byte, visit func(end []byte) (more bool, err error)) (found bool, err error) {
	after, ok := q.recognizer.Read(q.recognizer.Start(), text)
	if !ok {
		return true, nil // its masks are not its grammar's
	}
	for _, rest := range q.rests(text) {
		if q.recognizer.Check(slices.Concat(text, rest)) != nil {
			continue
		}
		if more, err := visit(rest); !more || err != nil {
			return true, err
		}
		break // of one document
	}
	end, err := q.shortest(ctx, after)
	var limit *completion.LimitError
	switch {
	case errors.Is(err, completion.ErrDeadEnd):
		return false, nil
	case errors.As(err, &limit):
		return true, nil // a drive may find one
	case err != nil:
		return true, err
	}
	if more, err := visit(end); !more || err != nil {
		return true, err
	}
	for _, end := range q.otherEnds(ctx, after) {
		if more, err := visit(end); !more || err != nil {
			return true, err
		}
	}
	return true, nil
}

// shortest is the reference's shortest end of a state. That there is none is no proof as long as some
// bytes are avoided.
func (h *hearing) shortest(ctx context.Context, s recognizer.State) ([]byte, error) {
	end, err := h.completer.Shortest(ctx, s)
	if errors.Is(err, completion.ErrDeadEnd) && len(endings(h.recognizer).Avoid) > 0 {
		end, err = completion.New(h.recognizer, completion.Options{}).Shortest(ctx, s)
	}
	return end.Text, err
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
	// Another spelling says something of a valid text only.
	cause, list, err := q.engineConvention(ctx, text, decided)
	switch {
	case err != nil:
		return err
	case cause != "":
		q.is(judged.Engine, judged.Convention, cause)
		return nil
	case !decided: // the cause is in q.found already
		return nil
	}
	stop := len(q.text)
	for _, t := range list {
		if t.cause == conventionTokens { // the text itself
			stop = max(stop, t.read)
		}
	}
	return q.refused(ctx, judged.Engine, text, stop, verdict, list)
}

// refused is about a valid text that a side refuses in every spelling; stop is the byte at which it
// refuses the text itself. It may be a byte behind the token: then the token is a convention, and what
// comes behind it is excluded. If that is half a character, or a key that the object has, others than
// the validator may call the text invalid.
func (q *question) refused(ctx context.Context, whose string, text []byte, stop int, v judges.Verdict, list []attempt) error {
	behind, passed, err := q.past(ctx, whose, text, list)
	noted := noteAt(v, text, stop)
	later := func(at int) {
		if v.Note == "" {
			fault := q.found
			fault.Whose, fault.Class, fault.Cause = whose, judged.ExcludesValid, q.where(text, at)
			q.isLater(fault)
		}
	}
	switch {
	case err != nil:
		return err
	case behind != nil:
		later(behind.at)
		q.found = behind.settled
	case passed > 0:
		q.is(whose, judged.ExcludesValid, q.where(text, passed)+behindToken)
	case noted != "":
		q.is(whose, judged.Convention, noted)
	case v.Note != "":
		q.undecided("only texts with "+v.Note+" were found", "")
	default:
		q.is(whose, judged.ExcludesValid, q.where(text, stop))
	}
	return nil
}

// settleAdmitted is about a token that only the engine allows: the engine is driven to an end.
func (q *question) settleAdmitted(ctx context.Context) error {
	from, err := q.behind(q.engine)
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

// better orders answers about one token: a valid text says more about it than an invalid one, which
// may have gone wrong later, and one that others may call invalid says less than one that nobody does.
func (s *settled) better(o *settled) bool {
	rank := func(s *settled) int {
		order := []judged.Class{judged.Undecided, judged.AdmitsInvalid, judged.Convention, judged.ExcludesValid}
		n := 2 * slices.Index(order, s.Class)
		if s.Cause == conventionTwice || s.Cause == conventionSurrogate {
			n--
		}
		return n
	}
	if a, b := rank(s), rank(o); a != b {
		return a > b
	}
	return len(s.WitnessBytes) < len(o.WitnessBytes)
}

// behind is a side behind the token, nil if it refuses it.
func (q *question) behind(who *contestant) (from algorithms.State, err error) {
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

// masksDiffer is the cause of what a mask of the reference refuses and its grammar does not.
const masksDiffer = "the mask leaves out what its grammar takes"

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
	case cause != "": // the cause names the spelling that it refuses
		q.found.Why = fmt.Sprintf("the same value is taken as %q", spelled)
		q.is(judged.Reference, judged.ExcludesValid, cause)
		return nil
	}
	list = slices.DeleteFunc(list, func(t attempt) bool { return !declared.all(t.cause) })
	return q.refused(ctx, judged.Reference, text, stop, verdict, list)
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
	return len(token) > 0 && !utf8.RuneStart(token[0]) || len(begunCharacter(token)) > 0
}

// where says at what byte a valid text is refused.
func (q *question) where(text []byte, at int) string {
	if at >= len(text) {
		return "the end"
	}
	b := text[at]
	class := classOf(b)
	if q.order == nil {
		if class > ' ' && class < 0x7F && class != '0' {
			return "punctuation"
		}
		return class.String()
	}
	place := jsonPlace(text[:at])
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
