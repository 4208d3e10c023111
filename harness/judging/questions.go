package judging

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/words"
)

// The questions of a replay: what the class of a witness rests on is asked again.

// says notes an answer.
func (r *replay) says(who, question, answer, expected string) {
	r.report.Answers = append(r.report.Answers, Reply{who, question, answer, expected})
	r.report.Reproduced = r.report.Reproduced && answer == expected
}

// yes is a yes or a no.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// askAll asks what the class of the witness rests on.
func (r *replay) askAll(ctx context.Context) error {
	prefix := int32s(r.PrefixIDs)
	if err := r.askToken(ctx, prefix); err != nil {
		return err
	}
	if err := r.askJudge(ctx); err != nil {
		return err
	}
	switch {
	case r.Class == judged.DeadEnd && r.Whose == judged.Engine:
		return r.askStuck(ctx)
	case r.Class == judged.DeadEnd:
		return r.askCompletion(ctx, prefix)
	case r.Class == judged.Undecided, r.Verdict == nil && r.RespelledBytes == nil:
		return nil
	}
	if err := r.askText(ctx, prefix); err != nil {
		return err
	}
	return r.askClass(ctx, prefix)
}

// askToken asks both engines whether the token may follow.
func (r *replay) askToken(ctx context.Context, prefix []int32) error {
	question := fmt.Sprintf("may token %d %q follow %q?", r.Token, r.TokenText, r.Prefix)
	if r.EOS {
		question = fmt.Sprintf("may the text end after %q (token %d)?", r.Prefix, r.Token)
	}
	for _, c := range []struct {
		*engine
		side string
	}{{r.engine, judged.Engine}, {r.reference, judged.Reference}} {
		masks, err := c.masks(ctx, append(prefix[:len(prefix):len(prefix)], int32(r.Token)), []uint32{uint32(len(prefix))})
		if err != nil {
			return err
		}
		answer := "it refuses what comes before"
		if len(masks) == 1 {
			answer = yes(masks[0].Has(r.Token))
			r.masks[c.side] = masks[0]
		}
		r.says(c.name(), question, answer, yes(r.Allows == c.side))
	}
	return nil
}

// name is the label and the version.
func (c *engine) name() string { return c.Label + " (" + c.Version + ")" }

// askJudge asks for the verdict on the text.
func (r *replay) askJudge(ctx context.Context) error {
	if r.Verdict == nil {
		return nil
	}
	j, err := judges.For(languageOf(r.source), r.opt.Judges)
	if err != nil {
		return err
	}
	r.judge = j
	r.done = append(r.done, j.Close)
	v, err := j.Judge(ctx, r.WitnessBytes)
	if err != nil {
		return err
	}
	said := func(v judges.Verdict) string {
		if v.Valid {
			return strings.TrimSuffix("valid, "+v.Note, ", ")
		}
		return "invalid: " + v.Rule
	}
	r.compare(r.Judge, r.JudgeVersion, j.Version())
	r.says(j.Name()+" ("+j.Version()+")", fmt.Sprintf("is %q valid?", r.Witness.Witness), said(v), said(*r.Verdict))
	return nil
}

// askText asks which side takes the text. If only the engine allows the token, it is asked for the
// tokens that it generated.
func (r *replay) askText(ctx context.Context, prefix []int32) error {
	takers, refusers := r.engine, r.reference
	tokens := int32s(r.WitnessIDs)
	if r.Allows == judged.Reference {
		takers, refusers = r.reference, r.engine
		begun := append(prefix[:len(prefix):len(prefix)], int32(r.Token))
		if r.EOS {
			begun = prefix
		}
		head, err := r.tokenizer.Vocabulary().Decode(begun)
		if err != nil {
			return err
		}
		rest, err := r.tokenizer.EncodeContinuation(r.WitnessBytes[min(len(head), len(r.WitnessBytes)):])
		if err != nil {
			return err
		}
		tokens = append(begun, rest...)
	}
	if r.WitnessBytes == nil && len(tokens) == 0 {
		return nil
	}
	if err := r.askTakes(ctx, takers, tokens, r.WitnessBytes, "", true); err != nil {
		return err
	}
	if err := r.askTakes(ctx, refusers, tokens, r.WitnessBytes, " in the same tokens", false); err != nil {
		return err
	}
	switch {
	case r.RespelledIDs != nil:
		return r.askTakes(ctx, refusers, int32s(r.RespelledIDs), r.RespelledBytes, fmt.Sprintf(" as the tokens %v", r.RespelledIDs), true)
	case r.RespelledBytes != nil:
		return r.askSpelled(ctx, refusers, r.RespelledBytes, true)
	}
	return nil
}

// askClass settles the text once more from the beginning, in all tokens and spellings.
func (r *replay) askClass(ctx context.Context, prefix []int32) error {
	q, ok := r.question(prefix)
	if !ok {
		return nil // askToken reports it
	}
	var err error
	if r.Allows == judged.Reference {
		err = q.judgeExcluded(ctx, r.WitnessBytes)
	} else {
		err = q.judgeAdmitted(ctx, int32s(r.WitnessIDs))
	}
	if err != nil {
		return err
	}
	// The text alone does not tell a fault at the token from one after it.
	say := func(w *judged.Witness) string {
		return strings.TrimPrefix(fmt.Sprintf("%s, %s: %s", w.Whose, w.Class, strings.TrimSuffix(w.Cause, behindToken)), ", ")
	}
	answer, expected := say(&q.found.Witness), say(r.Witness)
	for _, s := range q.later {
		if say(&s.Witness) == expected {
			answer = expected
		}
	}
	r.says("gcdbench judge", fmt.Sprintf("what does %q come to, in every spelling?", r.Witness.Witness), answer, expected)
	return nil
}

// question is the question that led to the witness. ok is false if a side does not come to the
// position, or the masks do not differ there.
func (r *replay) question(prefix []int32) (q *question, ok bool) {
	p := &position{index: len(prefix), prefix: prefix, oracle: int32(r.Token), referenceMask: r.masks[judged.Reference], engineMask: r.masks[judged.Engine]}
	if len(r.masks) < 2 {
		return nil, false
	}
	var err error
	if p.text, err = r.tokenizer.Vocabulary().Decode(prefix); err != nil {
		return nil, false
	}
	if p.state, ok = r.recognizer.Read(r.recognizer.Start(), p.text); !ok {
		return nil, false
	}
	h := &comparison{opt: &Options{Timeout: r.opt.Timeout}, tokenizer: r.tokenizer, recognizer: r.recognizer, reference: r.reference, engine: r.engine,
		judge: r.judge, noJudge: errors.New("the witness has no verdict"), usual: r.Cause, describe: func(*judged.Witness) {}}
	if h.of(r.source, r.Schemas) != nil {
		return nil, false
	}
	h.begin(0)
	for _, g := range h.comparer.groups(p.state, p.text, p.referenceMask, p.engineMask) {
		for _, d := range g.tokens {
			if int(d.token) == r.Token {
				return &question{comparison: h, position: p, difference: d, allows: r.Allows}, true
			}
		}
	}
	return nil, false
}

// askSpelled asks whether a text is taken in the tokenizer's tokens.
func (r *replay) askSpelled(ctx context.Context, c *engine, text []byte, expected bool) error {
	tokens, err := r.tokenizer.EncodeContinuation(text)
	if err != nil {
		return err
	}
	return r.askTakes(ctx, c, tokens, text, " in the tokenizer's tokens", expected)
}

// askTakes asks whether a text is taken to its end.
func (r *replay) askTakes(ctx context.Context, c *engine, tokens []int32, text []byte, how string, expected bool) error {
	ok, err := c.takes(ctx, tokens, 0)
	if err == nil {
		r.says(c.name(), fmt.Sprintf("does it take %q%s?", text, how), yes(ok), yes(expected))
	}
	return err
}

// askStuck asks whether the engine allows any token after a dead end.
func (r *replay) askStuck(ctx context.Context) (err error) {
	defer algorithms.CatchProcess(&err)
	text, err := r.tokenizer.Vocabulary().Decode(int32s(r.WitnessIDs))
	if err != nil {
		return err
	}
	state, err := r.engine.at(int32s(r.WitnessIDs))
	var refused *algorithms.RefusedError
	count := 0
	switch {
	case errors.As(err, &refused): // the last of them is refused, which is as bad
	case err != nil:
		return err
	default:
		count = state.Mask().Count()
	}
	r.says(r.engine.name(), fmt.Sprintf("what may follow %q?", text), words.Count(count, "token"), words.Count(0, "token"))
	return nil
}

// askCompletion asks whether the reference's grammar has an end after the token.
func (r *replay) askCompletion(ctx context.Context, prefix []int32) error {
	text, err := r.tokenizer.Vocabulary().Decode(append(prefix, int32(r.Token)))
	if err != nil {
		return err
	}
	s, ok := r.recognizer.Read(r.recognizer.Start(), text)
	answer := "no"
	if ok {
		c, err := completion.New(r.recognizer, endings(r.recognizer)).Shortest(ctx, s)
		switch {
		case err == nil:
			answer = fmt.Sprintf("yes: %q", c.Text)
		case !errors.Is(err, completion.ErrDeadEnd):
			return err
		}
	}
	r.says(r.reference.name(), fmt.Sprintf("has %q a completion?", text), answer, "no")
	return nil
}

// int32s are tokens as engines have them.
func int32s(ids []int) []int32 {
	out := make([]int32, len(ids))
	for i, id := range ids {
		out[i] = int32(id)
	}
	return out
}
