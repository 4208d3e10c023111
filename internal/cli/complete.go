package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/special"
)

// completeFlags are the flags of the complete command.
type completeFlags struct {
	grammar            string
	prefix, prefixFile string
	avoid              string
	reading            grammarFlags
}

// completeCommand ends a text: it shows what a grammar still requires, and completes the output of
// a model.
func (a *app) completeCommand() *cobra.Command {
	var f completeFlags
	cmd := newCommand("complete", atMost(0), func(cmd *cobra.Command, _ []string) error {
		if f.grammar == "" {
			return errNoGrammar
		}
		return a.complete(cmd.Context(), &f)
	})
	cmd.Flags().StringVarP(&f.grammar, "grammar", "g", "", grammarHelp+" (required)")
	cmd.Flags().StringVar(&f.prefix, "prefix", "", "the text so far")
	cmd.Flags().StringVar(&f.prefixFile, "prefix-file", "", "a file with the text so far, - for standard input")
	cmd.Flags().StringVar(&f.avoid, "avoid", "", `bytes that the completion must not have, escapes as in Go: '\t'`)
	f.reading.add(cmd)
	return cmd
}

// completeResult is the JSON of complete. It replaces bytes that are no UTF-8, as in a prefix that
// ends inside a character.
type completeResult struct {
	PrefixBytes int     `json:"prefix_bytes"`
	Completion  *string `json:"completion"` // null if there is none
	Bytes       int     `json:"bytes"`      // of the completion
	Exact       bool    `json:"exact"`      // proved to be the fewest, or that there is none
	Text        *string `json:"text"`       // the prefix with the completion
	Error       string  `json:"error,omitempty"`
}

// complete reads the prefix, completes it and prints the result.
func (a *app) complete(ctx context.Context, f *completeFlags) error {
	prefix, err := a.readPrefix(f.prefix, f.prefixFile)
	if err != nil {
		return err
	}
	avoid, err := strconv.Unquote(`"` + strings.ReplaceAll(f.avoid, `"`, `\"`) + `"`)
	if err != nil {
		return fmt.Errorf(`--avoid %q: expected characters, or escapes as in Go, such as \t or \x0c`, f.avoid)
	}
	l, err := a.load(ctx, f.grammar, &f.reading)
	if err != nil {
		return err
	}
	if prefix, err = f.reading.text(l.Grammar, prefix); err != nil {
		return err
	}
	if err := legalPrefix(ctx, l.Recognizer, l.source, prefix); err != nil {
		return err
	}
	s, _ := l.Read(l.Start(), prefix)
	result, err := completeState(ctx, l.Recognizer, s, completion.Options{Avoid: []byte(avoid)})
	if err != nil {
		return err
	}
	result.PrefixBytes = len(special.Shown(prefix))
	if result.Completion == nil {
		a.failed = true
		if avoid != "" {
			result.Error += "; --avoid may be the reason"
		}
	} else {
		whole := string(special.Shown(prefix)) + *result.Completion
		result.Text = &whole
	}
	return a.say(result, "completion", result)
}

// completeState finds the completion. A dead end, and a search without success, are results.
func completeState(ctx context.Context, r *recognizer.Recognizer, s recognizer.State, o completion.Options) (*completeResult, error) {
	got, err := completion.New(r, o).Shortest(ctx, s)
	var limit *completion.LimitError
	switch {
	case errors.Is(err, completion.ErrDeadEnd):
		return &completeResult{Exact: true, Error: err.Error()}, nil
	case errors.As(err, &limit):
		return &completeResult{Error: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	text := string(special.Shown(got.Text))
	return &completeResult{Completion: &text, Bytes: len(text), Exact: got.Exact}, nil
}
