package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/engines"
	"gcdbench/engines/cheats"
	"gcdbench/engines/check"
	"gcdbench/engines/process"
	"gcdbench/engines/serve"
	"gcdbench/internal/words"
)

// engines: the engines from outside and their installation.

// listedEngine is a line of engines list.
type listedEngine struct {
	Name string `json:"name"`
	// Version is the one that is, or would be, installed.
	Version string   `json:"version"`
	Ready   bool     `json:"ready"`
	Takes   []string `json:"takes"`
	Licence string   `json:"licence"`
	Summary string   `json:"summary"`
	// Semantics is what engines must share for their masks to be compared bit for bit.
	Semantics string         `json:"semantics"`
	Packages  []string       `json:"packages"` // that install asks for
	Installed []string       `json:"installed,omitempty"`
	Python    string         `json:"python,omitempty"`
	Command   []string       `json:"command,omitempty"` // that starts it, if it is ready; its protocol is in docs/engines.md
	Options   []listedOption `json:"options,omitempty"`
	Note      string         `json:"note,omitempty"`
	Missing   string         `json:"missing,omitempty"` // what to do if it is not ready
}

// listedEngines is the catalogue, with what is installed.
func listedEngines() []listedEngine {
	var out []listedEngine
	for i := range engines.Catalogue {
		e := &engines.Catalogue[i]
		l := listedEngine{
			Name: e.Name, Version: e.Version, Takes: e.Takes, Licence: e.Licence, Summary: e.Summary, Semantics: e.Name,
			Packages: append(append([]string{}, e.Bare...), e.Packages...), Options: optionsOf(e.Options), Note: e.Note,
		}
		if installed, err := e.Installed(); err != nil {
			l.Missing = err.Error()
		} else {
			l.Ready, l.Installed, l.Python = true, installed.Packages, installed.Python
			if command, err := e.Command(); err == nil {
				l.Command = command.Args
			}
		}
		out = append(out, l)
	}
	return out
}

// optionsOf are options as lists show them.
func optionsOf(infos []algorithms.OptionInfo) (out []listedOption) {
	for _, o := range infos {
		out = append(out, listedOption{o.Name, o.Default, o.Values, o.Help})
	}
	return out
}

// enginesListCommand shows the catalogue.
func (a *app) enginesListCommand() *cobra.Command {
	return newCommand("engines list", atMost(0), func(*cobra.Command, []string) error {
		list := listedEngines()
		if a.asJSON {
			return eachJSON(a, list)
		}
		return pages.ExecuteTemplate(a.out, "engines", list)
	})
}

// enginesInstallCommand installs engines.
func (a *app) enginesInstallCommand() *cobra.Command {
	return newCommand("engines install", nil, func(cmd *cobra.Command, names []string) error {
		entries, err := entriesOf(names)
		if err != nil {
			return err
		}
		return a.installEngines(cmd.Context(), entries)
	})
}

// entriesOf are the engines of some names; of none all that install in a minute or two.
func entriesOf(names []string) (out []*engines.Entry, err error) {
	for i := range engines.Catalogue {
		if e := &engines.Catalogue[i]; len(names) == 0 && !e.Source {
			out = append(out, e)
		}
	}
	for _, name := range names {
		e := engines.Find(name)
		if e == nil {
			return nil, fmt.Errorf("there is no engine %q to install; there are: %s", name, strings.Join(engines.Names(), ", "))
		}
		out = append(out, e)
	}
	return out, nil
}

// installEngines installs engines one after the other, and goes on after an error.
func (a *app) installEngines(ctx context.Context, entries []*engines.Entry) error {
	var failed []error
	for _, e := range entries {
		i, err := engines.Install(ctx, e, func(line string) { a.note("%s", line) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if err := a.tell(i, "%s %s: ready", i.Name, i.Version); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// enginesServeCommand runs an algorithm as a child.
func (a *app) enginesServeCommand() *cobra.Command {
	var cheat string
	cmd := newCommand("engines serve", one("algorithm"), func(_ *cobra.Command, args []string) error {
		alg, err := algorithms.Lookup(args[0])
		if err != nil {
			return err
		}
		if algorithms.IsOutside(alg) {
			return fmt.Errorf("%s runs in a process of its own already", args[0])
		}
		if cheat == "" {
			return serve.Serve(alg, a.in, a.out)
		}
		c, err := cheats.Find(cheat)
		if err != nil {
			return err
		}
		return c.Serve(alg, a.in, a.out)
	})
	cmd.Flags().StringVar(&cheat, "cheat", "", "win by other means than masks, to see that a run tells: a name of 'engines check --cheats'")
	return cmd
}

// enginesCheckCommand runs an engine through the cases of package check.
func (a *app) enginesCheckCommand() *cobra.Command {
	var command string
	var options []string
	var opt check.Options
	var cheating bool
	cmd := newCommand("engines check", atMost(1), func(cmd *cobra.Command, args []string) error {
		if cheating {
			if len(args) > 0 || command != "" {
				return errors.New("--cheats checks this program: it takes no engine")
			}
			return a.checkCheats(cmd.Context())
		}
		c, declared, err := checkedCommand(args, command)
		if err != nil {
			return err
		}
		opt.Declared = declared
		if opt.Engine, err = engines.ParseOptions(options); err != nil {
			return err
		}
		if opt.Timeout <= 0 {
			return fmt.Errorf("--timeout %v: a case needs some time", opt.Timeout)
		}
		return a.checkEngine(cmd.Context(), c, opt)
	})
	cmd.Flags().StringVar(&command, "command", "", "the program of an engine that is not in the catalogue, with its arguments")
	cmd.Flags().StringArrayVarP(&options, "option", "o", nil, "an option of the engine, name=value (may be repeated)")
	cmd.Flags().DurationVar(&opt.Timeout, "timeout", check.DefaultTimeout, "how long a case may take")
	cmd.Flags().BoolVar(&cheating, "cheats", false, "run engines that cheat, and see that each is caught")
	return cmd
}

// checkedCommand is the command of the engine to check, with the ids of cases that the catalogue
// declares.
func checkedCommand(args []string, command string) (process.Command, []string, error) {
	if (len(args) == 0) == (command == "") {
		return process.Command{}, nil, errors.New("which engine? either the name of an installed one, or --command")
	}
	if command != "" {
		c, err := engines.CommandOf(command)
		return c, nil, err
	}
	e := engines.Find(args[0])
	if e == nil {
		return process.Command{}, nil, fmt.Errorf("there is no engine %q in the catalogue, which has %s; an engine of your own is checked by --command \"PROGRAM ARGUMENTS\"",
			args[0], strings.Join(engines.Names(), ", "))
	}
	c, err := e.Command()
	return c, e.Differs, err
}

// checkEngine prints a table of cases.
func (a *app) checkEngine(ctx context.Context, c process.Command, opt check.Options) error {
	counts, total := map[string]int{}, 0
	failed, err := check.Run(ctx, c, opt, func(r check.Result) {
		counts[r.Result]++
		total++
		a.tell(r, "%s", strings.TrimRight(fmt.Sprintf("%-26s %-12s %s", r.Case, r.Result, r.Detail), " "))
	})
	if err != nil {
		return err
	}
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s: %s, %d ok, %d declared, %d unsupported, %d failed\n", c.Name, words.Count(total, "case"), counts[check.OK], counts[check.Declared], counts[check.Unsupported], failed)
	}
	a.failed = failed > 0
	return nil
}
