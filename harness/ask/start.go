package ask

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/bounds"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// The start of a process is charged to no engine. An engine from outside gets a new process where
// it must not find earlier work, and where its process died. An algorithm of ours runs in a process
// whose code has run before, since its other instance was asked about all documents. For equal
// conditions, a process that was started here gets the vocabulary, and compiles and walks something
// small, before anything is timed in it. The time of what the engine builds then for the vocabulary
// is charged to the engine: see warm.

// PrepareTime is what the process of an engine from outside may take to start and to set a
// vocabulary up, where the limit of a compile is shorter, but no longer than prepareFactor times
// that limit.
const (
	PrepareTime   = 3 * time.Minute
	prepareFactor = 20
)

// running is an engine from outside that knows whether it has a process for a problem.
type running interface {
	Running(p *algorithms.Problem, o algorithms.Options) bool
}

// Start starts the process of an engine from outside if it does not run yet, before a compile is
// timed. Other algorithms have no process. builtNS is the time of what the engine built once for
// all grammars in its first compile, in ns by its own clock.
func Start(g *prepare.Prepared, ctx context.Context, guard *bounds.Guard, e *prepare.Entry, p *algorithms.Problem) (builtNS int64, err error) {
	started, err := StartCold(ctx, guard, e, p)
	if err != nil || !started {
		return 0, err
	}
	builtNS, warm, err := warm(g, ctx, guard, e, p)
	if err == nil && !warm {
		_, err = StartCold(ctx, guard, e, p) // the attempts may have ended the process
	}
	return builtNS, err
}

// StartCold is start for a process in which nothing is timed: it gets the vocabulary and compiles
// nothing. started is whether there was no process before.
func StartCold(ctx context.Context, guard *bounds.Guard, e *prepare.Entry, p *algorithms.Problem) (started bool, err error) {
	from, ok := e.Maker.(algorithms.Outside)
	if !ok {
		return false, nil
	}
	patient := *guard
	patient.Timeout, patient.Starting = max(guard.Timeout, min(PrepareTime, prepareFactor*guard.Timeout)), true
	asked, tells := from.(running)
	started, err = bounds.CallFor(ctx, &patient, "starting "+e.Label, func(ctx context.Context) (bool, error) {
		absent := tells && !asked.Running(p, e.Options)
		return absent, from.Prepare(ctx, p, e.Options)
	})
	var failed *bounds.Failure
	switch {
	case !errors.As(err, &failed):
	case !failed.Abandoned && tells && asked.Running(p, e.Options): // it runs: the grammar failed
	default:
		failed.Starting, failed.Reason = true, "its process does not start: "+failed.Why()
		failed.Detail = "its process did not start: " + failed.Detail
	}
	return started, err
}

// A trifle is a small problem with two texts to walk.
type trifle struct {
	problem algorithms.Problem
	texts   [2]string
}

// times is the problem for the i-th compile: the same grammar in other bytes each time. An engine
// may remember whole texts, and would answer the second compile of the same text from memory.
func (t *trifle) times(i int) *algorithms.Problem {
	p, src := t.problem, *t.problem.Source
	src.Text = append(slices.Clone(src.Text), bytes.Repeat([]byte("\n"), i)...)
	p.Source = &src
	return &p
}

// warm has a new process compile and walk a trifle, twice; ok is whether the engine took one of
// them. builtNS is how much longer the first compile and mask took than the second: the time of
// what an engine builds once for a vocabulary. The walks are in no engine's time.
func warm(g *prepare.Prepared, ctx context.Context, guard *bounds.Guard, e *prepare.Entry, p *algorithms.Problem) (builtNS int64, ok bool, err error) {
	list, err := trifles(ctx, p)
	if err != nil {
		return 0, false, err
	}
	for _, t := range list {
		var ns [2]int64
		for i := range ns {
			if ns[i], err = warmOnce(g, ctx, guard, e, t.times(i), t.texts[i]); err != nil {
				break
			}
		}
		var failed *bounds.Failure
		switch {
		case err == nil:
			return max(0, ns[0]-ns[1]), true, nil
		case !errors.As(err, &failed) || failed.Abandoned:
			return 0, false, err
		}
	}
	return 0, false, nil
}

// warmOnce compiles a trifle, walks a text of it, and returns the time of compile and first mask.
func warmOnce(g *prepare.Prepared, ctx context.Context, guard *bounds.Guard, e *prepare.Entry, p *algorithms.Problem, text string) (ns int64, err error) {
	tokens, err := g.LoadedTokenizer.EncodeContinuation([]byte(text))
	if err != nil {
		tokens = nil // this vocabulary cannot write the text
	}
	return bounds.CallFor(ctx, guard, e.Label+" on something small", func(ctx context.Context) (int64, error) {
		engine, err := e.Maker.Compile(ctx, p, e.Options)
		if err != nil {
			return 0, err
		}
		var bill algorithms.Bill
		if billed, ok := engine.(algorithms.Billed); ok {
			bill = billed.Bill()
		}
		if walking, ok := engine.(measure.Walking); ok && len(tokens) > 0 {
			err = walking.WalkTimed(ctx, &measure.Document{Tokens: tokens}, true, new(measure.Times))
		}
		var refused *measure.RefusedError
		if errors.As(err, &refused) { // a shorter walk warms, too
			err = nil
		}
		return bill.CompileNS + bill.FirstMaskNS, err
	})
}

// smallSchema is for engines that do not take the schema true, which allows everything.
const smallSchema = `{"type": "object", "properties": {"name": {"type": "string"}, "list": {"type": "array", "items": {"type": "number"}}, ` +
	`"nested": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"], "additionalProperties": false}}, ` +
	`"required": ["name", "list", "nested"], "additionalProperties": false}`

// smallRequest is the same as a request with tools: the schema is that of the only tool's
// arguments.
const smallRequest = `{"tools": [{"name": "small", "parameters": ` + smallSchema + `}]}`

// smallGrammar has terminals that no other grammar has: an engine that remembers terminals must not
// find these in what is measured.
const smallGrammar = `start: WORD (" " WORD)*
WORD: /[acegikmoqsuwy]+/
`

// smallText is long enough for an interpreter to have seen each of its steps.
const smallText = "we make quick music as i say some magic game is a quick cake so we ask some guy " +
	"we make quick music as i say some magic game is a quick cake so we ask some guy"

// kindText is the kind of a Source that is a Lark grammar in itself, and not the name of one.
const kindText = "lark"

// trifles are the choices to warm a process with that is to compile p, the first choice first. One
// text of a schema has spaces and one has none, since not every engine takes both.
func trifles(ctx context.Context, p *algorithms.Problem) (list []trifle, err error) {
	add := func(src algorithms.Source, r *recognizer.Recognizer, texts [2]string) {
		list = append(list, trifle{algorithms.Problem{Recognizer: r, Vocabulary: p.Vocabulary, Source: &src, Kept: p.Kept}, texts})
	}
	src := *p.Source
	if src.Kind == algorithms.KindTools {
		src.Name, src.Text = "small", []byte(smallRequest)
		call := func(arguments string) string {
			return "<tool_call>\n{\"name\": \"small\", \"arguments\": " + arguments + "}\n</tool_call>"
		}
		add(src, nil, [2]string{call(`{"name": "value", "list": [1, -2.5e3], "nested": {"on": true}}`), call(`{"name":"value","list":[1,-2.5e3],"nested":{"on":true}}`)})
		return list, nil
	}
	if src.Kind == algorithms.KindSchema {
		src.Name, src.Text = "anything", []byte("true")
		add(src, nil, [2]string{measure.WarmUpText, `{"name":"value \u00e9","list":[1,-2.5e3,true,null],"nested":{}}`})
		src.Name, src.Text = "small", []byte(smallSchema)
		add(src, nil, [2]string{`{"name": "value", "list": [1, -2.5e3], "nested": {"on": true}}`, `{"name":"value","list":[1,-2.5e3],"nested":{"on":true}}`})
		return list, nil
	}
	grammar, err := lark.Parse([]byte(smallGrammar), lark.Options{File: "small.lark", Context: ctx})
	if err != nil {
		return nil, err
	}
	made, err := recognizer.New(ctx, grammar, recognizer.Options{})
	if err != nil {
		return nil, err
	}
	src.Kind, src.Name, src.Text = kindText, "small", []byte(smallGrammar)
	add(src, made, [2]string{smallText, smallText})
	return list, nil
}

// Revivable is an engine whose process may have died.
type Revivable interface {
	// Alive reports whether the process lives and has the engine's grammar.
	Alive() bool
	// Revive has the process compile the grammar again, unless it has it.
	Revive(ctx context.Context) error
}

// MaxBadStarts is how often in a row the process of an engine may fail to start before it is not
// started for the rest of a group: each failure may take prepareTime.
const MaxBadStarts = 3
