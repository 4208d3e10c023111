package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gcdbench/harness/judging"
)

// replay: a witness of judge, asked again.

// replayCommand asks both engines and the judge about a witness.
func (a *app) replayCommand() *cobra.Command {
	var opt judging.ReplayOptions
	cmd := newCommand("engines replay", cobra.MinimumNArgs(1), func(cmd *cobra.Command, args []string) error {
		opt.Tokenizers = a.tokenizerOptions()
		if opt.Timeout <= 0 {
			return fmt.Errorf("--timeout %v: expected a time such as 5m", opt.Timeout)
		}
		var failed []error
		for _, file := range args {
			r, err := judging.Replay(cmd.Context(), file, opt)
			if cmd.Context().Err() != nil {
				return err
			}
			if err != nil {
				failed = append(failed, err)
				continue
			}
			if !r.Reproduced {
				a.failed = true
			}
			if err := a.say(r, "replay", r); err != nil {
				return err
			}
		}
		return errors.Join(failed...)
	})
	cmd.Flags().StringVarP(&opt.Tokenizer, "tokenizer", "t", "", "the vocabulary, if the witness has a name of its own for it")
	cmd.Flags().StringVarP(&opt.Grammar, "grammar", "g", "", "the file of a grammar that imports others")
	cmd.Flags().StringArrayVar(&opt.ImportPaths, "import-path", nil, "a folder to search imports in before the folder of --grammar (may be repeated)")
	cmd.Flags().DurationVar(&opt.Timeout, "timeout", judging.ReplayTimeout, "how long a witness may take")
	return cmd
}
