package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

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

// speculate measures what is not in the directory yet, and returns all cells.
func (a *app) speculate(ctx context.Context, cfg *config.Config, opt speculate.SpeculateOptions) ([]*speculate.SpeculativeCell, error) {
	before, f, err := openLines[speculate.SpeculativeCell](opt.Out, speculativeFile)
	if err != nil {
		return nil, err
	}
	type group struct {
		workload, tokenizer string
		draft               int
	}
	program := environment.Here(environment.Clock{}).Program
	cells, have := []*speculate.SpeculativeCell{}, map[group]int{}
	for _, c := range before {
		if c.Program == program && c.Seed == cfg.Seed && c.Accept == opt.Accept {
			cells = append(cells, c)
			have[group{c.Workload, c.Tokenizer, c.Draft}]++
		}
	}
	opt.Skip = func(w, t string, k int) bool { return have[group{w, t, k}] > 0 }
	err = speculate.Speculate(ctx, cfg, opt, func(c *speculate.SpeculativeCell) error {
		cells = append(cells, c)
		return pathError(json.NewEncoder(f).Encode(c))
	})
	return cells, errors.Join(err, f.Close())
}

// openLines reads a file of lines in a directory, both of which it makes, and opens it at its end.
// A last line that was cut short by a kill is none, and ends there.
func openLines[T any](dir, name string) (before []*T, f *os.File, err error) {
	if err = os.MkdirAll(dir, 0o755); err == nil {
		f, err = os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	}
	if err != nil {
		return nil, nil, pathError(err)
	}
	text, err := io.ReadAll(f)
	for line := range bytes.Lines(text) {
		if c := new(T); json.Unmarshal(line, c) == nil {
			before = append(before, c)
		}
	}
	if err == nil && len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		_, err = f.WriteString("\n")
	}
	if err != nil {
		return nil, nil, errors.Join(pathError(err), f.Close())
	}
	return before, f, nil
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
