package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/engines"
	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/special"
	"gcdbench/tokenizers"
)

// mask: one mask, to look at. It is made as in a run (grammar, vocabulary, engine, commits), so
// that a run would compare the same mask. Only explanations come from the recognizer, which reads
// the contract literally.

// maskFlags are the flags of the mask command.
type maskFlags struct {
	grammar, tokenizer, algorithm string
	options                       []string
	prefix, prefixFile            string
	list                          bool
	explain                       string
	reading                       grammarFlags
}

// maskCommand computes a single mask, to compare it with that of another program by its SHA-256, or
// to find out why a token is masked.
func (a *app) maskCommand() *cobra.Command {
	var f maskFlags
	cmd := newCommand("mask", atMost(0), func(cmd *cobra.Command, _ []string) error {
		if f.grammar == "" {
			return errNoGrammar
		}
		return a.mask(cmd.Context(), &f)
	})
	f.addProblem(cmd)
	cmd.Flags().StringVarP(&f.algorithm, "algorithm", "a", "trie", "the algorithm")
	cmd.Flags().StringVar(&f.prefix, "prefix", "", "the text so far")
	cmd.Flags().StringVar(&f.prefixFile, "prefix-file", "", "a file with the text so far, - for standard input")
	cmd.Flags().BoolVar(&f.list, "list", false, "print the tokens of the mask")
	cmd.Flags().StringVar(&f.explain, "explain", "", "say why this token may or may not follow")
	return cmd
}

// addProblem adds the flags of the grammar, the vocabulary and the options.
func (f *maskFlags) addProblem(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.grammar, "grammar", "g", "", grammarHelp+" (required)")
	cmd.Flags().StringVarP(&f.tokenizer, "tokenizer", "t", "o200k_base", "a tokenizer's name, NAME[:N] for its first N ids, or a tokenizer.json")
	cmd.Flags().StringArrayVarP(&f.options, "option", "o", nil, "an option of the algorithm, name=value (may be repeated)")
	f.reading.add(cmd)
}

// maskResult is the JSON of mask.
type maskResult struct {
	Allowed int         `json:"allowed"`          // tokens in the mask, EOS included
	EOS     bool        `json:"eos"`              // whether the text may end here
	SHA256  string      `json:"sha256"`           // of the bit set, as docs/reference.md says
	Tokens  []maskToken `json:"tokens,omitempty"` // with --list, by id
	// Explain is set by --explain.
	Explain *tokenExplanation `json:"explain,omitempty"`
}

// maskToken is a token of the mask. Bytes that are no UTF-8 are replaced in the JSON; the id is
// exact.
type maskToken struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// tokenExplanation is the result of --explain. ID is nil for a text that is no token.
type tokenExplanation struct {
	ID   *int   `json:"id,omitempty"`
	Text string `json:"text"`
	*recognizer.Explanation
	// Keywords are those of a schema without which the token were legal, each a JSON pointer and
	// what the keyword wants.
	Keywords []string `json:"keywords,omitempty"`
}

// mask reads the prefix, compiles, commits the prefix token by token, and prints the mask there.
func (a *app) mask(ctx context.Context, f *maskFlags) error {
	prefix, err := a.readPrefix(f.prefix, f.prefixFile)
	if err != nil {
		return err
	}
	p, tok, err := a.problem(ctx, f.grammar, &f.reading, f.tokenizer)
	if err != nil {
		return err
	}
	defer p.Kept.Close()
	if prefix, err = f.reading.text(p.Grammar, prefix); err != nil {
		return err
	}
	m, err := maskAfter(ctx, p, tok, f, prefix)
	if err != nil {
		return err
	}
	result := maskResult{Allowed: m.Count(), SHA256: m.SHA256()}
	for _, id := range p.Vocabulary.EOS() { // tokens of a chat model's end count as well; they are legal together
		result.EOS = result.EOS || m.Has(id) && (!p.Vocabulary.Legal(id) || p.Check(prefix) == nil)
	}
	if f.list {
		for _, id := range m.IDs(nil) {
			result.Tokens = append(result.Tokens, maskToken{id, string(special.Shown(p.Vocabulary.Token(id)))})
		}
	}
	if f.explain != "" {
		if result.Explain, err = explainToken(p, prefix, f.explain); err != nil {
			return err
		}
		if e := result.Explain; !e.Legal {
			text, end := prefix, e.Text == "EOS" || e.ID != nil && p.Vocabulary.IsEOS(*e.ID)
			if !end {
				text = slices.Concat(prefix, []byte(e.Text))
			}
			e.Keywords = blamedBySource(ctx, p.Source, text, len(prefix), end)
		}
	}
	return a.say(result, "mask", maskShown{&result, p.Vocabulary.Len(), p.Grammar})
}

// readPrefix is the text of --prefix, or of the file of --prefix-file.
func (a *app) readPrefix(text, file string) ([]byte, error) {
	switch {
	case text != "" && file != "":
		return nil, errors.New("--prefix and --prefix-file exclude each other")
	case file != "":
		return a.readInput(file)
	}
	return []byte(text), nil
}

// problem loads a grammar and a tokenizer. The caller closes p.Kept, which has the process of an
// engine from outside.
func (a *app) problem(ctx context.Context, grammarName string, f *grammarFlags, tokenizer string) (*algorithms.Problem, *tokenizers.Tokenizer, error) {
	l, err := a.load(ctx, grammarName, f)
	if err != nil {
		return nil, nil, err
	}
	tok, err := tokenizers.Load(ctx, tokenizer, a.tokenizerOptions())
	if err != nil {
		return nil, nil, err
	}
	if tok, err = tok.Naming(l.Grammar.SpecialTokens()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", grammarName, err)
	}
	if len(tok.Vocabulary().EOS()) == 0 {
		return nil, nil, fmt.Errorf("%s names no EOS token, and a mask says whether the text may end; put the tokenizer_config.json with its eos_token beside the file", tokenizer)
	}
	l.source.Tokenizer = tok.File()
	return &algorithms.Problem{Recognizer: l.Recognizer, Vocabulary: tok.Vocabulary(), Source: l.source, Kept: algorithms.NewKept()}, tok, nil
}

// compileEngine compiles the algorithm of the flags.
func compileEngine(ctx context.Context, p *algorithms.Problem, f *maskFlags) (algorithms.Engine, error) {
	alg, err := algorithms.Lookup(f.algorithm)
	if err != nil {
		return nil, err
	}
	given, err := engines.ParseOptions(f.options)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	options, err := algorithms.Resolve(alg, given)
	if err != nil {
		return nil, err
	}
	if from, ok := alg.(algorithms.Outside); ok {
		if err := from.Ready(options); err != nil {
			return nil, err
		}
	}
	return alg.Compile(ctx, p, options)
}

// isOutside reports whether an existing algorithm runs in a process of its own.
func isOutside(name string) bool {
	alg, err := algorithms.Lookup(name)
	return err == nil && algorithms.IsOutside(alg)
}

// maskAfter is the mask after a prefix.
func maskAfter(ctx context.Context, p *algorithms.Problem, tok *tokenizers.Tokenizer, f *maskFlags, prefix []byte) (m algorithms.Mask, err error) {
	defer caught(&err, f.algorithm)
	state, err := startAfter(ctx, p, tok, f, prefix)
	if err != nil {
		return m, err
	}
	return state.Mask(), nil
}

// caught turns a panic of an algorithm into an error: that the process of its engine failed, which
// State.Mask has no other way to say, or a bug, whose place it names. It is deferred.
func caught(err *error, algorithm string) {
	switch v := recover().(type) {
	case nil:
	case *algorithms.ProcessError:
		*err = v
	default:
		*err = fmt.Errorf("the algorithm %s panicked in %s: %v", algorithm, panicked(), v)
	}
}

// panicked is the function and the line that panicked, and the callers below maskAfter, five at
// most, for a deferred function that recovered.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	var places []string
	for panicking := false; ; {
		frame, more := frames.Next()
		switch inRuntime := strings.HasPrefix(frame.Function, "runtime."); {
		case !more || len(places) == 5 || strings.HasSuffix(frame.Function, ".maskAfter"):
			return strings.Join(places, ", called by ")
		case inRuntime:
			panicking = true
		case panicking:
			places = append(places, fmt.Sprintf("%s (%s:%d)", frame.Function, filepath.Base(frame.File), frame.Line))
		}
	}
}

// startAfter compiles the algorithm and commits the prefix.
func startAfter(ctx context.Context, p *algorithms.Problem, tok *tokenizers.Tokenizer, f *maskFlags, prefix []byte) (algorithms.State, error) {
	engine, err := compileEngine(ctx, p, f)
	if err != nil {
		return nil, err
	}
	outside := isOutside(f.algorithm)
	// The prefix must be legal as a text before its tokens are; this error is the clearer one. An
	// engine from outside has a language of its own.
	if !outside {
		if err := legalPrefix(ctx, p.Recognizer, p.Source, prefix); err != nil {
			return nil, err
		}
	}
	// As a continuation: the space that some tokenizers put in front of a text would not be in the
	// language.
	ids, err := tok.EncodeContinuation(prefix)
	if err != nil {
		return nil, fmt.Errorf("the prefix: %w", err)
	}
	state := engine.Start()
	for i, id := range ids {
		if err := state.Commit(int(id)); err != nil {
			return nil, fmt.Errorf("the prefix, token %d of %d: %w", i+1, len(ids), err)
		}
	}
	return state, nil
}

// legalPrefix says why a text is no beginning of one that the grammar accepts; nil if it is.
func legalPrefix(ctx context.Context, r *recognizer.Recognizer, src *algorithms.Source, prefix []byte) error {
	if _, err := r.Explain(prefix, nil); err != nil {
		return fmt.Errorf("the prefix is not legal: %w", refusedPrefix(ctx, r, src, prefix, err))
	}
	return nil
}

// refusedPrefix is the error of a prefix that is no beginning of a text; for a schema in terms of
// the prefix, since its terminals have generated names.
func refusedPrefix(ctx context.Context, r *recognizer.Recognizer, src *algorithms.Source, prefix []byte, err error) error {
	var refused *recognizer.Refusal
	if r.Grammar.Lexer != grammar.LexAll || !errors.As(err, &refused) {
		return err
	}
	f := explainRefusal(r, prefix, refused)
	return fmt.Errorf("%d:%d: %s", f.line, f.column, withKeywords(f.message(), blamedBySource(ctx, src, prefix, f.offset, false)))
}

// explainToken explains a token given as id, quoted text, or "eos".
func explainToken(p *algorithms.Problem, prefix []byte, token string) (*tokenExplanation, error) {
	if strings.EqualFold(token, "eos") { // a vocabulary may have several, and their ids differ
		e, err := p.ExplainEnd(prefix)
		return &tokenExplanation{Text: "EOS", Explanation: e}, err
	}
	out := &tokenExplanation{Text: token}
	if id, err := strconv.Atoi(token); err == nil {
		v := p.Vocabulary
		switch {
		case id < 0 || id >= v.Len():
			return nil, fmt.Errorf("--explain %d: %s has the ids 0 to %d", id, v.Name(), v.Len()-1)
		case v.IsEOS(id):
			e, err := p.ExplainEnd(prefix)
			return &tokenExplanation{ID: &id, Text: string(v.Token(id)), Explanation: e}, err
		case !v.Legal(id):
			e, err := p.Explain(prefix, nil)
			if err == nil {
				e.Reason = "it is not an ordinary token but " + v.Kind(id).String() + ", which is legal only where a rule names it"
			}
			return &tokenExplanation{ID: &id, Text: string(v.Token(id)), Explanation: e}, err
		}
		out.ID, out.Text = &id, string(v.Token(id))
	} else if slices.Contains(p.Grammar.SpecialTokens(), token) {
		out.Text = special.Text(token)
	} else if text, err := strconv.Unquote(token); err == nil {
		out.Text = text
	}
	e, err := p.Explain(prefix, []byte(out.Text))
	out.Text, out.Explanation = string(special.Shown([]byte(out.Text))), e
	return out, err
}

// maskShown is a mask in words.
type maskShown struct {
	*maskResult
	Size    int // of the vocabulary
	grammar *grammar.Grammar
}

// WithExamples adds texts to generated names of terminals.
func (m maskShown) WithExamples(names []string) []string { return withExamples(names, m.grammar) }
