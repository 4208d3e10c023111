package keep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	reporting "gcdbench/reports"
	"gcdbench/reports/site"
)

// The page of results: one table, made of the kept reports.

// resultsPage is the page, from the repository's root.
const resultsPage = "results/README.md"

// writeResults fills in the table of reports, and what README.md says of them.
func writeResults(root string) error {
	table, err := resultsTable(root)
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(root, filepath.FromSlash(resultsPage)), "the reports", table); err != nil {
		return err
	}
	summary, err := summaryTable(root)
	if err != nil {
		return err
	}
	return replace(filepath.Join(root, "README.md"), "the results say", summary)
}

// summaryTable is who wins where, of the kept reports.
func summaryTable(root string) (string, error) {
	results, err := site.Load(filepath.Join(root, "results"))
	if err != nil {
		return "", err
	}
	return site.Summary(results), nil
}

// resultsTable is a row for each report: its question, the answer, the figures, the report with its
// command, and whether it is of today's configuration.
func resultsTable(root string) (string, error) {
	old, err := stale(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| question | answer | figures: mean step | report | command | of today |\n|---|---|---|---|---|---|\n")
	for _, r := range reports {
		says, figures, cells, err := r.answer(root)
		if err != nil {
			return "", err
		}
		link := r.file()
		if _, err := os.Stat(filepath.Join(root, "results", r.file())); err == nil {
			link = fmt.Sprintf("[%s](%[1]s)", r.file())
			for _, plot := range r.plots {
				link += fmt.Sprintf(", [%s](%s-%[1]s.svg)", plot, r.name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.asks, cmp.Or(says, "see the report"), cmp.Or(figures, "–"), link, r.fullCommand(cells), cmp.Or(old[r.file()], "yes"))
	}
	return b.String(), nil
}

// answer is what a report that is data says, and its cells; "" of another, or of one that was not
// made yet.
func (r report) answer(root string) (says, figures string, cells []*reporting.Cell, err error) {
	path := filepath.Join(root, "results", r.file())
	if _, err := os.Stat(path); filepath.Ext(path) != ".json" || errors.Is(err, fs.ErrNotExist) {
		return r.says, "", nil, nil
	}
	results, err := site.Load(path)
	if err != nil {
		return "", "", nil, err
	}
	says, figures = results[0].Answer()
	return says, figures, results[0].Cells, nil
}

// fullCommand is the command that makes a report of these cells, with its flags and corpora.
func (r report) fullCommand(cells []*reporting.Cell) string {
	args := strings.Trim(r.shortCommand(), "`")
	for _, flag := range r.flags {
		args += " " + flag
	}
	for _, grammar := range r.corpora {
		name := ""
		for _, c := range cells {
			if c.Grammar == grammar {
				name = site.Corpus(c.Dataset)
			}
		}
		args += " --corpus " + grammar + "=" + cmp.Or(name, "FILE")
	}
	return "`" + args + "`"
}
