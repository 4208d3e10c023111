package judging

import (
	"context"
	"errors"
	"slices"

	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
)

// A token that only the reference allows is settled by texts that the reference takes.

// settleExcluded is about a token that only the reference allows. Its texts end with the rest of
// the document, with the reference's shortest completion, with completions that begin differently,
// or with the tokens to which the reference's own masks drive it. A brief answer tries the first of
// these that gives one. The shortest text may show a mere convention where others do not: -0 and -1
// after a minus sign.
func (q *question) settleExcluded(ctx context.Context) error {
	token := q.vocabulary.Token(int(q.token))
	text := slices.Concat(q.text, token)
	var a answers
	found, err := q.endsOfGrammar(ctx, text, func(end []byte) (more bool, err error) {
		err = a.ask(q, func(one *question) error { return one.judgeExcluded(ctx, slices.Concat(text, end)) })
		return !a.is(judged.ExcludesValid) && !q.late() && (!q.brief || a.is(judged.Undecided)), err
	})
	switch {
	case err == nil && !found && a.best == nil:
		q.is(judged.Reference, judged.DeadEnd, "no text ends behind the token")
		return nil
	case err != nil || q.brief && a.best != nil && a.best.Class != judged.Undecided:
		return a.end(q, err)
	}
	from, err := q.after(q.reference)
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

// judgeDriven is about a text to which the reference was driven. If there is an answer already,
// only a fault of the reference counts.
func (q *question) judgeDriven(ctx context.Context, a *answers, text []byte) error {
	if q.judge != nil && a.best != nil && a.best.Class != judged.Undecided {
		if v, err := q.judge.Judge(ctx, text); err != nil || v.Valid {
			return err
		}
	}
	return a.ask(q, func(one *question) error { return one.judgeExcluded(ctx, text) })
}

// refusesAllowed is the cause of a dead end at the token itself.
const refusesAllowed = "it refuses a token that its mask allows"

// endsOfGrammar calls visit with completions of a text by the reference's grammar, until it returns
// false. found is false if the grammar proves that there are none.
func (q *question) endsOfGrammar(ctx context.Context, text []byte, visit func(end []byte) (more bool, err error)) (found bool, err error) {
	after, ok := q.recognizer.Read(q.recognizer.Start(), text)
	if !ok {
		return true, nil // the masks contradict the grammar
	}
	for _, rest := range q.rests(text) {
		if q.recognizer.Check(slices.Concat(text, rest)) != nil {
			continue
		}
		if more, err := visit(rest); !more || err != nil {
			return true, err
		}
		break // one part of the document is enough
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

// shortest is the reference's shortest completion of a state. Where some bytes are avoided and
// there is none, it tries again with all bytes.
func (h *comparison) shortest(ctx context.Context, s recognizer.State) ([]byte, error) {
	end, err := h.completer.Shortest(ctx, s)
	if errors.Is(err, completion.ErrDeadEnd) && len(endings(h.recognizer).Avoid) > 0 {
		end, err = completion.New(h.recognizer, completion.Options{}).Shortest(ctx, s)
	}
	return end.Text, err
}

// otherEnds are some completions of a state that begin differently.
func (h *comparison) otherEnds(ctx context.Context, s recognizer.State) (list [][]byte) {
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

// judgeExcluded is about a text that the reference allows and the engine refuses, at least in these
// tokens.
func (q *question) judgeExcluded(ctx context.Context, text []byte) error {
	q.witness(text)
	verdict, decided := q.ask(ctx, text)
	if decided && !verdict.Valid {
		q.admits(judged.Reference, verdict)
		return nil
	}
	// Only a valid text is respelled.
	cause, list, err := q.engineConvention(ctx, text, decided)
	switch {
	case err != nil:
		return err
	case cause != "":
		q.is(judged.Engine, judged.Convention, cause)
		return nil
	case !decided: // q.found has the cause
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
// refuses the text itself. That byte may be after the token: then the token is a convention, and
// the text after it is excluded. At half a character, or at a key that the object already has,
// others than the validator may call the text invalid.
func (q *question) refused(ctx context.Context, whose string, text []byte, stop int, v judges.Verdict, list []attempt) error {
	beyond, passed, err := q.afterToken(ctx, whose, text, list)
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
	case beyond != nil:
		later(beyond.at)
		q.found = beyond.settled
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
