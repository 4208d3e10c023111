package keep

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "gcdbench/algorithms/all" // which the configurations name
	_ "gcdbench/engines"        // likewise
	"gcdbench/grammar/languages"
	"gcdbench/harness/cell"
	"gcdbench/internal/must"
)

// fake is a keeper in a copy of the repository's configurations, whose gcdbench writes down what it
// is asked for. broken is a word of commands that fail.
func fake(t *testing.T, broken string) (k *keeper, commands *[]string) {
	t.Helper()
	configs := must.Get(filepath.Abs(filepath.Join("..", "..", "configs")))(t)
	t.Chdir(t.TempDir())
	must.OK(t, os.CopyFS("configs", os.DirFS(configs)))
	must.OK(t, os.Mkdir("results", 0o755))
	must.OK(t, os.WriteFile("README.md", []byte("a page\n"), 0o644))
	var all []string
	k = &keeper{out: "results", corpus: map[string]string{"schema": "mask bench.jsonl", "java": "java.jsonl", "go": "go.jsonl", "python": "python.jsonl", "sql": "sql.jsonl", "syncode/java": "java.jsonl", "syncode/sql": "sql.jsonl"}, log: io.Discard}
	k.gcdbench = func(_ context.Context, out io.Writer, args ...string) error {
		command := strings.Join(args, " ")
		all = append(all, command)
		if broken != "" && strings.Contains(command, broken) {
			fmt.Fprint(out, "half a")
			return exited(1)
		}
		if args[0] == "run" { // as a run does: its own report, with all plots
			dir := filepath.Join(args[len(args)-1], "report")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for _, plot := range []string{"ecdf", "tradeoff", "cumulative", "throughput", "ttfm", "ttfm-tail", "tbm", "tbm-tail", "steps-tail",
				"serving-java-serial", "serving-schema-serial", "serving-go-serial", "serving-sql-serial"} {
				if err := os.WriteFile(filepath.Join(dir, plot+".svg"), []byte(dir+" "+plot), 0o644); err != nil {
					return err
				}
			}
		}
		if args[0] == "load" {
			dir := filepath.Join(args[len(args)-1], "report")
			must.OK(t, os.MkdirAll(dir, 0o755))
			must.OK(t, os.WriteFile(filepath.Join(dir, "load.json"), []byte(`{"name":"load","about":["how"],"capacities":[{"label":"psc","requests_per_second":7}]}`), 0o644))
			for _, plot := range []string{"capacity", "ttft"} {
				must.OK(t, os.WriteFile(filepath.Join(dir, "load-"+plot+".svg"), []byte(dir+" "+plot), 0o644))
			}
		}
		if i := slices.Index(args, "--page"); i >= 0 {
			return os.WriteFile(args[i+1], []byte("a page of "+strings.Join(args[:i], " ")+"\n"), 0o644)
		}
		if args[0] == "report" {
			_, err := io.WriteString(out, fakeReport)
			return err
		}
		_, err := fmt.Fprintln(out, command)
		return err
	}
	return k, &all
}

// fakeReport is a report as JSON, of nothing.
const fakeReport = `{"name":"","cells":[],"run":null,"warnings":[],"missing":[],"about":[]}` + "\n"

// exited is how a process ended, as exec.ExitError tells it.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exited) ExitCode() int { return int(e) }

// TestFailedCell: the report of a run that measured everything is kept although a cell failed. One
// that did not finish, or did not begin, leaves the one before.
func TestFailedCell(t *testing.T) {
	for _, test := range []struct {
		name   string
		status exited
		whole  bool
		want   string // its beginning
	}{
		{"a cell failed", 1, true, fakeReport},
		{"not finished", 1, false, "from before"},
		{"bad input", 2, true, "from before"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k, _ := fake(t, "")
			k.gcdbench = func(_ context.Context, out io.Writer, args ...string) error {
				switch {
				case args[0] == "run":
					if err := os.MkdirAll(args[len(args)-1], 0o755); err != nil {
						return err
					}
					return test.status
				case slices.Contains(args, "json") && !test.whole:
					return exited(1)
				}
				_, err := io.WriteString(out, fakeReport)
				return err
			}
			must.OK(t, os.WriteFile("results/ablations.json", []byte("from before"), 0o644))
			chosen := must.Get(choose([]string{"ablations"}, nil))(t)
			if status := k.each(t.Context(), chosen, k.make); status != 1 {
				t.Errorf("exit status %d", status)
			}
			if got := kept(t, "ablations.json"); got != test.want {
				t.Errorf("ablations.json is %q, want %q", got, test.want)
			}
		})
	}
}

// kept is a file of results.
func kept(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("results", name)))(t)
	return string(text)
}

func TestMake(t *testing.T) {
	k, commands := fake(t, "")
	if status := k.each(t.Context(), reports, k.make); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	all := strings.Join(*commands, "\n")
	for _, want := range []string{
		"run configs/quickstart.yaml --out results/quickstart\nreport results/quickstart --format json\n",
		"run configs/maskbench.yaml --corpus schema=mask bench.jsonl --out results/maskbench\n",
		"verify configs/verify-maskbench.yaml --corpus schema=mask bench.jsonl",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q among\n%s", want, all)
		}
	}
	for name, want := range map[string]string{
		"quickstart.json": fakeReport, "verify.txt": "verify configs/verify.yaml\n\nConfiguration verify: SHA-256 ",
		"headline-steps-tail.svg":   "results/headline/report steps-tail",
		"compile-cost-tradeoff.svg": "results/compile-cost/report tradeoff",
		"load-capacity.svg":         "results/load/report capacity",
	} {
		if got := kept(t, name); got != want && !(name == "verify.txt" && strings.HasPrefix(got, want) && strings.HasSuffix(got, "--version\n")) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestMakeLoad: the capacities are kept with the configuration that they are of.
func TestMakeLoad(t *testing.T) {
	k, _ := fake(t, "")
	chosen := must.Get(choose([]string{"load"}, k.corpus))(t)
	if status := k.each(t.Context(), chosen, k.make); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	if got := kept(t, "load.json"); !strings.Contains(got, `"requests_per_second":7`) || !strings.Contains(got, "Configuration load: SHA-256 ") {
		t.Error(got)
	}
	if old := must.Get(chosen[0].stale("."))(t); old != "" {
		t.Error(old)
	}
}

// TestFailureKeepsWhatWas: a report that cannot be made leaves the one before as it is, and the
// next ones are made.
func TestFailureKeepsWhatWas(t *testing.T) {
	k, _ := fake(t, "verify.yaml")
	must.OK(t, os.WriteFile("results/verify.txt", []byte("from before"), 0o644))
	if status := k.each(t.Context(), reports, k.make); status != 1 {
		t.Errorf("exit status %d", status)
	}
	if got := kept(t, "verify.txt"); got != "from before" {
		t.Errorf("verify.txt is %q", got)
	}
	kept(t, "verify-positions.txt")
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		names  string
		corpus string
		want   string // names, or the error
	}{
		{"verify quickstart", "", "quickstart verify"},
		{"maskbench", "schema", "maskbench"},
		{"maskbench", "", "-corpus schema=FILE"},
		{"headline", "go", "-corpus java=FILE -corpus schema=FILE"},
		{"quick", "", `no report "quick"`},
		{"", "", "quickstart schema-files tools load-tools vocabularies compile-cost greatgramma-table1 constraints speculative legality parserdwa-tail vocabulary-cuts maskstore ablations psc-table1 verify verify-positions verify-rewritten verify-tools"},
		{"", "java go", "quickstart schema-files tools engines-programs load-tools vocabularies compile-cost greatgramma-table1 constraints speculative legality parserdwa-tail vocabulary-cuts maskstore ablations psc-table1 verify verify-positions verify-rewritten verify-tools"},
	} {
		corpus := map[string]string{}
		for _, grammar := range strings.Fields(c.corpus) {
			corpus[grammar] = "some.jsonl"
		}
		chosen, err := choose(strings.Fields(c.names), corpus)
		var names []string
		for _, r := range chosen {
			names = append(names, r.name)
		}
		if got := strings.Join(names, " "); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %s, %v; want %s", c.names, got, err, c.want)
		}
	}
}

// TestResultsPage: the tables of results/README.md and README.md are those that the kept reports
// make, and every report has a question, and an answer if it is no data.
func TestResultsPage(t *testing.T) {
	root := filepath.Join("..", "..")
	if *update {
		must.OK(t, writeResults(root))
	}
	table := must.Get(resultsTable(root))(t)
	summary := must.Get(summaryTable(root))(t)
	for page, want := range map[string]string{resultsPage: table, "README.md": summary} {
		text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(page))))(t)
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not of today's reports; run: go test ./internal/keep -run ResultsPage -update", page)
		}
	}
	for _, r := range reports {
		if r.asks == "" || (filepath.Ext(r.file()) != ".json") != (r.says != "") {
			t.Errorf("%s asks %q and says %q", r.name, r.asks, r.says)
		}
		if _, err := os.Stat(filepath.Join(root, "results", r.file())); err != nil {
			continue // it was never made, as the table says
		}
		for _, plot := range r.plots {
			if _, err := os.Stat(filepath.Join(root, "results", r.name+"-"+plot+".svg")); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestStaleFinds: a report of today is found to be one, and not after its configuration, the
// version of results or a grammar has changed.
func TestStaleFinds(t *testing.T) {
	fake(t, "")
	config := must.Get(os.ReadFile(filepath.Join("configs", "quickstart.yaml")))(t)
	g := must.Get(languages.Load(t.Context(), "json"))(t)
	today := cell.ConfigText("quickstart", config, cell.Schema)
	with := func(sum string) string {
		return fmt.Sprintf("Workload json: grammar json (SHA-256 %s), documents", sum)
	}
	workload := with(hex.EncodeToString(g.SHA256[:6]))
	for text, want := range map[string]string{
		today + "\n" + workload: "",
		cell.ConfigText("quickstart", bytes.ReplaceAll(config, []byte(unsaid), nil), cell.Schema): "",
		workload: "does not name",
		cell.ConfigText("quickstart", config, cell.Schema-1) + "\n" + workload:          "another configuration",
		cell.ConfigText("quickstart", config[1:], cell.Schema) + "\n" + workload:        "another configuration",
		today + "\n" + with("0123456789ab"):                                             "grammars have changed: json",
		today + "\nWorkload schema: grammar schema (SHA-256 0123456789ab), documents d": "", // a corpus of the caller's
	} {
		must.OK(t, os.WriteFile(filepath.Join("results", "quickstart.json"), []byte(text), 0o644))
		why, err := reports[0].stale(".")
		if err != nil || want == "" && why != "" || !strings.Contains(why, want) {
			t.Errorf("%q: got %q, %v; want %q", text, why, err, want)
		}
	}
}

// TestReplace: what a page shows of the reports is replaced, twice as well as once, and a page
// without a place for it is an error.
func TestReplace(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		must.OK(t, os.WriteFile(page, []byte(text), 0o644))
	}
	write("before\n<!-- what q -->\nold\n<!-- end of what q -->\nafter\n")
	for range 2 {
		must.OK(t, replace(page, "q", "| a |\n|---|\n"))
		got, err := os.ReadFile(page)
		if want := "before\n<!-- what q -->\n\n| a |\n|---|\n\n<!-- end of what q -->\nafter\n"; err != nil || string(got) != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	write("a page\n")
	if err := replace(page, "q", "text"); err == nil || !strings.Contains(err.Error(), "no place for q") {
		t.Errorf("a page without a place: %v", err)
	}
}

// TestProgram: of a report by an earlier program the commits are counted that changed what it
// measured since, and not those to tests and pages.
func TestProgram(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	root := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=e"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(file string) string {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(file))
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, nil, 0o644))
		git("add", ".")
		git("commit", "-q", "-m", file)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q")
	made := commit("algorithms/psc/a.go")
	report := "program 0123456789ab (revision " + made[:12] + " with changes)."
	check := func(report, wantRevision, wantSince string) {
		t.Helper()
		if revision, since := program(t.Context(), root, report); revision != wantRevision || since != wantSince {
			t.Errorf("%q: got %q and %q, want %q and %q", report, revision, since, wantRevision, wantSince)
		}
	}
	check(report, made[:7]+" with changes", "0")
	commit("results/page.md")
	commit("algorithms/lexical/spanner/a_test.go")
	check(report, made[:7]+" with changes", "0")
	commit("algorithms/lexical/spanner/a.go")
	check(report, made[:7]+" with changes", "1")
	check("revision 0123456789ab", "0123456", "?")
	check("a report", "?", "?")
}
