package gbnf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/grammar/gbnf"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// compile reads and compiles a grammar.
func compile(t *testing.T, file, text string) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(gbnf.Parse(t.Context(), file, []byte(text), ""))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return r
}

// check checks texts that a grammar has, and others that it has not.
func check(t *testing.T, r *recognizer.Recognizer, accepted, refused []string) {
	t.Helper()
	for _, text := range accepted {
		if err := r.Check([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range refused {
		if r.Check([]byte(text)) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestNotation(t *testing.T) {
	for _, c := range []struct {
		about, grammar    string
		accepted, refused []string
	}{
		{"alternatives, of which one may be empty", `root ::= "a" | | "bc"`, []string{"a", "", "bc"}, []string{"b", "abc"}},
		{"repeats", `root ::= "a"* "b"+ "c"?`, []string{"b", "aabbc", "bc"}, []string{"", "a", "bcc"}},
		{"counted repeats", `root ::= "a"{2} [b]{1,} "c"{0,2} "d"{,1}`, []string{"aab", "aabbccd"}, []string{"ab", "aa", "aabccc", "aabdd"}},
		{"repeats of repeats", `root ::= ("a"{2}){1,2}`, []string{"aa", "aaaa"}, []string{"a", "aaa", "aaaaaa"}},
		{"a repeat is that of the element before it", `root ::= "ab"{2} "c"`, []string{"ababc"}, []string{"abbc"}},
		{"classes", `root ::= [a-c\]\-x] [^a-c\n] [-a] [b-]`, []string{"]x-b", "bé--", "-😀a-"}, []string{"da-b", "ab-b", "a\n-b"}},
		{"any character", `root ::= . "." `, []string{"a.", "\n.", "é."}, []string{".", "ab", "\xff."}},
		{"escapes", `root ::= "\x41\u00e9\U0001F600\n\t\r\\\"" [\x30-\x32]`, []string{"Aé😀\n\t\r\\\"1"}, []string{"Aé😀\n\t\r\\\"3"}},
		{"comments and lines", "# first\nroot ::= # here\n  \"a\"\n  | \"b\" # there\n\n\nx-y_1 ::= \"#\"", []string{"a", "b"}, []string{"#"}},
		{"recursion of any kind", `root ::= root "a" | "(" root ")" | "" `, []string{"", "aa", "(a)a", "((a)aa)"}, []string{"(", "a(a)"}},
		{"cycles and empty rules", `root ::= x root | y
x ::= | x
y ::= "a" | root`, []string{"a"}, []string{"", "aa"}},
		{"tokens, and any text up to one", "root ::= <think> thinking </think> [a-z]*\nthinking ::= !</think>*", []string{"\xff<think>\xfe\xff</think>\xfea", "\xff<think>\xfe</think>\n\xff</think>\xfe"},
			[]string{"<think></think>", "\xff<think>\xfea", "\xff<think>\xfe\xff<think>\xfe\xff</think>\xfe"}},
		{"a text may be cut in many ways", `root ::= ([a-z]+)+ "end"`, []string{"aend", "endend", "endend"}, []string{"end", "aendx"}},
	} {
		t.Run(c.about, func(t *testing.T) { check(t, compile(t, "test.gbnf", c.grammar), c.accepted, c.refused) })
	}
}

// TestTwoNotations has what means one thing in XGrammar's files and another in llama.cpp's, or
// nothing.
func TestTwoNotations(t *testing.T) {
	for _, c := range []struct {
		about, file, grammar string
		accepted, refused    []string
	}{
		{"two digits behind an x", "a.gbnf", `root ::= "\x41BC" [\x300]`, []string{"ABC0", "ABC00"[:4]}, []string{"䆼0", "ABC\u0300"}},
		{"any number of digits", "a.ebnf", `root ::= "\x1F600" [\x41-\x43] "\x9"`, []string{"😀B\t"}, []string{"\x1f600B\t"}},
		{"control characters", "a.ebnf", `root ::= "\a\b\e\f\v\0\/\'\?"`, []string{"\a\b\x1b\f\v\x00/'?"}, []string{"abefv0/'?"}},
		{"signs in classes", "a.ebnf", `root ::= [\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/\-] [^\-\]]`, []string{"^a", "$b", "\\.", "-|", "]["}, []string{"a^", "^-", "^]"}},
		{"all characters but none", "a.ebnf", `root ::= [^] [^] ( )`, []string{"a\n", "é😀"}, []string{"a", "abc"}},
		{"dots in names", "a.ebnf", `root ::= a.b a.b-1
a.b ::= "x"
a.b-1 ::= "y"`, []string{"xy"}, []string{"xx", "x"}},
		{"a dot behind a name", "a.gbnf", `root ::= a.a
a ::= "x"`, []string{"xzx"}, []string{"xx"}},
		{"how tokens are drawn", "a.ebnf", "root ::= \"=\" value [a] value\nvalue[temperature=0.7] ::= [a-c]+\n", []string{"=bac", "=aaa"}, []string{"=b", "=bc"}},
		{"an empty text", "a.ebnf", `root ::= sign [0-9]{2,3} end{0}
sign ::= "" | "+" | "-"
end ::= "!"`, []string{"12", "-123"}, []string{"1", "12!", "--12"}},
		{"two operators", "a.ebnf", `root ::= ("a"+)+ ("b"*)?`, []string{"a", "aabb"}, []string{"", "b"}},
		{"options of a rule", "a.ebnf", "root ::= v (\",\" v)*\nv[capture = \"a]b\", temperature=0.7] ::= [0-9]+", []string{"1,22"}, []string{"1,"}},
		{"the shortest texts of a rule", "a.ebnf", "root ::= \"<\" n \">\" e r\nn[lazy] ::= [a-z]+ | \"0\" [1-9]\nr ::= [a-z]+\ne[lazy] ::= \"x\"*", []string{"<a>b", "<01>b"}, []string{"<ab>b", "<0>b"}},
		{"what follows", "a.ebnf", "root ::= a (\"b\" | \"c\")\na ::= \"x\" (= \"b\" | d)\nd ::= \"d\"", []string{"xb", "xc"}, []string{"xd", "x"}},
		{"regular expressions", "a.ebnf", `root ::= "a" Regex("[0-9]{2}|x*") Regex("^\\d\\s.$") Regex("hé.", flags="i") ()`, []string{"aax1 éHéz"[1:], "a127\t\nhéé", "a1 \nhé1"}, []string{"a11 xhéz", "a1 xhÉz", "a1 xhé\n", "a١ xhéz"}},
		{"regular expressions in strings of JSON", "a.ebnf", `root ::= Regex("\\S+|[^a]", json_string=true,)`, []string{"éab", " "}, []string{"a\"b", "a\\b", "\n", ""}},
		{"chunks in a row", "a.ebnf", `root ::= "<" Substring("abc", "de", "", "fg") Substring() ">"`, []string{"<>", "<abcde>", "<defg>"}, []string{"<abcfg>", "<ab>"}},
		{"tags in free text", "a.ebnf", "root ::= TagDispatch((\"<a>\", r), (\"<b>\", s), loop_after_dispatch=true)\nr ::= \"1</a>\"\ns ::= [^]", []string{"", "<", "x<a>1</a>y<b><<", "<a>1</a><a>1</a>"}, []string{"<a>", "x<a>2", "<b>"}},
		{"one tag, and text that may not come", "a.ebnf", "root ::= t \"!\"\nt ::= TagDispatch((\"<a>\", r), excludes=(\"!\",), loop_after_dispatch=false)\nr ::= \"1\"", []string{"!", "x!", "<a>1!"}, []string{"x!!", "<a>1x!", "<a>!"}},
		{"tags that overlap", "a.ebnf", "root ::= TagDispatch((\"ab\", r), (\"bc\", s), (\"xbc\", t))\nr ::= \"1\"\ns ::= \"2\"\nt ::= \"3\"", []string{"ab1", "ybc2", "xbc3"}, []string{"abc2", "xbc2"}},
		{"tokens by number", "a.ebnf", "root ::= Token(7) [a-z]* Token(8, 9)", []string{"\xff<[7]>\xfea\xff<[8,9]>\xfe"}, []string{"a", "\xff<[7]>\xfe"}},
		{"tokens in free text", "a.ebnf", "root ::= TokenTagDispatch((7, r), excludes=(8,))\nr ::= \"1\"", []string{"", "a\xff<[7]>\xfe1b\xff<[7]>\xfe1"}, []string{"\xff<[7]>\xfe", "a\xff<[8]>\xfe"}},
		{"a quoted string, piece by piece", "a.ebnf", `root ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f] | "\\" ( ["\\/bfnrt] | "u" [0-9A-Fa-f]{4} )`, []string{`""`, `"a\n\u00e9"`}, []string{`"`, `"\x"`, "\"\n\""}},
	} {
		t.Run(c.about, func(t *testing.T) { check(t, compile(t, c.file, c.grammar), c.accepted, c.refused) })
	}
	for text, want := range map[string]string{
		"root ::= a\na[max_tokens=3] ::= \"x\"":                      "2:1: the option max_tokens is XGrammar's alone",
		"root ::= a\na[eager] ::= \"x\"":                             "2:1: a rule has no option eager",
		"root ::= a\na[lazy] ::= \"(\" a \")\" | \"x\"":              "2:1: the shortest texts of the lazy rule a",
		"root ::= ExcludeToken(1)":                                   "1:10: ExcludeToken names nearly all tokens",
		`root ::= Regex("a(")`:                                       `1:10: Regex("a("): `,
		`root ::= Regex("a", "b")`:                                   "1:10: Regex has one pattern",
		`root ::= Regex("a", flags="x")`:                             "the flags of Regex are i, s and u",
		`root ::= Regex("a", json_string=1)`:                         "json_string is true or false",
		`root ::= Regex("a" "b")`:                                    "1:20: expected a comma",
		`root ::= Regex(`:                                            "found the end of the file",
		`root ::= Substring("a", b=1)`:                               "Substring has no argument b",
		`root ::= Substring(a)`:                                      "1:20: expected a string",
		`root ::= Token()`:                                           "1:10: expected the id of a token",
		`root ::= Token(x)`:                                          "1:16: expected the id of a token",
		"root ::= TagDispatch((\"a\", b), (\"xay\", b))\nb ::= \"\"": "text up to \"xay\" of TagDispatch((\"a\", b), (\"xay\", b)): another tag",
		`root ::= TagDispatch("a")`:                                  "1:22: expected a tag and the name of a rule in brackets",
		`root ::= TagDispatch(("a", "b"))`:                           "1:22: expected a tag and the name of a rule in brackets",
		`root ::= TagDispatch(("a", b))`:                             "there is no rule b",
		`root ::= TokenTagDispatch((1, b), excludes=(x))`:            "expected the id of a token",
	} {
		if _, err := gbnf.Parse(t.Context(), "a.ebnf", []byte(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := gbnf.Parse(t.Context(), "a.gbnf", []byte("root ::= a\nb[temperature=1] ::= \"x\"\na ::= \"y\""), ""); err == nil {
		t.Error("a temperature is read in a file of llama.cpp's")
	}
	if _, err := gbnf.Parse(t.Context(), "a.ebnf", []byte("a ::= b | c\nb ::= b \"x\" | \"\"\nc ::= b\nd ::= \"\""), ""); err == nil || !strings.Contains(err.Error(), "it may be a, d") {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ grammar, want string }{
		{``, "1:1: the grammar does not define its start rule, root"},
		{`a ::= "x"`, "it may be a"},
		{`root ::= x-1`, "1:10: there is no rule x-1"},
		{"root ::= my_rule\nmy-rule ::= \"\"", "did you mean my-rule?"},
		{"root ::= \"a\"\nroot ::= \"b\"", "2:1: rule root is defined twice"},
		{`root ::= "a`, "1:10: this is not closed"},
		{`root ::= "a\q"`, "1:12: unknown escape"},
		{`root ::= "\u00g0"`, `1:11: \u wants 4 hexadecimal digits`},
		{`root ::= "\ud800"`, "of a Unicode character"},
		{`root ::= [z-a]`, "the wrong way round"},
		{`root ::= ("a"`, "1:10: this bracket is not closed: found the end of the file"},
		{`root ::= "a")`, "1:13: this bracket closes none"},
		{`root ::= "a"{3,2}`, "1:13: this is no repeat"},
		{`root ::= "a"{x}`, "this is no repeat"},
		{`root ::= * "a"`, "1:10: expected an element, found '*'"},
		{`"a"`, "expected a rule"},
		{`root = "a"`, "expected a rule"},
		{`root ::= "a" <[*]>`, "1:14: <[*]> names nearly all tokens"},
		{`root ::= "a" <[^5]>`, "1:14: <[^5]> names nearly all tokens"},
		{`root ::= "a" !<think>`, "1:14: !<think> is one token of any length, as llama.cpp allows it"},
		{`root ::= !"a"`, "1:11: expected a token in angle brackets"},
		{`root ::= <think`, "1:10: expected a token in angle brackets"},
		{`root ::= "a" (= "b")`, "1:14: a lookahead assertion (= ...) is XGrammar's alone"},
		{`root ::= TagDispatch(("a", root))`, "macro that XGrammar alone has"},
		{`root ::= "a"{1000}{1000}`, "the grammar is too large"},
		{`root ::= ` + strings.Repeat("(", 2000), "nested more than 1000 deep"},
		{"root ::= \"\xff\"", "byte 0xff is not UTF-8"},
		{"root ::= \"é\" x", "1:14: there is no rule x"},
	} {
		_, err := gbnf.Parse(t.Context(), "test.gbnf", []byte(c.grammar), "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, want %q", c.grammar, err, c.want)
		}
	}
}

// TestFiles reads files of the kinds that come with llama.cpp, written anew.
func TestFiles(t *testing.T) {
	texts := map[string][2][]string{
		"arithmetic": {{"1 + 2*(x - 3) =5\n", "a=1\n(b)=2.5\n"}, {"1+=2\n", "1 + 2", "(1=1\n"}},
		"chess":      {{"1. e4 e5\n2. Nf3 Nc6\n", "1. O-O-O Qxd4#\n", "9. e8=Q+ R1a3\n"}, {"e4 e5\n", "1. e9 e5\n", "0. a1 a2\n"}},
		"english":    {{"Hello, world. It works!\n"}, {"hello.", "A"}},
		"japanese":   {{"これはカタカナ。漢字", "、"}, {"", "abc"}},
		"json":       {{`{"a": [1, -2.5e3, "\u00e9\n", null], "b": {}}`, " [ ] "}, {`{"a" 1}`, "[01]", `["` + "\n" + `"]`, "{,}"}},
		"list":       {{"- a\n- b c\n"}, {"- \n", "a\n", "- a"}},
		"program":    {{"int main() { return 0; }", "void f(int a, char b){// c\n x = a<=f(1+2, b)*3; while (x) { f(x); } }"}, {"int main() {", "intx() {}", "int f() { /* }"}},
		"records":    {{"[]", "[\n  {\"a\": 1, \"b\": null},\n  {\"c\": \"d\"}\n]"}, {"[ ]", "[\n  {}\n]"}},
	}
	files, err := filepath.Glob("testdata/*.gbnf")
	if err != nil || len(files) != len(texts) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".gbnf")
		t.Run(name, func(t *testing.T) {
			text := must.Get(os.ReadFile(file))(t)
			check(t, compile(t, file, string(text)), texts[name][0], texts[name][1])
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("root ::= \"a\" [b-c]{1,2} (x | .)?\nx ::= \"\\n\" # y")
	f.Add("root[lazy] ::= Regex(\"a|b*\", flags=\"i\") TagDispatch((\"<\", x), excludes=(\">\",)) x\nx ::= Token(1) (= root)")
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range []string{"fuzz.gbnf", "fuzz.ebnf"} {
			if g, err := gbnf.Parse(t.Context(), file, []byte(text), ""); err == nil && g.Validate() != nil {
				t.Errorf("%s was read, and is not valid", file)
			}
		}
	})
}
