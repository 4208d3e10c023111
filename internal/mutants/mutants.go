// Package mutants asks what the tests are worth: it puts a bug into the code of engines, a
// flipped comparison or a boundary that is off by one, runs the tests, and counts the bugs that
// they find. The places are drawn by a seed. The tree is not changed: the compiler is given the
// changed file in place of the other (go test -overlay). Survivors are listed, since some of
// them are no bugs: a comparison that only decides how fast something is, or a case that cannot
// occur.
package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// flips are the operators that a mutant has in place of another one.
var flips = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

// A mutant is a change of a file: the text from At to End becomes New.
type mutant struct {
	file    string
	pos     token.Position
	at, end int
	old     string
	new     string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s becomes %s", m.file, m.pos.Line, m.pos.Column, m.old, m.new)
}

// mutantsOf lists the places of a file: operators, and numbers of comparisons, sums and slices.
func mutantsOf(file string, text []byte) (list []mutant, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	change := func(at token.Pos, old, new string) {
		pos := set.Position(at)
		list = append(list, mutant{file, pos, pos.Offset, pos.Offset + len(old), old, new})
	}
	number := func(e ast.Expr) {
		if lit, is := e.(*ast.BasicLit); is && lit.Kind == token.INT {
			if n, err := strconv.ParseInt(lit.Value, 0, 32); err == nil {
				change(lit.Pos(), lit.Value, strconv.FormatInt(n+1, 10))
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST && n.Tok != token.IMPORT // limits are no boundaries of an algorithm
		case *ast.BinaryExpr:
			if flip, has := flips[n.Op]; has {
				change(n.OpPos, n.Op.String(), flip.String())
				number(n.X)
				number(n.Y)
			}
		case *ast.SliceExpr:
			number(n.Low)
			number(n.High)
		case *ast.IndexExpr:
			number(n.Index)
		}
		return true
	})
	return list, nil
}

// places lists the mutants of all files below some directories.
func places(dirs []string) (list []mutant, err error) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil {
				var more []mutant
				more, err = mutantsOf(path, text)
				list = append(list, more...)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Results of a mutant.
const (
	found    = "found"
	survived = "SURVIVED"
	unclear  = "NO VERDICT" // no test failed, and the tests did not end
	broken   = "does not compile"
)

// A hunt runs tests on mutants.
type hunt struct {
	own     string   // arguments of go test for the mutant's package
	tests   []string // arguments of go test, beside the package of the mutant
	timeout time.Duration
	dir     string // for changed files
}

// try runs the tests on a mutant: those of its package first. By is what found it.
func (h *hunt) try(ctx context.Context, m mutant) (result, by string, err error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", "", err
	}
	changed := filepath.Join(h.dir, "mutant.go")
	text = bytes.Join([][]byte{text[:m.at], []byte(m.new), text[m.end:]}, nil)
	full, err := filepath.Abs(m.file)
	if err == nil {
		err = os.WriteFile(changed, text, 0o600)
	}
	overlay := filepath.Join(h.dir, "overlay.json")
	replace, _ := json.Marshal(map[string]any{"Replace": map[string]string{full: changed}}) // strings only
	if err == nil {
		err = os.WriteFile(overlay, replace, 0o600)
	}
	if err != nil {
		return "", "", err
	}
	own := "./" + filepath.ToSlash(filepath.Dir(m.file))
	if exec.CommandContext(ctx, "go", "build", "-overlay", overlay, own).Run() != nil {
		return broken, "", ctx.Err()
	}
	for _, tests := range append([]string{own + " " + h.own}, h.tests...) {
		args := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", h.timeout.String()}, strings.Fields(tests)...)
		if text, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			result, by := finder(text)
			return result, strings.Fields(tests)[0] + " " + by, ctx.Err()
		}
	}
	return survived, "", ctx.Err()
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^(panic: test timed out|SIGXCPU)|^(panic: .*|fatal error: .*)`)

// finder says what ended tests: one that failed, or a panic. On a busy machine the limit of time
// says nothing.
func finder(text []byte) (result, by string) {
	switch end := failed.FindSubmatch(text); {
	case end == nil || end[2] != nil:
		return unclear, "at the limit of time"
	case end[1] != nil:
		return found, string(end[1])
	default:
		return found, string(end[3])
	}
}

// engines are the folders of the code that answers which tokens are legal.
const engines = "grammar/automata,grammar/lexer,grammar/lr,grammar/recognizer,algorithms/lexical,algorithms/psc,algorithms/greatgramma,algorithms/parserdwa," +
	"algorithms/legality,algorithms/maskstore,algorithms/trie,algorithms/naive"

// A draw says which places are tried: n after the first ones of those that the seed draws.
type draw struct {
	n, from int
	seed    uint64
}

// Main is the command: exit status 0 if it ran, whatever it found.
func Main(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(errOut)
	n := flags.Int("n", 100, "how many mutants")
	seed := flags.Uint64("seed", 1, "draws the places")
	from := flags.Int("from", 0, "how many of the places that the seed draws an earlier call has tried")
	dirs := flags.String("dirs", engines, "where")
	h := &hunt{}
	flags.StringVar(&h.own, "own", "-short", "arguments of go test for the package of the mutant")
	flags.DurationVar(&h.timeout, "timeout", 10*time.Minute, "of the tests of a mutant; of one that hangs there is no verdict")
	flags.Func("test", "`ARGUMENTS` of go test that are run beside the tests of the mutant's package, such as './algorithms/conformance/... -short' (may be repeated)", func(s string) error {
		h.tests = append(h.tests, s)
		return nil
	})
	if flags.Parse(args) != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := h.run(ctx, strings.Split(*dirs, ","), draw{*n, *from, *seed}, out); err != nil {
		fmt.Fprintln(errOut, "mutants:", err)
		return 1
	}
	return 0
}

// run tries so many mutants that compile, and counts.
func (h *hunt) run(ctx context.Context, dirs []string, d draw, out io.Writer) (err error) {
	list, err := places(dirs)
	if err != nil {
		return err
	}
	if d.n < 1 || d.from < 0 || len(list) <= d.from {
		return errors.New("there is no place for a mutant")
	}
	if h.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(h.dir)
	count := map[string]int{}
	for k, i := range rand.New(rand.NewPCG(d.seed, 0)).Perm(len(list))[d.from:] {
		result, by, err := h.try(ctx, list[i])
		if err != nil {
			return err
		}
		count[result]++
		fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("%4d %-16s %v  %s", d.from+k, result, list[i], by)))
		if count[found]+count[survived]+count[unclear] == d.n {
			break
		}
	}
	fmt.Fprintf(out, "%d of %d mutants found, %d without a verdict, of %d places; seed %d\n", count[found], count[found]+count[survived]+count[unclear], count[unclear], len(list), d.seed)
	return nil
}
