package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/files"
	"gcdbench/internal/words"
)

// grammarSummary is the JSON of grammar show.
type grammarSummary struct {
	Name      string           `json:"name"`
	Terminals int              `json:"terminals"` // ignored ones too
	Rules     int              `json:"rules"`     // as lowered: repetitions and options are rules of their own
	LRStates  int              `json:"lr_states"`
	Conflicts conflictsSummary `json:"conflicts"`
	// LexerStates counts the states that are built: all of them, unless OnDemand is set.
	LexerStates int    `json:"lexer_states"`
	LexerMode   string `json:"lexer_mode"` // first or all: which terminals a lexeme is
	Parser      string `json:"parser"`     // LALR(1), or GLR where conflicts are kept
	Layout      bool   `json:"layout"`     // whether indentation counts
	OnDemand    bool   `json:"lexer_on_demand"`
	// Warnings are oddities of a grammar in Lark's language; null for a JSON schema.
	Warnings []warning `json:"warnings"`
	SHA256   string    `json:"sha256"`    // of the grammar's text
	ParseNS  int64     `json:"parse_ns"`  // from text to grammar, in nanoseconds, once
	TablesNS int64     `json:"tables_ns"` // from grammar to lexer and tables
}

// Sizes are a grammar's sizes in words.
func (s *grammarSummary) Sizes() string {
	return words.Count(s.Terminals, "terminal") + ", " + words.Count(s.Rules, "rule") + ", " + words.Count(s.LRStates, "LR state")
}

// conflictsSummary counts the conflicts of the tables, resolved by a precedence or kept for a GLR
// parser.
type conflictsSummary struct {
	ShiftReduce  int `json:"shift_reduce"`
	ReduceReduce int `json:"reduce_reduce"`
}

// grammarShow is for authors of grammars: is a grammar larger than expected, and is it ambiguous?
func (a *app) grammarShow() *cobra.Command {
	var full, conflicts bool
	var reading grammarFlags
	cmd := newCommand("grammar show", one("grammar"), func(cmd *cobra.Command, args []string) error {
		return a.showGrammar(cmd.Context(), args[0], &reading, full, conflicts)
	})
	reading.add(cmd)
	cmd.Flags().BoolVar(&full, "rules", false, "also print the terminals and the rules as they were lowered")
	cmd.Flags().BoolVar(&conflicts, "conflicts", false, "also print every conflict with an example")
	return cmd
}

// showGrammar prints the sizes; in words also the conflicts and the rules, if asked.
func (a *app) showGrammar(ctx context.Context, name string, f *grammarFlags, full, conflicts bool) error {
	l, err := a.load(ctx, name, f)
	if err != nil {
		return err
	}
	g, r := l.Grammar, l.Recognizer
	s := l.summary()
	if a.asJSON {
		return a.printJSON(s)
	}
	shown := map[string]any{"S": &s, "Grammar": g}
	if conflicts {
		shown["Conflicts"] = r.Tables.Conflicts()
	}
	if err := pages.ExecuteTemplate(a.out, "grammar", shown); err != nil {
		return err
	}
	if full {
		fmt.Fprintln(a.out)
		return lark.Describe(a.out, g.Unsplit())
	}
	return nil
}

// summary is what grammar show prints.
func (l *loaded) summary() grammarSummary {
	s := summarize(l.Grammar, l.Recognizer)
	s.ParseNS, s.TablesNS, s.OnDemand, s.Warnings = l.readNS, l.tablesNS, l.schema != nil, l.warnings
	return s
}

// summarize counts the parts of a grammar. The caller adds the times.
func summarize(g *grammar.Grammar, r *recognizer.Recognizer) grammarSummary {
	g = g.Unsplit()
	s := grammarSummary{
		Name: g.Name, Terminals: len(g.Terminals), Rules: len(g.Rules), LRStates: r.Tables.NumStates(),
		LexerStates: r.Lexer.NumStates(), LexerMode: g.Lexer.String(), Parser: "LALR(1)", Layout: g.Layout != nil,
		SHA256: fmt.Sprintf("%x", g.SHA256),
	}
	if !r.Tables.Deterministic() {
		s.Parser = "GLR"
	}
	s.Conflicts.ShiftReduce, s.Conflicts.ReduceReduce = r.Tables.CountConflicts()
	return s
}

// documentResult is the JSON of grammar check, one per document.
type documentResult struct {
	ID    string         `json:"id"` // the file's name, or what its line calls it
	OK    bool           `json:"ok"`
	Error *documentError `json:"error,omitempty"` // if not OK
}

// documentError is where and why a document is refused.
type documentError struct {
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
}

// grammarCheck checks which documents are in a language: a corpus may have documents that are not.
func (a *app) grammarCheck() *cobra.Command {
	var name, jsonl string
	var reading grammarFlags
	cmd := newCommand("grammar check", nil, func(cmd *cobra.Command, args []string) error {
		switch {
		case name == "":
			return errNoGrammar
		case jsonl == "" && len(args) == 0:
			return errors.New("no document: name files, - for standard input, or --jsonl FILE")
		}
		return a.checkDocuments(cmd.Context(), name, &reading, jsonl, args)
	})
	cmd.Flags().StringVarP(&name, "grammar", "g", "", grammarHelp+" (required)")
	reading.add(cmd)
	cmd.Flags().StringVar(&jsonl, "jsonl", "", "a JSON Lines file of {\"id\",\"content\"} documents, optionally .gz")
	return cmd
}

// checkDocuments checks a corpus first and then files, each printed as it is checked.
func (a *app) checkDocuments(ctx context.Context, name string, f *grammarFlags, jsonl string, files []string) error {
	l, err := a.load(ctx, name, f) // a bad grammar is worse than a document that is not there
	if err != nil {
		return err
	}
	c := checker{app: a, reading: f, r: l.Recognizer, schema: l.schema != nil, source: l.source, ctx: ctx}
	if jsonl != "" {
		if err := c.jsonl(ctx, jsonl); err != nil {
			return err
		}
	}
	for _, file := range files {
		content, err := a.readInput(file)
		if err != nil {
			return err
		}
		if err := c.check(file, content); err != nil {
			return err
		}
	}
	conflicts := summarize(l.Grammar, l.Recognizer).Conflicts
	if a.asJSON {
		return a.printJSON(checkSummary{c.documents, c.accepted, conflicts, l.warnings})
	}
	fmt.Fprintf(a.out, "%d of %s accepted\n", c.accepted, words.Count(c.documents, "document"))
	a.noteConflicts(name, conflicts, l.Recognizer)
	return nil
}

// checkSummary is the JSON of the last line of grammar check.
type checkSummary struct {
	Documents int `json:"documents"`
	Accepted  int `json:"accepted"`
	// Conflicts are those of the grammar. A resolved conflict may refuse a document that the rules
	// allow.
	Conflicts conflictsSummary `json:"conflicts"`
	// Warnings are oddities of a grammar in Lark's language; null for a JSON schema.
	Warnings []warning `json:"warnings"`
}

// noteConflicts says that a grammar has conflicts, how they were resolved, and how to see them.
func (a *app) noteConflicts(name string, c conflictsSummary, r *recognizer.Recognizer) {
	if r.Grammar.Unsplit().Lexer == grammar.LexDynamic {
		return // which keeps conflicts by its nature
	}
	shifted, reduced := "resolved by shifting", "resolved by priority"
	if !r.Tables.Deterministic() {
		shifted, reduced = "kept, and every way is followed", "kept, and every way is followed"
	}
	var list []string
	if c.ShiftReduce > 0 {
		list = append(list, words.Count(c.ShiftReduce, "shift/reduce conflict")+" "+shifted)
	}
	if c.ReduceReduce > 0 {
		list = append(list, words.Count(c.ReduceReduce, "reduce/reduce conflict")+" "+reduced)
	}
	if len(list) > 0 {
		a.note("%s: %s; 'gcdbench grammar show %s --conflicts' shows them", name, strings.Join(list, ", "), name)
	}
}

// checker counts documents as it checks them.
type checker struct {
	*app
	reading             *grammarFlags
	r                   *recognizer.Recognizer
	ctx                 context.Context
	source              *algorithms.Source
	schema              bool // the grammar is a JSON schema's
	documents, accepted int
}

// jsonl checks the lines of a corpus one after the other, so that the corpus may be larger than
// memory.
func (c *checker) jsonl(ctx context.Context, path string) error {
	src, err := datasets.Open("jsonl", path, "")
	if err != nil {
		return err
	}
	docs, err := src.Documents(ctx)
	if err != nil {
		return err
	}
	for i := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		content, err := docs[i].Read()
		if err != nil {
			return err
		}
		if err := c.check(docs[i].ID, content); err != nil {
			return err
		}
	}
	return nil
}

// check prints the verdict on one document: as JSON always, in words if it is refused.
func (c *checker) check(id string, content []byte) error {
	result := documentResult{ID: id, OK: true}
	c.documents++
	content, err := c.reading.text(c.r.Grammar, content)
	if err != nil {
		return err
	}
	if err := c.r.Check(content); err != nil {
		var refusal *recognizer.Refusal
		if !errors.As(err, &refusal) {
			return fmt.Errorf("%s: %w", id, err)
		}
		result.OK = false
		result.Error = &documentError{refusal.Line, refusal.Column, c.message(content, refusal)}
		c.failed = true
	} else {
		c.accepted++
	}
	switch {
	case c.asJSON:
		return c.printJSON(result)
	case !result.OK:
		fmt.Fprintf(c.out, "%s:%d:%d: %s\n", words.Visible(id), result.Error.Line, result.Error.Column, result.Error.Message)
	}
	return nil
}

// message says what is wrong, in terms of the grammar, or for a schema in terms of the document.
func (c *checker) message(content []byte, from *recognizer.Refusal) string {
	if !c.schema {
		return from.Message
	}
	f := explainRefusal(c.r, content, from)
	if len(withoutLineEnd(content)) == f.offset && slices.Equal(f.expected, []string{"end"}) {
		return "the document ends with a line end, which masks would not let through; 'gcdbench schema check' leaves it out"
	}
	return withKeywords(f.message(), blamedBySource(c.ctx, c.source, withoutLineEnd(content), f.offset, true))
}

// maxInputBytes is the largest text that is read whole: four times the largest document of a
// corpus.
const maxInputBytes = 4 * datasets.MaxDocumentBytes

// readInput reads a file, or standard input for "-".
func (a *app) readInput(name string) ([]byte, error) {
	var in io.Reader
	if name == "-" {
		if a.inRead {
			return nil, errors.New("- is named twice, and standard input can be read once")
		}
		a.inRead, in = true, a.text()
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, files.Named(err)
		}
		defer f.Close()
		in = f
	}
	content, err := files.ReadAll(in, maxInputBytes, "a text")
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return content, err
}
