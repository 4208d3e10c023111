package judges

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"
)

// goParser judges Go programs by go/parser.
//
// The parser takes more than the specification's grammar: types as values, `.(type)` anywhere, `~`
// as an operator. It leaves those to the type checker, which compile asks.
type goParser struct{ compile bool }

// Name is the package's.
func (goParser) Name() string { return "go/parser" }

// Version is Go's.
func (goParser) Version() string { return runtime.Version() }

// Close does nothing.
func (goParser) Close() {}

// Judge parses a file.
func (g goParser) Judge(ctx context.Context, text []byte) (Verdict, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	switch {
	case err == nil && g.compile:
		return Verdict{Valid: true, Note: goForbids(files, file)}, ctx.Err()
	case err == nil:
		return Verdict{Valid: true}, ctx.Err()
	case errors.As(err, &list):
		return Verdict{Rule: rule(list[0].Msg), Why: line(list[0].Error())}, ctx.Err()
	}
	return Verdict{Rule: rule(err.Error()), Why: line(err.Error())}, ctx.Err()
}

// forbidden are parts of the messages of go/types about the form of a program, which is wrong
// whatever its names mean.
var forbidden = []string{
	"is not an expression", "missing init expr", "non-name", "outside type switch", "assignment operation",
	"invalid use of [...] array", "cannot declare in post statement", "cannot use ~", "unexpected ~",
	"must have no type parameters", "middle index", "is not a type", "no new variables",
	"multiple receivers", "no receiver",
}

// goForbids is what the type checker finds wrong with the syntax of a file; "" for nothing. Since
// it does not look at x.(type) where x is unknown, that is found here.
func goForbids(files *token.FileSet, file *ast.File) (why string) {
	if at := strayTypeSwitch(file); at.IsValid() {
		return fmt.Sprintf("line %d: use of .(type) outside type switch", files.Position(at).Line)
	}
	config := types.Config{Importer: noImports{}, Error: func(err error) {
		matters := func(part string) bool { return strings.Contains(err.Error(), part) }
		if why == "" && slices.ContainsFunc(forbidden, matters) {
			why = "go/types: " + line(err.Error())
		}
	}}
	config.Check("p", files, []*ast.File{file}, nil) // its error is the first of those above
	return why
}

// noImports imports nothing: what a package declares does not matter to syntax.
type noImports struct{}

// Import fails.
func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// strayTypeSwitch finds an x.(type) that is not the guard of a type switch.
func strayTypeSwitch(file *ast.File) (at token.Pos) {
	guards := map[*ast.TypeAssertExpr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSwitchStmt:
			ast.Inspect(n.Assign, func(n ast.Node) bool {
				guard, ok := n.(*ast.TypeAssertExpr)
				if ok {
					guards[guard] = true
				}
				return !ok // what stands before .(type) is an expression like others
			})
		case *ast.TypeAssertExpr:
			if n.Type == nil && !guards[n] && !at.IsValid() {
				at = n.Pos()
			}
		}
		return true
	})
	return at
}
