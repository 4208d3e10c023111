package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/harness/speculate"
)

// speculativeFile has a line for each cell, in a result directory.
const speculativeFile = "speculative.jsonl"

// speculateCommand measures speculative decoding.
func (a *app) speculateCommand() *cobra.Command {
	var flags configFlags
	var drafts []int
	var accept float64
	var page string
	cmd := newCommand("speculate", one("configuration"), a.configured(&flags, func(ctx context.Context, cfg *config.Config, opt prepare.Options) error {
		for _, k := range drafts {
			if k < 1 || k > 64 {
				return fmt.Errorf("--drafts %d: a draft has from 1 to 64 tokens", k)
			}
		}
		if !(accept >= 0 && accept <= 1) {
			return fmt.Errorf("--accept %v: expected a probability from 0 to 1", accept)
		}
		cells, err := a.speculate(ctx, cfg, speculate.SpeculateOptions{Options: opt, Drafts: drafts, Accept: accept})
		if err != nil {
			return err
		}
		return a.tellSpeculative(cells, page)
	}))
	flags.add(cmd, true)
	cmd.Flags().IntSliceVar(&drafts, "drafts", []int{2, 4, 8}, "lengths of drafts in tokens")
	cmd.Flags().Float64Var(&accept, "accept", 0.7, "the probability that a drafted token is right, given those before it")
	cmd.Flags().StringVar(&page, "page", "", "write the table into this Markdown file")
	return cmd
}

// speculate measures what is not in the directory yet, and returns the cells of this call.
func (a *app) speculate(ctx context.Context, cfg *config.Config, opt speculate.SpeculateOptions) ([]*speculate.SpeculativeCell, error) {
	f, before, err := openObjects[speculate.SpeculativeCell](a, opt.Out, speculativeFile)
	if err != nil {
		return nil, err
	}
	type place struct {
		workload, tokenizer, label string
		draft                      int
	}
	machine := environment.Here(environment.Clock{}).Machine
	cells, have := []*speculate.SpeculativeCell{}, map[place]*speculate.SpeculativeCell{}
	for _, c := range before {
		if c.Machine == machine && c.Seed == cfg.Seed && c.Accept == opt.Accept {
			have[place{c.Workload, c.Tokenizer, c.Label, c.Draft}] = c
		}
	}
	opt.Skip = func(w, t string, k int, labels []string) bool {
		var group []*speculate.SpeculativeCell
		for _, label := range labels {
			c := have[place{w, t, label, k}]
			if c == nil { // of the group a line was lost
				return false
			}
			group = append(group, c)
		}
		cells = append(cells, group...)
		return true
	}
	err = speculate.Speculate(ctx, cfg, opt, func(c *speculate.SpeculativeCell) error {
		cells = append(cells, c)
		return f.Append(c)
	})
	return cells, errors.Join(err, f.Close())
}

// openObjects is cell.OpenObjects, with a line of progress for each damaged one.
func openObjects[T any](a *app, dir, name string) (*cell.Objects, []*T, error) {
	f, before, damaged, err := cell.OpenObjects[T](dir, name)
	for _, d := range damaged {
		a.note("%v; what was in it is measured again", d)
	}
	return f, before, err
}

// tellSpeculative prints the table, or the cells as JSON, and writes the page.
func (a *app) tellSpeculative(cells []*speculate.SpeculativeCell, page string) error {
	for _, c := range cells {
		a.failed = a.failed || c.Outcome.Failure()
	}
	table := pageOf("speculative", cells)
	if err := writePage(page, table); err != nil {
		return err
	}
	if a.asJSON {
		return eachJSON(a, cells)
	}
	_, err := io.WriteString(a.out, table)
	return err
}
