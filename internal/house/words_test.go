package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

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
	for _, s := range sources(t) {
		for _, at := range replaced.FindAllIndex(s.text, -1) {
			t.Errorf("%s:%d: %s; see docs/glossary.md", s.path, 1+strings.Count(string(s.text[:at[0]]), "\n"), s.text[at[0]:at[1]])
		}
	}
}
