package languages_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
)

const goSamples = "../../datasets/samples/go"

func goGrammar(t *testing.T) *recognizer.Recognizer { return embedded(t, "go") }

// goParses is the judgement of Go's own parser.
func goParses(text string) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err
}

func TestGoGrammarAcceptsValidSamples(t *testing.T) {
	r := goGrammar(t)
	files, err := filepath.Glob(filepath.Join(goSamples, "valid", "*"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(text); err != nil {
			t.Errorf("%s:%v", file, err)
		}
		if err := goParses(string(text)); err != nil {
			t.Errorf("go/parser refuses %s: %v", file, err)
		}
		if lines := strings.Count(string(text), "\n"); lines < 40 || lines > 200 {
			t.Errorf("%s has %d lines, not 40 to 200", file, lines)
		}
	}
}

func TestGoGrammarRefusesMistakesWhereTheyAre(t *testing.T) {
	r := goGrammar(t)
	var mistakes []struct {
		File, Mistake string
		Line, Column  int
	}
	text, err := os.ReadFile(filepath.Join(goSamples, "invalid", "mistakes.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &mistakes); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(goSamples, "invalid", "*.go.txt"))
	if len(files) != len(mistakes) || len(files) < 12 {
		t.Errorf("%d files, %d mistakes", len(files), len(mistakes))
	}
	for _, m := range mistakes {
		text, err := os.ReadFile(filepath.Join(goSamples, "invalid", m.File))
		if err != nil {
			t.Error(err)
			continue
		}
		var refusal *recognizer.Refusal
		if err := r.Check(text); !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want a refusal", m.File, err)
		} else if refusal.Line != m.Line || refusal.Column != m.Column {
			t.Errorf("%s: %v, want %d:%d: %s", m.File, refusal, m.Line, m.Column, m.Mistake)
		}
		if goParses(string(text)) == nil {
			t.Errorf("go/parser accepts %s", m.File)
		}
	}
}

func TestGoGrammarConflicts(t *testing.T) {
	tables, err := lr.Build(context.Background(), goGrammar(t).Tables.Grammar(), lr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// `[]func()(x)`: the parenthesis begins the results of the function's type, for go/parser too.
	if sr, rr := tables.CountConflicts(); sr != 1 || rr != 0 {
		t.Errorf("%d shift/reduce and %d reduce/reduce conflicts, want 1 and 0: %v", sr, rr, tables.Conflicts())
	}
	t.Logf("%d terminals, %d rules, %d states", tables.NumTerminals(), tables.NumRules(), tables.NumStates())
}

// goForms are small texts, and whether they are Go. Those that begin with "package" are whole
// files, the others stand in the body of a function. Every verdict is go/parser's as well, except
// where it says so.
var goForms = []struct {
	text string
	ok   bool
}{
	// Files.
	{"package p", true},
	{"package p;", true},
	{"\ufeffpackage p\n", true},
	{"\ufeff\n// c\npackage p", true},
	{"// c\n\n/* d */ package p // e", true},
	{"package\np", true},
	{"package p; import \"a\"; import (b \"b\"; . \"c\"\n_ `d`); var x int; func f()", true},
	{"package p\nvar x int\nimport \"a\"", false},
	{"; package p", false},
	{"package p import \"a\"", false},
	{"package p\nx := 1", false},
	{"package p\nfunc f() { } func g() { }", false},
	{"package p\nfunc f()\n{ }", false},
	{"package p\nfunc f(\n) {\n}", true},
	{"package p\nfunc (t *T[K, _]) m(a, b int, c ...string) (x int, err error)", true},
	{"package p\nfunc (T) m[P any]()", false},
	{"package p\nfunc f(a, b.C, []d, *e, func(), ...g)", true},
	{"package p\nfunc f(a int, b.C)", false},
	{"package p\nfunc f(a int, b)", false},
	{"package p\nfunc f(a, b ...int)", false},
	{"package p\nfunc f(a int, b ...int); func g(int, ...int); func h(a ...int,)", true},
	{"package p\nfunc f(a ...int, b int)", false},
	{"package p\nfunc f() (...int)", false},
	{"package p\nfunc f() (); func g() (int,); func h() (a, b int, c []string); func i() (p.T, error)", true},
	{"package p\nfunc f(a [5]int, b []int, c [n]T, d List[int])", true},
	{"package p\nfunc f(a[5], b[int])", true},
	{"package p\nfunc f(a int,\nb int\n)", false},
	{"package p\nfunc f(a int,\nb int,\n)", true},
	{"package p\nfunc f() int, error { return 0, nil }", false},
	{"package p\nfunc f[P any, Q ~[]P | *P, R interface{ ~int; M() }](P) Q", true},

	// Declarations.
	{"const a, b = 1, 2; const (c = iota; d; e, f float32 = 1, 2\n)", true},
	{"const (a; b = 1)", false},
	{"const a int", false},
	{"var a; ", false},
	{"var a, b T; var c = 1; var (d int = 2; e []int)", true},
	{"type (A int; B = A; C[T any] struct{ a T }; D [5]int; E [N * 2]int; F [n]T; G []int)", true},
	{"type A[P interface{ *T }, Q *P] int; type B[P []int] int; type C[P ~*int | ~string,] int", true},
	{"type A[p.C, Q any] int", false},
	{"type A[P *C, Q any] int; type B[P *C,] int; type D[P *C | ~string | []D, Q any] int; type E[P *[]int] int", true},
	{"type A [N * M]int; type B [N * M * 2]int; type C [N*M | K<<1 + 2]int; type D [a.N * len(b)]int; type E [-N]int", true},
	{"type A[p.N * C, Q any] int", false},
	{"type A[N + C, Q any] int", false},
	{"type A [N * M,]int", true}, // the type int with a parameter
	{"type A[P any] = []P", true},
	{"type A struct { a, b int `t`; *B; c.D \"t\"; E[int]; F [3]int; G []int; H[int, string]; _ func() }", true},
	{"type A struct { a, B; c int }", false},
	{"type A struct { a int b int }", false},
	{"type A interface { m(); n(int) (string, error); B; c.D; ~int | string; *E }", true},
	{"type A interface { func m() }", false},
	{"var c chan<- chan int; var d <-chan (<-chan int); var e chan<- func() <-chan int", true},
	{"var m map[string][]struct{ x, y int }", true},

	// Semicolons.
	{"f(a\n)", false},
	{"f(a,\n)", true},
	{"f(\na, // c\n\n/* d\n */ b)", true},
	{"f(a /* c\n */ )", false},
	{"f(a /* c */ )", true},
	{"a := []int{1,\n2}", true},
	{"a := []int{1,\n2\n}", false},
	{"a := b +\n\nc", true},
	{"a := b\n+ c", true}, // two statements
	{"a := b\n/ c", false},
	{"a := b\n.c()", false},
	{"a := b.\nc()", true},
	{"a := b /* c */ / d", true},
	{"return\na", true}, // two statements
	{"break\nx:\nfor {\n}", true},
	{"{ ; ; a(); ; }", true},
	{"{ a() b() }", false},
	{"if a { } ; else { }", false},
	{"if a {\n} else\n{\n}", true},
	{"if a {\n}\nelse {\n}", false},
	{"if a\n{ }", false},
	{"if a := f()\na { }", true},
	{"for i := 0\ni < 3\ni++ { }", true},
	{"for i := 0; i < 3; i++\n{ }", false},
	{"x++\ny--\n", true},
	{"a\n= b", false},
	{"a =\nb", true},

	// Statements.
	{"x := 5; a, b := f(); c, d = d, c; e.f[0], _ = 1, 2; *p = 3; g.h += 4; i &^= 5; j <<= 6", true},
	{"a.b := 5", false}, // go/parser leaves it to the type checker
	{"a += 1, 2", false},
	{"a = b = c", false},
	{"x++ + 1", false},
	{"y = x++", false},
	{"++x", false},
	{"c <- <-d; <-c; x, ok := <-c; c <- 1 + 2", true},
	{"if x = 5 { }", false},
	{"if x := 5; x == 5 { } else if y { } else { }", true},
	{"if { }", false},
	{"if x { } else x { }", false},
	{"for { }; for x { }; for ; ; { }; for i := 0; ; i++ { }; for ; x; { }", true},
	{"for range 10 { }; for i := range n { }; for k, v := range m { }; for a.b, c[0] = range m { }; for range f { }", true},
	{"for a, b, c := range m { }", false},
	{"for i := 0; i < 3 { }", false},
	{"for (i := 0; i < 3; i++) { }", false},
	{"for i := 0; i < 3; i := 1 { }", false}, // go/parser leaves it to the type checker
	{"while x { }", false},
	{"switch { }; switch x { }; switch x := f(); { }; switch x := f(); x { default: }", true},
	{"switch x { case 1, 2: a(); fallthrough; case 3: default: b() }", true},
	{"switch x { a() }", false},
	{"switch x := 5 { }", false},
	{"switch x.(type) { case int, []string, func(int) bool, *T, map[K]V, nil: case <-chan int: }", true},
	{"switch a := 1; x := f().y.(type) { case interface{ M() }: }", true},
	{"switch x, y := z.(type) { }", false},
	{"y := x.(type)", false},
	{"select { case c <- 1: case x := <-d: case x, ok = <-e: case <-f: a(); default: }", true},
	{"select { case x, y, z: }", false},
	{"go f(); defer func() { }(); go x.y[0](1)", true},
	{"go f", false},
	{"defer (f())", false},
	{"a: for { break a; continue a; goto a }", true},
	{"{ a: }; b: ; c: d: x()", true},
	{"return f(), g", true},
	{"func g() { }", false},
	{"import \"a\"", false},

	// Composite literals and headers.
	{"a := T{}; b := p.T{1, 2}; c := T[int]{x: 1}; d := p.T[int, string]{}; e := &T{{1}, {k: {2}}}", true},
	{"a := [...]int{1, 5: 2}; b := map[string]T{\"a\": {1}}; c := []struct{ x int }{{1}}; d := struct{}{}", true},
	{"a := T{,}; ", false},
	{"a := T{1,,}", false},
	{"a := (T){}", false},
	{"a := f(){}", false},
	{"if x == T{} { }", false},
	{"if x == (T{}) { }", true},
	{"if f(T{}) { }; if a[T{1}] { }; if func() bool { return T{} == x }() { }", true},
	{"for _, x := range []T{{1}, {2}} { }; if x := (map[string]int{}); true { }", true},
	{"for _, x := range [...]T{{1}} { }; switch struct{ a int }{1}.a { }", true},
	{"for x := range T{} { }", false},
	{"switch T{} { }", false},
	{"if x := p.T{}; true { }", false},

	// Expressions and types among them.
	{"a := b*c + -d&^e<<f == g && !h || *i == &j", true},
	{"a := b c", false},
	{"a := b ? c : d", false},
	{"a := b[1]; a = b[:]; a = b[1:]; a = b[:2]; a = b[1:2:3]; a = b[:2:3]", true},
	{"a := b[]", false},
	{"a := b[::3]", false},
	{"a := b[1::3]", false},
	{"a := []byte(x); b := (*T)(p); c := map[K]V(m); d := func() int(x); e := chan int(x)", true},
	{"a := (func())(x); b := func()(x)", false}, // the second is a type alone: a function with result x
	{"a := interface{}(x); b := (<-chan int)(c); c := *(*func())(p); d := struct{}(x)", true},
	{"a := make([]int, 1); b := make(map[string]chan<- int); c := new(func()); d := make(<-chan struct{})", true},
	{"a := f[int](x); b := f[[]int, map[string]int](); c := x[func()]; d := f[*T]; e := p.f[chan int]{}", true},
	{"a := f[int, 5]", false},
	{"a := x.(T).y.(*p.T); b := x.(func() int)(1)", true},
	{"a := T.Method; b := (*T).Method; c := interface{ M() }.M; d := struct{ T }.M", true},
	{"a := func(x int) (y int) { return x }; b := func() { }; f(func() { }, func(int) { })", true},
	{"f(x...); f(a, x...,); f(a..., b)", false},
	{"f(x...); f(a, x...,)", true},
	{"f(,)", false},
	{"a.5", false},
	{"type := 5", false},

	// Literals.
	{"a = 0 + 1_000 + 0b1_0 + 0o17 + 0O1 + 017 + 0_7 + 0xAf_0 + 0X_1 + 0B0", true},
	{"a = 1. + .5 + 1.5 + 1e3 + 1E+3 + 1.e-3 + .5e1 + 0x1p4 + 0x.8P-1 + 0x1.p0 + 09.5 + 1_0.0_1", true},
	{"a = 1i + 0x1i + 1.5i + 1e3i + 09i + 0b1i", true},
	{"a = 09", false},
	{"a = 0b2", false},
	{"a = 0xg", false},
	{"a = 1__0", false},
	{"a = 1_", false},
	{"a = 1e", false},
	{"a = 0x1.5", false},
	{"a = 12abc", false},
	{`a = 'a' + '\n' + '\'' + '"' + '\000' + '\xff' + '\u00e9' + '\U0001F600' + 'ä' + '世'`, true},
	{`a = ''`, false},
	{`a = 'ab'`, false},
	{`a = '\"'`, false},
	{`a = '\400'`, false},
	{`a = '\ud800'`, false},
	{`a = '\U00110000'`, false},
	{`a = "" + "a\"b'c" + "\a\b\f\n\r\t\v\\\101\x41\u0041\U00000041" + "//" + "/*"`, true},
	{`a = "\'"`, false},
	{`a = "\z"`, false},
	{"a = \"a\nb\"", false},
	{"a = `a\nb\\` + ``", true},
	{"a = `a", false},
	{"ä, 世界, π2, _x := 1, 2, 3, 4", true},
	{"iffy, typed, breaks := ifs, fors, gotos", true},
	{"a := “b”", false},
	{"a // c", true},
	{"package p // c", true},
	{"package p\nimport \"a\" // /* c", true},
	{"package p\nfunc f() { } /* c */ // d", true},
	{"package p\nvar x int; // c", true},
	{"f(a // c\n)", false},
	{"f(a, // c /* d\n/* e // */ )", true},
	{"a /* c */ /* d */ // e", true},
	{"a /* c", false},
	{"a /***/ ; /**/ b /* / * */", true},
	{"a @ b", false},
	{"a := 1 # c", false},
	{"a\r\nb := 1\r\n// c\r\n", true},
}

// goStricter are the forms that the specification forbids and go/parser leaves to the type checker.
var goStricter = map[string]bool{
	"a.b := 5":                         true,
	"a += 1, 2":                        true,
	"const (a; b = 1)":                 true,
	"const a int":                      true,
	"y := x.(type)":                    true,
	"a := (func())(x); b := func()(x)": true,
	"for i := 0; i < 3; i := 1 { }":    true,
	"package p\nfunc (T) m[P any]()":   true,
}

func TestGoGrammarForms(t *testing.T) {
	r := goGrammar(t)
	for _, form := range goForms {
		text := form.text
		if !strings.HasPrefix(strings.TrimLeft(text, "\ufeff\n/*; cd"), "package") {
			text = "package p\nfunc _() {\n" + text + "\n}\n"
		}
		err := r.Check([]byte(text))
		if (err == nil) != form.ok {
			t.Errorf("%q: %v, want accepted: %t", form.text, err, form.ok)
		}
		if byGo := goParses(text); (byGo == nil) != form.ok && !goStricter[form.text] {
			t.Errorf("%q: go/parser says %v, the table says accepted: %t", form.text, byGo, form.ok)
		}
	}
}
