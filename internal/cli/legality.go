package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/algorithms/legality"
)

// legalityFlags are the flags of grammar legality.
type legalityFlags struct {
	tokenizer     string
	sample, stack int
	seed          uint64
	reading       grammarFlags
}

// grammarLegality counts the terminal sequences whose legality can be proved for all stacks. It is
// an analysis and compiles no engine.
func (a *app) grammarLegality() *cobra.Command {
	var f legalityFlags
	cmd := &cobra.Command{
		Use:   "legality NAME|FILE.lark|FILE.json",
		Short: "How many terminal sequences can be proved always or never legal",
		Long: `For each pair of a terminal X and a terminal sequence S that tokens of a vocabulary realize: how many pairs
are proved never legal, always legal, or jointly legal with others, by which proof, and what that cost.

The proofs are those of the algorithm "legality". Over the LR tables they are made for all pairs; the paper's own,
over the pushdown automaton of a depth-first traversal of the grammar's rules (DFT), are slow, and made for a sample.
Of a JSON schema (FILE.json) all lexer states are built, which those with many overlapping strings do not allow.`,
		Example: "  gcdbench grammar legality json\n  gcdbench grammar legality java --tokenizer llama3 --json",
		Args:    one("grammar"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.analyseLegality(cmd.Context(), args[0], &f)
		},
	}
	cmd.Flags().StringVarP(&f.tokenizer, "tokenizer", "t", "o200k_base", "the vocabulary whose tokens realize the sequences")
	cmd.Flags().IntVar(&f.sample, "sample", 0, "pairs that the paper's proofs are tried on; 0 for the default, -1 for none")
	cmd.Flags().IntVar(&f.stack, "stack", 0, "how much of a stack a proof over the tables remembers; 0 for the default")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "chooses the sample")
	f.reading.add(cmd)
	f.reading.ahead = true // a proof is about every lexer state, also those that no text reached yet
	return cmd
}

// analyseLegality prints the counts by proof, with progress, since the paper's own proofs are slow.
func (a *app) analyseLegality(ctx context.Context, grammar string, f *legalityFlags) error {
	p, _, err := a.problem(ctx, grammar, &f.reading, f.tokenizer)
	if err != nil {
		return err
	}
	o := legality.AnalyseOptions{Sample: f.sample, Stack: f.stack, Seed: f.seed, Progress: a.stages()}
	report, err := legality.Analyse(ctx, p, o)
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(report)
	}
	return report.WriteText(a.out)
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
