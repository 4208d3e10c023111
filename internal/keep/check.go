package keep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"gcdbench/grammar/languages"
	"gcdbench/harness/cell"
)

// A kept report says with which configuration, version of results and grammars it was made. One
// that differs from today's in these is stale: its command would not make it any more. The table of
// results/README.md says so, and a test compares it.

// stale are the kept reports below a repository's root that are not of today, with what differs.
func stale(root string) (map[string]string, error) {
	found := map[string]string{}
	for _, r := range reports {
		why, err := r.stale(root)
		if err != nil {
			return nil, err
		}
		if why != "" {
			found[r.file()] = why
		}
	}
	return found, nil
}

// file is the name of a kept report.
func (r report) file() string {
	switch {
	case r.verify:
		return r.name + ".txt"
	case r.command != nil:
		return r.name + ".md"
	}
	return r.name + ".json"
}

// madeWith finds cell.ConfigText in a report.
var madeWith = regexp.MustCompile(`Configuration (\S+): SHA-256 [0-9a-f]+, results of version \d+\.`)

// unsaid is what a configuration says today that went without saying when reports were made: the
// order of keys was the declared one by default.
const unsaid = "order: declared, "

// stale is what of a kept report differs from today, "" for nothing.
func (r report) stale(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "results", r.file()))
	if errors.Is(err, fs.ErrNotExist) {
		return "it was never made", nil
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "configs", filepath.FromSlash(r.config))
	if r.command != nil {
		i := slices.IndexFunc(r.command, func(arg string) bool { return strings.HasSuffix(arg, ".yaml") })
		if i < 0 {
			if programLine.Match(text) {
				return staleGrammars(string(text))
			}
			return "it does not say with what it was made", nil
		}
		path = filepath.Join(root, filepath.FromSlash(r.command[i]))
	}
	config, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	made := madeWith.FindStringSubmatch(string(text))
	same := func(config []byte) bool { return made[0] == cell.ConfigText(made[1], config, cell.Schema) }
	switch {
	case made == nil:
		return "it does not name its configuration", nil
	case !same(config) && !same(bytes.ReplaceAll(config, []byte(unsaid), nil)):
		return "it is of another configuration, or of results of another version", nil
	}
	return staleGrammars(string(text))
}

// programLine finds the program that made a report of a command.
var programLine = regexp.MustCompile(`(?m)^gcdbench \S+.*, go1\.`)

// took finds how long the run of a report took.
var took = regexp.MustCompile(`(?:Configuration|Command) \S+ took ([0-9.]+) minutes`)

// workloadGrammar finds the grammar of a workload in a report.
var workloadGrammar = regexp.MustCompile(`: grammar ([a-z]+) \(SHA-256 ([0-9a-f]+)\)`)

// staleGrammars names the embedded grammars in a report that are not today's.
func staleGrammars(text string) (string, error) {
	var other []string
	for _, m := range workloadGrammar.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(languages.Names(), m[1]) || slices.Contains(other, m[1]) {
			continue
		}
		g, err := languages.Load(context.Background(), m[1])
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(hex.EncodeToString(g.SHA256[:]), m[2]) {
			other = append(other, m[1])
		}
	}
	if other == nil {
		return "", nil
	}
	return "grammars have changed: " + strings.Join(other, ", "), nil
}

// madeBy finds the revision of the program that made a report.
var madeBy = regexp.MustCompile(`revision ([0-9a-f]{7,40})( with changes)?`)

// measured are the directories whose code is what reports measure, or measures it.
var measured = []string{"algorithms", "engines", "grammar", "harness", "internal/bitset", "internal/index", "internal/intern", "internal/kept", "tokenizers"}

// program is the revision of the program that made a report, and how many commits changed measured
// code since: both "?" if the report does not say, the latter also without git, or where git does
// not know the revision.
func program(ctx context.Context, root, text string) (revision, since string) {
	made := madeBy.FindStringSubmatch(text)
	if made == nil {
		return "?", "?"
	}
	revision = made[1][:7] + made[2]
	args := append([]string{"-C", root, "rev-list", "--count", "--no-merges", made[1] + "..HEAD", "--"}, measured...)
	count, err := exec.CommandContext(ctx, "git", append(args, ":(exclude,glob)**/*_test.go")...).Output()
	if err != nil {
		return revision, "?"
	}
	return revision, strings.TrimSpace(string(count))
}

// printStale lists the kept reports, with what of the stale ones differs, by which programs they
// are, and how long they took: exit status 1 if there are stale ones. A report by an earlier
// program is not stale: its command makes the same report, though its times may be others now.
func printStale(root string, out, errOut io.Writer) int {
	found, err := stale(root)
	if err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 2
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REPORT\tMINUTES\tOF REVISION\tCOMMITS TO MEASURED CODE SINCE\tCONFIGURATION, GRAMMARS, RESULTS")
	for _, r := range reports {
		why := cmp.Or(found[r.file()], "as today")
		revision, since, minutes := "", "", ""
		if text, err := os.ReadFile(filepath.Join(root, "results", r.file())); err == nil {
			revision, since = program(context.Background(), root, string(text))
			if m := took.FindSubmatch(text); m != nil {
				minutes = string(m[1])
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.file(), minutes, revision, since, why)
	}
	if err := table.Flush(); err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 2
	}
	return min(len(found), 1)
}
