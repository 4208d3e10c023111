package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/grammar/jsonschema"
	"gcdbench/recognizer"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Compile JSON schemas, and say what of them is enforced",
	}
	cmd.AddCommand(a.schemaCompile())
	return cmd
}

// schemaSummary is the JSON of schema compile.
type schemaSummary struct {
	Name string `json:"name"`
	// Outcome is ok, unsupported or contradictory.
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Counts are the keywords by what became of them.
	Counts    map[jsonschema.Status]int `json:"counts"`
	Coverage  []jsonschema.Coverage     `json:"coverage"`
	Grammar   *grammarSummary           `json:"grammar,omitempty"`
	CompileNS int64                     `json:"compile_ns"`
}

// Outcomes of schema compile.
const (
	schemaOK            = "ok"
	schemaUnsupported   = "unsupported"
	schemaContradictory = "contradictory"
)

func (a *app) schemaCompile() *cobra.Command {
	var opt jsonschema.Options
	var space string
	cmd := &cobra.Command{
		Use:   "compile FILE.json",
		Short: "The grammar of a JSON schema, and what became of each keyword",
		Long: `Compile a JSON schema to a grammar, and report what became of each keyword: enforced; narrower (some
valid texts are refused); wider (some invalid ones are accepted, only with --lenient); refused (the
reason why the schema was not compiled); annotation; or unused.

The exit status is 1 if the schema is not supported or contradictory, 2 if it is not a JSON schema.`,
		Example: "  gcdbench schema compile tool.json\n  gcdbench schema compile tool.json --lenient --whitespace any --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch space {
			case "strict":
			case "any":
				opt.WhiteSpace = jsonschema.AnySpace
			default:
				return fmt.Errorf("--whitespace is strict or any, not %q", space)
			}
			return a.compileSchema(cmd.Context(), args[0], opt)
		},
	}
	cmd.Flags().BoolVar(&opt.Lenient, "lenient", false, "leave out what is not supported instead of refusing the schema")
	cmd.Flags().BoolVar(&opt.AnyOrder, "any-order", false, "let the keys of small objects come in any order")
	cmd.Flags().StringVar(&space, "whitespace", "strict", "where texts may have white space: strict or any")
	return cmd
}

func (a *app) compileSchema(ctx context.Context, file string, opt jsonschema.Options) error {
	src, err := a.readInput(file)
	if err != nil {
		return err
	}
	opt.Name = file
	t0 := time.Now()
	result, err := jsonschema.Compile(ctx, src, opt)
	s := schemaSummary{Name: file, Outcome: schemaOK, CompileNS: time.Since(t0).Nanoseconds(), Counts: map[jsonschema.Status]int{}}
	var unsupported *jsonschema.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		s.Outcome = schemaUnsupported
	case errors.Is(err, jsonschema.ErrContradiction):
		s.Outcome = schemaContradictory
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		s.Error = err.Error()
		a.failed = true
	}
	s.Coverage = result.Coverage
	for _, c := range s.Coverage {
		s.Counts[c.Status]++
	}
	if result.Grammar != nil {
		r, err := recognizer.New(ctx, result.Grammar, recognizer.Options{OnDemand: true})
		if err != nil {
			return err
		}
		g := summarize(result.Grammar, r)
		g.ParseNS, g.TablesNS = s.CompileNS, time.Since(t0).Nanoseconds()-s.CompileNS
		s.Grammar = &g
	}
	if a.asJSON {
		return a.printJSON(s)
	}
	a.printSchema(&s)
	return nil
}

func (a *app) printSchema(s *schemaSummary) {
	if s.Error != "" {
		fmt.Fprintf(a.out, "%s: %s: %s\n", s.Name, s.Outcome, s.Error)
	}
	if g := s.Grammar; g != nil {
		fmt.Fprintf(a.out, "%s: %d terminals, %d rules, %d LR states; parser: %s\n", s.Name, g.Terminals, g.Rules, g.LRStates, g.Parser)
		fmt.Fprintf(a.out, "compiled in %v, tables built in %v\n", time.Duration(s.CompileNS).Round(time.Microsecond), time.Duration(g.TablesNS).Round(time.Microsecond))
	}
	for _, c := range s.Coverage {
		reason := ""
		if c.Reason != "" {
			reason = ": " + c.Reason
		}
		fmt.Fprintf(a.out, "  %-10s %s%s\n", c.Status, c.Pointer, reason)
	}
}
