// Package house holds the project to what CONTRIBUTING.md asks of its sources, and its pages to the
// sources. It has no code of its own.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"gcdbench/internal/must"
)

// root is the folder of the module.
const root = "../.."

// longest is the most lines of a function outside of tests: the longest of today has 77, half of
// them a help text.
const longest = 80

// widest is the most characters of a line that is a comment, a tab being one.
const widest = 100

// source is a Go file of the module.
type source struct {
	path string // from the root, with slashes
	text []byte
	file *ast.File
	set  *token.FileSet
}

// sources are all Go files of the module.
func sources(t *testing.T) []source {
	t.Helper()
	list := must.Get(readSources())(t)
	if len(list) < 300 {
		t.Fatalf("only %d files were found", len(list))
	}
	return list
}

var readSources = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		s := source{path: filepath.ToSlash(name), set: token.NewFileSet()}
		if s.text, err = os.ReadFile(path); err != nil {
			return err
		}
		s.file, err = parser.ParseFile(s.set, path, s.text, parser.ParseComments|parser.SkipObjectResolution)
		list = append(list, s)
		return err
	})
	return list, err
})

// TestFunctions: none is longer than longest.
func TestFunctions(t *testing.T) {
	most, which := 0, ""
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := s.set.Position(f.Pos()).Line, s.set.Position(f.End()).Line
			if n := last - first + 1; n > most {
				most, which = n, f.Name.Name
			}
			if n := last - first + 1; n > longest {
				t.Errorf("%s:%d: %s has %d lines; %d are the most", s.path, first, f.Name.Name, n, longest)
			}
		}
	}
	t.Logf("the longest is %s with %d lines", which, most)
}

// TestComments: no line of a comment is wider than widest.
func TestComments(t *testing.T) {
	for _, s := range sources(t) {

		for _, group := range s.file.Comments {
			if strings.Contains(group.Text(), "Output:") {
				continue // an example's, compared line by line
			}
			for _, c := range group.List {
				at := s.set.Position(c.Pos())
				begins := strings.TrimSpace(string(s.text[at.Offset-at.Column+1:at.Offset])) == ""
				if n := at.Column - 1 + utf8.RuneCountInString(c.Text); begins && n > widest && strings.HasPrefix(c.Text, "// ") {
					t.Errorf("%s:%d: a comment of %d characters; %d are the most", s.path, at.Line, n, widest)
				}
			}
		}
	}
}
