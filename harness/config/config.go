// Package config reads the YAML files that say what to compare: algorithms,
// tokenizers, workloads, and how to measure them.
//
// A configuration is the one input a user writes by hand, often copied from a
// paper's appendix and changed in a hurry, and a run may take hours. So nothing
// in it is guessed: an unknown key, a word outside its list, a wrong type, a
// file that is not there are all errors, each as "file:line:column: message"
// with what was expected there and, where a name is one or two letters off, the
// name that was probably meant. All mistakes of a file are reported together.
//
// The package works in two steps over yaml.v3's node tree. A table of shapes
// (schema.go) says what every node may be; it checks the file, and the JSON
// Schema for editors is printed from the same table, so the two cannot drift
// apart. Only a file without errors is then turned into the structs below
// (build.go), which can therefore be plain code.
//
// YAML anchors, aliases and merge keys are refused: a result quotes its
// configuration, and a reader should see there what was run without expanding it.
package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/bundle"
	"gcdbench/internal/files"
)

// MaxFileBytes bounds the size of a configuration. The longest one we can
// imagine, a few hundred workloads spelled out, is under 100 kB; anything far
// beyond that is a corpus given by mistake.
const MaxFileBytes = 1 << 20

// Config is a checked configuration, with every default filled in. It is not
// modified after Load returns it.
type Config struct {
	File       string // as given to Load, for messages
	Text       []byte // the file, byte for byte
	Name       string // names the result: letters, digits, '.', '_', '-'
	Seed       uint64 // every random choice of a run derives from it
	Algorithms []Algorithm
	Tokenizers []Tokenizer
	Workloads  []Workload
	Measure    Measure
	Throughput *Throughput // nil for none
	Load       *UnderLoad  // nil for none
}

// Algorithm is one competitor: an algorithm with its options.
type Algorithm struct {
	Name    string            // as registered
	Options map[string]string // as written, scalars only; nil if none
	Label   string            // how tables call it; unique within a configuration
	// Copy counts earlier entries with the same name and options: 0 for the
	// first. Two equal entries are an A/A comparison, whose difference is noise.
	Copy int
	Pos  Position
}

// Tokenizer is one vocabulary to measure on.
type Tokenizer struct {
	Spec  string // a name, or the absolute path of a tokenizer.json
	File  bool   // Spec is a path
	Cut   int    // keep the first Cut ids only; 0 keeps all
	Label string // how tables call it; unique within a configuration
	Pos   Position
}

// GrammarSchema is the grammar of a workload whose documents bring their own: the
// JSON schemas of a schema corpus, with their instances.
const GrammarSchema = "schema"

// GrammarTools is the grammar of a workload of requests with tools: each brings the language of its
// own responses.
const GrammarTools = "tools"

// The filters of a dataset.
const (
	// FilterParses leaves out documents that the grammar refuses.
	FilterParses = "parses"
	// FilterRight leaves out schemas whose grammar does not judge all instances as they are
	// labelled, or that lack valid or invalid ones (PSC, appendix A.4).
	FilterRight = "right"
)

// Workload is a grammar with the documents that drive it.
type Workload struct {
	Name        string // unique within a configuration
	Grammar     string // a grammar's name, the absolute path of a .lark file, GrammarSchema or GrammarTools
	GrammarFile bool   // Grammar is a path
	Start       string // the start rule; "" for the one called start
	// ImportPaths are absolute paths of folders that imports are searched in first.
	ImportPaths []string
	// Lexer is the lexer of the grammar, one of package grammars' Lexers; "" for its own.
	Lexer string
	// Schema says how schemas are compiled; nil unless Grammar is GrammarSchema or GrammarTools.
	Schema *SchemaOptions
	// SchemaFiles are other schemas that those of the dataset may refer to.
	SchemaFiles []bundle.File
	// Tools says which requests are made; nil unless Grammar is GrammarTools.
	Tools *ToolsOptions
	// Published is which published figures reports put beside this workload's, one of
	// PublishedPrograms or PublishedSchemas; "" for none.
	Published string
	Dataset   Dataset
	Pos       Position
}

// ToolsOptions say which requests are made of a corpus of tools. Their words are those of package
// tools.
type ToolsOptions struct {
	Format, Choice, Text string
	Parallel, Reasoning  bool
	// Count is how many tools a request has, and Requests how many requests there are; 0 for the
	// defaults of package toolcalls.
	Count, Requests int
	// Markers is MarkersTokens, or "" for MarkersText.
	Markers string
	// Without are keywords of JSON Schema; tools whose parameters have one are not drawn.
	Without []string
}

// What the markers of a format are: all are text; or those that the vocabulary has as tokens of
// their own, special or added, are these tokens.
const (
	MarkersTokens = "tokens"
	MarkersText   = "text"
)

// SchemaOptions say how schemas become grammars. The zero value is the default.
type SchemaOptions struct {
	// AnyWhiteSpace allows the white space that JSON does, instead of none or one
	// space after each comma and colon.
	AnyWhiteSpace bool
	// DeclaredOrder lets keys come only in the order in which the schema declares them, which is
	// what most engines enforce.
	DeclaredOrder bool
	// Lenient leaves out what is not supported, so that schemas with it compile
	// and may accept too much.
	Lenient bool
}

// Dataset selects documents: a named corpus, or files in one of the formats.
type Dataset struct {
	Name   string // a named corpus; empty if Format is set
	Format string // one of DocumentFormats or SchemaFormats; empty if Name is set
	Path   string // absolute path, or glob for format files
	Glob   string // for folders and archives: which entries, "" for all
	Column string // of format parquet: the column of the texts, "" for the usual one
	// Invalid is which of the entries have a known mistake, as a glob of formats dir and zip; ""
	// for none.
	Invalid string
	// Limit bounds the positives or, in a schema corpus, the schemas, each with
	// all of its instances; 0 for all.
	Limit  int
	Sample bool // choose the Limit at random by the seed, instead of the first ones
	// MinBytes and MaxBytes bound a document's size, in a schema corpus that of a
	// schema's text; 0 for no bound.
	MinBytes, MaxBytes int64
	// Filter is FilterParses, FilterRight or "".
	Filter string
	// Negatives bounds the negatives, in a schema corpus those of each schema; -1
	// for all, 0 for none.
	Negatives int
	// Special is whether the names of special tokens that the grammar names are these tokens in the
	// documents; else they are text.
	Special bool
	Pos     Position
}

// Measure says how to measure.
type Measure struct {
	// Warmup is the number of passes over a sample between the first one, which is
	// timed, and those that are timed again.
	Warmup int
	Repeat int // timed passes over a sample after the first
	// Compiles is how often each grammar is compiled by each algorithm; 0 for 5 times
	// where that takes less than 10 s, or else once, and once for each JSON schema.
	Compiles int
	Timeout  time.Duration // for one compile, and for one pass of one algorithm over one sample
	Memory   int64         // bytes that one algorithm's operations may hold; 0 for half of the machine's
	// Positions is at how many positions of a workload naive is asked, spread over its
	// samples; 0 for all. The other algorithms are asked at all.
	Positions int
	// Between is what happens between two steps, outside of the clock: BetweenLogits or
	// BetweenNothing.
	Between string
}

// What happens between two steps.
const (
	// BetweenLogits applies the mask to a row of logits, as a decoder does.
	BetweenLogits = "logits"
	// BetweenNothing goes on with the next step at once.
	BetweenNothing = "nothing"
)

// Position is a place in a configuration, 1-based.
type Position struct{ Line, Column int }

// Error is one mistake in a configuration.
type Error struct {
	File string
	Position
	Message string
}

// Error is file:line:column: message, or file: message where no line is meant.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Errors is every mistake found in one file, in the order of the file.
type Errors []*Error

// Error is the messages of all, a line each.
func (list Errors) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Names is what a configuration may refer to. A nil slice or map leaves that
// kind of name unchecked.
type Names struct {
	Algorithms map[string][]Option // by name, with the options each takes
	Tokenizers []string
	Grammars   []string
	Datasets   []string
	// SchemaDatasets are those of Datasets that bring a grammar with their
	// documents, ToolsDatasets those of tools.
	SchemaDatasets, ToolsDatasets []string
	// ToolsFormats, ToolsChoices and ToolsTexts are the words of ToolsOptions, Keywords those of JSON
	// Schema.
	ToolsFormats, ToolsChoices, ToolsTexts, Keywords []string
	// Replaced are grammars, as Workload has them, whose workloads the caller gives other
	// documents than the configuration says: the files named there need not exist.
	Replaced []string
}

// Option is one option of an algorithm.
type Option struct {
	Name   string
	Values []string // the only values allowed; nil for any that Check takes
	Check  func(value string) error
}

// Load reads and checks the configuration at path. Its relative paths are
// relative to the directory the file is in. Mistakes in the file are returned as
// Errors; a file that cannot be read as *Error.
func Load(path string, names Names) (*Config, error) {
	text, err := files.Read(path, MaxFileBytes, "a configuration")
	if err != nil { // no line: the file as a whole is wrong
		return nil, &Error{File: path, Message: fmt.Sprintf("cannot read the configuration: %v", err)}
	}
	return Parse(path, text, names)
}

// Parse checks text as a configuration that stands in file.
func Parse(file string, text []byte, names Names) (*Config, error) {
	root, err := parseYAML(file, text)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, &Error{File: file, Message: err.Error()}
	}
	c := &checker{file: file}
	rootShape.check(c, root)
	b := &builder{checker: c, dir: dir, names: names}
	if len(c.errs) > 0 {
		b.sound(root)
		return nil, c.sorted()
	}
	cfg := b.config(root)
	if len(c.errs) > 0 {
		return nil, c.sorted()
	}
	cfg.File, cfg.Text = file, slices.Clone(text)
	return cfg, nil
}

// checker collects mistakes.
type checker struct {
	file string
	errs Errors
}

// errorf reports a mistake at a node.
func (c *checker) errorf(n *yaml.Node, format string, args ...any) {
	c.errs = append(c.errs, &Error{
		File:     c.file,
		Position: Position{n.Line, n.Column},
		Message:  fmt.Sprintf(format, args...),
	})
}

// sorted puts the mistakes in the order of the file: shapes are checked before
// names, and a reader goes from top to bottom.
func (c *checker) sorted() Errors {
	slices.SortStableFunc(c.errs, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return c.errs
}
