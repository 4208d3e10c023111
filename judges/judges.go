// Package judges decides whether a text is in a language, by programs that share no code with any
// engine: who compares engines needs somebody to ask who is neither.
//
// The judge of JSON schemas shares readings with this project's own compiler, though: what a
// format, a pattern or a number means where specifications leave it open was decided once, in
// package labels, by the same authors. So it is called by a name of its own, not by its module's.
//
// # Who judges what
//
//	a JSON schema      the validator of package datasets/labels
//	json               encoding/json, with UTF-8 checked
//	go                 go/parser
//	java               javac's parser, in a JVM (java.go)
//	python             CPython's parser (child.go)
//	any other grammar  Lark, which reads the same file (lark.go)
//
// The first four are judges of the language, and not of the embedded grammar of its name: that a
// grammar is wider or narrower than its language shows as a verdict against those who follow the
// grammar.
//
// # What bounds it
//
// Judges in other languages run as child processes, which are started when first asked, have a time
// limit for each text, and are started again after they died. What a machine does not have is a
// *MissingError, which says what to install: there is no verdict then, and no guess. A verdict on
// syntax is what the parser says; names and types are nobody's question here.
package judges

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"gcdbench/grammars"
)

// A Verdict is what a judge says about a text.
type Verdict struct {
	Valid bool `json:"valid"`
	// Rule is what an invalid text breaks, in a few words to count by: a keyword of JSON Schema, or
	// the kind of a syntax error.
	Rule string `json:"rule,omitempty"`
	// Why is the judge's reason in one line; "" for a valid text.
	Why string `json:"why,omitempty"`
	// Note says what the judge does not see or mind although others may: RepeatedKey, LoneSurrogate,
	// or both with a comma between them; "" for neither.
	Note string `json:"note,omitempty"`
}

const (
	// RepeatedKey is the Note of a JSON text in which an object has a key twice. The validator sees
	// the last one.
	RepeatedKey = "a key twice"
	// LoneSurrogate is the Note of a JSON text with an escape such as \ud800 that is half a character.
	// The validator sees U+FFFD, and others may say that the escape denotes nothing.
	LoneSurrogate = "a lone surrogate"
)

// Format is the Rule of an instance that would be valid if no format were asserted. Since draft
// 2019-09 a format is an annotation unless its user asserts it, and before it was optional: who
// does not enforce it follows the standard.
const Format = "format"

// A Judge decides about texts of one language. It is not safe for concurrent use.
type Judge interface {
	// Name and Version say who judges: "CPython", "3.12.1". Version is known after the first Judge.
	Name() string
	Version() string
	// Judge decides about a text. An error means that there is no verdict; it is ctx's if ctx is done.
	Judge(ctx context.Context, text []byte) (Verdict, error)
	// Close ends what runs for the judge. It may be asked again afterwards.
	Close()
}

// A Language is what texts are judged by: a schema, or a grammar.
type Language struct {
	// Schema is the text of a JSON schema; nil for a grammar.
	Schema []byte
	// Name is that of an embedded grammar or the path of a file in Lark's language, Text what it says.
	Name string
	Text []byte
}

// Options say where judges are found. The zero value is right for most uses.
type Options struct {
	// Python is the interpreter that runs Lark and CPython's parser: by default the one that
	// GCDBENCH_PYTHON names, or else python3.
	Python string
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
}

// Error is "no judge", and why.
func (e *MissingError) Error() string { return fmt.Sprintf("no judge: %s: %s", e.Judge, e.Why) }

// For finds the judge of a language. The error is a *MissingError.
func For(l Language, opt Options) (Judge, error) {
	if l.Schema != nil {
		return newSchema(l.Schema)
	}
	if text, ok := grammars.Source(l.Name); ok && bytes.Equal(text, l.Text) {
		switch l.Name {
		case "json":
			return jsonText{}, nil
		case "go":
			return goParser{}, nil
		case "java":
			return newJava(opt)
		case "python":
			return newPython(opt), nil
		}
	}
	return newLark(l, opt)
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
