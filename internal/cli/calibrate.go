package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gcdbench/reports/calibrate"
)

// calibrateCommand tests the clock, so that a reader need not believe it.
func (a *app) calibrateCommand() *cobra.Command {
	slowest := calibrate.All
	cmd := newCommand("calibrate", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
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
	})
	cmd.Flags().BoolFunc("short", "leave out the engines of 5 ms: some ten seconds", func(string) error {
		slowest = calibrate.Short
		return nil
	})
	return cmd
}
