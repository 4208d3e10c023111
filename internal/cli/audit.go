package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gcdbench/datasets"
	"gcdbench/engines"
	"gcdbench/grammar/languages"
	"gcdbench/harness/judges"
	"gcdbench/harness/judges/audit"
	"gcdbench/harness/stats"
	"gcdbench/internal/files"
	"gcdbench/reports/show"
)

// grammar audit: how far a grammar is the language that it is written for.

// auditFlags are the flags of grammar audit.
type auditFlags struct {
	judge, python, kinds     string
	mutants, limit, examples int
	jobs                     int
	seed                     uint64
	allow                    float64
	reading                  grammarFlags
}

// grammarAudit compares a grammar with the language's own parser.
func (a *app) grammarAudit() *cobra.Command {
	var f auditFlags
	cmd := newCommand("grammar audit", func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("which grammar? see '%s --help'", cmd.CommandPath())
		}
		return f.check()
	}, func(cmd *cobra.Command, args []string) error { return a.audit(cmd.Context(), &f, args[0], args[1:]) })
	f.reading.addReading(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.mutants, "mutants", 0, "how many mutants to judge")
	flags.StringVar(&f.kinds, "kinds", "", "kinds of mutants (default all: delete,double,swap,replace, and for Python indent,fstring)")
	flags.Uint64Var(&f.seed, "seed", 1, "what mutants and samples follow from")
	flags.IntVar(&f.limit, "limit", 0, "judge at most so many texts of each PATH, drawn by the seed; 0 for all")
	flags.StringVar(&f.judge, "judge", "auto", "auto, a language ("+strings.Join(judges.Languages(), ", ")+"), lark, or a command")
	flags.StringVar(&f.python, "python", "", "the judge's Python, or Pyodide's pyodide.mjs (default GCDBENCH_PYTHON, else the newest python3.N for Python's grammar, python3 for others)")
	flags.IntVar(&f.examples, "examples", 3, "how many differences to show of each row and direction")
	flags.Float64Var(&f.allow, "allow", 0, "percentage of differences, by row and direction, that is no failure")
	flags.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "how many judges run at a time")
	return cmd
}

// check refuses values that mean nothing.
func (f *auditFlags) check() error {
	switch {
	case f.mutants < 0, f.limit < 0, f.examples < 0:
		return errors.New("--mutants, --limit and --examples are numbers from 0 on")
	case f.jobs < 1:
		return errors.New("--jobs is a number from 1 on")
	case !(f.allow >= 0 && f.allow <= 100):
		return fmt.Errorf("--allow %v: expected a percentage from 0 to 100", f.allow)
	}
	return nil
}

// audit runs an audit and prints what it found.
func (a *app) audit(ctx context.Context, f *auditFlags, name string, paths []string) error {
	if isSchema(name) {
		return errors.New("a JSON schema has instances: 'gcdbench schema check' compares them with a validator")
	}
	l, err := a.load(ctx, name, &f.reading)
	if err != nil {
		return err
	}
	language, opt, err := f.options(l, name)
	if err != nil {
		return err
	}
	opt.Progress = func(message string) { a.note("%s", message) }
	for _, path := range paths {
		label, path := splitLabel(path)
		corpus, err := language.Open(ctx, label, path)
		if err != nil {
			return err
		}
		opt.Corpora = append(opt.Corpora, corpus)
	}
	if len(paths) == 0 {
		corpus, err := samples(ctx, language)
		if err != nil {
			return err
		}
		opt.Corpora = append(opt.Corpora, corpus)
	}
	for i := range opt.Corpora {
		opt.Corpora[i].Sample(f.limit, f.seed)
	}
	result, err := audit.Run(ctx, *opt)
	if err != nil {
		return err
	}
	found := &audited{l.Grammar.Name, fmt.Sprintf("%x", l.Grammar.SHA256), f.seed, result}
	a.failed = a.failed || found.failed(f.allow)
	if found.Older {
		a.note("%s %s is older than %s: what it refuses may be valid today, and is no failure", found.Judge, found.Version, opt.Covers)
	}
	return a.show(found, found.print)
}

// options are what is audited, without the corpora.
func (f *auditFlags) options(l *loaded, name string) (*audit.Language, *audit.Options, error) {
	judged := f.judge
	if judged == "auto" {
		judged = name
	}
	language, known := audit.LanguageOf(judged)
	opt := &audit.Options{Grammar: l.Recognizer, Covers: languages.Covers(name), Language: language, Jobs: f.jobs, Mutants: f.mutants, Kinds: language.Kinds(), Seed: f.seed, Examples: f.examples}
	if f.kinds != "" {
		var err error
		if opt.Kinds, err = language.ParseKinds(f.kinds); err != nil {
			return nil, nil, err
		}
	}
	find := judges.Options{Python: f.python, Compile: true}
	switch {
	case known:
		opt.Judge = func() (judges.Judge, error) { return judges.OfLanguage(judged, find) }
	case f.judge == "auto", f.judge == "lark":
		text, err := grammarText(name)
		if err != nil {
			return nil, nil, err
		}
		opt.Judge = func() (judges.Judge, error) {
			return judges.OfLark(judges.Language{Name: name, Text: text, Reading: f.reading.Options}, find)
		}
	default:
		command, err := engines.SplitCommand(f.judge)
		if err != nil {
			return nil, nil, err
		}
		opt.Judge = func() (judges.Judge, error) { return judges.OfCommand(command, find), nil }
	}
	return language, opt, nil
}

// grammarText is the text of a grammar with a name or of a file.
func grammarText(name string) ([]byte, error) {
	if text, ok := languages.Text(name); ok {
		return text, nil
	}
	text, err := os.ReadFile(name)
	return text, files.Named(err)
}

// splitLabel is the label and the path of an argument.
func splitLabel(arg string) (label, path string) {
	label, path, ok := strings.Cut(arg, "=")
	if _, err := os.Stat(arg); err != nil && ok && label != "" && path != "" {
		return label, path
	}
	return filepath.Base(arg), arg
}

// samples are the embedded samples of a language.
func samples(ctx context.Context, l *audit.Language) (audit.Corpus, error) {
	source, err := datasets.Lookup(l.Name + "-samples")
	if err != nil {
		return audit.Corpus{}, fmt.Errorf("no text: name folders, archives or files; there are samples of %s only", strings.Join(datasets.Languages(), ", "))
	}
	return l.Corpus(ctx, "samples", source)
}

// audited is the JSON of grammar audit.
type audited struct {
	Grammar string `json:"grammar"`
	SHA256  string `json:"sha256"` // of the grammar's text
	Seed    uint64 `json:"seed"`
	*audit.Result
}

// failed tells whether a row differs in more than so many percent of its texts, by direction. A
// judge of an older version decides in one direction.
func (d *audited) failed(allow float64) bool {
	beyond := func(n, of int) bool { return float64(n)*100 > allow*float64(of) }
	for _, r := range d.Rows {
		if beyond(r.ValidRefused, r.Valid()) || !d.Older && beyond(r.InvalidAccepted, r.Invalid()) {
			return true
		}
	}
	return false
}

// print prints the rows and the examples.
func (d *audited) print(out io.Writer) error {
	fmt.Fprintf(out, "%s against %s %s, seed %d\n\n", d.Grammar, d.Judge, d.Version, d.Seed)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for _, r := range d.Rows {
		fmt.Fprintln(t, strings.Join(cells(r), "\t"))
	}
	t.Flush()
	return pages.ExecuteTemplate(out, "found", d)
}

// beginning is as much of an example as a screen has room for.
func beginning(text string) string {
	const longest = 600 // bytes
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return text
}

// columns are the heads of the table.
var columns = []string{"texts", "valid", "accepted", "refused", "by the compiler too", "invalid", "accepted", "left out", "no verdict"}

// cells are a row of the table.
func cells(r *audit.Row) []string {
	name := r.Name
	if r.Mutants {
		name = "mutants: " + name
	}
	return []string{name, show.Count(r.Valid()), share(r.ValidAccepted, r.Valid()), show.Count(r.ValidRefused), show.Count(r.CompilerRefuses),
		show.Count(r.Invalid()), share(r.InvalidAccepted, r.Invalid()), show.Count(r.LeftOut), show.Count(r.NoVerdict)}
}

// share is a number out of others, as a percentage with its interval.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	i := stats.Wilson(n, of)
	return fmt.Sprintf("%s (%s; %s to %s)", show.Count(n), percent(float64(n)/float64(of)), percent(i.Low), percent(i.High))
}

// percent writes a share; only all is 100%, and only none is 0%.
func percent(p float64) string {
	s := fmt.Sprintf("%.2f%%", 100*p)
	switch {
	case p == 0 || p == 1:
		return fmt.Sprintf("%.0f%%", 100*p)
	case s == "100.00%":
		return ">99.99%"
	case s == "0.00%":
		return "<0.01%"
	}
	return s
}
