// Package judges decides whether a text is in a language, by programs that share no code with any
// engine.
//
// The judge of JSON schemas shares readings with this project's own compiler, though: where
// specifications leave the meaning of a format, a pattern or a number open, package datasets/labels
// and the compiler have the same authors. So the judge has a name of its own, not its module's.
//
// # The judges
//
//	a JSON schema      the validator of package datasets/labels
//	a request with tools  the reader of responses of package datasets/toolcalls, and that validator
//	json               encoding/json, with UTF-8 checked
//	go                 go/parser
//	java               javac's parser, in a JVM (java.go)
//	python             CPython's parser (python.go)
//	any other grammar  Lark, which reads the same file (lark.go)
//
// OfLanguage knows one more, which judges the language and not a grammar: PostgreSQL's parser for
// sql. For leaves it out, since the embedded grammar has forms of other databases.
//
// The judges of programs know the language, and not the embedded grammar of its name: where a
// grammar is wider or narrower than its language, verdicts go against engines that follow the
// grammar.
//
// # What bounds it
//
// Judges in other languages run as child processes. They are started with the first text, have a
// time limit for each text, and are started again after they died. A judge that the machine lacks
// is a *MissingError, which says what to install; there is no verdict then. A verdict on a program
// is about its syntax, not about names and types.
package judges

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"gcdbench/grammar/languages"
)

// A Verdict is a judge's decision about a text.
type Verdict struct {
	Valid bool `json:"valid"`
	// Rule is the rule that an invalid text breaks, in a few words for counting: a keyword of JSON
	// Schema, or the kind of a syntax error.
	Rule string `json:"rule,omitempty"`
	// Why is the judge's reason in one line; "" for a valid text.
	Why string `json:"why,omitempty"`
	// Note names oddities that this judge accepts and others may refuse: RepeatedKey,
	// LoneSurrogate, or both with a comma between them; "" for neither. With Options.Compile it is
	// what the compiler refuses in a program whose syntax the parser takes.
	Note string `json:"note,omitempty"`
}

const (
	// RepeatedKey is the Note of a JSON text in which an object has a key twice. The validator sees
	// the last one.
	RepeatedKey = "a key twice"
	// LoneSurrogate is the Note of a JSON text with an escape such as \ud800 that is half a
	// character. The validator sees U+FFFD; others may refuse the escape.
	LoneSurrogate = "a lone surrogate"
)

// Format is the Rule of an instance that would be valid if no format were asserted. Since draft
// 2019-09 a format is an annotation unless its user asserts it, and before it was optional: an
// engine that does not enforce formats follows the standard.
const Format = "format"

// LexersDiffer is the Rule of a text that Lark refuses with its basic lexer, which is the
// contract's kind, and takes with its contextual one, which asks the parser what may come. Which
// of the two a grammar means is a convention.
const LexersDiffer = "Lark's basic lexer refuses it, its contextual lexer takes it"

// A Judge decides about texts of one language. It is not safe for concurrent use.
type Judge interface {
	// Name and Version identify the judge: "CPython", "3.12.1". Version is known after the first
	// Judge.
	Name() string
	Version() string
	// Judge decides about a text. An error means that there is no verdict; it is ctx's if ctx is done.
	Judge(ctx context.Context, text []byte) (Verdict, error)
	// Close ends the judge's process. The judge may be asked again afterwards.
	Close()
}

// A Language is a schema or a grammar.
type Language struct {
	// Schema is the text of a JSON schema, Tools that of a request with tools; both nil for a grammar.
	Schema, Tools []byte
	// Name is that of an embedded grammar or the path of a file in Lark's language, Text what it says.
	Name string
	Text []byte
	// Reading says how the grammar is read.
	Reading languages.Options
}

// Options say where judges are found. The zero value is right for most uses.
type Options struct {
	// Python is the interpreter that runs Lark, pglast and CPython's parser: by default the one that
	// GCDBENCH_PYTHON names, or else python3, and for CPython's parser the newest python3.N on the
	// PATH. A file whose name ends in .mjs is Pyodide's module,
	// which is run under Node.js.
	Python string
	// Compile asks the compiler, too, about a program that the parser takes (Verdict.Note), where
	// parser and compiler share the rules of syntax: Go and Python.
	Compile bool
	// Limit is how long a child may take for one text; by default Limit.
	Limit time.Duration
}

// Limit is how long a judge may take for one text: real ones take milliseconds, and a parser in
// Python reads 100 KB in a second.
const Limit = 20 * time.Second

// A MissingError says that there is no judge for a language on this machine.
type MissingError struct {
	Judge string // whose name
	Why   string // what is missing, and what to do
	// Installable is whether installing what Why names gives the judge; otherwise no program
	// decides about the language.
	Installable bool
}

// Error is "no judge", and why.
func (e *MissingError) Error() string { return fmt.Sprintf("no judge: %s: %s", e.Judge, e.Why) }

// For finds the judge of a language. The error is a *MissingError.
func For(l Language, opt Options) (Judge, error) {
	switch {
	case l.Schema != nil:
		return newSchema(l.Schema)
	case l.Tools != nil:
		return newTools(l.Tools)
	}
	if text, ok := languages.Source(l.Name); ok && bytes.Equal(text, l.Text) && l.Reading.Start == "" {
		if l.Name != "sql" { // whose grammar has more than PostgreSQL
			return OfLanguage(l.Name, opt)
		}
	}
	return OfLark(l, opt)
}

// parsers are the languages that have a judge, with its name.
var parsers = map[string]struct {
	judge string
	make  func(name string, opt Options) (Judge, error)
}{
	"go":     {"go/parser", func(_ string, opt Options) (Judge, error) { return goParser{opt.Compile}, nil }},
	"java":   {"javac", newJava},
	"json":   {"encoding/json", func(string, Options) (Judge, error) { return jsonText{}, nil }},
	"python": {"CPython", newPython},
	"sql":    {"PostgreSQL", newSQL},
}

// Languages lists the languages that OfLanguage knows.
func Languages() []string { return slices.Sorted(maps.Keys(parsers)) }

// NameOf is the name of the judge of a language; "" if none is known.
func NameOf(language string) string { return parsers[language].judge }

// OfLanguage is the judge of a language by its name: the language's own parser. The error is a
// *MissingError.
func OfLanguage(name string, opt Options) (Judge, error) {
	l, ok := parsers[name]
	if !ok {
		return nil, &MissingError{Judge: name, Why: "no parser is known; the known languages are " + strings.Join(Languages(), ", ")}
	}
	return l.make(l.judge, opt)
}

// line shortens a message to its first line, and that to what a table has room for.
func line(message string) string {
	const longest = 200 // characters
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	if r := []rune(message); len(r) > longest {
		message = string(r[:longest]) + "..."
	}
	return message
}

// particular is what a message quotes, or counts.
var particular = regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`|[0-9]+")

// rule is a message without what is particular to the text.
func rule(message string) string {
	message, _, _ = strings.Cut(line(message), ", found ")
	return particular.ReplaceAllString(message, "..")
}
