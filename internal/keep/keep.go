// Package keep makes the reports that the repository keeps, one after the other. It has a list
// of them: the command, the files that are kept of its output, and their names.
//
// Each report is measured by a process of its own. Otherwise a report would find the automata,
// the trie and the large heap that an earlier one left in the process, and its cold figures
// would not be cold. Result directories stay, so a sequence that was stopped goes on where it
// was, by the same command.
package keep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gcdbench/grammar/languages"
	"gcdbench/harness/cell"
	reporting "gcdbench/reports"
)

// A report is what is kept of one command.
type report struct {
	name    string   // of the file in results, without its extension
	asks    string   // the question that it answers
	says    string   // the answer, of a report that is not data
	config  string   // path in configs
	command []string // in place of a configuration: a command that writes its --page
	load    bool     // requests under load
	verify  bool     // masks are compared and nothing is timed: what is kept is the command's output
	flags   []string // of verify, beside
	judged  bool     // differing masks of engines from outside are judged before it is kept
	corpora []string // the grammars of which it takes documents of the caller
	plots   []string // those of the report that are kept
}

// reports are in the order in which they are made and shown: what most readers ask first.
var reports = []report{
	{name: "quickstart", asks: "which of our algorithms, at first sight?", config: "quickstart.yaml"},
	{name: "schema-files", asks: "which engine for the schemas people have?", config: "schema-files.yaml", plots: []string{"ttfm"}},
	{name: "engines", asks: "and for MaskBench's schemas?", config: "engines.yaml", judged: true, corpora: []string{"schema"}, plots: []string{"tbm-tail", "ttfm-tail"}},
	{name: "engines-slow", asks: "and the slow engines?", config: "engines-slow.yaml", corpora: []string{"schema"}},
	{name: "tools", asks: "which engine for tools?", config: "tools.yaml", judged: true},
	{name: "headline", asks: "which of our algorithms, on real documents?", config: "headline.yaml", corpora: []string{"java", "go", "schema"}, plots: []string{"steps-tail", "cumulative"}},
	{name: "unseen", asks: "and on unseen programs?", config: "unseen.yaml", corpora: []string{"java", "go", "python", "sql"}},
	{name: "unseen-schemas", asks: "and on unseen schemas?", config: "unseen-schemas.yaml", corpora: []string{"schema"}, plots: []string{"tbm-tail", "ttfm-tail"}},
	{name: "engines-programs", asks: "which engine for programs?", config: "engines-programs.yaml", corpora: []string{"java", "go"}},
	{name: "load", asks: "which engine under load?", config: "load.yaml", load: true, corpora: []string{"schema"}, plots: []string{"capacity", "ttft"}},
	{name: "load-tools", asks: "and with tools in each request?", config: "load-tools.yaml", load: true, plots: []string{"capacity"}},
	{name: "load-mix", asks: "what do bad neighbours cost?", config: "load-mix.yaml", load: true, corpora: []string{"schema"}, plots: []string{"capacity"}},
	{name: "vocabularies", asks: "what does a larger vocabulary cost?", config: "papers/vocabularies.yaml", plots: []string{"throughput"}},
	{name: "compile-cost", asks: "when does compiling first pay?", config: "papers/compile-cost.yaml", plots: []string{"tradeoff", "cumulative"}},
	{name: "greatgramma-table1", asks: "GreatGramma's table 1", config: "papers/greatgramma-table1.yaml"},
	{name: "constraints", asks: "how quick are regular expressions?", says: "mostly under a microsecond once built", command: []string{"constraints", "-t", "llama3"}},
	{name: "speculative", asks: "what do masks for drafted tokens cost?", says: "a drafted token costs 1.3 to 3.1 plain steps", command: []string{"speculate", "configs/papers/speculative.yaml"}},
	{name: "legality", asks: "what can be proved of a grammar?", says: "the tables decide 91 to 99% of pairs", command: []string{"grammar", "legality", "json", "go", "java", "python", "sql", "-t", "llama3", "--store", "--seed", "1"}},
	{name: "parserdwa-tail", asks: "how long is parserdwa's tail?", config: "papers/parserdwa-tail.yaml"},
	{name: "vocabulary-cuts", asks: "the same, cuts of one vocabulary", config: "papers/vocabulary-cuts.yaml", plots: []string{"throughput"}},
	{name: "maskstore", asks: "how wide are SynCode's masks?", config: "papers/maskstore.yaml"},
	{name: "ablations", asks: "what does each mechanism buy?", config: "ablations.yaml"},
	{name: "psc-table1", asks: "PSC's tables 1 and 2, samples", config: "papers/psc-table1.yaml"},
	{name: "maskbench", asks: "psc on MaskBench's 1,500 schemas", config: "maskbench.yaml", corpora: []string{"schema"}, plots: []string{"ttfm-tail", "tbm-tail"}},
	{name: "maskbench-engines", asks: "which engine on MaskBench?", config: "maskbench-engines.yaml", corpora: []string{"schema"}},
	{name: "psc-table1-schemas", asks: "PSC's table 1, schemas", config: "papers/psc-table1-schemas.yaml", corpora: []string{"schema"}},
	{name: "psc-table1-programs", asks: "PSC's table 1, programs", config: "papers/psc-table1-programs.yaml", corpora: []string{"syncode/java", "syncode/sql", "java", "go", "sql", "python"}},
	{name: "psc-figures", asks: "PSC's figures 2 to 5: throughput", config: "papers/psc-figures.yaml", corpora: []string{"java", "go", "sql", "schema"},
		plots: []string{"serving-java-serial", "serving-schema-serial", "serving-go-serial", "serving-sql-serial"}},
	{name: "engines-syncode", asks: "and on SynCode's grammars?", config: "papers/engines-syncode-grammars.yaml", corpora: []string{"syncode/java", "syncode/sql"}},
	{name: "verify", asks: "are all masks equal?", says: "yes", config: "verify.yaml", verify: true},
	{name: "verify-positions", asks: "at every position?", says: "yes", config: "verify-positions.yaml", verify: true},
	{name: "verify-rewritten", asks: "and of rewritten grammars?", says: "yes", config: "verify-rewritten.yaml", verify: true, flags: []string{"--rewritten", "1"}},
	{name: "verify-tools", asks: "and of requests with tools?", says: "yes", config: "verify-tools.yaml", verify: true},
	{name: "verify-maskbench", asks: "and on MaskBench's schemas?", says: "yes", config: "verify-maskbench.yaml", verify: true, corpora: []string{"schema"}},
}

// keeper makes reports. Paths start at the root of the repository, where it has to run.
type keeper struct {
	out    string            // where reports are kept, and result directories below
	corpus map[string]string // files of documents by grammar
	log    io.Writer
	// gcdbench runs the command line in a process of its own.
	gcdbench func(ctx context.Context, out io.Writer, args ...string) error
}

const usage = `usage: go run ./cmd/keep [-corpus GRAMMAR=FILE]... [-check] [NAME...]

Measures the reports of results/ again, one after the other, all of them or those that are named, and writes
them there, as JSON; what README.md, results/README.md and docs/papers.md show of them is replaced as well. Run it from the repository's root, on a machine
that does nothing else. Stopped, it goes on where it was. Reports with engines from outside need these:
gcdbench engines install. -check measures nothing and says which kept reports are not of today's
configurations, grammars and results, and by how old a program each was made.

Examples:
  go run ./cmd/keep quickstart compile-cost
  go run ./cmd/keep -corpus schema=maskbench.jsonl.gz -corpus java=java.jsonl.gz -corpus go=go.jsonl.gz
  go run ./cmd/keep -check
`

// Main is the command: exit status 0 if all reports are made, 1 if one was not or has a cell
// that failed, 2 for bad usage.
func Main(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("keep", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() { fmt.Fprint(errOut, usage); flags.PrintDefaults() }
	corpus := map[string]string{}
	flags.Func("corpus", "documents of a grammar, `GRAMMAR=FILE`, once for each; reports that take others are left out", func(text string) error {
		grammar, file, ok := strings.Cut(text, "=")
		if !ok || grammar == "" || file == "" {
			return errors.New("GRAMMAR=FILE is expected, such as schema=maskbench.jsonl.gz")
		}
		corpus[grammar] = file
		return nil
	})
	check := flags.Bool("check", false, "only list the kept reports: which are not of today's configurations, and how old the program of each is")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *check {
		return printStale(".", out, errOut)
	}
	chosen, err := choose(flags.Args(), corpus)
	if err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k := &keeper{out: "results", corpus: corpus, log: errOut}
	if err := k.build(ctx); err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 2
	}
	fmt.Fprintf(errOut, "keep: written into %s\n", k.out)
	status := k.each(ctx, chosen, k.make)
	if err := errors.Join(writePapers("."), writeResults(".")); err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 1
	}
	return status
}

// choose picks reports by name, in the order of the list. If no name is given it picks all, or
// all whose corpora there are.
func choose(names []string, corpus map[string]string) ([]report, error) {
	var chosen []report
	for _, r := range reports {
		missing := r.missing(corpus)
		switch named := slices.Contains(names, r.name); {
		case named && missing != nil:
			return nil, fmt.Errorf("%s takes documents of yours: -corpus %s=FILE", r.name, strings.Join(missing, "=FILE -corpus "))
		case named || len(names) == 0 && missing == nil:
			chosen = append(chosen, r)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(reports, func(r report) bool { return r.name == name }) {
			return nil, fmt.Errorf("there is no report %q; see results/README.md", name)
		}
	}
	return chosen, nil
}

// missing are the grammars of whose documents a report needs a corpus that is not there.
func (r report) missing(corpus map[string]string) (missing []string) {
	for _, grammar := range r.corpora {
		if corpus[grammar] == "" {
			missing = append(missing, grammar)
		}
	}
	return missing
}

// build makes the program once: a result knows it by its SHA-256, and a second build of other
// code would measure anew.
func (k *keeper) build(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join("cmd", "gcdbench")); err != nil {
		return errors.New("run it from the root of the repository: go run ./cmd/keep")
	}
	program, err := filepath.Abs(filepath.Join(k.out, "gcdbench", "gcdbench"))
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-o", program, "./cmd/gcdbench") // a report says its revision
	build.Stderr = k.log
	if err := build.Run(); err != nil {
		return fmt.Errorf("building gcdbench: %w", err)
	}
	k.gcdbench = func(ctx context.Context, out io.Writer, args ...string) error {
		run := exec.CommandContext(ctx, program, args...)
		run.Stdout, run.Stderr = out, k.log
		run.Cancel = func() error { return run.Process.Signal(os.Interrupt) } // so that it keeps what it has
		return run.Run()
	}
	return nil
}

// each does something for reports, one after the other. One that fails does not keep the others
// from being made.
func (k *keeper) each(ctx context.Context, chosen []report, do func(context.Context, report) error) (status int) {
	for i, r := range chosen {
		fmt.Fprintf(k.log, "keep: %d of %d: %s\n", i+1, len(chosen), r.name)
		began := time.Now()
		err := do(ctx, r)
		if ctx.Err() != nil {
			fmt.Fprintln(k.log, "keep: interrupted; the same command goes on from there")
			return 1
		}
		if err != nil {
			fmt.Fprintf(k.log, "keep: %s: %v\n", r.name, err)
			status = 1
			continue
		}
		fmt.Fprintf(k.log, "keep: %s: done in %v\n", r.name, time.Since(began).Round(time.Second))
	}
	return status
}

// command is the arguments that a report's configuration goes by.
func (k *keeper) command(r report, verb string) []string {
	return append([]string{verb, filepath.Join("configs", filepath.FromSlash(r.config))}, k.documents(r)...)
}

// documents are the arguments that name a report's corpora.
func (k *keeper) documents(r report) (args []string) {
	for _, grammar := range r.corpora {
		args = append(args, "--corpus", grammar+"="+k.corpus[grammar])
	}
	return args
}

// make makes a report.
func (k *keeper) make(ctx context.Context, r report) error {
	switch {
	case r.command != nil:
		return k.makePage(ctx, r)
	case r.verify:
		return k.makeVerified(ctx, r)
	case r.load:
		return k.makeLoad(ctx, r)
	}
	dir := filepath.Join(k.out, r.name)
	args := k.command(r, "run")
	var clock strings.Builder
	if err := k.gcdbench(ctx, &clock, "calibrate", "--short"); err != nil && clock.Len() == 0 { // what is off is said
		return err
	}
	failed := k.gcdbench(ctx, io.Discard, append(args, "--out", dir)...)
	if failed != nil && !k.finished(ctx, failed, dir) {
		return failed
	}
	// A kept report is of one build. What an interrupted run of another one left would be a
	// warning.
	store, err := cell.Open(dir)
	if err != nil {
		return err
	}
	if _, err := store.RemoveOthers(); err != nil {
		return err
	}
	if r.judged {
		if err := k.gcdbench(ctx, io.Discard, append([]string{"judge", dir, "--limit", "10"}, k.documents(r)...)...); err != nil {
			return err
		}
	}
	if err := k.keep(r.name+"-clock.txt", func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "Engines of known cost, measured by `gcdbench calibrate --short` before the run:\n\n%s", &clock)
		return err
	}); err != nil {
		return err
	}
	if err := k.keep(r.file(), func(out io.Writer) error { return k.data(ctx, out, dir) }); err != nil {
		return err
	}
	if err := k.keepPlots(r, dir, ""); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("its report is kept, and says what failed: %w", failed)
	}
	return nil
}

// makeLoad makes a report of requests under load.
func (k *keeper) makeLoad(ctx context.Context, r report) error {
	args := k.command(r, "load")
	config, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	dir := filepath.Join(k.out, r.name)
	if err := k.gcdbench(ctx, io.Discard, append(args, "--out", dir)...); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "report", "load.json"))
	if err != nil {
		return err
	}
	var stored reporting.Stored
	if err := json.Unmarshal(text, &stored); err != nil {
		return fmt.Errorf("the report of %s: %w", dir, err)
	}
	stored.About = append(stored.About, cell.ConfigText(r.name, config, cell.Schema))
	if err := k.keep(r.file(), func(out io.Writer) error { return json.NewEncoder(out).Encode(stored) }); err != nil {
		return err
	}
	return k.keepPlots(r, dir, "load-")
}

// keepPlots keeps the plots of a report, whose files have a prefix.
func (k *keeper) keepPlots(r report, dir, prefix string) error {
	for _, plot := range r.plots {
		if err := k.keep(r.name+"-"+plot+".svg", copyOf(filepath.Join(dir, "report", prefix+plot+".svg"))); err != nil {
			return err
		}
	}
	return nil
}

// data writes the report of a directory as JSON on one line. Without the configuration's text,
// which each cell has, it is half as long, and the report names its SHA-256.
func (k *keeper) data(ctx context.Context, out io.Writer, dir string) error {
	var text bytes.Buffer
	if err := k.gcdbench(ctx, &text, "report", dir, "--format", "json"); err != nil {
		return err
	}
	var stored reporting.Stored
	if err := json.Unmarshal(text.Bytes(), &stored); err != nil {
		return fmt.Errorf("the report of %s: %w", dir, err)
	}
	for _, c := range stored.Cells {
		c.Provenance.Config = ""
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(stored)
}

// finished says whether a run measured all there is and ended with exit status 1 because a cell
// failed, such as that of an engine from outside that crashed. Its report says so.
func (k *keeper) finished(ctx context.Context, failed error, dir string) bool {
	var exit interface{ ExitCode() int }
	return errors.As(failed, &exit) && exit.ExitCode() == 1 && k.gcdbench(ctx, io.Discard, "report", dir, "--format", "json") == nil
}

// makePage makes a report that a command writes as a page, and adds with what it was made.
func (k *keeper) makePage(ctx context.Context, r report) error {
	dir, err := os.MkdirTemp("", "keep")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	page, began := filepath.Join(dir, r.file()), time.Now()
	args := slices.Concat(r.command, []string{"--page", page})
	if r.command[0] == "speculate" {
		args = append(args, "--out", filepath.Join(k.out, r.name))
	}
	if err := k.gcdbench(ctx, io.Discard, args...); err != nil {
		return err
	}
	minutes := time.Since(began).Minutes()
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	return k.keep(r.file(), func(out io.Writer) error {
		if _, err := out.Write(text); err != nil {
			return err
		}
		if err := with(ctx, out, r); err != nil {
			return err
		}
		fmt.Fprintf(out, "Command %s took %.1f minutes, without what was there from an interrupted run.\n\n", r.name, minutes)
		return k.gcdbench(ctx, out, "--version")
	})
}

// with writes of which configuration and grammars a page is.
func with(ctx context.Context, out io.Writer, r report) error {
	fmt.Fprintln(out)
	for _, arg := range r.command {
		if strings.HasSuffix(arg, ".yaml") {
			config, err := os.ReadFile(arg)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n\n", cell.ConfigText(r.name, config, cell.Schema))
		}
		if slices.Contains(languages.Names(), arg) {
			g, err := languages.Load(ctx, arg)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "With: grammar %s (SHA-256 %x).\n\n", arg, g.SHA256[:6])
		}
	}
	return nil
}

// makeVerified makes a report of compared masks: what the command prints, and with what it was
// made.
func (k *keeper) makeVerified(ctx context.Context, r report) error {
	args := k.command(r, "verify")
	args = append(args, r.flags...)
	config, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	return k.keep(r.name+".txt", func(out io.Writer) error {
		if err := k.gcdbench(ctx, out, args...); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s\n", cell.ConfigText(r.name, config, cell.Schema))
		return k.gcdbench(ctx, out, "--version")
	})
}

// keep writes a file when all of it is there: half a report must not replace a whole one.
func (k *keeper) keep(name string, write func(out io.Writer) error) error {
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(k.out, name), []byte(text.String()), 0o644)
}

// copyOf writes a file's content.
func copyOf(path string) func(io.Writer) error {
	return func(out io.Writer) error {
		content, err := os.ReadFile(path)
		if err == nil {
			_, err = out.Write(content)
		}
		return err
	}
}
