package judging

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/harness/prepare"
	"gcdbench/internal/words"
	"gcdbench/tokenizers"
)

// ReplayOptions say what a replay uses.
type ReplayOptions struct {
	Tokenizers tokenizers.Options
	Judges     judges.Options
	// Algorithm finds algorithms by name; nil for algorithms.Lookup.
	Algorithm func(name string) (algorithms.Algorithm, error)
	// Tokenizer is the name or file of the vocabulary; "" for the name in the witness.
	Tokenizer string
	// Grammar is the file of a grammar that imports others; "" for the text in the witness.
	Grammar string
	// ImportPaths are folders to search the imports of Grammar in first.
	ImportPaths []string
	// Timeout bounds the replay of a witness; by default ReplayTimeout.
	Timeout time.Duration
}

// ReplayTimeout is many times the time that an engine takes to start, to compile and to answer the
// questions of a witness.
const ReplayTimeout = 10 * time.Minute

// A Report has the answers of a replay.
type Report struct {
	File    string  `json:"file"`
	Whose   string  `json:"whose"`
	Class   string  `json:"class"`
	Cause   string  `json:"cause"`
	Answers []Reply `json:"answers"`
	// Notes say what has changed since: versions, and options in effect.
	Notes []string `json:"notes"`
	// Reproduced is whether all answers are those of the witness.
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

// replay is a witness that is being replayed.
type replay struct {
	*judged.Witness
	opt        ReplayOptions
	tokenizer  *tokenizers.Tokenizer
	recognizer *recognizer.Recognizer
	source     *algorithms.Source
	engine     *engine
	reference  *engine
	judge      judges.Judge               // nil if the witness has no verdict
	masks      map[string]algorithms.Mask // at the position, by side
	report     *Report
	done       []func() // ends processes, and removes what engines needed to read the grammar
}

// Replay asks both engines and the judge about a witness, from its file alone. Errors are about the
// file, about a missing vocabulary, engine or judge, about the time limit, or ctx's.
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
		case <-time.After(grace): // an engine that does not return is abandoned
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
	if err := r.loadGrammar(ctx); err != nil {
		return err
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
	if r.engine, err = r.compile(ctx, r.Engine); err != nil {
		return err
	}
	r.reference, err = r.compile(ctx, r.Reference)
	return err
}

// loadGrammar compiles the grammar.
func (r *replay) loadGrammar(ctx context.Context) error {
	r.source = &algorithms.Source{Kind: r.Kind, Name: r.Grammar, Text: []byte(r.Text)}
	reading := languages.Options{Start: r.Start, ImportPaths: r.opt.ImportPaths, Lexer: r.Lexer}
	var g *grammar.Grammar
	if r.Kind == algorithms.KindSchema {
		options := prepare.CompilerOptions(r.Schemas)
		options.Name, r.source.Options = r.Grammar, prepare.SourceOptions(r.Schemas)
		made, err := jsonschema.Compile(ctx, r.source.Text, options)
		if err != nil {
			return err
		}
		g = made.Grammar
	} else if r.Kind == algorithms.KindTools {
		request, err := tools.Read(r.Grammar, r.source.Text)
		if err != nil {
			return err
		}
		if g, err = request.Grammar(ctx, r.Grammar, nil); err != nil {
			return err
		}
	} else {
		err := r.findGrammar()
		if err != nil {
			return err
		}
		r.source.Options = reading.Map()
		if g, err = languages.LoadWith(ctx, r.source.Name, reading); err != nil {
			return fmt.Errorf("%w; if the grammar imports others, give its file with --grammar, and their folders with --import-path", err)
		}
	}
	var err error
	if r.tokenizer, err = r.tokenizer.Naming(g.SpecialTokens()); err != nil {
		return err
	}
	if r.recognizer, err = recognizer.New(ctx, g, recognizer.Options{OnDemand: r.Kind != algorithms.KindGrammar}); err == nil {
		r.recognizer, err = r.recognizer.Whole(ctx)
	}
	return err
}

// findGrammar provides the grammar's text in a file, unless there is a grammar of its name.
func (r *replay) findGrammar() (err error) {
	if r.opt.Grammar != "" {
		r.source.Name = r.opt.Grammar
		r.source.Text, err = os.ReadFile(r.opt.Grammar)
		return err
	}
	if text, ok := languages.Text(r.Grammar); ok && string(text) == r.Text {
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

// compile compiles an engine again.
func (r *replay) compile(ctx context.Context, then judged.Build) (*engine, error) {
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
	made, err := a.Compile(ctx, p, then.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", then.Label, err)
	}
	now := buildOf(then.Label, a, then.Algorithm, then.Options, made)
	r.compare(then.Label, then.Version, now.Version)
	if then.Effective != nil && !maps.Equal(then.Effective, now.Effective) {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("the options of %s were %v, and are %v here", then.Label, then.Effective, now.Effective))
	}
	return &engine{now, made, p.Vocabulary}, nil
}

// compare notes a version that has changed.
func (r *replay) compare(name, then, now string) {
	if then != now {
		r.report.Notes = append(r.report.Notes, fmt.Sprintf("%s was %s, and is %s here", name, then, now))
	}
}
