package published

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// The tables of docs/grammars/published.md. Their counts of texts are those of the long version of
// the tests; what stands before them is checked by every run.

// A pageTable is one of them: its name in the page, its head, and by line what does not depend on
// texts, and what does.
type pageTable struct {
	name  string
	head  []string
	lines [][2]string
}

// table is that of the grammars with a lexer.
func table(rows []row, version string) pageTable {
	t := pageTable{"published grammars", []string{"package, file, start rule", "licence", "LR states: Lark " + version + ", here",
		"basic: accepted", "other verdict", "modes", "contextual: accepted", "other verdict"}, nil}
	all := row{modes: -1}
	for i := range rows {
		t.lines = append(t.lines, [2]string{rows[i].cells(), rows[i].counts()})
		all.tally.join(&rows[i].tally)
		all.contextual.join(&rows[i].contextual)
	}
	t.lines = append(t.lines, [2]string{"| all together | | |", strings.Replace(all.counts(), "| -1 |", "| |", 1)})
	return t
}

// cells are the columns that do not depend on texts.
func (r *row) cells() string {
	states := func(n int) string {
		if n == 0 {
			return "refused"
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("| %s | %s | %s, %s |", r.label(), r.licence, states(r.larkStates), states(r.states))
}

// counts are the others.
func (r *row) counts() string {
	if r.tally.texts == 0 {
		return " | | | | |"
	}
	return r.tally.counts() + fmt.Sprintf(" %d |", r.modes) + r.contextual.counts()
}

// counts are the columns of one lexer.
func (t *tally) counts() string {
	var others []string
	for _, class := range meantClasses {
		if n := t.classes[class]; n > 0 {
			others = append(others, fmt.Sprintf("%d %s", n, class))
		}
	}
	if others == nil {
		others = []string{"0"}
	}
	return fmt.Sprintf(" %d/%d | %s |", t.accepted, t.texts, strings.Join(others, ", "))
}

// checkPage compares a table with the page, or writes it.
func checkPage(t *testing.T, is pageTable) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "docs", "grammars", "published.md")
	page := must.Get(os.ReadFile(path))(t)
	const ends = "<!-- end of the table -->\n"
	before, rest, ok := strings.Cut(string(page), "<!-- table of "+is.name+" -->\n")
	old, after, ok2 := strings.Cut(rest, ends)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table of %s", path, is.name)
	}
	text := "| " + strings.Join(is.head, " | ") + " |\n" + strings.Repeat("|---", len(is.head)) + "|\n"
	for _, line := range is.lines {
		if !strings.Contains(old, line[0]) && !*update {
			t.Errorf("%s does not say %s; go test ./algorithms/conformance/published -update writes it", path, line[0])
		}
		text += line[0] + line[1] + "\n"
	}
	if *update {
		if !seed.Full() {
			t.Log("the counts are those of the short version; GCDBENCH_FULL=1 has the long one")
		}
		must.OK(t, os.WriteFile(path, []byte(before+"<!-- table of "+is.name+" -->\n"+text+ends+after), 0o644))
	}
}
