package keep

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gcdbench/grammars"
	"gcdbench/harness/cell"
)

// A kept report says with which configuration, version of results and grammars it was made. One
// that differs from today's in these is stale: its command would not make it any more. A page
// beside the reports (results/README.md) names the stale ones, until they are measured again, and
// a test holds it to that.

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
	if r.verify {
		return r.name + ".txt"
	}
	return r.name + ".md"
}

// madeWith finds cell.ConfigText in a report.
var madeWith = regexp.MustCompile(`Configuration (\S+): SHA-256 [0-9a-f]+, results of version \d+\.`)

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
	switch {
	case made == nil:
		return "it does not say of which configuration it is", nil
	case made[0] != cell.ConfigText(made[1], config, cell.Schema):
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
		if !slices.Contains(grammars.Names(), m[1]) || slices.Contains(other, m[1]) {
			continue
		}
		g, err := grammars.Load(context.Background(), m[1])
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

// printStale lists the stale reports: exit status 1 if there are any.
func printStale(root string, out, errOut io.Writer) int {
	found, err := stale(root)
	if err != nil {
		fmt.Fprintln(errOut, "keep:", err)
		return 2
	}
	for _, r := range reports {
		why := found[r.file()]
		if why == "" {
			why = "of today"
		}
		if text, err := os.ReadFile(filepath.Join(root, "results", r.file())); err == nil {
			if minutes := took.FindSubmatch(text); minutes != nil {
				why += "; its run took " + string(minutes[1]) + " minutes"
			}
		}
		fmt.Fprintf(out, "%s: %s\n", r.file(), why)
	}
	return min(len(found), 1)
}
