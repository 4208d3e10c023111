package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gcdbench/reports/calibrate"
)

// calibrateCommand tests the clock, so that a reader need not believe it.
func (a *app) calibrateCommand() *cobra.Command {
	slowest := calibrate.All
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Test the clock on engines whose cost is known",
		Long: `Measure engines whose masks take a known time, from 50 ns to 5 ms, computing or reading memory, one of
them 5% slower than another, as engines of a run like any other, and compare the figures of the report
with the true ones: times within 10% (or 20 ns), ratios within 5%, and the slower of the two that differ
by 5% must be told from the other, with one timed pass as with five. It takes about a minute and writes
nothing.

The exit status is 1 if a figure is wrong: on a machine that is busy with other work, try again when it
is quiet.`,
		Example: "  gcdbench calibrate\n  gcdbench calibrate --short --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var progress io.Writer
			if !a.quiet {
				progress = a.err
			}
			result, err := calibrate.Run(cmd.Context(), slowest, progress)
			if err != nil {
				return err
			}
			a.failed = result.Failed() > 0
			if a.asJSON {
				return a.printJSON(result)
			}
			return result.WriteText(a.out)
		},
	}
	cmd.Flags().BoolFunc("short", "leave out the engines of 5 ms: some ten seconds", func(string) error {
		slowest = calibrate.Short
		return nil
	})
	return cmd
}
