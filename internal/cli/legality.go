package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/algorithms/legality"
)

// legalityFlags are the flags of grammar legality.
type legalityFlags struct {
	tokenizers    []string
	sample, stack int
	memory        int
	store         bool
	page          string
	seed          uint64
	reading       grammarFlags
}

// grammarLegality counts the terminal sequences whose legality can be proved for all stacks. It is
// an analysis and compiles no engine.
func (a *app) grammarLegality() *cobra.Command {
	var f legalityFlags
	cmd := newCommand("grammar legality", takes("one grammar or more", 1, math.MaxInt), func(cmd *cobra.Command, args []string) error { return a.analyseAll(cmd.Context(), args, &f) })
	cmd.Flags().StringSliceVarP(&f.tokenizers, "tokenizer", "t", []string{"o200k_base"}, "the vocabulary whose tokens realize the sequences (may be repeated)")
	cmd.Flags().IntVar(&f.sample, "sample", 0, "pairs that the paper's proofs are tried on; 0 for the default, -1 for none")
	cmd.Flags().IntVar(&f.stack, "stack", 0, "how much of a stack a proof over the tables remembers; 0 for the default")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "chooses the sample")
	cmd.Flags().BoolVar(&f.store, "store", false, "build the whole mask store, too, with proofs and without")
	cmd.Flags().IntVar(&f.memory, "memory", 0, "the most MiB that the rows of a store may hold; 0 for the algorithm's default")
	cmd.Flags().StringVar(&f.page, "page", "", "write the tables into this Markdown file")
	f.reading.add(cmd)
	f.reading.ahead = true // a proof is about every lexer state, also those that no text reached yet
	return cmd
}

// analyseAll analyses each grammar on each vocabulary, and prints and keeps each when it is done.
func (a *app) analyseAll(ctx context.Context, grammars []string, f *legalityFlags) error {
	if f.memory < 0 {
		return fmt.Errorf("--memory is a number of MiB from 1, or 0 for the default, not %d", f.memory)
	}
	var rows []*legalityRow
	for _, grammar := range grammars {
		for _, tokenizer := range f.tokenizers {
			row, err := a.analyseLegality(ctx, grammar, tokenizer, f)
			if err != nil {
				return err
			}
			rows = append(rows, row)
			if err = a.show(row, row.WriteText); err == nil {
				err = writePage(f.page, pageOf("legality", map[string]any{"Command": f.command(grammars), "Rows": rows}))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// command is the command that redoes a page.
func (f *legalityFlags) command(grammars []string) string {
	c := "gcdbench grammar legality " + strings.Join(grammars, " ")
	for _, t := range f.tokenizers {
		c += " -t " + t
	}
	if f.sample != 0 {
		c += fmt.Sprintf(" --sample %d", f.sample)
	}
	if f.stack != 0 {
		c += fmt.Sprintf(" --stack %d", f.stack)
	}
	if f.store {
		c += " --store"
	}
	if f.memory != 0 {
		c += fmt.Sprintf(" --memory %d", f.memory)
	}
	return c + fmt.Sprintf(" --seed %d", f.seed)
}

// analyseLegality counts by proof, with progress, since the paper's own proofs are slow.
func (a *app) analyseLegality(ctx context.Context, grammar, tokenizer string, f *legalityFlags) (*legalityRow, error) {
	p, _, err := a.problem(ctx, grammar, &f.reading, tokenizer)
	if err != nil {
		return nil, err
	}
	o := legality.AnalyseOptions{Sample: f.sample, Stack: f.stack, Seed: f.seed, Progress: a.stages()}
	row := &legalityRow{}
	if row.Report, err = legality.Analyse(ctx, p, o); err != nil || !f.store {
		return row, err
	}
	for _, proofs := range []bool{true, false} {
		a.note("the mask store of %s with %s, proofs %v", grammar, tokenizer, proofs)
		s, err := legality.MeasureStore(ctx, p, proofs, f.memory)
		if err != nil {
			return nil, err
		}
		row.Store = append(row.Store, s)
	}
	return row, nil
}

// stages returns a progress function that writes a line when a stage begins, and then one every few
// seconds.
func (a *app) stages() func(stage string, done, total int) {
	const every = 5 * time.Second
	last, at := "", time.Now()
	return func(stage string, done, total int) {
		if stage == last && time.Since(at) < every {
			return
		}
		if stage == last {
			a.note("%s: %d of %d", stage, done, total)
		} else {
			a.note("%s", fmt.Sprintf("%s (%d)", stage, total))
		}
		last, at = stage, time.Now()
	}
}

// The analysis of grammar legality for several grammars and vocabularies: one object or text each.

// legalityRow is the analysis of a grammar on a vocabulary: the line that --json prints.
type legalityRow struct {
	*legality.Report
	// Store is the mask store with proofs, and then without; nil unless --store is given.
	Store []*legality.StoreSize `json:"store,omitempty"`
}

// WriteText writes the report, and the sizes of the store.
func (r *legalityRow) WriteText(w io.Writer) error {
	if err := r.Report.WriteText(w); err != nil || r.Store == nil {
		return err
	}
	return pages.ExecuteTemplate(w, "stores", r.Store)
}
