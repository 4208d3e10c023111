package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: every link of a page leads to a file that is there, and to a heading of it.
func TestLinks(t *testing.T) {
	pages := map[string]string{} // by path from the root
	must.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "shared") {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".md" {
			pages[path] = fence.ReplaceAllString(string(must.Get(os.ReadFile(path))(t)), "")
		}
		return err
	}))
	links := 0
	for path, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue // elsewhere
			}
			links++
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, m[1])
			} else if anchor != "" && !hasHeading(pages[target], anchor) {
				t.Errorf("%s: %s has no such heading", path, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links: the pattern is no good", links)
	}
}

// hasHeading reports whether a page has a heading with that anchor.
func hasHeading(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		words := noSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}
