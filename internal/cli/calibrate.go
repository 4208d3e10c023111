package cli

import (
	"github.com/spf13/cobra"

	"gcdbench/reports/calibrate"
)

// calibrateCommand tests the clock, so that a reader need not believe it.
func (a *app) calibrateCommand() *cobra.Command {
	slowest := calibrate.All
	cmd := newCommand("calibrate", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		result, err := calibrate.Run(cmd.Context(), slowest, a.progress())
		if err != nil {
			return err
		}
		a.failed = result.Failed() > 0
		return a.show(result, result.WriteText)
	})
	cmd.Flags().BoolFunc("short", "leave out the engines of 5 ms: some ten seconds", func(string) error {
		slowest = calibrate.Short
		return nil
	})
	return cmd
}
