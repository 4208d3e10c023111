package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"gcdbench/harness"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/load"
	"gcdbench/harness/prepare"
	"gcdbench/reports/loads"
)

// loadCommand serves requests under load.
func (a *app) loadCommand() *cobra.Command {
	var flags configFlags
	cmd := newCommand("load", one("configuration"), a.configured(&flags, func(ctx context.Context, cfg *config.Config, opt prepare.Options) error {
		found, err := a.underLoad(ctx, cfg, harness.LoadOptions{Options: opt})
		if err := a.kept(err, "measured", opt.Out); err != nil {
			return err
		}
		return a.tellLoads(found, cfg.Name, opt.Out)
	}))
	flags.add(cmd, true)
	return cmd
}

// underLoad serves what is not in the directory yet, and returns all loads of this call.
func (a *app) underLoad(ctx context.Context, cfg *config.Config, opt harness.LoadOptions) (*loads.Loads, error) {
	f, before, err := openObjects[load.Cell](a, opt.Out, load.File)
	if err != nil {
		return nil, err
	}
	machine, have := environment.Here(environment.Clock{}).Machine, map[load.ID]*load.Cell{}
	for _, c := range before {
		if c.Machine == machine {
			have[c.ID] = c
		}
	}
	found := &loads.Loads{}
	opt.Have = func(id load.ID) *load.Cell {
		c := have[id]
		if c != nil {
			found.Cells = append(found.Cells, c)
		}
		return c
	}
	opt.Served = func(c *load.Cell) error {
		found.Cells = append(found.Cells, c)
		return f.Append(c)
	}
	opt.Found = func(c *load.Found) error {
		found.Capacities = append(found.Capacities, c)
		return nil
	}
	err = harness.Load(ctx, cfg, opt)
	return found, errors.Join(err, f.Close())
}

// tellLoads prints the summary or JSON, and writes the report.
func (a *app) tellLoads(found *loads.Loads, name, dir string) error {
	for _, c := range found.Cells {
		a.failed = a.failed || c.Outcome.Failure()
	}
	var err error
	if a.asJSON {
		if err = eachJSON(a, found.Cells); err == nil {
			err = eachJSON(a, found.Capacities)
		}
	} else {
		_, err = io.WriteString(a.out, found.Summary())
	}
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "report")
	files, err := loads.WriteLoads(folder, name, found)
	if err != nil {
		return err
	}
	a.note("written: %s (%s)", folder, filesInWords(files))
	return nil
}
