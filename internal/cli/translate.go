package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/grammar/dialects"
	"gcdbench/internal/files"
)

// translation is the JSON of grammar translate.
type translation struct {
	Grammar string `json:"grammar"`
	Dialect string `json:"dialect"`
	Outcome string `json:"outcome"` // ok or unsupported
	// Feature is what the dialect lacks, if it is unsupported.
	Feature string   `json:"feature,omitempty"`
	Text    string   `json:"text,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	EndMark string   `json:"end_mark,omitempty"`
}

// grammarTranslate writes a grammar for another engine.
func (a *app) grammarTranslate() *cobra.Command {
	var to, out string
	var reading grammarFlags
	cmd := newCommand("grammar translate", one("grammar"), func(cmd *cobra.Command, args []string) error {
		if to == "" {
			return fmt.Errorf("to which dialect? --to takes one of %s", strings.Join(dialects.Names(), ", "))
		}
		return a.translateGrammar(cmd.Context(), args[0], &reading, to, out)
	})
	cmd.Long = strings.Replace(cmd.Long, "DIALECTS\n", dialectHelp(), 1)
	cmd.Flags().StringVar(&to, "to", "", "the dialect: "+strings.Join(dialects.Names(), ", ")+" (required)")
	cmd.Flags().StringVar(&out, "out", "", "the file to write; standard output without it")
	reading.add(cmd)
	return cmd
}

// dialectHelp lists the dialects with the programs that read them.
func dialectHelp() string {
	var b strings.Builder
	b.WriteString("The dialects, and what reads them:\n\n")
	for _, name := range dialects.Names() {
		fmt.Fprintf(&b, "  %-16s %s\n", name, dialects.Reader(name))
	}
	return b.String()
}

// translateGrammar prints or writes the translation.
func (a *app) translateGrammar(ctx context.Context, name string, f *grammarFlags, to, out string) error {
	var l loaded
	g, err := a.readGrammar(ctx, &l, name, f)
	if err != nil {
		return err
	}
	t, err := dialects.Translate(ctx, g, to)
	var unsupported *dialects.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		a.failed = true
		if a.asJSON {
			return a.printJSON(translation{Grammar: g.Name, Dialect: to, Outcome: "unsupported", Feature: unsupported.Feature})
		}
		fmt.Fprintln(a.err, "gcdbench:", unsupported)
		return nil
	case err != nil:
		return err
	}
	for _, note := range t.Notes {
		a.note("note: %s", note)
	}
	if out != "" {
		if err := os.WriteFile(out, []byte(t.Text), 0o666); err != nil {
			return files.Named(err)
		}
	}
	switch {
	case a.asJSON:
		return a.printJSON(translation{Grammar: g.Name, Dialect: to, Outcome: "ok", Text: t.Text, Notes: t.Notes, EndMark: t.EndMark})
	case out == "":
		fmt.Fprint(a.out, t.Text)
	}
	return nil
}
