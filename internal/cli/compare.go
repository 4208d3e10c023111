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
	cmd := newCommand("compare", func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return errors.New("which result directories? 'gcdbench run' makes one, by default results/NAME")
		case len(args) == 1 && (opt.Algorithm == "" || opt.With == ""):
			return errors.New("one result directory is compared with itself: --algorithm and --with name the two algorithms of it; or name a second directory")
		case opt.With != "" && opt.Algorithm == "":
			return errors.New("--with needs --algorithm: it names the algorithm to compare that one with")
		}
		return atMost(2)(cmd, args)
	}, func(cmd *cobra.Command, args []string) error {
		share, err := parseShare(over)
		if err != nil {
			return err
		}
		return a.compare(args, opt, share)
	})
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
