package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/harness/constraints"
	"gcdbench/tokenizers"
)

// constraintsCommand measures the algorithm automata on regular expressions.
func (a *app) constraintsCommand() *cobra.Command {
	var o constraintOptions
	cmd := newCommand("constraints", atMost(0), func(cmd *cobra.Command, _ []string) error {
		if o.repeat < 1 || o.repeat > 1000 {
			return fmt.Errorf("--repeat is a number from 1 to 1000, not %d", o.repeat)
		}
		if o.naive < 1 {
			return fmt.Errorf("--naive %d: expected one in how many positions naive is asked at, from 1", o.naive)
		}
		return a.constraints(cmd.Context(), &o)
	})
	cmd.Flags().StringSliceVarP(&o.names, "tokenizer", "t", []string{"o200k_base"}, "the vocabulary (may be repeated)")
	cmd.Flags().IntVar(&o.repeat, "repeat", 20, "walks of each text after the first")
	cmd.Flags().StringVar(&o.page, "page", "", "write the tables into this Markdown file")
	cmd.Flags().StringVar(&o.corpus, "corpus", "", "schema=FILE: measure the schemas of this corpus in MaskBench's format, .gz or Parquet")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "only this many schemas; 0 for all")
	cmd.Flags().IntVar(&o.naive, "naive", 16, "ask naive at one in so many positions of schemas")
	return cmd
}

// constraintOptions are the command's flags.
type constraintOptions struct {
	names                []string
	repeat, limit, naive int
	page, corpus         string
}

// constraintRow is the line that --json prints.
type constraintRow struct {
	Tokenizer string `json:"tokenizer"`
	*constraints.Row
}

// constraints measures, prints, and keeps the page as it grows.
func (a *app) constraints(ctx context.Context, o *constraintOptions) error {
	corpus, err := openSchemaCorpus(ctx, o.corpus, o.limit)
	if err != nil {
		return err
	}
	var rows []constraintRow
	var parts []*schemaPart
	keep := func() error {
		if o.page == "" {
			return nil
		}
		return pathError(os.WriteFile(o.page, []byte(constraintPage(rows, parts)), 0o644))
	}
	for _, name := range o.names {
		tok, err := tokenizers.Load(ctx, name, a.tokenizerOptions())
		if err != nil {
			return err
		}
		tok.Vocabulary().Trie() // no engine's compile has it
		for _, c := range constraints.List {
			a.note("%s with %s", c.Name, name)
			row, err := constraints.Measure(ctx, c, tok, o.repeat)
			if err != nil {
				return err
			}
			rows = append(rows, constraintRow{name, row})
			if a.asJSON {
				if err := a.printJSON(rows[len(rows)-1]); err != nil {
					return err
				}
			}
		}
		if err := keep(); err != nil {
			return err
		}
		part, err := a.measureSchemas(ctx, corpus, tok, o.repeat, o.naive)
		if err != nil {
			return err
		}
		parts = append(parts, part)
		if err := keep(); err != nil {
			return err
		}
	}
	if a.asJSON {
		return nil
	}
	_, err = io.WriteString(a.out, constraintPage(rows, parts))
	return err
}

// constraintPage is a Markdown page.
func constraintPage(rows []constraintRow, parts []*schemaPart) string {
	if len(parts) == 0 {
		return constraintTable(rows)
	}
	return constraintTable(rows) + schemaTables(parts)
}

// constraintTable is the part of the page about patterns.
func constraintTable(rows []constraintRow) string {
	var b strings.Builder
	b.WriteString("# automata on regular expressions\n\nThe extensions of the paper's table 1, plain patterns, and JSON of bounded depth (section 5.1). Every mask was compared with a\n" +
		"brute force. Steps are a commit and a mask; new: the first walk of a text; again: later ones. Rewind: taking back four tokens (section 5.3).\n" +
		"Forced: positions with one legal token.\n\n")
	b.WriteString("| constraint | vocabulary | DFA states | positions | tokens checked | forced | compile | step, new: mean | max | step, again: p50 | p99 | max | rewind p50 | p99 | MB |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		first, again, rewind := summaryOf(r.First), summaryOf(r.Again), summaryOf(r.Rewind)
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d (%.0f%%) | %s | %s | %s | %s | %s | %s | %s | %s | %.1f |\n", r.Name, r.Tokenizer, r.States, r.Positions, r.Checked,
			r.Forced, 100*float64(r.Forced)/float64(max(1, r.Positions)), inTime(float64(r.CompileNS)), inTime(first.Mean), inTime(first.Max),
			inTime(again.P50), inTimeOr(again.P99), inTime(again.Max), inTime(rewind.P50), inTimeOr(rewind.P99), float64(r.Bytes)/1e6)
	}
	b.WriteString("\nPatterns:\n\n")
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Name] {
			seen[r.Name] = true
			fmt.Fprintf(&b, "- %s: `%s`\n", r.Name, r.Pattern)
		}
	}
	return b.String()
}
