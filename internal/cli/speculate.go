package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/prepare"
	"gcdbench/harness/speculate"
	"gcdbench/harness/stats"
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

// openLines reads a file in a directory, both of which it makes, and opens it at its end.
func openLines[T any](dir, name string) (before []*T, f *os.File, err error) {
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, pathError(err)
	}
	path := filepath.Join(dir, name)
	if before, err = readLines[T](path); err == nil {
		f, err = appendLines(path)
	}
	return before, f, err
}

// readLines reads the cells that are there. A last line that was cut short by a kill is none.
func readLines[T any](path string) (cells []*T, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		c := new(T)
		if json.Unmarshal(line, c) == nil {
			cells = append(cells, c)
		}
		if err == io.EOF {
			return cells, nil
		}
		if err != nil {
			return nil, pathError(err)
		}
	}
}

// appendLines opens such a file at its end; a line that was cut short ends there.
func appendLines(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, pathError(err)
	}
	last := make([]byte, 1)
	if at, err := f.Seek(-1, io.SeekEnd); err == nil {
		if _, err = f.ReadAt(last, at); err == nil && last[0] != '\n' {
			_, err = f.Write([]byte{'\n'})
		}
		if err != nil {
			return nil, errors.Join(pathError(err), f.Close())
		}
	}
	return f, nil
}

// tellSpeculative prints the table, or the cells as JSON, and writes the page.
func (a *app) tellSpeculative(cells []*speculate.SpeculativeCell, page string) error {
	for _, c := range cells {
		a.failed = a.failed || c.Outcome.Failure()
	}
	table := speculativeTable(cells)
	if page != "" {
		if err := os.WriteFile(page, []byte(table), 0o644); err != nil {
			return pathError(err)
		}
	}
	if a.asJSON {
		return eachJSON(a, cells)
	}
	_, err := io.WriteString(a.out, table)
	return err
}

// speculativeTable is a Markdown page.
func speculativeTable(cells []*speculate.SpeculativeCell) string {
	var b strings.Builder
	b.WriteString("# Speculative decoding\n\n")
	if len(cells) > 0 {
		c := cells[0]
		fmt.Fprintf(&b, "A drafted token is right with probability %v; seed %d; program %.12s, revision %.12s%s.\n\n", c.Accept, c.Seed, c.Program, c.Revision,
			map[bool]string{true: " with changes", false: ""}[c.Dirty])
	}
	b.WriteString("A round: k drafted tokens committed, a mask delivered at each of the k+1 places, what is not accepted taken back, one token added. new: first passes\n" +
		"over documents; again: later ones. Per token: rounds by the tokens they leave, beside a step of plain decoding (a token and a mask). Their ratio is\n" +
		"what drafting costs in masks. Percentiles are over raw rounds.\n\n")
	b.WriteString("| workload | vocabulary | algorithm | k | masks compared | tokens a round | round, new: p50 | p99 | max | round, again: p50 | p99 | max | per token | plain step | ratio | rollback p50 | p99 | clone p50 | p99 |\n")
	b.WriteString("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, c := range cells {
		head := fmt.Sprintf("| %s | %s | %s | %d |", c.Workload, c.Tokenizer, c.Label, c.Draft)
		if c.Outcome != cell.OK || len(c.First.Round) == 0 {
			fmt.Fprintf(&b, "%s %s: %s |\n", head, c.Outcome, strings.ReplaceAll(oneLine(errors.New(c.Detail)), "|", `\|`))
			continue
		}
		first, again, back, clone := summaryOf(c.First.Round), summaryOf(c.Again.Round), summaryOf(c.Again.Rollback), summaryOf(c.Again.Clone)
		tokens := float64(c.Emitted) / float64(len(c.First.Round))
		plain := summaryOf(c.Again.Step).Mean
		fmt.Fprintf(&b, "%s %d | %.2f | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %s | %s | %s | %s |\n", head, c.Masks, tokens,
			inTime(first.P50), inTimeOr(first.P99), inTime(first.Max), inTime(again.P50), inTimeOr(again.P99), inTime(again.Max),
			inTime(again.Mean/tokens), inTime(plain), again.Mean/tokens/max(plain, 1), inTime(back.P50), inTimeOr(back.P99), inTime(clone.P50), inTimeOr(clone.P99))
	}
	return b.String()
}

// summaryOf summarizes times.
func summaryOf(ns []uint32) stats.Summary {
	values := make([]float64, len(ns))
	for i, v := range ns {
		values[i] = float64(v)
	}
	return stats.Summarize(values)
}

// inTime is a time of so many nanoseconds, in the unit that suits it, with three significant
// digits: a fourth would be noise.
func inTime(ns float64) string {
	d := time.Duration(math.Round(ns))
	step := time.Duration(1)
	for d.Abs() >= 1000*step {
		step *= 10
	}
	return d.Round(step).String()
}

// inTimeOr is inTime, or a dash for a percentile of too few values.
func inTimeOr(ns *float64) string {
	if ns == nil {
		return "-"
	}
	return inTime(*ns)
}
