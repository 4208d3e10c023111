package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/internal/words"
	"gcdbench/reports"
)

// compareCommand says what changed between two results.
func (a *app) compareCommand() *cobra.Command {
	var opt reports.CompareOptions
	var over string
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "What got faster, slower, righter or wronger from one result to another",
		Long: `Compare two result directories, of two revisions, two machines or two versions of an engine: for each
workload, vocabulary and algorithm, which figures changed, from A to B. Times are compared at identical
positions of the documents that both have; a figure is called faster or slower only if its interval lies beyond
1 and beyond the noise floor, which is what an algorithm that is entered twice differs from itself. Rightness
is compared document by document, and masks bit for bit by their hashes.

--algorithm chooses one algorithm, by its label or its name, and --with the one that it is compared with, in B or,
where only one directory is given, in A too.

What else differs is said: machine, Go, kernel, program, grammar, corpus, tokenizer, and how was measured. Times of
different machines are not comparable, unless --across says so.

With --fail-over 5% the exit status is 1 if something got slower by more than 5%, its interval above 1.05
and beyond the noise floor, or if a document that was judged rightly no longer is, or if masks of the contract are
not the same. Times that are not comparable never fail.`,
		Example: "  gcdbench compare results/before results/after\n  gcdbench compare results/before results/after --algorithm psc --fail-over 5%\n" +
			"  gcdbench compare results/quickstart --algorithm trie --with psc",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("which result directories? 'gcdbench run' makes one, by default results/NAME")
			case len(args) == 1 && (opt.Algorithm == "" || opt.With == ""):
				return errors.New("one result directory is compared with itself: --algorithm and --with name the two algorithms of it; or name a second directory")
			case opt.With != "" && opt.Algorithm == "":
				return errors.New("--with goes with --algorithm: it names what that one is compared with")
			}
			return atMost(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			share, err := parseShare(over)
			if err != nil {
				return err
			}
			return a.compare(args, opt, share)
		},
	}
	cmd.Flags().StringVar(&opt.Algorithm, "algorithm", "", "only this algorithm of A, by its label or its name")
	cmd.Flags().StringVar(&opt.With, "with", "", "the algorithm of B that --algorithm is compared with, by default the same")
	cmd.Flags().BoolVar(&opt.Across, "across", false, "compare times of different machines too")
	cmd.Flags().StringVar(&over, "fail-over", "", "exit status 1 if something got slower by more than a share such as 5%, or wronger")
	return cmd
}

// neverFails is the share of a command without --fail-over.
const neverFails = -1

// parseShare reads a share: 5% or 0.05.
func parseShare(text string) (float64, error) {
	if text == "" {
		return neverFails, nil
	}
	number, isPercent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if isPercent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 100) {
		return 0, fmt.Errorf("--fail-over is a share such as 5%% or 0.05, not %q", text)
	}
	return share, nil
}

// compare prints what changed, and sets the status where that was asked for.
func (a *app) compare(dirs []string, opt reports.CompareOptions, over float64) error {
	sets := make([]*reports.Set, len(dirs))
	for i, dir := range dirs {
		var err error
		if sets[i], err = reports.Load(dir); err != nil {
			return err
		}
		for _, text := range sets[i].Problems() {
			fmt.Fprintln(a.err, "gcdbench: warning:", words.VisibleLines(text))
		}
	}
	c, err := reports.Compare(sets[0], sets[len(sets)-1], opt)
	if err != nil {
		return err
	}
	if a.asJSON {
		for _, text := range c.Notes {
			a.note("%s", text)
		}
		err = a.printJSON(c.Changes)
	} else {
		err = c.WriteText(a.out)
	}
	if err != nil || over == neverFails {
		return err
	}
	for _, f := range c.Failures(over) {
		a.failed = true
		fmt.Fprintln(a.err, "gcdbench:", words.VisibleLines(fmt.Sprintf("%s with %s, %s: %s: %s", f.Workload, f.Tokenizer, f.Algorithm, f.Figure, f.Verdict)))
	}
	return nil
}
