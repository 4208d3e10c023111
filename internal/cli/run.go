package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/prepare"
	"gcdbench/harness/verify"
	"gcdbench/internal/words"
	"gcdbench/reports"
	"gcdbench/reports/document"
)

// The commands that take a configuration or its results. Package harness runs, package reports
// reports.

// configFlags are the flags of the commands that take a configuration.
type configFlags struct {
	out    string
	corpus []string
	shard  shardFlags
}

// add gives a command the flags; --out to those that have a result directory.
func (f *configFlags) add(cmd *cobra.Command, out bool) {
	if out {
		cmd.Flags().StringVar(&f.out, "out", "", "result directory (default results/NAME, NAME as in the configuration)")
	}
	cmd.Flags().StringArrayVar(&f.corpus, "corpus", nil,
		"GRAMMAR=FILE: documents for that grammar's workloads, JSON Lines, .gz or Parquet, or a fetched corpus (java=java-programs);\nschema=FILE in MaskBench's format; tools=FILE (may be repeated)")
}

// load reads the configuration and replaces the corpora named by --corpus. --corpus is checked
// first, since the corpora that it replaces need not exist.
func (f *configFlags) load(path string) (*config.Config, error) {
	return f.loadBy(func(names config.Names) (*config.Config, error) { return config.Load(path, names) })
}

// loadBy is load for a configuration that is read in another way.
func (f *configFlags) loadBy(read func(config.Names) (*config.Config, error)) (*config.Config, error) {
	names := prepare.Known()
	var replacements []corpusFlag
	for _, text := range f.corpus {
		c, err := parseCorpus(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names.Replaced, c.grammar) {
			return nil, fmt.Errorf("--corpus %s: the corpus of %s is given twice", text, c.grammar)
		}
		replacements = append(replacements, c)
		names.Replaced = append(names.Replaced, c.grammar)
	}
	cfg, err := read(names)
	if err != nil {
		return nil, err
	}
	for _, c := range replacements {
		if err := c.replace(cfg); err != nil {
			return nil, err
		}
	}
	return cfg, nil
}

// corpusFlag is a --corpus: the workloads of a grammar are to take their documents from it.
type corpusFlag struct {
	text    string // as it was given
	grammar string
	name    string // of a corpus known by name, else ""
	path    string // absolute, of a file
}

// parseCorpus reads GRAMMAR=FILE or GRAMMAR=NAME. The path is relative to the working directory;
// paths in a configuration are relative to its folder.
func parseCorpus(text string) (c corpusFlag, err error) {
	grammar, of, ok := strings.Cut(text, "=")
	if !ok || grammar == "" || of == "" {
		return c, fmt.Errorf("--corpus %q: expected GRAMMAR=FILE, or the name of a corpus in its place", text)
	}
	c = corpusFlag{text: text, grammar: grammar}
	if languages.IsFile(grammar) { // a checked configuration has full paths
		if c.grammar, err = filepath.Abs(grammar); err != nil {
			return c, err
		}
	}
	if _, err := os.Stat(of); err == nil {
		c.path, err = filepath.Abs(of)
		return c, err
	}
	if !slices.Contains(datasets.Names(), of) {
		return c, fmt.Errorf("--corpus %s: %s: no such file", text, of)
	}
	if _, err := datasets.Lookup(of); err != nil {
		return c, fmt.Errorf("--corpus %s: %w", text, err)
	}
	c.name = of
	return c, nil
}

// fits says why a corpus known by name is none for a workload.
func (c corpusFlag) fits(w *config.Workload) error {
	brings := slices.Contains(datasets.SchemaNames(), c.name)
	switch {
	case c.name == "":
	case w.Tools != nil:
		return fmt.Errorf("--corpus %s: %s has no tools; name a file of format %s", c.text, c.name, config.FormatTools)
	case w.Schema != nil && !brings:
		return fmt.Errorf("--corpus %s: %s has no schemas; of the corpora known by name %s have", c.text, c.name, strings.Join(datasets.SchemaNames(), ", "))
	case w.Schema == nil && brings:
		return fmt.Errorf("--corpus %s: %s brings a schema with its documents, and the grammar of workload %s is %s", c.text, c.name, w.Name, c.grammar)
	}
	return nil
}

// replace has the workloads of the grammar take their documents from the corpus; limits and bounds
// stay as they are.
func (c corpusFlag) replace(cfg *config.Config) error {
	found := false
	for i := range cfg.Workloads {
		w := &cfg.Workloads[i]
		if w.Grammar != c.grammar {
			continue
		}
		if err := c.fits(w); err != nil {
			return err
		}
		format := c.format(w)
		renameWorkload(cfg, w, cmp.Or(c.name, filepath.Base(c.path)))
		w.Dataset.Name, w.Dataset.Format, w.Dataset.Path, w.Dataset.Glob, w.Dataset.Invalid, w.Dataset.Column = c.name, format, c.path, "", "", ""
		found = true
	}
	if !found { // most likely a misspelt grammar
		return fmt.Errorf("--corpus %s: no workload of %s has the grammar %q", c.text, cfg.File, c.grammar)
	}
	return nil
}

// format is that of the file, "" for a corpus known by name. Parquet is known by its content.
// Otherwise a workload of schemas keeps the format of the configuration if that names one; if it
// does not, the corpus is in MaskBench's format, which may also be a folder or a zip archive.
func (c corpusFlag) format(w *config.Workload) string {
	if c.name != "" {
		return ""
	}
	parquet := datasets.HasParquet(c.path)
	switch {
	case w.Tools != nil:
		return config.FormatTools
	case w.Schema != nil && parquet:
		return "jsonschemabench"
	case w.Schema != nil:
		return cmp.Or(w.Dataset.Format, "maskbench")
	case parquet:
		return "parquet"
	}
	return "jsonl"
}

// schemas is a corpus of schemas.
func (c corpusFlag) schemas() (datasets.Source, error) {
	w := &config.Workload{Schema: new(config.SchemaOptions)}
	switch err := c.fits(w); {
	case err != nil:
		return nil, err
	case c.name != "":
		return datasets.Lookup(c.name)
	}
	return datasets.Open(c.format(w), c.path, "")
}

// renameWorkload renames a workload that has the name of its corpus after another one, unless
// another workload has that name: a table should not name a corpus that was not run.
func renameWorkload(cfg *config.Config, w *config.Workload, corpus string) {
	of := w.Dataset.Name
	if w.Dataset.Path != "" {
		of = filepath.Base(w.Dataset.Path)
	}
	grammar, is := strings.CutSuffix(w.Name, "/"+of)
	name := grammar + "/" + corpus
	if is && !slices.ContainsFunc(cfg.Workloads, func(o config.Workload) bool { return o.Name == name }) {
		w.Name = name
	}
}

// harnessOptions are the options of every command that runs the harness; out is the result
// directory, by default results/NAME.
func (a *app) harnessOptions(cfg *config.Config, out string) prepare.Options {
	if out == "" {
		out = filepath.Join("results", cfg.Name)
	}
	return prepare.Options{Out: out, Tokenizers: a.tokenizerOptions(), Progress: a.progress()}
}

// configured is the action of a command on the configuration that its argument names.
func (a *app) configured(flags *configFlags, do func(context.Context, *config.Config, prepare.Options) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := flags.load(args[0])
		if err != nil {
			return err
		}
		shard, err := flags.shard.parse()
		if err != nil {
			return err
		}
		opt := a.harnessOptions(cfg, cmp.Or(flags.out, shardFolder(cfg.Name, shard)))
		opt.Shard = shard
		return do(cmd.Context(), cfg, opt)
	}
}

// runCommand measures and reports.
func (a *app) runCommand() *cobra.Command {
	var flags configFlags
	var full bool
	var settle time.Duration
	cmd := newCommand("run", one("configuration"), a.configured(&flags, func(ctx context.Context, cfg *config.Config, opt prepare.Options) error {
		summary, err := a.settledRun(ctx, cfg, opt, settle)
		if err := a.kept(err, "measured", opt.Out); err != nil {
			return err
		}
		a.failed = summary.Failed > 0
		if summary.Measured+summary.Present == 0 && opt.Shard != nil {
			a.note("%s has nothing to do: there is less work than shards", opt.Shard)
			return nil
		}
		return a.reportRun(opt.Out, full)
	}))
	flags.add(cmd, true)
	flags.shard.add(cmd, cell.ByCells)
	cmd.Flags().BoolVar(&full, "full", false, "print all tables at the end, not just the summary")
	cmd.Flags().DurationVar(&settle, "settle", 0, "wait for a quiet machine and measure disturbed cells again, for this long at most, such as 30m")
	return cmd
}

// reportRun prints what a finished run has found, and writes the report with its plots.
func (a *app) reportRun(dir string, full bool) error {
	set, err := reports.Load(dir)
	if err != nil {
		return err
	}
	// Printed first, in case the directory cannot be written.
	switch {
	case a.asJSON:
		a.tellProblems(set)
		err = reports.Write(a.out, set, "json")
	case full:
		err = reports.Write(a.out, set, "text")
	default:
		err = reports.WriteSummary(a.out, set)
	}
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "report")
	files, err := reports.WriteFiles(folder, set, "text", "markdown", "html")
	if err != nil {
		return err
	}
	a.note("written: %s (%s)", folder, filesInWords(files))
	if !full && !a.asJSON {
		a.note("all tables: %s, or gcdbench report %s", filepath.Join(folder, "report.html"), words.Shell(dir))
	}
	return nil
}

// filesInWords names the reports and counts the plots, each of which is in several files.
func filesInWords(files []string) string {
	var names []string
	plots := map[string]bool{}
	for _, file := range files {
		switch name, ext := filepath.Base(file), filepath.Ext(file); ext {
		case ".svg", ".png", ".pdf":
			plots[strings.TrimSuffix(name, ext)] = true
		default:
			names = append(names, name)
		}
	}
	if len(plots) > 0 {
		names = append(names, words.Count(len(plots), "plot"))
	}
	return strings.Join(names, ", ")
}

// tellProblems reports damaged and unfinished results on standard error and in the exit status: a
// script would take a part of the figures for the whole.
func (a *app) tellProblems(set *reports.Set) {
	for _, text := range set.Problems() {
		fmt.Fprintln(a.err, "gcdbench: warning:", words.VisibleLines(text))
	}
	a.failed = a.failed || !set.Whole()
}

// planCommand estimates the time of a run.
func (a *app) planCommand() *cobra.Command {
	var flags configFlags
	cmd := newCommand("plan", one("configuration"), a.configured(&flags, func(ctx context.Context, cfg *config.Config, opt prepare.Options) error {
		plan, err := plan.MakePlan(ctx, cfg, opt)
		if err != nil {
			return err
		}
		return printCells(a, plan, plan.Cells)
	}))
	flags.add(cmd, true)
	flags.shard.add(cmd, cell.ByCells)
	return cmd
}

// verifyCommand compares masks, on all processors since nothing is timed, and stores nothing.
func (a *app) verifyCommand() *cobra.Command {
	var flags configFlags
	var long campaignFlags
	var rewritten int
	cmd := newCommand("verify", one("configuration"), a.configured(&flags, func(ctx context.Context, cfg *config.Config, opt prepare.Options) error {
		if rewritten < 0 {
			return fmt.Errorf("--rewritten is at least 0, not %d", rewritten)
		}
		opt.Rewritten = rewritten
		if long.given() {
			opt.Out = cmp.Or(flags.out, opt.Out)
			return a.campaign(ctx, cfg, opt, &long)
		}
		v, err := verify.Verify(ctx, cfg, opt)
		if err != nil {
			return err
		}
		a.failed = v.Failed() > 0
		return printCells(a, v, v.Cells)
	}))
	flags.add(cmd, true)
	long.add(cmd)
	cmd.Flags().IntVar(&rewritten, "rewritten", 0, "ask each algorithm again on N rewritten forms of each grammar")
	flags.shard.add(cmd, cell.ByDocuments)
	return cmd
}

// printCells prints cells as a whole in words, or one by one as JSON.
func printCells[T any](a *app, whole interface{ WriteText(io.Writer) error }, cells []T) error {
	if a.asJSON {
		return eachJSON(a, cells)
	}
	return whole.WriteText(a.out)
}

// eachJSON writes one line of JSON per item.
func eachJSON[T any](a *app, items []T) error {
	for _, item := range items {
		if err := a.printJSON(item); err != nil {
			return err
		}
	}
	return nil
}

// reportCommand makes a report of one or more result directories, from their raw times.
func (a *app) reportCommand() *cobra.Command {
	var format, out, by, fit string
	var choice document.Choice
	cmd := newCommand("report", some("which result directory? 'gcdbench run' makes one, by default results/NAME"), func(cmd *cobra.Command, args []string) error {
		if a.asJSON && !cmd.Flags().Changed("format") { // --json holds for every command, unless a format is named
			format = "json"
		}
		if !slices.Contains(reports.Formats, format) { // before anything is read
			return &reports.FormatError{Format: format}
		}
		switch {
		case by != "cell" && by != "schema":
			return fmt.Errorf("--by is cell or schema, not %q", by)
		case by == "schema" && format != "csv":
			return fmt.Errorf("--by schema goes with --format csv, not with %s", format)
		case by == "schema" && out != "":
			return errors.New("--by schema prints; --out writes schemas.csv without it")
		case fit != "page" && fit != "column":
			return fmt.Errorf("--fit is page or column, not %q", fit)
		case cmd.Flags().Changed("fit") && format != "latex":
			return fmt.Errorf("--fit goes with --format latex, not with %s", format)
		case choice.Any() && data(format):
			return fmt.Errorf("--table, --columns, --workload, --tokenizer, --algorithm and --state choose of tables; %s has all fields", format)
		}
		set, err := reports.Load(args...)
		if err != nil {
			return err
		}
		choice.Narrow = fit == "column"
		if err := set.Choose(choice); err != nil {
			return err
		}
		if a.failed = set.Damaged(); data(format) {
			a.tellProblems(set)
		}
		switch {
		case by == "schema":
			return reports.WriteSchemas(a.out, set)
		case out == "":
			return reports.Write(a.out, set, format)
		}
		files, err := reports.WriteFiles(out, set, format)
		for _, file := range files { // the paths are the result, also those written before an error
			fmt.Fprintln(a.out, file)
		}
		return err
	})
	cmd.Flags().StringVar(&format, "format", "text", strings.Join(reports.Formats, ", "))
	cmd.Flags().StringVar(&by, "by", "cell", "what a line of CSV is about: cell, or schema")
	cmd.Flags().StringVar(&out, "out", "", "write the report, the plots and schemas.csv into this directory")
	chooseFlags(cmd, &choice)
	cmd.Flags().StringVar(&fit, "fit", "page", "of LaTeX: make tables fit the text of a page, or a column of two")
	return cmd
}

// chooseFlags are the flags that choose tables, columns and rows.
func chooseFlags(cmd *cobra.Command, choice *document.Choice) {
	cmd.Flags().StringSliceVar(&choice.Tables, "table", nil, "only the table of this ID, such as masks (may be repeated)")
	cmd.Flags().StringSliceVar(&choice.Columns, "columns", nil, "only columns of these heads, such as n,mean,p50, beside those that name a row")
	cmd.Flags().StringArrayVarP(&choice.Workloads, "workload", "w", nil, "only rows about this workload (may be repeated)")
	cmd.Flags().StringArrayVarP(&choice.Tokenizers, "tokenizer", "t", nil, "only rows about this vocabulary (may be repeated)")
	cmd.Flags().StringArrayVarP(&choice.Algorithms, "algorithm", "a", nil, "only rows about the algorithm of this label (may be repeated)")
	cmd.Flags().StringSliceVar(&choice.States, "state", nil, "only figures of this state of the engine: fresh, new, again or first")
}

// data reports whether a format is for programs, which see no warnings.
func data(format string) bool { return format == "json" || format == "csv" }
