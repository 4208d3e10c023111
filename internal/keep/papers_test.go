package keep

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "rewrite docs/papers.md")

// TestPapers: the page of the papers says of each kept report what the report says, its commands
// are those that make the reports, and no cell of its tables is empty.
func TestPapers(t *testing.T) {
	root := filepath.Join("..", "..")
	if *update {
		must.OK(t, writePapers(root))
	}
	text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(papersPage))))(t)
	page := string(text)
	filled := must.Get(fillPapers(root, page))(t)
	if filled != page {
		t.Errorf("%s is not of today's reports; run: go test ./internal/keep -run Papers -update", papersPage)
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| ") && regexp.MustCompile(`\|\s*\??\s*\|`).MatchString(line) {
			t.Errorf("an empty cell: %s", line)
		}
	}
	made := map[string]report{}
	for _, r := range reports {
		made[strings.Trim(r.shortCommand(), "`")] = r
		if strings.HasPrefix(r.config, "papers/") && !strings.Contains(page, r.shortCommand()) {
			t.Errorf("%s is in no row of %s: %s", r.name, papersPage, r.shortCommand())
		}
	}
	for _, m := range regexp.MustCompile("`(gcdbench (?:run|speculate) [^`]*?)( --corpus [^`]*)?`").FindAllStringSubmatch(page, -1) {
		r, ok := made[m[1]]
		if !ok {
			t.Errorf("cmd/keep does not run %q", m[1])
		} else if r.corpora != nil != (m[2] != "") {
			t.Errorf("%s with the corpora %v stands there as %s", m[1], r.corpora, m[0])
		}
	}
}

// TestFillPapers: rows get what their reports say, the same command twice, and others stay.
func TestFillPapers(t *testing.T) {
	fake(t, "")
	must.OK(t, os.WriteFile(filepath.Join("results", "quickstart.json"), []byte("Configuration quickstart took 4.2 minutes to measure.\n"), 0o644))
	must.OK(t, os.WriteFile(filepath.Join("results", "constraints.md"), []byte("a page\n"), 0o644))
	const head = "text\n\n| table | command | kept; minutes it took | measured |\n|---|---|---|---|\n"
	const want = head + "| 1 | `gcdbench run configs/quickstart.yaml --corpus ...` | [quickstart](../results/quickstart.json): 4.2 | x |\n" +
		"| 2 | the same, twice | [quickstart](../results/quickstart.json): 4.2 | y |\n" +
		"| 3 | `gcdbench constraints -t llama3`, `gcdbench run configs/papers/maskstore.yaml` | [constraints](../results/constraints.md): minutes not noted; maskstore was not made yet | z |\n" +
		"| 4 | a test | seconds | z |\n\n| a | command |\n|---|---|\n| b | `gcdbench run configs/quickstart.yaml` |\n"
	page := want
	for _, filled := range []string{"[quickstart](../results/quickstart.json): 4.2", "[constraints](../results/constraints.md): minutes not noted; maskstore was not made yet"} {
		page = strings.ReplaceAll(page, filled, "?")
	}
	for range 2 {
		got, err := fillPapers(".", page)
		if err != nil || got != want {
			t.Fatalf("%v, got\n%s\nwant\n%s", err, got, want)
		}
		page = got
	}
}
