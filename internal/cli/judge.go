package cli

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/judged"
	"gcdbench/harness/judging"
)

// judge: which engine is right where masks of different semantics differ, with a witness.

// judgeFlags are the flags of the judge command.
type judgeFlags struct {
	configFlags
	config  string
	limit   int
	timeout time.Duration
	without bool
}

// judgeCommand judges the results of a run.
func (a *app) judgeCommand() *cobra.Command {
	var f judgeFlags
	cmd := newCommand("judge", some("which result directory? 'gcdbench run' makes one, by default results/NAME"), func(cmd *cobra.Command, args []string) error {
		switch {
		case f.limit < 0:
			return fmt.Errorf("--limit %d: expected a number of positions, or 0 for all", f.limit)
		case f.timeout <= 0:
			return fmt.Errorf("--timeout %v: expected a time such as 30s", f.timeout)
		case len(args) > 1 && f.config != "":
			return errors.New("--config goes with one result directory: each has a configuration of its own")
		}
		for _, dir := range args {
			if err := a.judge(cmd.Context(), dir, &f); err != nil {
				return err
			}
		}
		return nil
	})
	f.add(cmd, false)
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration that was run, if it has relative paths (default the one in DIR)")
	cmd.Flags().BoolVar(&f.without, "without-judge", false, "go on where the judge of a grammar is not installed: its differences stay undecided")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "positions of each cell at most, drawn by the seed; 0 for all that differ")
	cmd.Flags().DurationVar(&f.timeout, "timeout", judging.DefaultTimeout, "how long the search for one witness may take")
	return cmd
}

// configOf is the configuration of a result directory.
func (f *judgeFlags) configOf(dir string) (*config.Config, error) {
	if f.config != "" {
		return f.load(f.config)
	}
	store, err := cell.Open(dir)
	if err != nil {
		return nil, err
	}
	m, err := store.Manifest()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("%s has no results: 'gcdbench run' makes some", dir)
	}
	cfg, err := f.loadBy(func(names config.Names) (*config.Config, error) {
		return config.Parse(m.Name+".yaml", []byte(m.Config), names)
	})
	if err != nil {
		return nil, fmt.Errorf("the configuration in %s does not hold here; if it has relative paths, name its file with --config:\n%w", dir, err)
	}
	return cfg, nil
}

// judge judges a result directory and prints the findings.
func (a *app) judge(ctx context.Context, dir string, f *judgeFlags) error {
	cfg, err := f.configOf(dir)
	if err != nil {
		return err
	}
	opt := judging.Options{Harness: a.harnessOptions(cfg, dir), Limit: f.limit, Timeout: f.timeout, WithoutJudge: f.without}
	results, err := judging.Judge(ctx, dir, cfg, opt)
	if err := a.kept(err, "judged", judged.Folder(dir)); err != nil {
		return err
	}
	if len(results) == 0 {
		a.note("%s has no engine of another semantics beside one of the contract: nothing to judge", dir)
	}
	for _, r := range results {
		lines, err := judgedLines(r)
		switch {
		case err != nil:
		case !a.asJSON:
			err = pages.ExecuteTemplate(a.out, "judged", map[string]any{"R": r, "Lines": lines})
		case len(lines) == 0:
			err = a.printJSON(judgedLine{Result: r})
		default:
			err = eachJSON(a, lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judgedLine is a line of judge --json: a finding, or the counts of an engine without findings,
// whose class is empty.
type judgedLine struct {
	*judging.Result
	judged.SummedFinding
	// WitnessFile is the file of the witness, Witness its content without the grammar's text; none
	// for some undecided differences.
	WitnessFile string          `json:"witness_file,omitempty"`
	Witness     *judged.Witness `json:"witness,omitempty"`
}

// judgedLines are the findings of a cell with their witnesses.
func judgedLines(r *judging.Result) (list []judgedLine, err error) {
	for _, f := range r.Findings {
		line := judgedLine{Result: r, SummedFinding: f}
		if f.Witness != "" {
			line.WitnessFile = judged.Path(r.Dir, f.Witness)
			if line.Witness, err = judged.Stored(r.Dir, f.Witness); err != nil {
				return nil, err
			}
			line.Witness.Text = "" // a long one in every line
		}
		list = append(list, line)
	}
	return list, nil
}

// undecided counts the positions where nothing graver was found.
func undecided(r *judging.Result) (n int) {
	for _, f := range r.Findings {
		if f.Class == judged.Undecided {
			n += f.Leading
		}
	}
	return n
}

// tailOf is the end of a text in quotes.
func tailOf(text string) string {
	const longest = 90 // bytes
	if len(text) <= longest {
		return fmt.Sprintf("%q", text)
	}
	text = text[len(text)-longest:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return "..." + fmt.Sprintf("%q", text)
}
