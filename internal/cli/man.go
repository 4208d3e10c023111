package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes manual pages of all commands.
func (a *app) manCommand() *cobra.Command {
	return newCommand("man", one("directory"), func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		cmd.Root().DisableAutoGenTag = true // the same bytes on every day
		if err := doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "GCDBENCH", Section: "1", Source: "gcdbench"}, args[0]); err != nil {
			return err
		}
		_, err := fmt.Fprintln(a.out, args[0])
		return err
	})
}
