package cli

import (
	"fmt"
	"os"
	"strings"
)

// The figures of grammar audit on a page: written by the command, so that they can be redone by it.

// What stands between these lines of a page is replaced.
const (
	pageBegin = "<!-- audit -->"
	pageEnd   = "<!-- end of audit -->"
)

// pageParts are what stands before and behind the figures of a page, markers included.
type pageParts struct{ before, behind string }

// readPage finds the markers.
func readPage(file string) (*pageParts, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, pathError(err)
	}
	before, rest, ok := strings.Cut(string(text), pageBegin+"\n")
	_, behind, end := strings.Cut(rest, pageEnd+"\n")
	if !ok || !end {
		return nil, fmt.Errorf("%s: there is no place for the figures: put the lines %s and %s where they belong", file, pageBegin, pageEnd)
	}
	return &pageParts{before + pageBegin + "\n", pageEnd + "\n" + behind}, nil
}

// writePage replaces the figures of a page.
func (d *audited) writePage(f *auditFlags, labels []string) error {
	p, err := readPage(f.page)
	if err != nil {
		return err
	}
	return pathError(os.WriteFile(f.page, []byte(p.before+d.markdown(f, labels)+p.behind), 0o644))
}

// markdown is the command, and the table without columns in which nothing was counted.
func (d *audited) markdown(f *auditFlags, labels []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n    %s\n\n", f.command(d.Grammar, labels))
	fmt.Fprintf(&b, "Judge: %s %s. SHA-256 of the grammar: %.12s. Intervals are Wilson's, at 95%%.\n\n", d.Judge, d.Version, d.SHA256)
	table := [][]string{columns}
	for _, r := range d.Rows {
		table = append(table, cells(r))
	}
	for i, row := range table {
		b.WriteString("|")
		for c, cell := range row {
			if c > 4 && c != 5 && c != 6 && columnEmpty(table, c) {
				continue
			}
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(cell, "|", `\|`))
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", strings.Count(b.String()[strings.Index(b.String(), "| texts"):], " |")) + "|\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// columnEmpty tells whether a column has no count but 0.
func columnEmpty(table [][]string, column int) bool {
	for _, row := range table[1:] {
		if row[column] != "0" {
			return false
		}
	}
	return true
}

// command is the command that redoes the figures, with labels for paths.
func (f *auditFlags) command(grammar string, labels []string) string {
	c := "gcdbench grammar audit " + grammar
	for _, label := range labels {
		c += fmt.Sprintf(" '%s=PATH'", label)
	}
	if f.mutants > 0 {
		c += fmt.Sprintf(" --mutants %d --seed %d", f.mutants, f.seed)
	}
	if f.limit > 0 {
		c += fmt.Sprintf(" --limit %d", f.limit)
	}
	if f.kinds != "" {
		c += " --kinds " + f.kinds
	}
	return c
}
