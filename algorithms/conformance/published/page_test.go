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

// The table of docs/grammars/published.md. Its counts of texts are those of the long version of the
// test; what stands before them is checked by every run.

const (
	tableBegins = "<!-- table of published grammars -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

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

// checkPage compares the table with the rows, or writes it.
func checkPage(t *testing.T, rows []row, version string) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "docs", "grammars", "published.md")
	page := must.Get(os.ReadFile(path))(t)
	before, rest, ok := strings.Cut(string(page), tableBegins)
	old, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| package, file, start rule | licence | LR states: Lark %s, here | basic: accepted | other verdict | modes | contextual: accepted | other verdict |\n"+
		strings.Repeat("|---", 8)+"|\n", version)
	for i := range rows {
		if !strings.Contains(old, rows[i].cells()) && !*update {
			t.Errorf("%s does not say %s; go test ./algorithms/conformance/published -update writes it", path, rows[i].cells())
		}
		b.WriteString(rows[i].cells() + rows[i].counts() + "\n")
	}
	if *update {
		if !seed.Full() {
			t.Log("the counts are those of the short version; GCDBENCH_FULL=1 has the long one")
		}
		must.OK(t, os.WriteFile(path, []byte(before+tableBegins+b.String()+tableEnds+after), 0o644))
	}
}
