package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// The figures of grammar audit on a page: written by the command, so that they can be redone by it.

// What stands between these lines of a page is replaced.
const (
	pageBegin = "<!-- audit -->"
	pageEnd   = "<!-- end of audit -->"
)

// headLines are the lines of a Markdown table above its rows; the columns from optional on are left
// out where they are empty.
const (
	headLines = 2
	optional  = 7
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
func (d *audited) writePage(f *auditFlags, grammar string, labels []string) error {
	p, err := readPage(f.page)
	if err != nil {
		return err
	}
	return pathError(os.WriteFile(f.page, []byte(p.before+d.markdown(f.command(grammar, labels))+p.behind), 0o644))
}

// markdown is the command, and the table without columns in which nothing was counted.
func (d *audited) markdown(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n    %s\n\n", command)
	fmt.Fprintf(&b, "Judge: %s %s. SHA-256 of the grammar: %.12s. Intervals are Wilson's, at 95%%.\n\n", d.Judge, d.Version, d.SHA256)
	table := [][]string{columns, slices.Repeat([]string{"---"}, len(columns))}
	for _, r := range d.Rows {
		table = append(table, cells(r))
	}
	for _, row := range withoutEmpty(table) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
	return b.String()
}

// withoutEmpty leaves out the last columns of a table in which nothing was counted: what was left
// out, and texts without a verdict.
func withoutEmpty(table [][]string) [][]string {
	counted := func(column int) bool {
		return slices.ContainsFunc(table[headLines:], func(row []string) bool { return row[column] != "0" })
	}
	for last := len(columns) - 1; last >= optional && !counted(last); last-- {
		for i := range table {
			table[i] = table[i][:last]
		}
	}
	return table
}

// command is the command that redoes the figures, with labels for paths.
func (f *auditFlags) command(grammar string, labels []string) string {
	c := "gcdbench grammar audit " + grammar
	for _, label := range labels {
		c += fmt.Sprintf(" '%s=PATH'", label)
	}
	if f.reading.Start != "" {
		c += " --start " + f.reading.Start
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
