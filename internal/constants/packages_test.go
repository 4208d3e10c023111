package constants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// measured are the folders of the packages whose work is in figures, or prepares it.
var measured = []string{"algorithms", "grammar", "tokenizers"}

// excused are variables that change and may.
var excused = map[string]string{
	"algorithms.registered": "written while packages are initialized",
	"tokenizers.classTable": "of the encoder, whose work is in no figure",
}

// TestNothingAtPackageLevel reads the sources: no variable of a package holds what depends on what
// came before. That is, none has a lock or the like in it, or a Kept, and none is written to in a
// function.
func TestNothingAtPackageLevel(t *testing.T) {
	root := filepath.Join("..", "..")
	byFolder := map[string][]*ast.File{}
	for _, dir := range measured {
		must.OK(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err == nil {
				byFolder[filepath.Dir(path)] = append(byFolder[filepath.Dir(path)], f)
			}
			return err
		}))
	}
	if len(byFolder) < 15 {
		t.Fatalf("only %d packages were found", len(byFolder))
	}
	for _, files := range byFolder {
		for _, v := range changing(files) {
			if name := files[0].Name.Name + "." + v; v != "_" && excused[name] == "" {
				t.Errorf("%s changes, or may", name)
			}
		}
	}
}

// TestChanging is a table of declarations, and whether they are found.
func TestChanging(t *testing.T) {
	for _, c := range []struct {
		source string
		want   bool
	}{
		{"var x = map[int]int{}", false},
		{"var x = map[int]int{}\nfunc f() { x[1] = 2 }", true},
		{"var x = map[int]int{}\nfunc f() { x := map[int]int{}; x[1] = 2 }", false},
		{"var x int\nfunc f() { x++ }", true},
		{"var x []int\nfunc f() { x = append(x, 1) }", true},
		{"var x struct{ a int }\nfunc f() { x.a = 1 }", true},
		{"var x = map[int]int{}\nfunc f() { delete(x, 1) }", true},
		{"import \"sync\"\nvar x sync.Map", true},
		{"import \"sync\"\nvar x struct { sync.Mutex; of map[int]int }", true},
		{"import \"sync\"\nvar x = sync.OnceValue(f)\nfunc f() int { return 1 }", true},
		{"import \"sync\"\ntype a struct { mu sync.Mutex }\ntype b[T any] struct { a; of map[int]T }\nvar x b[int]", true},
		{"import \"sync\"\ntype a struct { mu sync.Mutex }\nvar x = &a{}", true},
		{"type a struct { n int }\nvar x = &a{}", false},
		{"import \"sync\"\ntype a struct { mu sync.Mutex }\ntype b struct { a *a }\nvar x = &b{}", false},
		{"import \"sync\"\ntype a struct { mu sync.Mutex }\nvar x []*a", true},
		{"import \"gcdbench/algorithms\"\nvar x = algorithms.NewKept()", true},
		{"import \"sync\"\nvar x = f\nfunc f() int { var x sync.Mutex; x.Lock(); return 1 }", false},
	} {
		f := must.Get(parser.ParseFile(token.NewFileSet(), "", "package p\n"+c.source, 0))(t)
		if got := changing([]*ast.File{f}); slices.Contains(got, "x") != c.want || len(got) > 1 {
			t.Errorf("%s\nfound %v, want %v", c.source, got, c.want)
		}
	}
}

// changing lists the variables of a package that hold locks and the like, or are written to.
func changing(files []*ast.File) (names []string) {
	vars, types := map[string]*ast.ValueSpec{}, lockedTypes(files)
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				for _, n := range spec.Names {
					vars[n.Name] = spec
					if locks(spec, types) {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, e := range written(n) {
				// The parser resolves names within a file; what it leaves open is of another file
				// of the package.
				if id := base(e); id != nil && vars[id.Name] != nil && (id.Obj == nil || id.Obj.Decl == vars[id.Name]) {
					names = append(names, id.Name)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lockedTypes are the types of a package that have a lock or the like in them, in a field or a
// field's field. What they point to does not count: a constant may be part of what was made from
// it.
func lockedTypes(files []*ast.File) map[string]bool {
	types := map[string]bool{"Kept": true, "NewKept": true}
	for more := true; more; {
		more = false
		for _, f := range files {
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, s := range g.Specs {
					if spec := s.(*ast.TypeSpec); !types[spec.Name.Name] && locks(spec.Type, types) {
						types[spec.Name.Name], more = true, true
					}
				}
			}
		}
	}
	return types
}

// locks tells whether a declaration has something of a package for what changes in it, or one of
// some types.
func locks(decl ast.Node, types map[string]bool) (found bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, points := n.Type.(*ast.StarExpr); !points {
				found = found || locks(n.Type, types)
			}
			return false // its name is no type
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			found = found || ok && slices.Contains([]string{"sync", "atomic", "weak"}, id.Name) || types[n.Sel.Name]
		case *ast.Ident:
			found = found || types[n.Name]
		}
		return true
	})
	return found
}

// written are the expressions that a statement writes to.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (f.Name == "delete" || f.Name == "clear") {
			return n.Args[:1]
		}
	}
	return nil
}

// base is the variable that an expression is a part of, if it is one.
func base(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}
