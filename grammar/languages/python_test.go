package languages_test

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
)

func python(t *testing.T) *recognizer.Recognizer { return embedded(t, "python") }

const pythonSamples = "../../datasets/samples/python"

// TestPythonGrammarHasNoConflicts keeps the grammar honest: every decision is made by one symbol of
// lookahead.
func TestPythonGrammarHasNoConflicts(t *testing.T) {
	for _, c := range python(t).Tables.Conflicts() {
		t.Errorf("conflict: %v", c)
	}
}

func TestPythonGrammarAcceptsSamples(t *testing.T) {
	checkSamples(t, python(t), pythonSamples, "*.py", 12)
}

func TestPythonGrammarRefusesMistakes(t *testing.T) {
	checkMistakes(t, python(t), pythonSamples, "*.py", 12)
}

func TestPythonGrammarOnCorpus(t *testing.T) {
	checkCorpus(t, python(t), "../../../shared/data/python-dev.jsonl.gz")
}

// pythonCases are small texts, each with the verdict of CPython 3.14. In a text, "¶" is a line
// break.
var pythonCases = append([]pythonCase{
	{"empty files",
		[]string{"", "¶", "¶¶", "# comment", "# comment¶", "   # comment¶¶  ", "   ¶x", "\t", "\fx", " \fx", "  # c¶x", "\\¶x"},
		[]string{" x", "\tx", "  (x)", "\f x", " ¶ x", "¶ x", "  # c¶ x", "  \\¶x", " ;", " else: y", "  'doc'", "  @a¶class A: pass"}},
	{"a byte order mark",
		[]string{"\ufeff", "\ufeffx = 1", "\ufeff# c¶x", "\ufeff¶  # c¶x", "\ufeffif x:¶ y", "\ufeff'doc'¶"},
		[]string{"x\ufeff", "\ufeff\ufeffx", "x¶\ufeffy", "\ufeff  x", "\ufeff¶ x", " \ufeffx"}},
	{"tabs and blanks",
		[]string{"if x:¶\ty¶\tz", "if x:¶\tif y:¶\t        z", "if x:¶        y¶        z", "if x: (¶\ty¶        )"},
		[]string{"if x:¶\ty¶        z", "if x:¶        y¶\tz", "if x:¶        if y:¶\t\tz", "if x:¶    if y:¶\tz"}},
	{"a backslash at the beginning of a line",
		[]string{"if x:¶  y¶\\¶# c¶  z", "if x:¶\\¶  y¶  z", "if x:¶  \\¶        y¶  z", "if x:¶\t\\¶ y¶        z", "if x:¶  y¶ \\¶¶  z", "x¶\\¶ ", "x = 1 \\¶# c¶y"},
		[]string{"\\¶  x", "  \\¶x", "if x:¶\t\\¶ y¶\tz", "x¶ \\¶ y", "x¶\\ ¶y"}},
	{"type statements and parameters",
		[]string{"type X = int", "type X[T] = list[T]", "type X[T: int = str, *Ts = *tuple[int, ...], **P = [int],] = T", "type type = type", "type match[case] = type", "type X[*T = a, **P] = lambda: 0",
			"def f[T](x: T) -> T: pass", "async def f[*A, **B](): pass", "class A[T: (int, str)](B): pass", "class A[T]: pass", "def f[T,](): pass", "type; type = 1; type(x); type[x]; type.x; type: int = 1; type, x = 1, 2", "print(type, type=type)",
			"match type:¶ case type: type", "type in x", "type is not x", "type if type else type"},
		[]string{"type X", "type X = ", "type X[] = int", "type X.y = int", "type X[T.x] = int", "type X = *a", "type X = a, b", "type X[T = *a] = b", "type X[*T: a] = b", "type X[**P = *a] = b", "type (X) = int", "type X := int", "type X = yield", "type if = x",
			"def f[](): pass", "class A[]: pass", "lambda[T]: 0", "class A[T](B)[C]: pass", "type X[T=1: int] = a", "type x y = z"}},
	{"template strings",
		[]string{`t"a" T'b' tr"c" Rt'd'`, `t"""a"b""" t''`, `f(t"a")`},
		[]string{`t"a" "b"`, `"a" t"b"`, `t"a" f"b"`, `t"a" b"b"`, `tb"a"`, `ft"a"`, `tu"a"`, `t"a¶"`}},
	{"complex patterns",
		[]string{"match x:¶ case 1 + 2j: a", "match x:¶ case -1.5 - 2j: a", "match x:¶ case -2j: a"},
		[]string{"match x:¶ case 1j + 2j: a", "match x:¶ case 1 + 2: a", "match x:¶ case 1 + -2j: a"}},
	{"ends of files",
		[]string{"x", "x¶", "x¶¶", "x # c", "x¶   # c", "if x:¶  y", "if x:¶  y¶  # c", "if x:¶  y¶# c¶"},
		[]string{"if x:", "if x:¶", "x = (", "x = \\", "'''", "x +"}},
	{"blocks",
		[]string{"if x: y", "if x: y; z;", "if x:¶ y¶ z", "if x:¶ if y:¶  z¶w", "if x:¶\ty¶\tz", "if x:¶ y¶¶   # c¶  ¶ z",
			"if x:¶ y¶else: z", "if x:\r¶ y\r¶\r¶z\r¶", "if x:\r y # c\rz", "\f¶if x:¶\f y¶ z", "if x: y¶elif z: w¶else: v"},
		[]string{"if x:¶y", "if x:¶  y¶ z", "if x:¶ y¶  z", "x¶ y", " if x:¶  y", "if x: if y: z", "else: y", ";x", "x;;y", "if x: y else: z"}},
	{"line joining",
		[]string{"x = (a¶  # c¶, b¶)", "x = [¶]", "x = {¶a: 1,¶}", "x = 1 \\¶ + 2", "x = a \\¶\\¶ + b", "(a¶.b¶)"},
		[]string{"x = 1 \\ ¶ + 2", "x = (a¶", "x = [)", "x = a¶+ b¶  c"}},
	{"numbers",
		[]string{"1_000, 0xFF, 0o17, 0b1, 00_0, 1e5, 1E-5, .5, 5., 1_0.0_1e1_0, 1j, .5J, 0777.5, 09j", "1if x else 2", "0xfor x", "1..real", "1 .real", "1.e5"},
		[]string{"1_", "1__0", "0777", "0_7", "0b2", "0x", "1a", "1.real", "1e"}},
	{"strings",
		[]string{`''`, `""`, `""""""`, `"a" 'b' r"c" R'd'`, `b"a" B'b' rb"c" bR'd'`, `u"a" U'b' f"{x}" fR"a" rF'a'`, `"""a"b""c\""""`, `"""a""""b"`, `''''a'''`,
			`"a\¶b"`, `"""a¶b"""`, `r"\""`, `x["a"]`, `rb`, `'\''`},
		[]string{`"a`, `"a¶b"`, `"""a""`, `b"a" "b"`, `b"é"`, `ur"a"`, `x"a"`, `"\"`, `r"\"`}},
	{"names",
		[]string{"é = ñ = 名前 = क्षेत्र = a·b = ℘ = x_1 = __a__", "print = exec = async_ = match = case = type = _ = 1"},
		[]string{"x² = 1", "1x = 1", "x$ = 1", "class = 1", "None = 1", "a.if", "def = 1"}},
	{"targets",
		[]string{"(a, b) = [c, *d] = e.f = g()[h] = 1", "() = []", "a, = 1,", "*a, = b", "((a), b) = 1", "(a) += 1", "a().b += 1", "for x, in y: z", "for *x, (y, [z.w]) in v: u",
			"del (a, b), [c], d.e, f[g]", "x: int", "(x): int = 1", "x.y[0]: int = yield", "x = yield", "x += yield a, *b", "x = *a, b"},
		[]string{"f() = 1", "1 = x", "a + b = c", "f() += 1", "a, b += 1", "(a, b) += 1", "a, b: int", "f(): int", "lambda: x = 1", "a if b else c = 1", "x = f() = 1",
			"for f() in x: y", "for x + 1 in y: z", "del f()", "del *a", "x = yield = 1", "a := 1", "(a.b := 1)"}},
	{"operators",
		[]string{"a or b and not c < d in e not in f is g is not h | i ^ j & k << l + m * -n ** -o", "a @ b @ c", "a @= b", "a //= b; a **= c; a >>= d; a <<= e; a ^= f; a |= g; a &= h; a %= i; a /= j; a -= k; a *= l",
			"not not a", "-+~a", "a if b else c if d else lambda: e", "await a ** b", "-await a", "x = ...", "a <b> c"},
		[]string{"a <> b", "a not b", "not", "a ++", "a = = b", "a * * b", "a if b", "a ? b : c", "a && b", "!a", "x++", "a -> b", "..", "await -a", "a = not"}},
	{"calls",
		[]string{"f(a, *b, c, d=1, *e, **g, h=2)", "f(a for a in b)", "f(x := 1, y=2)", "f(*a or b, **c or d,)", "f()(a)[b].c", "f(a)(b for b in c)", "print(a, file=b)"},
		[]string{"f(a=1, b)", "f(**a, *b)", "f(**a, b)", "f(a for a in b, c)", "f(1=2)", "f(a.b=1)", "f(True=1)", "f(,)", "f(a b)", "f(a,,b)", "f(a=b=c)", "f(c=a := b)"}},
	{"subscripts",
		[]string{"x[:]", "x[::]", "x[a:b:c, ..., ::d]", "x[a, *b]", "x[*b]", "x[y := 1]", "x[a,]"},
		[]string{"x[]", "x[:::]", "x[a b]", "x[a:=1:b]"}},
	{"displays",
		[]string{"[]", "[*a, b]", "{}", "{**a, 'b': 1,}", "{*a, b}", "(*a, b)", "(a := b, c)", "{a := 1}", "[a async for a in b]", "[a for b in c if d if e for a in f]",
			"{a: b if c else d for a, b in e}", "{a for a in b}", "(a for a in b)", "((yield))", "[x := 1, y]"},
		[]string{"(*a)", "{**a for a in b}", "[*a for a in b]", "{a: b, c}", "{a:}", "{a, b: c}", "[a, b for b in c]", "[a for b in c if d := e]", "[a for b in c else d]", "{: a}", "(yield, a)"}},
	{"parameters",
		[]string{"def f(a, b=1, /, c=2, *d, e, f=3, **g) -> int: pass", "def f(*, a): pass", "def f(a: int, *b: *c, **d: e,): pass", "lambda a, /, b=1, *c, d, **e: f", "lambda: 0", "lambda *, a: a", "lambda x=lambda: 0: x"},
		[]string{"def f(*): pass", "def f(*, **k): pass", "def f(a=1, b): pass", "def f(/, a): pass", "def f(a, /, b, /): pass", "def f(**k, a): pass", "def f(*a, *b): pass",
			"def f(*a=1): pass", "def f(*,): pass", "def f(a: *b): pass", "def f: pass", "def f(a.b): pass", "def f((a, b)): pass", "lambda a: int: 0"}},
	{"with statements",
		[]string{"with a, b as c: d", "with (a): b", "with (a, b): c", "with (a as b): c", "with (a, b as c,): d", "with (a as b, c): d", "with (a), (b): c", "with (a, b) as c, d: e",
			"with (a).b as c: d", "with (a + b) * c as d: e", "with (yield a) as b: c", "with (a for a in b): c", "with (a := b, c): d", "with a as (b, [c]): d", "with (a if b else c as d, e): f"},
		[]string{"with a, b,: c", "with a as f(): b", "with: a", "with (a as b), c: d", "with (a as b).c: d", "with a as b c: d", "with (a as 1): b"}},
	{"try statements",
		[]string{"try: a¶except: b", "try: a¶except A as b: c¶except (B, C): d¶except: e¶else: f¶finally: g", "try: a¶finally: b", "try: a¶except* A: b¶except *B as c: d", "try: a¶except A, B: c", "try: a¶except A, B,: c", "try: a¶except* A, B: c", "try: a¶except A,: b"},
		[]string{"try: a", "try: a¶else: b", "try: a¶except A: b¶except* B: c", "try: a¶except*: b", "try: a¶except A, B as c: d", "try: a¶except A as b, C: d", "try: a¶except *A, *B: c", "except: a"}},
	{"imports",
		[]string{"import a.b.c as d, e", "from a.b import (c as d, e,)", "from . import a", "from .. import a", "from ... import a", "from .... import a", "from .....a.b import c", "from .a import *"},
		[]string{"import", "import a.*", "from a import", "from a import b,", "from a import (*)", "from a import ()", "import a as b.c", "from a import b.c", "import .a"}},
	{"other statements",
		[]string{"pass; break; continue; return; return a, *b; raise; raise a; raise a from b; assert a; assert a, b; global a, b; nonlocal c; yield; yield a,; yield from b",
			"while a: b¶else: c", "for a in *b, c: d¶else: e", "async def f():¶ async for a in b: c¶ async with d as e, f: g", "@a.b(c)[d]¶@e¶class A(B, *C, metaclass=D, **E): pass", "@lambda f: f¶def g(): pass", "class A: a = 1; b = 2"},
		[]string{"print 'a'", "exec a", "raise a, b", "assert", "global a.b", "del", "return yield", "async x", "@a¶x = 1", "@a class B: pass", "while: a", "for a b: c", "for in a: b", "yield from", "def f()¶ pass"}},
	{"match statements",
		[]string{"match x:¶ case 1: a", "match (x):¶ case 1: a", "match (x, y):¶ case 1, 2: a", "match [x, *y]:¶ case [a, *_]: b", "match -x:¶ case -1 | 2 + 3j: b",
			"match *a, b:¶ case *c, d: e", "match x,:¶ case a,: b", "match x := f(), y:¶ case (a | b) as c if d: e", "match {}:¶ case {}: a¶ case {'a': b, c.d: [e], **f}: g",
			"match x.y[z] + 1 < 2 and not w if v else lambda: u:¶ case a.b.c: d", "match await x:¶ case None | True | 'a' 'b' | b'c': d", "match match:¶ case case: case", "match ~x:¶ case A(): a¶ case B.C(d, e=f,): g¶ case (): h¶ case []: i¶ case (j,): k¶ case (l): m"},
		[]string{"match x:¶ a", "x:¶ case 1: a", "match :¶ case 1: a", "match x:¶case 1: a", "match x: case 1: a", "match x:¶ case 1 + 1: a", "match x:¶ case a as b.c: d", "match x:¶ case *a: b", "match x:¶ case A(b=c, d): e", "match x:¶ case {**a, 'b': c}: d",
			"match x:¶ case {a: b}: c", "match x:¶ case f(): a¶ b", "case x: a", "match x y:¶ case 1: a"}},
	{"soft keywords as names",
		[]string{"match = 1", "match: int = 1", "match[1]: int", "match.x = case", "match(x)", "match (x).y", "match[x] = 1", "match - x", "match * x, y", "match, case = case, match", "match not in x", "match is x",
			"match if match else case", "print(match, case=case)", "def match(case, *, match=case): pass", "import match as case", "class case(match): pass", "case(x)", "f.match(x).case", "match"},
		[]string{"match x", "case x", "match match", "match x = 1"}},
}, pythonStrings...)

// A pythonCase is a table of texts.
type pythonCase struct {
	name          string
	valid, broken []string
}

// pythonUncompiled are texts that the grammar refuses and CPython's parser does not: its compiler
// refuses them.
var pythonUncompiled = []string{"x = *a", "try: a¶except: b¶except A: c", "f'{*a}'"}

// TestPythonCasesAgainstCPython asks CPython about the same texts, where it is new enough.
func TestPythonCasesAgainstCPython(t *testing.T) {
	source, _ := languages.Source("python")
	judge, err := judges.For(judges.Language{Name: "python", Text: source}, judges.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer judge.Close()
	ask := func(text string, valid bool) {
		t.Helper()
		v, err := judge.Judge(t.Context(), []byte(strings.ReplaceAll(text, "¶", "\n")))
		if missing := (*judges.MissingError)(nil); errors.As(err, &missing) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(judge.Version(), "3.14.") {
			t.Skipf("CPython is %s, the grammar is 3.14's: name one in GCDBENCH_PYTHON", judge.Version())
		}
		if v.Valid != valid {
			t.Errorf("%s: CPython says %v %s", text, v.Valid, v.Why)
		}
	}
	for _, text := range pythonUncompiled {
		ask(text, true)
	}
	for _, text := range pythonWide {
		ask(text, false)
	}
	for _, c := range pythonCases {
		for _, text := range c.valid {
			ask(text, true)
		}
		for _, text := range c.broken {
			ask(text, false)
		}
	}
}

func TestPythonGrammarCases(t *testing.T) {
	for _, text := range pythonUncompiled {
		if err := python(t).Check([]byte(strings.ReplaceAll(text, "¶", "\n"))); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
	for _, text := range pythonWide {
		if err := python(t).Check([]byte(strings.ReplaceAll(text, "¶", "\n"))); err != nil {
			t.Errorf("%s: refused at %v", text, err)
		}
	}
	for _, c := range pythonCases {
		t.Run(c.name, func(t *testing.T) {
			for _, text := range c.valid {
				if err := python(t).Check([]byte(strings.ReplaceAll(text, "¶", "\n"))); err != nil {
					t.Errorf("%s: refused at %v", text, err)
				}
			}
			for _, text := range c.broken {
				if err := python(t).Check([]byte(strings.ReplaceAll(text, "¶", "\n"))); err == nil {
					t.Errorf("%s: accepted", text)
				}
			}
		})
	}
}
