// Package cli is the command line of gcdbench, as a function: arguments and streams in, exit status
// out. docs/cli.md documents the names, JSON fields and exit statuses on which scripts rely. A test
// executes every command shown in the documentation.
//
// The exit status is 0 if all is well; 1 if the command ran and found a failure (a wrong mask, a
// document the grammar refuses); 2 for bad usage or bad input.
//
// A command is a method that makes a cobra.Command, and one or two methods that do the work. Flags
// are read into a struct. The work returns an error for bad input and sets app.failed for a failure
// found, and run turns either into the status. Results go to standard output as they come, so that
// a long list can be piped; progress and messages go to standard error. Both show control
// characters escaped, since names come from corpora, grammars and schemas of strangers. Shared code
// has files of its own: help.txt has what commands say of themselves, texts.txt what they print in
// words, as templates; source.go finds grammars by name, places.go and expected.go say where and
// why a JSON text is refused, verdict.go finds the reason.
package cli

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	_ "gcdbench/algorithms/all"   // every algorithm can be named
	_ "gcdbench/datasets/parquet" // and files of Parquet be read

	"gcdbench/grammar/tools"
	"gcdbench/harness/environment"
	"gcdbench/internal/words"
)

// Exit statuses, on which scripts rely: 1 is a finding, 2 a broken set-up.
const (
	exitOK      = 0
	exitFailure = 1 // the command ran and found a failure, or was interrupted
	exitUsage   = 2 // it could not do what was asked
)

// app has the streams of a command and the flags common to all commands.
type app struct {
	in     io.Reader
	text   func() io.Reader // in, until the command is interrupted
	inRead bool             // in was read to its end
	out    io.Writer        // results
	err    io.Writer        // progress and messages
	asJSON bool             // --json
	quiet  bool             // --quiet
	// failed is set by a command that ran and found a failure.
	failed bool
}

// Main runs the command line and returns the exit status. args are without the program's name.
// An interrupt cancels the command's context, so that the results so far are kept; a second one
// ends the program at once. A request to end and the end of the terminal do the same.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	return waitFor(ctx, stop, interruptGrace, errOut, func() int { return run(ctx, args, in, out, errOut) })
}

// endings are the signals that interrupt a command. A hangup that the program was started to
// ignore, as by nohup, stays ignored.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// interruptGrace is how long an interrupted command may take to end. A cell's record is written in
// milliseconds. A longer time means a computation that does not check its context, such as parsing
// one text under a very ambiguous grammar.
const interruptGrace = 5 * time.Second

// waitFor runs a command to its end, or to the end of the grace after an interrupt.
func waitFor(ctx context.Context, stop func(), grace time.Duration, errOut io.Writer, command func() int) int {
	status := make(chan int, 1) // of one, so that a command nobody waits for can still end
	go func() { status <- command() }()
	select {
	case s := <-status:
		return s
	case <-ctx.Done():
	}
	stop() // from here on a second interrupt ends the process
	select {
	case s := <-status:
		return s
	case <-time.After(grace):
		fmt.Fprintln(errOut, "gcdbench: interrupted")
		return exitFailure
	}
}

// interruptible ends a reader with the context, also one that waits for a person to type.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}

// run is Main with the caller's context, which tests cancel. Errors are printed here and nowhere
// else, with the program's name.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	results := &faithful{w: out}
	visible := words.NewVisibleWriter(results) // also for what cobra prints
	out = visible
	a := &app{in: in, out: out, err: errOut, text: func() io.Reader { return interruptible(ctx, in) }}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	visible.Flush() // an error of the stream is in results
	if err == nil {
		err = results.err
	}
	switch {
	case err == nil && !a.failed:
		return exitOK
	case err == nil:
		return exitFailure
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, "gcdbench: interrupted")
		return exitFailure
	}
	fmt.Fprintln(errOut, "gcdbench:", words.VisibleLines(strings.TrimSuffix(err.Error(), "\n")))
	return exitUsage
}

// faithful remembers the first error of writing results, on a full disk for example. Commands print
// without checking every line, and half a result must not look like a whole one.
type faithful struct {
	w   io.Writer
	err error
}

// Write passes on to the stream until it fails.
func (f *faithful) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	f.err = err
	return n, err
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	root := newCommand("gcdbench", cobra.NoArgs, nil)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return noEmptyFlag(cmd) }
	root.Version = "(devel)" // of the flag; what it prints is asked for when it is given, since it may ask git
	cobra.AddTemplateFunc("program", environment.Program)
	root.SetVersionTemplate("{{.Name}} {{program}}\n")
	root.SetHelpCommand(helpCommand(root))
	root.PersistentFlags().BoolVar(&a.asJSON, "json", false, "print JSON: one object, or one per line where several are listed")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress on standard error")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(group("grammar", a.grammarShow(), a.grammarCheck(), a.grammarAudit(), a.grammarLegality(), a.grammarTranslate()),
		group("schema", a.schemaCompile(), a.schemaCheck()),
		group("engines", a.enginesListCommand(), a.enginesInstallCommand(), a.enginesCheckCommand(), a.enginesMeasureCommand(), a.enginesServeCommand(), a.replayCommand()),
		group("tools", a.toolsFormats(), a.toolsSample(), a.toolsCheck(), a.toolsWrite("grammar", (*tools.Request).Lark), a.toolsWrite("tag", (*tools.Request).StructuralTag), a.toolsWrite("llguidance", (*tools.Request).LLGuidance)),
		a.maskCommand(), a.completeCommand(), a.listCommand(), a.tokenizeCommand(), a.fetchCommand(),
		a.runCommand(), a.benchCommand(), a.planCommand(), a.verifyCommand(), a.reportCommand(), a.siteCommand(), a.compareCommand(), a.judgeCommand(), a.calibrateCommand(),
		a.mergeCommand(), a.slurmCommand(), a.speculateCommand(), a.loadCommand(), a.constraintsCommand(), a.manCommand())
	for _, cmd := range root.Commands() { // no command is nested deeper
		requireSubcommand(cmd)
	}
	requireSubcommand(root)
	return root
}

// helpFile has what commands say of themselves, by their paths: usage, a line, and after an empty
// line more, with examples.
//
//go:embed help.txt
var helpFile string

// helpOf is the section of helpFile about something.
func helpOf(path string) string {
	_, text, found := strings.Cut(helpFile, "\n-- "+path+" --\n")
	if !found {
		panic("help.txt has no section " + path)
	}
	text, _, _ = strings.Cut(text, "\n-- ")
	return text
}

// newCommand is a command whose help is in helpFile.
func newCommand(path string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	use, rest, _ := strings.Cut(helpOf(path), "\n")
	short, rest, _ := strings.Cut(rest, "\n")
	long, example, _ := strings.Cut(rest, "\nExample:\n")
	return &cobra.Command{Use: use, Short: short, Long: strings.Trim(long, "\n"), Example: strings.TrimRight(example, "\n"), Args: args, RunE: run}
}

// group is a command that only has others.
func group(path string, commands ...*cobra.Command) *cobra.Command {
	cmd := newCommand(path, nil, nil)
	cmd.AddCommand(commands...)
	return cmd
}

// noEmptyFlag refuses a flag that is given and empty, as by a script whose variable is not set.
// Such a flag must not be taken for one that is not given: the command would write to another
// place, or do less than was asked. Only the prefix may be empty.
func noEmptyFlag(cmd *cobra.Command) error {
	for _, name := range []string{"account", "algorithm", "columns", "config", "corpus", "explain", "fail-over", "fit", "format", "grammar", "id", "jsonl", "judge", "kinds", "mem", "out", "page", "partition", "prefix-file", "python", "scripts", "serve", "shard", "start", "state", "table", "time", "tokenizer", "with"} {
		f := cmd.Flags().Lookup(name)
		if f != nil && f.Changed && (f.Value.Type() == "string" && f.Value.String() == "" || f.Value.Type() == "stringSlice" && f.Value.String() == "[]") {
			return fmt.Errorf("--%s is empty; see '%s --help'", name, cmd.CommandPath())
		}
	}
	return nil
}

// helpCommand is cobra's, except that an unknown command is bad usage.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q; see '%s --help'", strings.Join(args, " "), root.CommandPath())
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// requireSubcommand has a command that only groups others name them, with exit status 2, where
// cobra would print help and succeed.
func requireSubcommand(cmd *cobra.Command) {
	if cmd.Runnable() || !cmd.HasSubCommands() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs // they are commands that there are not, for the message below
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("which command? see '%s --help'", cmd.CommandPath())
		}
		message := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			message += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
		}
		return fmt.Errorf("%s; see '%s --help'", message, cmd.CommandPath())
	}
}

// one wants exactly one argument and says what it is.
func one(what string) cobra.PositionalArgs { return takes("one "+what, 1, 1) }

// takes wants so many arguments, and says what they are.
func takes(what string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return fmt.Errorf("%s takes %s, got %s; see '%[1]s --help'", cmd.CommandPath(), what, arguments(len(args)))
	}
}

// some wants at least one argument, and asks for it.
func some(question string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(question)
		}
		return nil
	}
}

// atMost refuses more than n arguments, where cobra would speak of commands or of arg(s).
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fmt.Errorf("%s: what is %q for? it takes at most %s; see '%[1]s --help'", cmd.CommandPath(), args[n], arguments(n))
	}
}

// arguments counts arguments in words.
func arguments(n int) string {
	if n == 0 {
		return "no argument beside flags"
	}
	return words.Count(n, "argument")
}

// printJSON writes v as one line of JSON. HTML characters are not escaped.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// show prints a result: as JSON, or else as text does.
func (a *app) show(result any, text func(io.Writer) error) error {
	if a.asJSON {
		return a.printJSON(result)
	}
	return text(a.out)
}

// tell prints a result: as JSON, or else in a line of words.
func (a *app) tell(result any, format string, args ...any) error {
	return a.show(result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	})
}

// kept notes where an interrupted command has kept what it has done.
func (a *app) kept(err error, what, folder string) error {
	if errors.Is(err, context.Canceled) {
		a.note("what is %s is kept in %s; the same command goes on from there", what, folder)
	}
	return err
}

// note writes a line of progress, unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.err, words.VisibleLines(fmt.Sprintf(format, args...)))
	}
}
