package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/languages"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/harness/rewalk"
	"gcdbench/internal/jsontext"
)

// Time limits. For a compile, and for some masks of a document, each engine has the limit of the
// run that measured it. The search for a witness has Options.Timeout. A group of tokens has
// groupPatience times as much, in which the engine's process may be started again, and a position
// positionPatience times as much. Groups that are not done then are undecided; earlier findings at
// the position stay.

// openProblem is an open problem with its judge.
type openProblem struct {
	*session
	group *rewalk.Reopened
	unit  *rewalk.Unit
	index int

	judge     judges.Judge
	noJudge   error
	judgeName string // with the version; "" if there is none
}

// progress reports how many problems are left, now and then. at is the problem or position at hand.
func (b *openProblem) progress(p *pair, at string) {
	const every = 10 * time.Second
	if time.Since(b.last) < every {
		return
	}
	b.last = time.Now()
	b.note("%s: %s on %s: %d of %d problems left (now %s)", b.dir, p.record.Label, p.record.Workload, p.left(), len(p.record.Problems), at)
}

// close ends the judge.
func (b *openProblem) close() {
	if b.judge != nil {
		b.judge.Close()
	}
}

// languageOf is the language of a source, for a judge.
func languageOf(s *algorithms.Source) judges.Language {
	switch s.Kind {
	case algorithms.KindSchema:
		return judges.Language{Schema: s.Text}
	case algorithms.KindTools:
		return judges.Language{Tools: s.Text}
	}
	return judges.Language{Name: s.Name, Text: s.Text, Reading: languages.OptionsOf(s.Options)}
}

// findJudge finds the judge and its name. The error says what to install for a judge that this
// machine lacks.
func (b *openProblem) findJudge(ctx context.Context) error {
	s := b.unit.Source()
	if b.judge, b.noJudge = judges.For(languageOf(s), b.opt.Judges); b.noJudge == nil && b.judge.Version() == "" {
		_, err := b.judge.Judge(ctx, nil) // which starts it
		if missing := new(judges.MissingError); errors.As(err, &missing) {
			b.judge, b.noJudge = nil, err
		}
	}
	if b.noJudge != nil {
		b.judge = nil
		if missing := new(judges.MissingError); !b.opt.WithoutJudge && errors.As(b.noJudge, &missing) && missing.Installable {
			return fmt.Errorf("the grammar %s: %w; or leave its differences undecided by --without-judge", s.Name, b.noJudge)
		}
		b.note("%s: %v", s.Name, b.noJudge)
		return nil
	}
	b.judgeName = b.judge.Name() + " " + b.judge.Version()
	return nil
}

// pair judges documents of one pair of cells.
func (b *openProblem) pair(ctx context.Context, p *pair, documents []*document) error {
	h, err := b.comparison(ctx, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return b.failed(p, documents, "an engine did not compile again", err)
	}
	for n, d := range documents {
		abandoned, err := h.judgeDocument(ctx, b, p, d)
		if err != nil {
			return err
		}
		if abandoned { // the engine may still be at work on all that it was given
			return b.failed(p, documents[n+1:], engineFailed, errors.New("it did not come back from the document before"))
		}
	}
	return nil
}

// comparison compiles both engines.
func (b *openProblem) comparison(ctx context.Context, p *pair) (*comparison, error) {
	h := &comparison{opt: b.opt, tokenizer: b.group.Tokenizer(), judge: b.judge, noJudge: b.noJudge}
	err := h.of(b.unit.Source(), b.unit.SchemaOptions())
	if err == nil {
		err = b.prepare(ctx, p)
	}
	if err == nil {
		h.reference, err = b.compile(ctx, p, p.referenceAlgorithm, p.reference, p.referenceKept)
	}
	if err == nil {
		h.engine, err = b.compile(ctx, p, p.algorithm, p.record, p.kept)
	}
	if err != nil {
		return nil, err
	}
	_, err = b.group.Guarded(ctx, nil, "completions of "+b.unit.Source().Name, p.timeout, func(ctx context.Context) (err error) {
		if h.recognizer, err = b.unit.Recognizer().Whole(ctx); err == nil { // completions ask for all states of the tables
			h.begin(p.file.Overview.Seed)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	h.revive = func(ctx context.Context) error { return b.revive(ctx, p, h.engine) }
	h.describe = b.describe(p, h)
	return h, nil
}

// orderOf is the order of keys that a source declares; nil if its texts are no JSON.
func orderOf(s *algorithms.Source) jsontext.Order {
	switch {
	case s.Kind == algorithms.KindSchema:
		return append(jsontext.Order{}, jsontext.DeclaredOrder(s.Text)...) // not nil
	case s.Name == "json":
		return jsontext.Order{}
	}
	return nil
}

// prepare starts the process of an engine from outside, where it does not run yet.
func (b *openProblem) prepare(ctx context.Context, p *pair) error {
	return b.unit.Prepare(ctx, p.record.Label, p.algorithm, p.record.ID.Options, p.kept)
}

// revive starts the process of an engine again, with its grammar, after a question that ended it,
// so that the time of the next question does not include that.
func (b *openProblem) revive(ctx context.Context, p *pair, engine *engine) error {
	if !algorithms.IsOutside(p.algorithm) {
		return nil
	}
	err := b.prepare(ctx, p)
	if err == nil {
		_, err = engine.masks(ctx, []int32{0}, []uint32{0}) // any question has it compile
	}
	return err
}

// alive revives the engine if it may have died.
func (h *comparison) alive(ctx context.Context) error {
	if !h.died || h.revive == nil {
		return nil
	}
	err := h.revive(ctx)
	h.died = err != nil
	return err
}

// compile compiles one of the two engines.
func (b *openProblem) compile(ctx context.Context, p *pair, a algorithms.Algorithm, r *cell.Record, kept *algorithms.Kept) (*engine, error) {
	var out *engine
	_, err := b.group.Guarded(ctx, a, "compiling "+b.unit.Source().Name, p.timeout, func(ctx context.Context) error {
		problem, err := b.unit.Problem(ctx, a, r.ID.Options, kept)
		if err != nil {
			return err
		}
		made, err := a.Compile(ctx, problem, r.ID.Options)
		if err != nil {
			return err
		}
		out = &engine{buildOf(r.Label, a, r.ID.Algorithm, r.ID.Options, made), made, problem.Vocabulary}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Label, err)
	}
	return out, nil
}

// buildOf identifies a compiled engine.
func buildOf(label string, a algorithms.Algorithm, name string, options algorithms.Options, engine algorithms.Engine) judged.Build {
	out := judged.Build{Label: label, Algorithm: name, Options: options, Version: versionOf(a, options)}
	if billed, ok := engine.(algorithms.Billed); ok {
		out.Effective = billed.Provenance().Options
	}
	return out
}

// describe fills in the fields that all witnesses of a comparison have in common.
func (b *openProblem) describe(p *pair, h *comparison) func(*judged.Witness) {
	s, v := b.unit.Source(), b.group.Tokenizer().Vocabulary()
	sum := sha256.Sum256(s.Text)
	return func(w *judged.Witness) {
		w.Engine, w.Reference = h.engine.Build, h.reference.Build
		w.Kind, w.Grammar, w.Text, w.GrammarSHA256 = s.Kind, s.Name, string(s.Text), hex.EncodeToString(sum[:])
		reading := languages.OptionsOf(s.Options)
		w.Start, w.Lexer = reading.Start, reading.Lexer
		w.Schemas = b.unit.SchemaOptions()
		w.Tokenizer, w.VocabularySHA256, w.VocabularySize = p.record.Tokenizer, v.SHA256(), v.Len()
		w.Workload, w.Document = p.record.Workload, h.document
	}
}
