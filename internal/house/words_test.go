package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// prose are files with the words of commands and tables.
var prose = []string{"internal/cli/help.txt", "reports/document/tables.txt"}

// TestWords: the words that docs/glossary.md lists as replaced are in no source.
func TestWords(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join(root, "docs", "glossary.md")))(t)
	_, table, _ := strings.Cut(string(page), "| not | but |\n|---|---|\n")
	var words, titles []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \|`).FindAllStringSubmatch(table, -1) {
		words = append(words, row[1])
		titles = append(titles, strings.ToUpper(row[1][:1])+row[1][1:])
	}
	if len(words) < 3 {
		t.Fatalf("only %d words: %v", len(words), words)
	}
	// At the beginning of a word, or of a part of a name, so not in "TestRandom".
	replaced := regexp.MustCompile(`\b(?i:` + strings.Join(words, "|") + `)|` + strings.Join(titles, "|"))
	list := sources(t)
	for _, path := range prose {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list[:len(list):len(list)], source{path: path, text: text})
	}
	for _, s := range list {
		for _, at := range replaced.FindAllIndex(s.text, -1) {
			t.Errorf("%s:%d: %s; see docs/glossary.md", s.path, 1+strings.Count(string(s.text[:at[0]]), "\n"), s.text[at[0]:at[1]])
		}
	}
}
