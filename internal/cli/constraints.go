package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

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

// constraintPage is what the page shows.
type constraintPage struct {
	Rows  []constraintRow
	Parts []*schemaPart
}

// distinctPatterns are the rows of the different constraints.
func distinctPatterns(rows []constraintRow) (list []constraintRow) {
	for _, r := range rows {
		if !slices.ContainsFunc(list, func(o constraintRow) bool { return o.Name == r.Name }) {
			list = append(list, r)
		}
	}
	return list
}

// constraints measures, prints, and keeps the page as it grows.
func (a *app) constraints(ctx context.Context, o *constraintOptions) error {
	corpus, err := openSchemaCorpus(ctx, o.corpus, o.limit)
	if err != nil {
		return err
	}
	var all constraintPage
	keep := func() error { return writePage(o.page, pageOf("constraints", all)) }
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
			all.Rows = append(all.Rows, constraintRow{name, row})
			if a.asJSON {
				if err := a.printJSON(all.Rows[len(all.Rows)-1]); err != nil {
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
		all.Parts = append(all.Parts, part)
		if err := keep(); err != nil {
			return err
		}
	}
	if a.asJSON {
		return nil
	}
	_, err = io.WriteString(a.out, pageOf("constraints", all))
	return err
}
