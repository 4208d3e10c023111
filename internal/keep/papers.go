package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A page of the documentation lists the papers' tables and figures, each as a row with the command
// that measures it. What it says of the kept report comes from the report: its file, and how long
// its run took.

// papersPage is the page, from the repository's root.
const papersPage = "docs/papers.md"

// keptColumn is the head of the column that is filled in.
const keptColumn = "kept; minutes it took"

// writePapers fills in the page below a root.
func writePapers(root string) error {
	path := filepath.Join(root, filepath.FromSlash(papersPage))
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	filled, err := fillPapers(root, string(page))
	if err != nil || filled == string(page) {
		return err
	}
	return os.WriteFile(path, []byte(filled), 0o644)
}

// fillPapers is the page with the column of kept reports filled in, for rows whose command makes
// one. "The same" is the command of the row above.
func fillPapers(root, page string) (string, error) {
	lines := strings.Split(page, "\n")
	column, command := -1, -1
	before := ""
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") {
			column = -1
			continue
		}
		cells := strings.Split(line, " | ")
		if at := slices.Index(cells, keptColumn); at >= 0 {
			column, command = at, slices.Index(cells, "command")
			continue
		}
		if column < 0 || command < 0 || column >= len(cells) {
			continue
		}
		if !strings.HasPrefix(cells[command], "the same") {
			before = cells[command]
		}
		var kept []string
		for _, r := range reports {
			if !strings.Contains(before, r.shortCommand()) {
				continue
			}
			text, err := r.keptText(root)
			if err != nil {
				return "", err
			}
			kept = append(kept, text)
		}
		if kept != nil {
			cells[column] = strings.Join(kept, "; ")
			lines[i] = strings.Join(cells, " | ")
		}
	}
	return strings.Join(lines, "\n"), nil
}

// shortCommand is the command that makes a report, without the corpora.
func (r report) shortCommand() string {
	switch {
	case r.command != nil:
		return "`gcdbench " + strings.Join(r.command, " ") + "`"
	case r.verify:
		return "gcdbench verify configs/" + r.config
	case r.load:
		return "gcdbench load configs/" + r.config
	}
	return "gcdbench run configs/" + r.config
}

// keptText links to a kept report from the page, and says how long its run took.
func (r report) keptText(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "results", r.file()))
	if errors.Is(err, fs.ErrNotExist) {
		return r.name + " was not made yet", nil
	}
	if err != nil {
		return "", err
	}
	minutes := "minutes not noted"
	if m := took.FindSubmatch(text); m != nil {
		minutes = string(m[1])
	}
	return fmt.Sprintf("[%s](../results/%s): %s", r.name, r.file(), minutes), nil
}
