package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var (
	span     = regexp.MustCompile("`([^`\n]+)`")
	pathName = regexp.MustCompile(`^[a-z][\w.]*(/[\w.]+)+$`)
	goName   = regexp.MustCompile(`^[a-z]\w*(\.[A-Za-z]\w*)+$`)
)

// TestArchitecture: the folders, files, types, functions and fields that docs/architecture.md names
// are there. A name begins with its package, as in psc.core.row.
func TestArchitecture(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join(root, "docs", "architecture.md")))(t)
	declared := map[string]bool{}
	for _, s := range sources(t) {
		if !strings.HasSuffix(s.path, "_test.go") {
			declare(declared, s.file)
		}
	}
	paths, names := 0, 0
	for _, m := range span.FindAllStringSubmatch(string(page), -1) {
		switch name := m[1]; {
		case pathName.MatchString(name):
			paths++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: no such file or folder", name)
			}
		case goName.MatchString(name) && !strings.HasSuffix(name, ".json"):
			names++
			if !declared[name] {
				t.Errorf("%s: there is no such name", name)
			}
		}
	}
	if paths < 40 || names < 40 {
		t.Errorf("only %d paths and %d names: the patterns are no good", paths, names)
	}
}

// declare adds the names that a file declares at package level, with methods and fields.
func declare(names map[string]bool, f *ast.File) {
	add := func(parts ...string) { names[strings.Join(append([]string{f.Name.Name}, parts...), ".")] = true }
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if d.Recv == nil {
				add(d.Name.Name)
			} else {
				add(receiver(d.Recv.List[0].Type), d.Name.Name)
			}
			continue
		}
		for _, spec := range d.(*ast.GenDecl).Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					add(n.Name)
				}
			case *ast.TypeSpec:
				add(spec.Name.Name)
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, n := range field.Names {
							add(spec.Name.Name, n.Name)
						}
					}
				}
			}
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
