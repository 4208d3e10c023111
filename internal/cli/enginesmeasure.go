package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/engines"
	"gcdbench/engines/wire"
	"gcdbench/harness/stats"
)

// measureFlags are those of engines measure.
type measureFlags struct {
	mask         maskFlags // grammar, schema options, tokenizer, engine options
	file         string
	draft, batch int
}

// capability is a line of engines measure: an optional capability and its times along a document.
type capability struct {
	Engine string `json:"engine"`
	What   string `json:"what"` // clone, rollback, draft or batch
	// K is the number of tokens taken back or drafted, or of generations whose masks one call fills.
	K int `json:"k"`
	// Has is whether the engine has it. NS are its times, one for each call, and EachNS the mean for
	// each of the K.
	Has      bool           `json:"has"`
	NS       *stats.Summary `json:"ns"`
	EachNS   float64        `json:"each_ns"`
	Accepted int64          `json:"accepted"` // tokens of all drafts
}

// enginesMeasureCommand times optional capabilities of engines.
func (a *app) enginesMeasureCommand() *cobra.Command {
	f := &measureFlags{}
	cmd := newCommand("engines measure", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		f.mask.algorithm = args[0]
		return a.measureEngine(cmd.Context(), f)
	})
	f.mask.addProblem(cmd)
	cmd.Flags().StringVar(&f.file, "file", "", "the document")
	cmd.Flags().IntVar(&f.draft, "draft", 5, "tokens of a draft, and of a rollback")
	cmd.Flags().IntVar(&f.batch, "batch", 8, "generations of a batch")
	return cmd
}

// measureEngine compiles, walks the document with each capability, and prints a table.
func (a *app) measureEngine(ctx context.Context, f *measureFlags) (err error) {
	defer algorithms.CatchProcess(&err)
	switch {
	case f.mask.grammar == "":
		return errNoGrammar
	case f.file == "":
		return errors.New("which document? --file names one that the grammar accepts")
	case f.draft < 1 || f.batch < 1:
		return errors.New("--draft and --batch are numbers of at least 1")
	}
	text, err := a.readInput(f.file)
	if err != nil {
		return err
	}
	p, tok, err := a.problem(ctx, f.mask.grammar, &f.mask.reading, f.mask.tokenizer)
	if err != nil {
		return err
	}
	defer p.Kept.Close()
	if _, err := algorithms.Lookup(f.mask.algorithm); err != nil {
		return err
	}
	if !isOutside(f.mask.algorithm) {
		f.mask.options = []string{"algorithm=" + f.mask.algorithm, "options=" + strings.Join(f.mask.options, ",")}
		f.mask.algorithm = "child"
	}
	made, err := compileEngine(ctx, p, &f.mask)
	if err != nil {
		return err
	}
	tokens, err := tok.EncodeContinuation(text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.file, err)
	}
	tokens = append(tokens, int32(p.Vocabulary.EOS()[0]))
	engine, ok := made.(*engines.Engine)
	if !ok {
		return fmt.Errorf("%s is no engine from outside", f.mask.algorithm)
	}
	return a.printCapabilities(ctx, f, engine, tokens)
}

// printCapabilities measures one capability after the other and prints each.
func (a *app) printCapabilities(ctx context.Context, f *measureFlags, engine *engines.Engine, tokens []int32) error {
	name := engine.Provenance().Name
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s, %d positions; times in µs of one call\n%-10s %4s %8s %10s %10s %10s\n", name, len(tokens), "what", "k", "calls", "p50", "p99", "mean/k")
	}
	for _, c := range []capability{{What: wire.CanClone, K: 1}, {What: wire.CanRollback, K: f.draft}, {What: wire.CanDraft, K: f.draft}, {What: wire.CanBatch, K: f.batch}} {
		c.Engine = name
		if err := c.measure(ctx, engine, tokens); err != nil {
			return err
		}
		a.tell(c, "%s", c.line())
	}
	return nil
}

// measure fills the times in; an engine that lacks the capability has none.
func (c *capability) measure(ctx context.Context, engine *engines.Engine, tokens []int32) error {
	ns, accepted, err := engine.Measure(ctx, c.What, tokens, c.K)
	var unsupported *algorithms.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", c.What, err)
	}
	c.Has, c.Accepted = true, accepted
	if len(ns) == 0 {
		return nil // the document is shorter than k
	}
	s := summaryOf(ns)
	c.NS, c.EachNS = &s, s.Mean/float64(c.K)
	return nil
}

// line is a row of the table.
func (c *capability) line() string {
	switch {
	case !c.Has:
		return fmt.Sprintf("%-10s %4d %8s", c.What, c.K, "none")
	case c.NS == nil:
		return fmt.Sprintf("%-10s %4d %8d  the document is too short", c.What, c.K, 0)
	}
	p99 := "-"
	if v := stats.Figure(c.NS.P99); v == v { // p99 of few values is not given
		p99 = fmt.Sprintf("%.2f", v/1e3)
	}
	return fmt.Sprintf("%-10s %4d %8d %10.2f %10s %10.2f", c.What, c.K, c.NS.N, c.NS.P50/1e3, p99, c.EachNS/1e3)
}
