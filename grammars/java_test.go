package grammars_test

import (
	"strings"
	"testing"

	"gcdbench/recognizer"
)

const javaSamples = "../datasets/samples/java"

func javaRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "java") }

// TestJavaConflicts checks that the only conflicts are those that the head of the grammar explains:
// each is named by the rule that is not reduced and the terminal that is shifted instead.
func TestJavaConflicts(t *testing.T) {
	explained := map[string]bool{
		`if_statement "else"`: true, // dangling else
		`chain ">"`:           true, // end of type arguments, or a shift operator
		`chain "<"`:           true, // nested type arguments; a < b < c is refused
	}
	// A record's name, or a yielded value.
	for _, first := range []string{"IDENTIFIER", `"non"`, `"record"`, `"sealed"`, `"permits"`, `"yield"`, `"("`, `"++"`, `"--"`} {
		explained["identifier "+first] = true
	}
	r := javaRecognizer(t)
	if !r.Tables.Deterministic() {
		t.Error("the tables are not deterministic")
	}
	for _, c := range r.Tables.Conflicts() {
		if !c.ShiftReduce() || len(c.Actions) != 2 {
			t.Errorf("not between one shift and one reduction: %s", c.Example)
			continue
		}
		lhs, _ := r.Tables.Rule(c.Actions[1].Target())
		name := r.Grammar.Nonterminals[lhs].Name + " " + r.Grammar.TerminalName(c.Lookahead)
		if !explained[name] {
			t.Errorf("conflict %s: %s", name, c.Example)
		}
	}
}

func TestJavaSamples(t *testing.T) { checkSamples(t, javaRecognizer(t), javaSamples, "*.java", 12) }

func TestJavaMistakes(t *testing.T) { checkMistakes(t, javaRecognizer(t), javaSamples, "*.java", 12) }

func TestJavaCorpus(t *testing.T) {
	checkCorpus(t, javaRecognizer(t), "../../shared/data/java-dev.jsonl.gz")
}

// What a small text stands for; it takes the place of the dots.
const (
	unit       = "..."
	member     = "class C { ... }"
	statement  = "class C { void m() { ... } }"
	expression = "class C { void m() { x = f(...); } }"
)

// javaCases are small texts by topic, with the verdict of the grammar in the language's
// specification. All valid ones pass a Java 17 compiler's parser; a few broken ones do as well, and
// are refused after it (such as old and new labels in one switch). javaDifferences has what the
// grammar takes otherwise.
var javaCases = []struct {
	topic, frame  string
	valid, broken []string
}{
	{"compilation units", unit,
		[]string{"", ";", "package a.b;", "@A package a;", "import a.b;;import static a.b.*;", "import a.b; class C {}; interface D {}",
			"// only a comment", "/* a *//**/", "class C {} // no line end", "\fclass C\r\n{}\r"},
		[]string{"package a", "import a.;", "import *;", "class C", "class {}", "int x", "class C {} }", "/* a", "import class a;", "package a; package b;"}},
	{"type declarations", unit,
		[]string{"class C<T extends A & B<T>, U> extends D<T>.E<U> implements F, G<H[]> {}", "interface I<T> extends J, K {}",
			"public abstract sealed class C permits D, E.F {}", "non-sealed class C extends D {}", "sealed interface I permits J {}",
			"enum E {}", "enum E { A, B(1) { int x; }, @D C, ; int y; E() {} }", "enum E { , }", "enum E { ; }", "enum E implements I { A, }",
			"record R() {}", "record R<T>(int x, @A T... y) implements I { R { } static int z; }", "@interface A { int x() default 1; B[] y() default {@B, @C(1)}; }"},
		[]string{"class C extends A, B {}", "class C implements {}", "class C<> {}", "class C<int> {}", "enum E { A B }", "enum E { A; B }", "record R {}", "record R(int) {}",
			"sealed int C {}", "interface I implements J {}", "class C permits {}", "non class C {}", "sealed enum E {}", "@interface A(int x) {}", "class record {}"}},
	{"members", member,
		[]string{"int a, b[] = {1, 2,}, c = 3;", "{ } static { } ;", "C() { this(1); } C(int x) throws A, b.B { super(); }", "<T> C(T t) { }", "int f()[] { return null; }",
			"public static final synchronized <T, U extends T> java.util.List<? super T[]> f(final int a, U... b) throws X;", "void f(C this, int x) {}", "native int f();",
			"int record, sealed, permits, yield, non, var; int record() { return record; }", "class D { enum E { A } interface F {} record G(int x) {} @interface H {} }",
			"List<List<List<String>>> a; Map<A, B<C[], ?>>[] b;", "A<B>.C<D>.E f;", "@A(1) @B(x = 1, y = {@C, {}}) @D({1, 2,}) @E() int a;", "List<@A String> a; List<@A ?> b;"},
		[]string{"int a b;", "int a = ;", "int = 1;", "x = 1;", "f();", "return 1;", "if (a) {}", "void a;", "int f(int) {}", "int f(a) {}", "int f(int a,) {}", "int f(int... a, int b) {}",
			"void f() throws {}", "List<List<String> a;", "List<String>> a;", "List<> a;", "Map<A,> a;", "int a[1];", "int[3] a;", "@A(x = 1, 2) int a;", "@ int;", "public;", "int a = {1, 2;", "static static {}"}},
	{"blocks and declarations", statement,
		[]string{"int a; final A b = 1, c[] = {}; @A final List<int[]> d = null;", "a.b.C<D>[] e; A<B>.C f;", "class D {} final class E {} abstract class F {} record G(int x) {} enum H { A } interface I {}",
			"record = 1; record.x = 2; record(3); record R(int y) {}", "sealed = 1; non = -sealed; permits(x); yield = 2; yield.x();", "{ { } ; } ;", "a: b: for (;;) break a;"},
		[]string{"int a", "int a = 1, int b;", "public int a;", "private class D {}", "int f() {}", "void a;", "var;", "{", "}", "a: ;:", "final;", "int[] a[ = null;", "List<String a;", "class;", "import a;", "record r = null;"}},
	{"expression statements", statement,
		[]string{"a = b = c; a.b += 1; a[i] -= 2; a <<= 1; a >>= 2; a.b >>>= c >> 3; f(x)[1] >>= 1; this.x = 1;", "++a; --b.c; a++; b[i]--;", "f(); a.b.c(d, e); a.<T>f(); super.f(); this.<T, U>f(); A.super.f(); new A(); new A() { }.f();",
			`"a".f(); (a).f(); ((A) b).f(); (a + b).c(); int[].class.f(); A[].class.f(); f().g[1].h().i = 2;`},
		[]string{"a;", "a + b;", "1;", "a.b;", "a[1];", "a < b;", "-a;", "!f();", "(f());", "() -> {};", "A::b;", "a ? b() : c();", "a = ;", "f(;", "f());", "= 1;", "a ++ b;", "a.;", "a..b();", "this;", "new A;"}},
	{"control flow", statement,
		[]string{"if (a) ; else if (b) if (c) ; else ; else ;", "while (a) do b(); while (c);", "for (;;) ; for (int i = 0, j[] = {}; i < n; i++, j--) {} for (i = 0, f(); ; ) {}", "for (a.B<C> x : y.z()) {} for (final var x : y) for (@A int z : w) ;",
			"return; return a; throw b; break; break a; continue; continue a; assert a; assert a : b; synchronized (a) {}",
			"try { } catch (A e) { } catch (final B | c.D e) { } finally { }", "try { } finally { }", "try (a; b.c; this.d; A<B> e = f; final var g = h;) { }", "yield a; yield -1; yield (a) + b; yield new A(); yield switch (a) { default -> 1; }; yield ++a;"},
		[]string{"if a {}", "if () {}", "if (a)", "else {}", "if (a) {} else {} else {}", "while (a;) {}", "while () {}", "do { } while (a)", "do a();", "for (;) {}", "for (int i = 0; i < n, i++) {}", "for (int i : ) {}", "for (i : a) {}", "for (int i, j : a) {}",
			"try { }", "try { } catch { }", "try { } catch (e) { }", "try () { }", "try { } finally { } catch (A e) { }", "catch (A e) { }", "throw;", "return a b;", "break 1;", "switch (a) { b(); }", "assert;", "synchronized a {}"}},
	{"switches", statement,
		[]string{"switch (a) { }", "switch (a) { case 1: case 2, -3: b(); break; case 'c': { } default: int x; case A.B: }", `switch (a) { case "b" -> c(); case D, E -> { } default -> throw f; }`,
			"a = switch (b) { case (1) -> 2; case 3 + 4 -> { yield 5; } default -> 6; } + 7;", "return switch (a) { case A: yield 1; default: b(); yield 2; };"},
		[]string{"switch a { }", "switch (a) { case: }", "switch (a) { case 1 b(); }", "switch (a) { case 1 => b(); }", "switch (a) { case 1 -> b() }", "switch (a) { case 1 -> int x; }", "switch (a) { case 1: b(); case 2 -> c(); }", "switch (a) { default }", "switch (a) { case 1, : }", "case 1: ;"}},
	{"operators", expression,
		[]string{"a + b - c * d / e % f << g >> h >>> i", "a < b, c > d", "a < b >> c", "a < b >>> c", "a.b < c.d >> 1 + e", "a >= b >> c", "a & b & c, (a & b) + (a & b & c), a & b.c() & d", "-a - -b + +c - - d, ~a, !b, !!c, - --d, a-- - --b, a++ + ++b", "a-- --, a-----b, (a)++ ++, a.b ++ --",
			"a == b != c && d || e ^ f | g", "a ? b : c ? d : e", "a ? b ? c : d : e", "a = b ? c : d", "a < b ? c : d > e", "a ? x -> y : z -> w", "a >>= b >>>= c", "x < 1 && y > 2 || z <= 3", "i < n - 1 == j > m", "a instanceof B && !(c instanceof D<?> e) || f instanceof final G h", "a instanceof B == c", "a instanceof B.C<D>[] e", "(a < b)", "((a) < (b))", "a[b < c ? 1 : 2]"},
		[]string{"a +", "* a", "a b", "a + * b", "a ? b", "a : b", "a ? : b", "a && || b", "a =< b", "a => b", "a === b", "a = = b", "a <> b", "(a < )", "(a > )", "(a < b", "a < b)", "()", "(a,)", "a,", ", a", "a instanceof", "a instanceof b + c", "a instanceof 1", "a ! b", "a ** b", "a . . b", "a <", "a < b >", "a >>"}},
	{"casts and parentheses", expression,
		[]string{"(a)", "((a))", "(a.b)", "(A) b", "(A) (B) c", "(a) + b", "(a) - b", "(int) -a", "(int) + 1", "(A) ~b", "(A) !b", "(A[]) b", "(int[][]) b", "(A.B<C>) d", "(A<B, C<D>>) e", "(A<B>[]) c", "(A<?>.B) c", "(A & B) c", "(A<B> & C<D> & E) f", "(A) b.c().d", "(A) x -> y", "(A & B) () -> { }", "(A<B, C>) (d, e) -> f", "(A) (B) C::d",
			"(a)[1]", "(a).b()", "(a)++", "((A) b).c", "(A) new B()", `(A) "b"`, "(char) ('a' + 1)", "(A) this", "(A) super.b()", "(A) switch (b) { default -> 1; }", "(a & b) | c", "(int) (long) a"},
		[]string{"(int) ", "(A b", "(int a)", "(A<B) c", "(A<B>> c", "(A[) b", "(void) a", "(A &) b", "(a + b) c", "(1) a", "(a b)", "[a]", "{a}"}},
	{"lambdas and references", expression,
		[]string{"a -> b", "() -> { }", "(a) -> b", "(a, b) -> { return c; }", "(int a) -> b", "(final A<B, C[]> a, d.E... b) -> c", "(var a, var b) -> c", "(A[] a, @B int c[]) -> d", "a -> b -> c + d", "a -> (b) -> c", "(Map<K, V> m) -> m", "(A<B> a) -> a", "yield -> record -> sealed",
			"A::b", "A::new", "a.b.C::d", "int[]::new", "A[][]::new", "this::a", "super::a", "A.super::b", "a()::b", "(a)::b", `"a"::b`, "new A()::b", "A::<B>c", "A<B>::new", "A<B<C>>::new", "A<?>[]::new", "A<B[], C>::d", "A<B, C>::new", "A<B, C<D>>::new", "A<B, C<D, E[]>>::new, f", "A<B, int[]>::new", "a, B<C, D>::new, e"},
		[]string{"-> a", "a ->", "a -> ;", "(a, ) -> b", "(a b, c) -> d", "(int a, b) -> c", "(1) -> a", "(a.b, c) -> d", "a, b -> c -> ", "a -> return b", "A::", "::a", "A::1", "int::new", "A<>::new", "A::b.c", "a + () -> b", "() - > a", "(a) => b", "!x -> y"}},
	{"primaries", expression,
		[]string{"this", "A.this", "int.class", "void.class", "A.class", "A[].class", "int[][].class", "a.b.c", "f()", "a.f(b, c)", "a[b][c]", "new A()", "new A(b) { int c; }", "new A<>()", "new A<B<C>>() { }", "new A<B, C>.D()", "new a.B<>()", "new @A B()", "new <T> A()",
			"a.new B()", "f().new B<>(c) { }", "new int[1]", "new A[b][c][]", "new int[] {1, 2,}", "new A[][] {{b}, {}, }", "new int[] {1}[0]", "new A<?>[1]", "new int[1].length", "new A().b", "A.<B>c()", "a.b.<C<D>, E>f().g", "super.a", "A.super.b()"},
		[]string{"new", "new A", "new int", "new int()", "new int[]", "new int[1] {1}", "new A[1]{}", "new int[][1]", "new 1()", "a.1", "a[]", "a[1", "a]", "f(a", "f(a b)", "f(a,)", "f(,a)", ".a", "this.this", "super", "A.super", "class", "int", "int.a", "<T>f()", "a.<T>", "new A()()"}},
	{"literals", expression,
		[]string{"0, 7, 1_000, 0x1F, 0Xf_fL, 0b1_0, 017, 0_7, 00, 1l, 0L, 0x8000_0000", "1., .5, 1.5, 1e9, 1E-9f, 1f, 1D, 0f, 09.5, 1_0.0_1e1_0, 0x1p3, 0x1.8P-3f, 0x.8p0, 0x1.p1", `'a', '\'', '"', '\\', '\n', '\0', '\377', '\u0041', '\uuu0041', 'é', '¶'`,
			`"", "a", "\"", "\\", "\t\0\12\377 'é' 日本 😀", "//", "/* */"`, "\"\"\"\n\"\"\", \"\"\" \t\n  a \"b\" \"\"c \\\"\"\" \\\n \\t\n  \"\"\"", "true, false, null"},
		[]string{"08", "1__", "1_", "_", "0x", "0xG", "0b", "0b2", "0b12", "1e", "1e+", "0x1.8", "0x1p", "1a", "1.e", "1..2", "''", "'ab'", "'", `'\x'`, "'\n'", `"a`, `"\q"`, "\"a\nb\"", `"\u12"`, `"""a"""`, "\"\"\"\n\"\"", "#", "`a`", "a \\ b", "“a”"}},
	{"comments and names", expression,
		[]string{"/**/a/***/+/* * / */b// c\n", "a/*/ b */", "$, $a, _a, a1, é, été, 名前, __, λx", "a /* \" */ + /* ' */ b // \"\n"},
		[]string{"/*/", "/* */ */", "a /* b", "1x", "a-", "a@b", "a#", "class", "enum", "null.", "a // b"}},
}

// inFrame puts a small text where a frame has its dots.
func inFrame(frame, text string) string { return strings.Replace(frame, "...", text, 1) }

func TestJavaCases(t *testing.T) {
	for _, c := range javaCases {
		for _, text := range c.valid {
			if err := javaRecognizer(t).Check([]byte(inFrame(c.frame, text))); err != nil {
				t.Errorf("%s: %s: %v", c.topic, text, err)
			}
		}
		for _, text := range c.broken {
			if javaRecognizer(t).Check([]byte(inFrame(c.frame, text))) == nil {
				t.Errorf("%s: accepted %s", c.topic, text)
			}
		}
	}
}

// javaDifferences are texts on which the grammar differs from the language, as its head says: wider
// are no Java, but taken; narrower are Java by the specification's grammar, but refused.
var javaDifferences = []struct {
	why, frame      string
	wider, narrower []string
}{
	{"modifiers are not checked", member, []string{"public public int a;", "transient class D {}", "default D() {}"}, nil},
	{"constructors are not checked", member, []string{"f() {}", "interface I { I() {} }"}, nil},
	{"restricted names of types", member, []string{"void f(record a) {}", "List<yield> a;"}, nil},
	{"reserved words without a use", statement, []string{"goto a;", "int const = 1;"}, nil},
	{"white space inside operators", expression, []string{"a > > b", "a > >= b"}, nil},
	{"white space inside non-sealed", unit, []string{"non - sealed class C extends D {}"}, nil},
	{"shift assignments to anything", statement, []string{"f() >>= 1;", "a = b + c >>>= 2;"}, nil},
	{"the end of a generic reference", expression, []string{"a, b > ::new", "a, b >> ::c"}, nil},
	{"chained comparisons, which have no type", expression, nil, []string{"a < b < c", "a < b > c"}},
	{"references as operands, which have no type", expression, nil, []string{"A::b.c", "A::b[1]"}},
	{"generic references outside of argument lists", statement, nil, []string{"a = A<B, C>::new;", "a = A<B>.C::new;"}},
	{"parenthesised variables", statement, nil, []string{"(a) = b;", "(a.b) += c;"}},
	{"modules", unit, nil, []string{"module a.b { requires c; }"}},
	{"Unicode escapes outside of literals", statement, nil, []string{`\u0069nt a;`}},
	{"annotated dimensions", member, nil, []string{"int @A [] a;", "void f(int @A ... a) {}"}},
}

func TestJavaDifferences(t *testing.T) {
	for _, c := range javaDifferences {
		for _, text := range c.wider {
			if err := javaRecognizer(t).Check([]byte(inFrame(c.frame, text))); err != nil {
				t.Errorf("%s: no longer taken, so it belongs to javaCases: %s: %v", c.why, text, err)
			}
		}
		for _, text := range c.narrower {
			if javaRecognizer(t).Check([]byte(inFrame(c.frame, text))) == nil {
				t.Errorf("%s: now taken, so it belongs to javaCases: %s", c.why, text)
			}
		}
	}
}
