// Package prepare makes a configuration ready to be walked: it loads tokenizers and workloads once,
// compiles grammars, and encodes documents. A Prepared is a workload on a vocabulary, a Unit of it
// a grammar with its documents.
package prepare

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gcdbench/datasets"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/progress"
	"gcdbench/harness/stats"
	"gcdbench/internal/special"
	"gcdbench/internal/words"
	"gcdbench/tokenizers"
)

const (
	// Repeats is how often a grammar is compiled where the configuration says nothing, as long as one
	// compile takes less than quick.
	Repeats = 5
	Quick   = 10 * time.Second
)

// Again reports whether to compile once more after done compiles, of which the last one took took.
// times is the number in the configuration, 0 for the rule.
func Again(times, done int, took time.Duration) bool {
	if times > 0 {
		return done < times
	}
	return done < Repeats && took < Quick
}

// Loader loads the tokenizers and workloads of a configuration, each once.
type Loader struct {
	cfg *config.Config
	Opt *Options

	tokenizers map[string]*loadedTokenizer // by label
	whole      map[string]*tokenizers.Tokenizer
	Workloads  map[string]*loadedWorkload

	Skip func(w config.Workload, t config.Tokenizer) bool // groups that are not wanted; nil for none
}

func NewLoader(cfg *config.Config, opt *Options) *Loader {
	return &Loader{cfg, opt, map[string]*loadedTokenizer{}, map[string]*tokenizers.Tokenizer{}, map[string]*loadedWorkload{}, nil}
}

type loadedTokenizer struct {
	*tokenizers.Tokenizer
	BuildNS int64 // of the vocabulary's trie, which all engines share
}

type loadedWorkload struct {
	config.Workload
	recognizer   *recognizer.Recognizer // nil for schemas, and if failed is set
	Failed       *bounds.Failure        // why the grammar has no recognizer; nil if it has
	CompileNS    []int64                // one for each compile; nil for schemas
	grammarSHA   string
	schemas      []*datasets.Schema // empty for programs
	samples      []datasets.Sample
	corpusSHA256 string
	DatasetName  string                // for tables
	conflicts    *grammar.ConflictMode // overrides what the grammar says; nil for that
	Selection    *cell.Selection
}

// tokenizer loads and cuts a tokenizer and builds the trie that all engines share, so that the
// first algorithm to compile does not pay for it.
func (l *Loader) tokenizer(ctx context.Context, t config.Tokenizer) (*loadedTokenizer, error) {
	if got := l.tokenizers[t.Label]; got != nil {
		return got, nil
	}
	tok, err := l.wholeTokenizer(ctx, t)
	if err == nil && t.Cut != 0 {
		tok, err = tok.Cut(t.Cut)
	}
	if err == nil && len(tok.Vocabulary().EOS()) == 0 {
		err = errors.New("it has no EOS token, so the end of a text cannot be checked")
	}
	if err != nil {
		return nil, &InputError{l.cfg.File, t.Pos, "tokenizer " + t.Label, err}
	}
	begin := time.Now()
	tok.Vocabulary().Trie()
	got := &loadedTokenizer{tok, time.Since(begin).Nanoseconds()}
	l.tokenizers[t.Label] = got
	return got, nil
}

// naming is the tokenizer of a workload whose grammar names tokens: t itself if it names none.
func (t *loadedTokenizer) naming(w *loadedWorkload) (*loadedTokenizer, error) {
	var names []string
	var err error
	switch {
	case w.Tools != nil:
		names, err = w.markers(t).Names()
	case w.recognizer != nil:
		names = w.recognizer.Grammar.SpecialTokens()
	}
	if err != nil {
		return nil, err
	}
	named, err := t.Naming(names)
	if err != nil || named == t.Tokenizer {
		return t, err
	}
	begin := time.Now()
	named.Vocabulary().Trie()
	return &loadedTokenizer{named, time.Since(begin).Nanoseconds()}, nil
}

// wholeTokenizer loads a tokenizer once for all its cuts.
func (l *Loader) wholeTokenizer(ctx context.Context, t config.Tokenizer) (*tokenizers.Tokenizer, error) {
	if got := l.whole[t.Spec]; got != nil {
		return got, nil
	}
	tok, err := tokenizers.Load(ctx, t.Spec, l.Opt.Tokenizers)
	if err != nil {
		return nil, err
	}
	l.whole[t.Spec] = tok
	return tok, nil
}

// workload compiles a grammar and loads its documents, once for all vocabularies.
func (l *Loader) workload(ctx context.Context, w config.Workload) (*loadedWorkload, error) {
	if got := l.Workloads[w.Name]; got != nil {
		return got, nil
	}
	got := &loadedWorkload{Workload: w, DatasetName: datasetName(w.Dataset), conflicts: l.Opt.conflicts()}
	if w.Schema == nil {
		if err := got.compile(ctx, l.Opt.NewGuard(l.cfg), l.cfg.Measure.Compiles); err != nil {
			return nil, l.workloadError(w, "grammar "+w.Grammar, err)
		}
	}
	notes, err := got.load(ctx, l.cfg)
	if err != nil {
		return nil, l.workloadError(w, "dataset "+got.DatasetName, err)
	}
	for _, note := range notes {
		progress.NewProgress(l.Opt.Progress).Note("%s", note)
	}
	l.Workloads[w.Name] = got
	return got, nil
}

// workloadError adds the place in the configuration to an error.
func (l *Loader) workloadError(w config.Workload, what string, err error) error {
	if other := notInput(err); other != nil {
		return other
	}
	return &InputError{l.cfg.File, w.Pos, what, err}
}

// notInput is err if it is not about input: the command was interrupted, or abandoned operations
// end it.
func notInput(err error) error {
	var full *bounds.AbandonedError
	if errors.Is(err, context.Canceled) || errors.As(err, &full) {
		return err
	}
	return nil
}

// datasetName is the name of a dataset in results, without the folders of the machine.
func datasetName(d config.Dataset) string {
	name := d.Name
	if name == "" {
		name = d.Format + " " + filepath.Base(d.Path)
	}
	if d.Special {
		name += ", special tokens split"
	}
	return name
}

// read is a document as the grammar's lexer reads it.
func (w *loadedWorkload) read(content []byte) []byte {
	if w.recognizer == nil {
		return content
	}
	return special.Read(content, w.recognizer.Grammar.SpecialTokens(), w.Dataset.Special)
}

// GrammarName is the name of a grammar in results, without the folders of the machine. The SHA-256
// identifies it.
func GrammarName(w config.Workload) string {
	if w.GrammarFile {
		return filepath.Base(w.Grammar)
	}
	return w.Grammar
}

// compile builds lexer and tables, as often as the rules say. All algorithms share them, and their
// time is part of the bill of each. A grammar with a mistake is an error. A grammar that exceeds a
// limit is a failure of the workload; the other workloads go on.
func (w *loadedWorkload) compile(ctx context.Context, guard *bounds.Guard, times int) error {
	took := time.Duration(0)
	for done := 0; Again(times, done, took); done++ {
		w.recognizer = nil
		measure.Collect()
		guard.Base = measure.Heap()
		one, err := bounds.CallFor(ctx, guard, "the grammar "+GrammarName(w.Workload), w.compileOnce)
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			w.Failed, w.recognizer, w.CompileNS = failed, nil, nil
			w.grammarSHA = textSum(w.Workload)
			return nil
		case err != nil:
			return err
		case one.err != nil:
			return one.err
		}
		w.recognizer, took = one.Recognizer, one.took
		w.grammarSHA = hex.EncodeToString(one.Grammar.SHA256[:])
		w.CompileNS = append(w.CompileNS, took.Nanoseconds())
	}
	return nil
}

// compiledGrammar is a grammar's recognizer and its compile time, or the mistake in the grammar.
type compiledGrammar struct {
	*recognizer.Recognizer
	took time.Duration
	err  error
}

// LoadGrammar is languages.LoadWith. Tests of time limits replace it.
var LoadGrammar = languages.LoadWith

// compileOnce compiles the grammar's text to its recognizer. The error is ctx's.
func (w *loadedWorkload) compileOnce(ctx context.Context) (m compiledGrammar, err error) {
	_, release := environment.Pin()
	defer release()
	begin := environment.Now()
	g, err := LoadGrammar(ctx, w.Grammar, readingOptions(w.Workload))
	if err == nil {
		m.Recognizer, err = recognizer.New(ctx, g, recognizer.Options{Conflicts: w.conflicts})
	}
	m.took = environment.Now() - begin
	if ctx.Err() == nil {
		m.err, err = err, nil // the grammar's own mistake
	}
	return m, err
}

// readingOptions say how the grammar of a workload is read.
func readingOptions(w config.Workload) languages.Options {
	return languages.Options{Start: w.Start, ImportPaths: w.ImportPaths, Lexer: w.Lexer}
}

// textSum is the SHA-256 of a grammar that did not compile: of its text, or else of its name, and
// of its start rule and its lexer where these are not the usual ones.
func textSum(w config.Workload) string {
	text, named := languages.Text(w.Grammar)
	if file, err := os.ReadFile(w.Grammar); !named && err == nil {
		text, named = file, true
	}
	if !named {
		text = []byte(w.Grammar)
	}
	sum := sha256.Sum256(append(append(text, w.Start...), w.Lexer...))
	return hex.EncodeToString(sum[:])
}

// load reads the documents that the configuration selects. The notes are for a person.
func (w *loadedWorkload) load(ctx context.Context, cfg *config.Config) (notes []string, err error) {
	d := w.Dataset
	var src datasets.Source
	switch {
	case w.Tools != nil:
		src, err = w.requests(ctx, cfg.Seed)
	case d.Name != "":
		src, err = datasets.Lookup(d.Name)
	case d.Format == "parquet":
		src, err = datasets.OpenParquet(d.Path, d.Glob, d.Column)
	default:
		src, err = datasets.Open(d.Format, d.Path, d.Glob)
	}
	if err == nil && d.Invalid != "" {
		src, err = datasets.MarkNegatives(src, d.Invalid)
	}
	if err == nil && len(w.SchemaFiles) > 0 {
		src, err = withSchemaFiles(src, w.SchemaFiles)
	}
	if err != nil {
		return nil, err
	}
	q := datasets.Query{Limit: d.Limit, Negatives: d.Negatives, Sample: d.Sample, Seed: cfg.Seed, MinBytes: d.MinBytes, MaxBytes: d.MaxBytes}
	var leaves filter
	switch {
	case d.Filter == config.FilterParses && w.recognizer != nil:
		parses := leaves.parses(w.recognizer)
		q.Keep = func(content []byte) bool { return parses(w.read(content)) }
	case d.Filter == config.FilterRight:
		q.KeepSchema = leaves.judgesRightly(ctx, cfg.Measure.Timeout, CompilerOptions(SchemaOptions(w.Schema)))
	}
	set, err := datasets.Load(ctx, src, q)
	if err != nil {
		return nil, err
	}
	switch schemas := len(set.Schemas) > 0; {
	case schemas && w.Schema == nil:
		return nil, fmt.Errorf("it brings a JSON schema with its documents: it needs grammar: %s", config.GrammarSchema)
	case !schemas && w.Schema != nil:
		return nil, fmt.Errorf("it has no schemas: grammar: %s needs a corpus of schemas", config.GrammarSchema)
	case schemas:
		w.grammarSHA = schemasSum(w.Schema, set.Schemas)
	}
	w.schemas, w.samples = set.Schemas, set.Samples
	for i := range w.samples {
		w.samples[i].Content = w.read(w.samples[i].Content)
	}
	w.Selection = leaves.selection(&set.Provenance, d.Filter)
	w.corpusSHA256 = corpusSum(set, w.Dataset.Special)
	notes = set.Provenance.Notes()
	if d.Negatives > 0 && !slices.ContainsFunc(set.Samples, func(s datasets.Sample) bool { return s.Negative }) {
		notes = append(notes, fmt.Sprintf("%s: \"negatives: %d\" finds no document with a known mistake: %s that the sizes leave out may be some", w.DatasetName, d.Negatives, words.Count(set.Provenance.BySize, "document")))
	}
	return notes, nil
}

// requests are the requests with tools that a workload makes of its corpus.
func (w *loadedWorkload) requests(ctx context.Context, seed uint64) (datasets.Source, error) {
	corpus, err := toolcalls.Open(ctx, cmp.Or(w.Dataset.Name, w.Dataset.Path))
	if err != nil {
		return nil, err
	}
	t := w.Tools
	return corpus.Source(toolcalls.Setup{Count: t.Count, Requests: t.Requests, Without: t.Without, Seed: seed, Request: requestOf(t)}), nil
}

// corpusSum is the SHA-256 of the chosen documents, of which of them are negative, and of whether
// names of special tokens in them are these tokens.
func corpusSum(set *datasets.Dataset, special bool) string {
	h := sha256.New()
	if special {
		h.Write([]byte("special tokens split"))
	}
	h.Write([]byte(set.Provenance.SHA256))
	for i := range set.Samples {
		h.Write([]byte{byte(stats.Truth(set.Samples[i].Negative))})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Prepared is a workload on a vocabulary, ready for all algorithms.
type Prepared struct {
	Workload        *loadedWorkload
	LoadedTokenizer *loadedTokenizer
	Label           string // of the tokenizer
	Seed            uint64
	Units           []*Unit     // one for programs, one for each schema of a schema corpus
	Documents       []*Document // of all units, in their order
	Positives       int         // documents of the whole group that are no negatives
	AllUnits        int         // in the whole group
	AllDocuments    int         // in the whole group
	divided         bool        // it has a shard's part of them
	Unweighed       bool        // no engine of it is weighed
	Markers         []string    // of requests with tools: those that are tokens
	// SchemasKept is shared by the compiles of schemas to grammars in this group, and
	// schemasKeptLate by those to grammars written on demand; nil for programs.
	SchemasKept, SchemasKeptLate *jsonschema.Kept
	Question                     cell.ID // the part of the cells' IDs that all algorithms share
}

// EachGroup prepares the groups of the configuration in its order.
func (l *Loader) EachGroup(ctx context.Context, visit func(g *Prepared, number, of int) error) error {
	of := len(l.cfg.Workloads) * len(l.cfg.Tokenizers)
	number := 0
	for _, w := range l.cfg.Workloads {
		for _, t := range l.cfg.Tokenizers {
			number++
			if !l.Takes(number-1) || l.Skip != nil && l.Skip(w, t) {
				continue
			}
			g, err := l.Prepare(ctx, w, t)
			if err != nil {
				return err
			}
			if err := visit(g, number, of); err != nil {
				return err
			}
		}
		delete(l.Workloads, w.Name) // no later group is charged with its memory
	}
	return nil
}

// Prepare brings a workload and a vocabulary together.
func (l *Loader) Prepare(ctx context.Context, w config.Workload, t config.Tokenizer) (*Prepared, error) {
	tok, err := l.tokenizer(ctx, t)
	if err != nil {
		return nil, err
	}
	work, err := l.workload(ctx, w)
	if err != nil {
		return nil, err
	}
	if tok, err = tok.naming(work); err != nil {
		return nil, l.workloadError(w, "grammar "+GrammarName(w), err)
	}
	g := &Prepared{Workload: work, LoadedTokenizer: tok, Label: t.Label, Seed: l.cfg.Seed, Unweighed: l.Opt.Unweighed}
	if w.Tools != nil {
		g.Markers = work.markers(l.tokenizers[t.Label]).Markers
	}
	if w.Schema != nil {
		g.SchemasKept, g.SchemasKeptLate = jsonschema.NewKept(), jsonschema.NewKept()
	}
	g.makeUnits()
	sum := ""
	if err = g.asTokens(); err == nil {
		sum, err = g.encodeAll(ctx)
	}
	if err != nil {
		return nil, l.workloadError(w, "dataset "+work.DatasetName, err)
	}
	g.wantPositions(l.cfg.Measure.Positions)
	g.Question = cell.ID{
		GrammarSHA256: work.grammarSHA, CorpusSHA256: work.corpusSHA256, TokensSHA256: sum,
		VocabularySHA256: tok.Vocabulary().SHA256(), TokenizerSHA256: tok.SHA256(), VocabularySize: tok.Vocabulary().Len(),
	}
	if w.Schema == nil {
		err = g.load(g.Units[0])
	}
	g.AllDocuments = len(g.Documents)
	if err == nil && l.divides() {
		g.restrict(l.Opt.Shard)
	}
	return g, err
}

// encodeAll encodes every document once, for the sum and the lengths. Programs keep their tokens;
// instances of a schema are encoded again when the schema is opened, which takes a hundredth of the
// time of their walks.
//
// The sum is over the oracle tokens: two encoders of one vocabulary that split a text differently
// ask different questions.
func (g *Prepared) encodeAll(ctx context.Context) (sum string, err error) {
	h := sha256.New()
	var buf []byte
	for _, s := range g.Documents {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		tokens, err := g.Encode(s)
		if err != nil {
			return "", err
		}
		s.Length = len(tokens)
		if g.Workload.Schema == nil {
			s.Tokens = tokens
		}
		buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(len(tokens)))
		for _, t := range tokens {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(t))
		}
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Name names a group in messages.
func (g *Prepared) Name() string { return g.Workload.Name + " with " + g.Label }

// Parts counts what a group is walked by: the schemas of a corpus, the samples of programs.
func (g *Prepared) Parts() (what string, n int) {
	if g.Workload.Schema != nil {
		return "schema", len(g.Units)
	}
	return "sample", len(g.Documents)
}
