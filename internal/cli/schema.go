package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
)

// schemaSummary is the JSON of schema compile.
type schemaSummary struct {
	Name string `json:"name"` // the file, as given
	// Outcome is ok, unsupported, contradictory, timeout or invalid. If it is not ok, Error says
	// why in a line, and Failure in parts.
	Outcome string         `json:"outcome"`
	Error   string         `json:"error,omitempty"`
	Failure *schemaFailure `json:"failure,omitempty"`
	// Counts are the numbers of keywords by status.
	Counts map[jsonschema.Status]int `json:"counts"`
	// Coverage has every keyword in the order of the schema, as far as the compiler came.
	Coverage  []jsonschema.Coverage `json:"coverage"`
	Grammar   *grammarSummary       `json:"grammar,omitempty"`
	CompileNS int64                 `json:"compile_ns"` // from the text to the grammar, in nanoseconds
}

// Outcomes of schema compile.
const (
	schemaOK            = "ok"
	schemaUnsupported   = "unsupported"
	schemaContradictory = "contradictory"
	schemaTimedOut      = "timeout"
	schemaInvalid       = "invalid" // no JSON schema; exit status 2
)

// schemaCompile reports how each keyword of a schema is enforced. A schema without a grammar is a
// result with exit status 1; for other commands it is bad input.
func (a *app) schemaCompile() *cobra.Command {
	var flags schemaFlags
	cmd := newCommand("schema compile", one("JSON schema"), func(cmd *cobra.Command, args []string) error {
		return a.compileSchema(cmd.Context(), args[0], &flags)
	})
	flags.add(cmd)
	return cmd
}

// compileSchema compiles, builds the tables, and prints the status of each keyword, also for a
// schema that does not compile.
func (a *app) compileSchema(ctx context.Context, file string, f *schemaFlags) error {
	opt, err := f.options(file)
	if err != nil {
		return err
	}
	src, err := a.readInput(file)
	if err != nil {
		return err
	}
	s := schemaSummary{Name: file, Outcome: schemaOK, Counts: map[jsonschema.Status]int{}, Coverage: []jsonschema.Coverage{}}
	// A schema that does not compile has its coverage, too: it shows how far the compiler came.
	jsonschema.Prepare() // the time is that of the schema
	jsonschema.PrepareFor(src)
	t0 := time.Now()
	result, err := compileWithin(ctx, f.timeout, compileSchema, src, opt)
	s.CompileNS = time.Since(t0).Nanoseconds()
	s.cover(result)
	a.warnOfSchema(file, result)
	if err == nil {
		if err = s.build(ctx, result.Grammar); err != nil {
			err = &jsonschema.UnsupportedError{Reason: "the tables of its grammar are too large", Detail: err.Error()}
		}
	}
	if ctx.Err() != nil { // an interrupt, which the compiler may have reported in its own way
		return ctx.Err()
	}
	if err != nil {
		s.fail(schemaFailureOf(file, src, err))
	}
	if s.Outcome == schemaInvalid { // bad input, which a script may still want by its parts
		if a.asJSON {
			if err := a.printJSON(s); err != nil {
				return err
			}
		}
		return errors.New(s.Error)
	}
	a.failed = s.Outcome != schemaOK
	if a.asJSON {
		return a.printJSON(s)
	}
	a.printSchema(&s)
	return nil
}

// cover takes over the status of each keyword.
func (s *schemaSummary) cover(result *jsonschema.Result) {
	if result == nil || result.Coverage == nil {
		return
	}
	s.Coverage = result.Coverage
	for _, c := range s.Coverage {
		s.Counts[c.Status]++
	}
}

// build makes the lexer and the tables.
func (s *schemaSummary) build(ctx context.Context, g *grammar.Grammar) error {
	t0 := time.Now()
	r, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: true})
	if err != nil {
		return err
	}
	l := loaded{Recognizer: r, schema: &jsonschema.Result{}, readNS: s.CompileNS, tablesNS: time.Since(t0).Nanoseconds()}
	summary := l.summary()
	s.Grammar = &summary
	return nil
}

// fail says why there is no grammar.
func (s *schemaSummary) fail(f *schemaFailure) {
	s.Outcome, s.Error, s.Failure = f.outcome(), f.String(), f
}

// printSchema prints the summary in words: the reason first, if there is no grammar.
func (a *app) printSchema(s *schemaSummary) {
	fmt.Fprint(a.out, pageOf("schema", s))
	a.printCoverage(s)
}

// maxKeywords bounds the list of keywords of a status. A large schema has tens of thousands, and
// the keywords that are not enforced should not scroll away. The JSON has all of them.
const maxKeywords = 200

// printCoverage lists the status of each keyword, in the order of the schema, and counts them.
func (a *app) printCoverage(s *schemaSummary) {
	shown := map[jsonschema.Status]int{}
	for _, c := range s.Coverage {
		if shown[c.Status]++; shown[c.Status] > maxKeywords {
			continue
		}
		reason := ""
		if c.Reason != "" {
			reason = ": " + c.Reason
		}
		fmt.Fprintf(a.out, "  %-10s %s%s\n", c.Status, c.Pointer, reason)
	}
	var counts []string
	for _, status := range slices.Sorted(maps.Keys(shown)) {
		text := fmt.Sprintf("%d %s", shown[status], status)
		if shown[status] > maxKeywords {
			text += fmt.Sprintf(" (%d shown; --json has all)", maxKeywords)
		}
		counts = append(counts, text)
	}
	if len(counts) > 0 {
		fmt.Fprintf(a.out, "keywords: %s\n", strings.Join(counts, ", "))
	}
}
