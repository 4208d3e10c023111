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
	var names []string
	var repeat int
	var page string
	cmd := &cobra.Command{
		Use:   "constraints",
		Short: "Measure the algorithm automata on regular expressions with wildcards",
		Long: `Measure the algorithm automata on the constraints that its paper is about: the extensions of its table 1 (quoted and
unquoted text, text up to a stop phrase, substrings, lists, tokens as wildcards), plain regular expressions, and JSON of bounded
depth. Every mask is compared with a brute force before anything is timed: each token of the vocabulary, read byte by byte or by
its label from each state of the pattern's automaton. A mask that differs ends the command.

The table has compile, steps (a commit and a mask) on the first walk and on later ones, the time of taking back four tokens, and
the share of positions with one legal token, where a decoder may jump over the model. --page writes it into a Markdown file.`,
		Example: "  gcdbench constraints\n  gcdbench constraints -t llama3 -t gemma3 --page results/constraints.md",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if repeat < 1 || repeat > 1000 {
				return fmt.Errorf("--repeat is a number from 1 to 1000, not %d", repeat)
			}
			return a.constraints(cmd.Context(), names, repeat, page)
		},
	}
	cmd.Flags().StringSliceVarP(&names, "tokenizer", "t", []string{"o200k_base"}, "the vocabulary (may be repeated)")
	cmd.Flags().IntVar(&repeat, "repeat", 20, "walks of each text after the first")
	cmd.Flags().StringVar(&page, "page", "", "write the table into this Markdown file")
	return cmd
}

// constraintRow is the line that --json prints.
type constraintRow struct {
	Tokenizer string `json:"tokenizer"`
	*constraints.Row
}

// constraints measures, prints, and keeps each row as soon as it is there.
func (a *app) constraints(ctx context.Context, names []string, repeat int, page string) error {
	var rows []constraintRow
	for _, name := range names {
		tok, err := tokenizers.Load(ctx, name, a.tokenizerOptions())
		if err != nil {
			return err
		}
		tok.Vocabulary().Trie() // no engine's compile has it
		for _, c := range constraints.List {
			a.note("%s with %s", c.Name, name)
			row, err := constraints.Measure(ctx, c, tok, repeat)
			if err != nil {
				return err
			}
			rows = append(rows, constraintRow{name, row})
			if a.asJSON {
				if err := a.printJSON(rows[len(rows)-1]); err != nil {
					return err
				}
			}
			if page != "" {
				if err := os.WriteFile(page, []byte(constraintTable(rows)), 0o644); err != nil {
					return pathError(err)
				}
			}
		}
	}
	if a.asJSON {
		return nil
	}
	_, err := io.WriteString(a.out, constraintTable(rows))
	return err
}

// constraintTable is a Markdown page.
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
