package languages_test

import (
	"strconv"
	"strings"
	"testing"

	"gcdbench/grammar/recognizer"
	"gcdbench/harness/judges"
)

const javaSamples = "../../datasets/samples/java"

func javaRecognizer(t *testing.T) *recognizer.Recognizer { return embedded(t, "java") }

// TestJavaConflicts checks that the only conflicts are those that the head of the grammar explains:
// each is named by the rule that is not reduced and the terminal that is shifted instead.
func TestJavaConflicts(t *testing.T) {
	explained := map[string]bool{
		`if_statement "else"`:            true, // dangling else
		`chain ">"`:                      true, // end of type arguments, or a shift operator
		`chain "<"`:                      true, // nested type arguments; a < b < c is refused
		`restricted_identifier STEP`:     true, // yield ++a; yield++; is refused
		`indexable ")"`:                  true, // (record) may become the head of a lambda
		`constructor_modifiers "module"`: true, // a module declaration
		`constructor_modifiers "open"`:   true,
	}
	// A module's name.
	for _, first := range []string{"CAPITALIZED", "IDENTIFIER", `"exports"`, `"module"`, `"non"`, `"open"`, `"opens"`, `"permits"`, `"provides"`, `"record"`,
		`"requires"`, `"sealed"`, `"to"`, `"transitive"`, `"uses"`, `"var"`, `"when"`, `"with"`, `"yield"`} {
		explained["uncapitalized "+first] = true
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
	checkCorpus(t, javaRecognizer(t), "../../../shared/data/java-dev.jsonl.gz")
}

// What a small text stands for; it takes the place of the dots.
const (
	unit       = "..."
	member     = "class C { ... }"
	statement  = "class C { void m() { ... } }"
	expression = "class C { void m() { x = f(...); } }"
)

// javaCases are small texts by topic, with the verdict of the grammar in the language's
// specification, whose sections the topics name. All valid ones pass a Java 25 compiler's parser; a
// few broken ones do as well, and are refused after it (such as old and new labels in one switch).
// javaDifferences has what the grammar takes otherwise.
var javaCases = []struct {
	topic, frame  string
	valid, broken []string
}{
	{"compilation units (7.3 to 7.6)", unit,
		[]string{"", ";", "package a.b;", "@A package a;", "package record.open; import a.b; import static a.b.*; import record.module;", "import a.b; class C {}; interface D {}",
			"// only a comment", "/* a *//**/", "class C {} // no line end", "\fclass C\r\n{}\r"},
		[]string{"package a", "import a.;", "import *;", "class C", "class {}", "int x", "class C {} }", "/* a", "import class a;", "package a; package b;", "import a;", "import static a;",
			"import a.b;;import c.d;", "public package a;", "@A public package a;"}},
	{"module imports (7.5.5)", unit,
		[]string{"import module a;", "import module a.b; import c.d;", "import module.a; import module.*;", "import module module;", "import static module.a;"},
		[]string{"import module;", "import module a.*;", "import static module a;", "import module a b;"}},
	{"modules (7.7)", unit,
		[]string{"module a {}", "open module a.b {}", "import a.b; @A @B(1) module c { }", "module m { requires a; requires transitive b.c; requires static d; requires static transitive e; requires transitive static f; }",
			"module m { requires transitive; requires transitive.a; requires static transitive; }", "module m { exports a; exports a.b to c, d.e; opens f to g; opens h; uses i.J; provides k.L with m.N, o.P; }",
			"open module open { requires module; exports to to to; provides with with with; }"},
		[]string{"module {}", "module a;", "open a {}", "public module a {}", "module a { } class B {}", "class B {} module a { }", "module a { requires; }", "module a { requires static static b; }", "module a { exports b to; }", "module a { uses b, c; }",
			"module a { provides b; }", "module a { import b.c; }", "module a { ; }", "package p; module a {}"}},
	{"compact source files (7.3, 8.1.8)", unit,
		[]string{"void main() {}", "int x = 1; void main() { } class C {} enum E { A } ;", "import a.b; static final String S = null, t; @A private <T> T f(T t) { return t; }", "when x; void main() {} module y;"},
		[]string{"main() {}", "{ }", "static { }", "package a; int x", "void main() {} import a.b;", "f();", "x = 1;", "void main() {} package a;"}},
	{"input elements (3.2, 3.5)", unit,
		[]string{"class C {}\x1a", "\x1a", "module a {}\n\x1a", "// a comment\n\x1a"},
		[]string{"\x1aclass C {}", "class \ufeffC {}", "\ufeff\ufeff", "class C {\x1a}", "class C {}\x1a\x1a"}},
	{"contextual keywords (3.9)", statement,
		[]string{"var var = 1; when when = when(); module m = open.module(); exports x; requires y, transitive; with.to(uses, provides, opens);", "x(); record R() {}", "permits = sealed + record; sealed.x = var[1]; record(x); permits(); sealed(); var(1);",
			"a = (record) -> record -> 1; b = (sealed, permits) -> (yield) -> 2; c = record::x; record++; (record)[1] = 2; record: sealed: break sealed;"},
		[]string{"record r = 1;", "sealed s;", "permits p;", "List<var> l;", "record[] r;", "x = new record();", "x = (var) y;", "yield(1, 2);", "x = yield(1);", "class record {}", "enum sealed {}", "interface permits {}", "class yield {}", "class var {}", "class A<var> {}", "record record() {}"}},
	{"unnamed variables (6.1, 14.4.2)", statement,
		[]string{"int _ = 1; var _ = f(); final A<B> a = b, _ = c;", "for (var _ : x) ; for (A _ : x) ; for (int i = 0, _ = f(); ; ) ;", "try (var _ = a(); final B _ = c) { } catch (D | E _) { }", "f(_ -> 1, (_) -> 2, (_, a) -> 3, (a, _) -> 4, (int _, A _) -> 5, (var _) -> 6);"},
		[]string{"int _;", "_ = 1;", "f(_);", "_.x();", "int _[] = a;", "_: x();", "int a, _;", "class _ {}", "void _() {}", "x._ = 1;", "_++;", "return _;", "x = (_);", "x = (_) + 1;", "break _;"}},
	{"local variable types (14.4)", statement,
		[]string{"var x = 1; final var y = f(); @A var z = (var) -> var;", "for (var i = 0; ; ) ; for (final var x : y) ; try (var a = b) { }", "a = (var b, final var c) -> d;"},
		[]string{"var x = 1, y = 2;", "var x[] = y;", "var[] x = y;", "var x = {1};", "var<A> x = y;"}},
	{"type patterns (14.30.1)", expression,
		[]string{"a instanceof B b && b.c()", "a instanceof final B b", "a instanceof @C final B<D, E> b", "a instanceof B _", "a instanceof B[] b", "a instanceof @C B", "a instanceof a.@C B b", "a instanceof int i", "!(a instanceof B b) || c"},
		[]string{"a instanceof final B", "a instanceof var b", "a instanceof _", "a instanceof B b c", "a instanceof null"}},
	{"record patterns (14.30.1)", expression,
		[]string{"a instanceof B(C c)", "a instanceof B()", "a instanceof B(var c, final D<E> d, _, F(int g, G()))", "a instanceof B<C>(D d) && d.e()", "a instanceof b.C<D, E>(_)", "a instanceof B.C<D>.E(var f) ? f : g"},
		[]string{"a instanceof B(c)", "a instanceof B(C)", "a instanceof B(C c,)", "a instanceof B(C c) d", "a instanceof B[](C c)", "a instanceof final B(C c)", "a instanceof int(C c)", "a instanceof (B b)", "a instanceof B(C c = d)", "a instanceof B(1)"}},
	{"patterns of cases (14.11.1)", statement,
		[]string{"switch (a) { case B b -> c(); case D(int e, var f) -> g(); case H() -> i(); default -> { } }", "switch (a) { case B b: c(); break; case D<E>(_): default: }", "switch (a) { case B _, C _ -> d(); case E(_), F() when g -> h(); }", "switch (a) { case final @X B b -> c(); case B[] b -> c(); case int[] i -> d(); }",
			"switch (a) { case null -> b(); case null, default -> c(); }", "switch (a) { case null: b(); case null, default: }", "x = switch (a) { case B.C d when d.e > 1 && !f -> g; case H h when (i) -> j; case K k when l ? m : n -> o; default -> p; };",
			"switch (when) { case when when when when -> when(); }", "switch (when) { case when: case when.when: }", "switch (a) { case A a when b instanceof C c -> d(); case E e when f.g(h -> i) -> j(); }"},
		[]string{"switch (a) { case B b, 1 -> c(); }", "switch (a) { case 1, B b -> c(); }", "switch (a) { case 1 when b -> c(); }", "switch (a) { default when b -> c(); }", "switch (a) { case 1, default -> c(); }", "switch (a) { case default -> c(); }", "switch (a) { case default, null -> c(); }",
			"switch (a) { case null, 1 -> c(); }", "switch (a) { case B b when -> c(); }", "switch (a) { case _ -> c(); }", "switch (a) { case var b -> c(); }", "switch (a) { case B(c) -> d(); }", "switch (a) { case final B(C c) -> d(); }"}},
	{"type declarations (8.1, 8.9, 8.10, 9.1)", unit,
		[]string{"class C<T extends A & B<T>, U> extends D<T>.E<U> implements F, G<H[]> {}", "interface I<T> extends J, K {}",
			"public abstract sealed class C permits D, E.F {}", "non-sealed class C extends D {}", "sealed interface I permits J {}", "@A sealed public @B interface I extends J permits K {}", "sealed class C {}",
			"enum E {}", "enum E { A, B(1) { int x; }, @D C, ; int y; E() {} }", "enum E { , }", "enum E { ; }", "enum E implements I { A, }",
			"record R() {}", "record R<T>(int x, @A T... y) implements I { R { } static int z; }", "@interface A { int x() default 1; B[] y() default {@B, @C(1)}; }"},
		[]string{"class C extends A, B {}", "class C implements {}", "class C<> {}", "class C<int> {}", "enum E { A B }", "enum E { A; B }", "record R {}", "record R(int) {}",
			"sealed int C {}", "interface I implements J {}", "class C permits {}", "non class C {}", "sealed enum E {}", "@interface A(int x) {}", "class record {}", "sealed class C permits D<E> {}", "record R(final int x) {}", "record R(int x[]) {}",
			"sealed class C permits @A D {}", "non-sealed @interface A {}"}},
	{"modifiers (8.1.1, 8.3.1, 8.4.3, 8.8.3)", member,
		[]string{"@A public @B static final @C int a;", "final static private int a;", "strictfp synchronized final static protected void f() {}", "public transient volatile int a;", "abstract strictfp class D {}", "native public int f();", "public @A @interface B {}", "@A static @interface B {}", "@interface B {}",
			"@A public @B C() {}", "protected <T> C(T t) {}", "private @A C() throws D {}"},
		[]string{"public public int a;", "static static {}", "final final int a;", "public private int a;", "abstract final class D {}", "private public void f() {}", "static @A C() {}", "final C() {}", "public static C() {}", "synchronized C() {}", "native native int f();", "volatile volatile int a;", "default D() {}", "sealed int a;"}},
	{"bodies (8.1.7, 8.8, 8.10.4, 9.1.5, 15.9.5)", unit,
		[]string{"class C { { } static { } C() { } }", "enum E { A { { } int x; }; E() { } }", "record R(int x) { R { } R() { this(1); } public R { } static { } int f() { return 1; } }", "interface I { int a = 1; void f(); class C { C() { } } }", "class C { Object o = new D() { { e(); } int x; }; }"},
		[]string{"interface I { I() { } }", "interface I { { } }", "interface I { static { } }", "@interface A { A() { } }", "record R(int x) { { } }", "record R(int x) { R throws E { } }", "record R(int x) { R { return x; } }", "class C { C { } }", "class C { D e = new D() { f() { } }; }", "enum E { A { f() { } } }", "f() { }", "class C { f() { } }", "class C { public f() { } }", "enum E { ; e() { } }", "class c { public C() { } }"}},
	{"receivers (8.4, 8.8.1)", member,
		[]string{"void f(C this) {}", "void f(@A C<D> this, int x, E... y) {}", "C(A A.this) {}", "C(A.B A.B.this, int x) {}"},
		[]string{"void f(int x, C this) {}", "void f(this) {}", "void f(C super) {}", "void f(C this.a) {}", "void f(C this...) {}"}},
	{"constructor bodies (8.8.7)", member,
		[]string{"C() { this(1); }", "C() { int x = 1; check(x); super(x); y = x; }", "C(A a) { a.super(); }", "C(A a) { z = 1; a.b().<T>super(2); }", "C() { if (a) throw b; this(c); }", "C() { if (a) return; f(() -> { return b; }); return; }"},
		[]string{"C() { return 1; }", "C() { this(); return x; }", "C() { super; }", "C() { this(); }}", "C() { super()() ; }", "C() { super(); "}},
	{"annotated types (4.3, 4.5.1, 9.7.4, 10.2)", member,
		[]string{"java.util.@A List<@B String> a; A.@B C d; A<B>.@C D<E> f;", "int @A [] a; int @A [] @B [] b; String[] @A [][] c; List<String> @A [] d; a.@B C @D [] e;", "int a @A [], b[] @B [] = {}; int f() @A [] { return null; }", "void f(int @A ... a) {}", "void f(String[] @A [] @B(1)... a) {}", "void f(A.@B C<D> @E ... a) {}",
			"<@A T extends @B C & @D E<@F G>> @H T f() {}", "void f() throws @A B, c.@D E {}", "class D extends @A E.@B F implements @G H<@I ?, @J ? extends @K L> {}", "Map<@A String, @B int @C []> m;", "void f(final @A int @B [] a) {}", "List<int @A []> a; List<a.@B C> b; List<A @B []> c;"},
		[]string{"int a @A;", "a @A .b c;", "int @A a;", "A @B C d;", "int[@A] a;", "int [] a [@B];", "List<@A> a;", "A.@B void f() {}", "int @ [] a;", "void f(int... @A a) {}", "import @A b;"}},
	{"annotated types in expressions (9.7.4, 15)", expression,
		[]string{"new @A B()", "new a.@A B<>(c) { }", "new A<B>.@C D()", "a.new @A B<>()", "new @A int[1]", "new int @A [1] @B [2] @C []", "new int @A [] @B [] {{1}}", "new A @B [1].length", "(@A B) c", "(@A int) -c", "(@A B[]) c", "(a.@B C<D>) e", "(@A B & @C D) e", "(int @A []) b", "(A @B [] @C []) d", "(@A B c) -> d", "(@A final B c, @D E e) -> f", "(final @A B c) -> d",
			"@A B::new", "@A B<C>[]::new", "int[]::clone", "int[]::<T>f", "A<?>[]::clone", "A[][]::clone"},
		[]string{"@A", "@A b", "@A B()", "@A b.c", "(@A) b", "(@A B)", "a @B", "a.@B", "a.@B c", "new @A", "new int @A", "new int[1] @A {1}", "(@A b + c)", "@A (B) c"}},
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
	{"generic references in declarations (14.4, 15.13)", statement,
		[]string{"A a = B<C, D>::new;", "final A a = b < c, d = B<C, D>::new, g = h;", "A a = B<C, D<E>>::new;", "A a = b -> B<C, D<E<?>>>::c, f;"},
		[]string{"A a = B<C, D>::;", "A a = B<C, D>;", "A a = B, C>;"}},
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

// TestJavaCasesByJavac checks that javac's parser takes the valid texts, too.
func TestJavaCasesByJavac(t *testing.T) {
	judge, err := judges.OfLanguage("java", judges.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer judge.Close()
	if _, err := judge.Judge(t.Context(), nil); err != nil {
		t.Skip(err)
	}
	major, _, _ := strings.Cut(judge.Version(), ".")
	if version, err := strconv.Atoi(major); err != nil || version < 25 {
		t.Skipf("javac is of version %s; set JAVA_HOME to a JDK of version 25 or later", judge.Version())
	}
	for _, c := range javaCases {
		for _, text := range c.valid {
			if v, err := judge.Judge(t.Context(), []byte(inFrame(c.frame, text))); err != nil || !v.Valid {
				t.Errorf("%s: %s: %v %v", c.topic, text, v.Why, err)
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
	{"modifiers are not checked against what they modify", member, []string{"transient class D {}", "volatile void f() {}", "strictfp int a;"}, nil},
	{"modifiers that are repeated, but not in a row", member, []string{"public static public int a;", "static @A static int a;"}, nil},
	{"constructors that are not called as their class, but begin alike", member, []string{"D() {}", "public D(int a) { if (a > 0) return a; }", "record R(int a) { f() {} }", "class c { d() {} }"}, nil},
	{"permits without sealed", unit, []string{"class C permits D {}", "non-sealed interface C permits D {}"}, nil},
	{"operands of statements", statement, []string{"switch (a) { default -> b + c; }"}, nil},
	{"fields that need more", unit, []string{"record R() { int a; }", "interface I { int a; }"}, nil},
	{"a compact source file without a method", unit, []string{"int x;"}, nil},
	{"members of a unit with a package", unit, []string{"package a; int x; void f() { }"}, nil},
	{"a byte order mark", unit, []string{"\ufeff", "\ufeffclass C {}", "\ufeffmodule a {}\n\x1a"}, nil},
	{"white space after Control-Z", unit, []string{"class C {}\x1a\n"}, nil},
	{"kinds of lambda parameters", expression, []string{"(var a, B c) -> d"}, nil},
	{"dimensions after the name in a pattern", expression, []string{"a instanceof B(C c[])"}, nil},
	{"yield as an operand at the start of a statement", statement, nil, []string{"yield++;", "yield--;"}},
	{"restricted identifiers at the head of a type", statement, nil, []string{"record.A b;", "x = new sealed.A();"}},
	{"types called module or open at the head of a unit", unit, nil, []string{"module x; void main() {}", "open module; void main() {}"}},
	{"guards that assign", statement, nil, []string{"switch (a) { case B b when c = d -> e(); }"}},
	{"constants that begin with a call, a comparison or a condition", statement, nil, []string{"switch (a) { case \"b\".c() -> d(); }", "switch (a) { case B < C -> d(); }", "switch (a) { case B ? 1 : 2 -> d(); }"}},
	{"reserved words without a use", statement, []string{"goto a;", "int const = 1;"}, nil},
	{"white space inside operators", expression, []string{"a > > b", "a > >= b"}, nil},
	{"white space inside non-sealed", unit, []string{"non - sealed class C extends D {}"}, nil},
	{"shift assignments to anything", statement, []string{"f() >>= 1;", "a = b + c >>>= 2;"}, nil},
	{"the end of a generic reference", expression, []string{"a, b > ::new", "a, b >> ::c"}, nil},
	{"chained comparisons, which have no type", expression, nil, []string{"a < b < c", "a < b > c"}},
	{"references as operands, which have no type", expression, nil, []string{"A::b.c", "A::b[1]"}},
	{"generic references outside of argument lists and declarations", statement, nil, []string{"a = A<B, C>::new;", "return A<B, C>::new;", "a = A<B>.C::new;", "x = (a, b) -> A<B, C[]>::new;"}},
	{"the end of a generic reference as a declarator", statement, []string{"int a = b, c > ::d;"}, nil},
	{"parenthesised variables", statement, nil, []string{"(a) = b;", "(a.b) += c;"}},
	{"Unicode escapes outside of literals", statement, nil, []string{`\u0069nt a;`}},
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
