package judging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammars"
	"gcdbench/harness/judged"
	"gcdbench/internal/words"
	"gcdbench/judges"
	"gcdbench/recognizer"
	"gcdbench/recognizer/completion"
	"gcdbench/tokenizers"
)

// ReplayOptions say what a witness is asked again with.
type ReplayOptions struct {
	Tokenizers tokenizers.Options
	Judges     judges.Options
	// Algorithm finds algorithms by name; nil for algorithms.Lookup.
	Algorithm func(name string) (algorithms.Algorithm, error)
	// Tokenizer names the vocabulary, or its file, where the witness's name is not one; "" for that
	// name.
	Tokenizer string
	// Grammar is the file of a grammar that imports others; "" for the text in the witness.
	Grammar string
	// Timeout is how long a witness may take; by default ReplayTimeout.
	Timeout time.Duration
}

// ReplayTimeout is many times what an engine takes to start, to compile and to answer the questions
// of a witness.
const ReplayTimeout = 10 * time.Minute

// A Report is what everybody says now.
type Report struct {
	File    string  `json:"file"`
	Whose   string  `json:"whose"`
	Class   string  `json:"class"`
	Cause   string  `json:"cause"`
	Answers []Reply `json:"answers"`
	// Notes say what is not as it was: versions, and options in effect.
	Notes []string `json:"notes"`
	// Reproduced is whether all say what the witness has.
	Reproduced bool `json:"reproduced"`

	witness *judged.Witness
}

// A Reply is an answer to one question.
type Reply struct {
	Who      string `json:"who"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Expected string `json:"expected"`
}

// replay is a witness being asked.
type replay struct {
	*judged.Witness
	opt        ReplayOptions
	tokenizer  *tokenizers.Tokenizer
	recognizer *recognizer.Recognizer
	source     *algorithms.Source
	engine     *contestant
	reference  *contestant
	judge      judges.Judge               // nil if the witness has no verdict
	masks      map[string]algorithms.Mask // at the position, by side
	report     *Report
	done       []func() // ends processes, and removes what engines needed to read the grammar
}

// Replay asks both engines and the judge about a witness, from its file alone. Errors are about the
// file, about what is not there (a vocabulary, an engine, a judge), that the time is over, or ctx's.
func Replay(ctx context.Context, file string, opt ReplayOptions) (*Report, error) {
	opt.Timeout = cmp.Or(opt.Timeout, ReplayTimeout)
	limited, cancel := context.WithTimeout(ctx, opt.Timeout)
	defer cancel()
	type result struct {
		report *Report
		err    error
	}
	done := make(chan result, 1)
	go func() {
		report, err := replayFile(limited, file, opt)
		done <- result{report, err}
	}()
	select {
	case r := <-done:
		if r.err == nil || limited.Err() == nil {
			return r.report, r.err
		}
	case <-limited.Done():
		const grace = 3 * time.Second // to end processes
		select {
		case <-done:
		case <-time.After(grace): // an engine that does not listen is left behind
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%s: not done after %v; --timeout gives it longer", file, opt.Timeout)
}

// replayFile asks about the witness of a file.
func replayFile(ctx context.Context, file string, opt ReplayOptions) (*Report, error) {
	w, err := judged.ReadWitness(file)
	if err != nil {
		return nil, err
	}
	r := &replay{Witness: w, opt: opt, masks: map[string]algorithms.Mask{},
		report: &Report{File: file, Whose: w.Whose, Class: string(w.Class), Cause: w.Cause, Reproduced: true, Notes: []string{}, witness: w}}
	defer func() {
		for _, done := range r.done {
			done()
		}
	}()
	if err = r.load(ctx); err == nil {
		err = r.askAll(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r.report, nil
}

// load finds the vocabulary, the grammar and the engines.
func (r *replay) load(ctx context.Context) (err error) {
	name := r.Tokenizer
	if r.opt.Tokenizer != "" {
		name = r.opt.Tokenizer
	}
	if r.tokenizer, err = tokenizers.Load(ctx, name, r.opt.Tokenizers); err != nil {
		return fmt.Errorf("%w; name the vocabulary of the witness with --tokenizer", err)
	}
	v := r.tokenizer.Vocabulary()
	if v.SHA256() != r.VocabularySHA256 {
		return fmt.Errorf("%s has %s, not those of the witness; name its vocabulary with --tokenizer", name, words.Count(v.Len(), "id"))
	}
	for _, id := range slices.Concat([]int{r.Token}, r.PrefixIDs, r.WitnessIDs, r.RespelledIDs) {
		if id < 0 || id >= v.Len() {
			return fmt.Errorf("it has the token %d, which is not in its vocabulary", id)
		}
	}
	if err := r.loadGrammar(ctx); err != nil {
		return err
	}
	if r.engine, err = r.compile(ctx, r.Engine); err != nil {
		return err
	}
	r.reference, err = r.compile(ctx, r.Reference)
	return err
}

// loadGrammar compiles the grammar.
func (r *replay) loadGrammar(ctx context.Context) error {
	r.source = &algorithms.Source{Kind: r.Kind, Name: r.Grammar, Text: []byte(r.Text)}
	var g *grammar.Grammar
	if r.Kind == algorithms.KindSchema {
		options := jsonschema.Options{Name: r.Grammar}
		if o := r.Schemas; o != nil {
			options.AnyOrder, options.Lenient = o.Order == "any", o.Lenient
			if o.WhiteSpace == "any" {
				options.WhiteSpace = jsonschema.AnySpace
			}
			r.source.Options = map[string]string{"whitespace": o.WhiteSpace, "order": o.Order, "lenient": fmt.Sprint(o.Lenient)}
		}
		made, err := jsonschema.Compile(ctx, r.source.Text, options)
		if err != nil {
			return err
		}
		g = made.Grammar
	} else {
		err := r.findGrammar()
		if err != nil {
			return err
		}
		if g, err = grammars.Load(ctx, r.source.Name); err != nil {
			return fmt.Errorf("%w; if the grammar imports others, give its file with --grammar", err)
		}
	}
	var err error
	r.recognizer, err = recognizer.New(ctx, g, recognizer.Options{OnDemand: r.Kind == algorithms.KindSchema})
	return err
}

// findGrammar has the grammar's text in a file that can be read by its name.
func (r *replay) findGrammar() (err error) {
	if r.opt.Grammar != "" {
		r.source.Name = r.opt.Grammar
		r.source.Text, err = os.ReadFile(r.opt.Grammar)
		return err
	}
	if text, ok := grammars.Source(r.Grammar); ok && string(text) == r.Text {
		return nil
	}
	folder, err := os.MkdirTemp("", "gcdbench-grammar-")
	if err != nil {
		return err
	}
	r.done = append(r.done, func() { os.RemoveAll(folder) })
	r.source.Name = filepath.Join(folder, "grammar.lark")
	return os.WriteFile(r.source.Name, r.source.Text, 0o600)
}

// compile makes a contestant as it was.
func (r *replay) compile(ctx context.Context, then judged.Contestant) (*contestant, error) {
	lookup := r.opt.Algorithm
	if lookup == nil {
		lookup = algorithms.Lookup
	}
	a, err := lookup(then.Algorithm)
	if err != nil {
		return nil, err
	}
	r.source.Tokenizer = r.tokenizer.File()
	p := &algorithms.Problem{Recognizer: r.recognizer, Vocabulary: r.tokenizer.Vocabulary(), Source: r.source, Kept: algorithms.NewKept()}
	r.done = append(r.done, func() { p.Kept.Close() })
	engine, err := a.Compile(ctx, p, then.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", then.Label, err)
	}
	now := who(then.Label, a, then.Algorithm, then.Options, engine)
	r.compare(then.Label, then.Version, now.Version)
	if then.Effective != nil && !maps.Equal(then.Effective, now.Effective) {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("the options of %s were %v, and are %v here", then.Label, then.Effective, now.Effective))
	}
	return &contestant{now, engine, p.Vocabulary}, nil
}

// compare notes that somebody has another version now.
func (r *replay) compare(name, then, now string) {
	if then != now {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("%s was %s, and is %s here", name, then, now))
	}
}

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
		*contestant
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
func (c *contestant) name() string { return c.Label + " (" + c.Version + ")" }

// askJudge asks for the verdict on the text.
func (r *replay) askJudge(ctx context.Context) error {
	if r.Verdict == nil {
		return nil
	}
	language := judges.Language{Name: r.source.Name, Text: r.source.Text}
	if r.Kind == algorithms.KindSchema {
		language = judges.Language{Schema: r.source.Text}
	}
	j, err := judges.For(language, r.opt.Judges)
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

// askText asks who takes the text, and who does not. What only the engine allows is the text as it
// generated it.
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

// askClass has the text settled once more, from the beginning: who refuses it is asked about it in
// all tokens and spellings that the judge tries.
func (r *replay) askClass(ctx context.Context, prefix []int32) error {
	q, ok := r.question(prefix)
	if !ok {
		return nil // which askToken says
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
	// The text by itself does not say whether its fault is the token's or one behind it.
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

// question is the witness as it was asked about when it was found. ok is false if a side does not
// come to the position, or the masks do not differ there.
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
	h := &hearing{opt: &Options{Timeout: r.opt.Timeout}, tokenizer: r.tokenizer, recognizer: r.recognizer, reference: r.reference, engine: r.engine,
		judge: r.judge, noJudge: errors.New("the witness has no verdict"), order: orderOf(r.source), usual: r.Cause, describe: func(*judged.Witness) {}}
	if r.Kind == algorithms.KindSchema {
		h.schema, h.schemaOptions = r.source.Text, r.Schemas
	}
	h.begin(0)
	for _, g := range h.comparer.groups(p.state, p.text, p.referenceMask, p.engineMask) {
		for _, d := range g.tokens {
			if int(d.token) == r.Token {
				return &question{hearing: h, position: p, difference: d, allows: r.Allows}, true
			}
		}
	}
	return nil, false
}

// askSpelled asks whether a text is taken in the tokenizer's tokens.
func (r *replay) askSpelled(ctx context.Context, c *contestant, text []byte, expected bool) error {
	tokens, err := r.tokenizer.EncodeContinuation(text)
	if err != nil {
		return err
	}
	return r.askTakes(ctx, c, tokens, text, " in the tokenizer's tokens", expected)
}

// askTakes asks whether a text is taken to its end.
func (r *replay) askTakes(ctx context.Context, c *contestant, tokens []int32, text []byte, how string, expected bool) error {
	ok, err := c.takes(ctx, tokens, 0)
	if err == nil {
		r.says(c.name(), fmt.Sprintf("does it take %q%s?", text, how), yes(ok), yes(expected))
	}
	return err
}

// askStuck asks whether the engine can go on behind the tokens of a dead end.
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

// askCompletion asks whether the reference's grammar has an end behind the token.
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
