package engines

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/gbnf"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/internal/special"
)

// dialectCases are grammars of the dialect of Lark that llguidance and XGrammar speak. Behind a
// text stand the verdicts: ours, llguidance's, XGrammar's; y, n, or - where the grammar is refused.
// A case whose verdicts differ says why; docs/lark.md has a line for it.
var dialectCases = []struct {
	grammar, why string
	verdicts     map[string]string
}{
	{"start: A\nA: /[a-c]+/ & ~/.*b.*/", "XGrammar has no &", map[string]string{"a": "yy-", "ca": "yy-", "b": "nn-"}},
	{"start: a \"!\"\na[suffix=\"x\"]: /(.|\\n)*/", "XGrammar takes a text without its suffix",
		map[string]string{"x!": "yyy", "aax!": "yyy", "axax!": "nnn", "a!": "nny"}},
	{"start: a \"!\"\na[suffix=/x|yy/]: /(.|\\n)*/", "", map[string]string{"x!": "yyy", "ayy!": "yyy", "ay!": "nnn"}},
	{"start: a \"b\"\na[lazy]: /[ab]+b/", "", map[string]string{"abb": "yyy", "aabb": "yyy", "ab": "nnn"}},
	{"start: a\na[stop=\"x\"]: /.*/", "stop takes the mark back", map[string]string{"ab": "-nn", "abx": "-yy"}},
	{"start: a\na[max_tokens=2]: /.*/", "a number of tokens, which XGrammar does not count", map[string]string{"ab": "-yy", "abc": "-ny"}},
	{"start: a\na[capture]: /[0-9]+/", "", map[string]string{"12": "yyy", "": "nnn"}},
	{"%lexer dynamic\nstart: \"a\"{2,3} \"b\"{,1}", "", map[string]string{"aa": "yyy", "aaab": "yyy", "aaaa": "nnn"}},
	{"start: \"<\" S \">\"\nS: %regex {\"substring_words\": \"a bc d\"}", "XGrammar has no substring_words",
		map[string]string{"<a bc>": "yy-", "<bc d>": "yy-", "<a d>": "nn-", "<>": "yy-"}},
	{"%llguidance {\"allow_initial_skip\": true}\nstart: \"a\" \"b\"\n%ignore \" \"", "each engine has its own directive; in llguidance no ignored text ends a text",
		map[string]string{"ab": "yy-", " a b": "yy-", " ab ": "yn-"}},
	{"%grammar_options {\"allow_initial_skip\": true}\nstart: \"a\" \"b\"\n%ignore \" \"", "each engine has its own directive",
		map[string]string{" a b": "y-y", " ab ": "y-y"}},
	{"start: \"a\" \"b\"\n%ignore \" \"", "in Lark, ignored text may begin a text", map[string]string{"ab": "yyy", "a b": "yyy", " ab": "ynn", "ab ": "yny"}},
	{"start: <think> /[a-z ]+/ </think> \"x\"", "", map[string]string{"<think>ab</think>x": "yyy", "abx": "nnn"}},
	{"start: <[257]> \"x\" <[258]>", "", map[string]string{"<think>x</think>": "yyy", "<think>x<think>": "nnn", "x": "nnn"}},
	{"start: <think> <[*]> </think>", "a language is of texts", map[string]string{"<think>a</think>": "-yy", "<think>ab</think>": "-nn"}},
	{"start: <think> <[^258]>* </think>", "a language is of texts", map[string]string{"<think>ab</think>": "-yy", "<think>": "-nn"}},
	{"start: \"a\" %json {\"type\": \"boolean\"} \"b\"", "", map[string]string{"atrueb": "yyy", "ab": "nnn"}},
	{"start: \"a\" %lark {\n start: N\n N: /[0-9]+/\n} \"b\"", "", map[string]string{"a12b": "yyy", "ab": "nnn"}},
	{"start: Ab\nAb: \"x\"", "only XGrammar has such names", map[string]string{"x": "--y"}},
	{"start: \"\\/\"", "strings are Python's here and JSON's there", map[string]string{"/": "nyy", "\\/": "ynn"}},
	{"start: T \"!\"\nT: /x|yy/ \"c\"", "Lark joins a regexp to its neighbour as it stands", map[string]string{"x!": "ynn", "xc!": "nyy", "yyc!": "yyy"}},
	{"start: A\nA: /a.*?b/", "lazy quantifiers mean nothing there", map[string]string{"ab": "yyy", "acb": "yyy", "abb": "nyy"}},
	{"start: /é+/i", "XGrammar folds ASCII alone", map[string]string{"é": "yyy", "É": "yyn"}},
	{"start: K | N\nK.2: \"for\"\nN: /[a-z]+/", "only Lark has priorities", map[string]string{"for": "y--", "fort": "y--"}},
	{"start: A B\nA: /a+/\nB: /a/", "XGrammar has no lexer", map[string]string{"aa": "nny"}},
	{"start: \"if\" W\nW: /[a-z]+/\n%ignore \" \"", "", map[string]string{"if a": "yyy", "if if": "yyy", "ifa": "yyy", "iff": "yyy"}},
	{"start: W \"if\" W\nW: /[a-z]+/\n%ignore \" \"", "XGrammar has no lexer", map[string]string{"a if b": "yyy", "if if if": "yyy", "aifb": "nny", "a b": "nnn"}},
	{"start: \"if\" W | W \"=\"\nW: /[a-z]+/\n%ignore \" \"", "a keyword is no name where both may come; %lexer all reads both",
		map[string]string{"if a": "yyy", "if =": "nyy", "iff =": "yyy", "if=": "nyy"}},
	// Of XGrammar's EBNF, what its documentation names beyond GBNF.
	{"root ::= v (\",\" v)*\nv[capture=\"x\", temperature=0.7] ::= [0-9]+", ebnf, map[string]string{"1,22": "y-y", "1,": "n-n"}},
	{"root ::= \"<\" n \">\" r\nn[lazy] ::= [a-z]+\nr ::= [a-z]+", ebnf, map[string]string{"<a>b": "y-y", "<ab>b": "n-n"}},
	{"root ::= \"a\" v \"b\"\nv[max_chars=3] ::= [^]*", "a rule goes on where it cannot end", map[string]string{"axxxb": "--y", "axxxxb": "--n"}},
	{"root ::= a (\"b\" | \"c\")\na ::= \"x\" (= \"b\")", ebnf, map[string]string{"xb": "y-y", "xc": "y-y"}},
	{"root ::= \"a\" Regex(\"[0-9]{2}|x*\") Regex(\"^\\\\d\\\\s.$\")", ebnf, map[string]string{"a121 é": "y-y", "ax1\t\n": "y-y", "a1 ": "n-n", "a1\u00a0x": "n-n", "a١ x": "n-n"}},
	{"root ::= Regex(\"hé.\", flags=\"i\")", ebnf, map[string]string{"Hé!": "y-y", "hÉ!": "n-n", "hé\n": "n-n"}},
	{"root ::= Regex(\"a.*?b\") \"c\"", "lazy quantifiers mean nothing there", map[string]string{"abc": "y-y", "abbc": "n-y"}},
	{"root ::= Regex(\"\\\\S+\", json_string=true)", ebnf, map[string]string{"éab": "y-y", "a\"b": "n-n", "a\\": "n-n"}},
	{"root ::= \"<\" Substring(\"abc\", \"de\", \"\", \"fg\") \">\"", ebnf, map[string]string{"<>": "y-y", "<abcde>": "y-y", "<defg>": "y-y", "<abcfg>": "n-n", "<ab>": "n-n"}},
	{"root ::= TagDispatch((\"<a>\", r), (\"<b>\", s))\nr ::= \"1</a>\"\ns ::= \"2\"", ebnf,
		map[string]string{"": "y-y", "x<": "y-y", "x<a>1</a>y<b>2": "y-y", "x<a>2": "n-n", "<b>": "n-n"}},
	{"root ::= b \"!\"\nb ::= TagDispatch((\"<a>\", r), loop_after_dispatch=false, excludes=(\"!\",))\nr ::= \"1\"", ebnf,
		map[string]string{"!": "y-y", "x!": "y-y", "x!!": "n-n", "<a>1!": "y-y", "<a>1x!": "n-n"}},
	{"root ::= TagDispatch((\"ab\", r), (\"bc\", s), (\"xbc\", r))\nr ::= \"1\"\ns ::= \"2\"", ebnf, map[string]string{"ab1": "y-y", "xbc1": "y-y", "xbc2": "n-n", "abc2": "n-n", "bc2": "y-y"}},
	{"root ::= TagDispatch((\"bc\", r), (\"b\", r))\nr ::= \"1\"", "a tag within a tag is an error here", map[string]string{"bc1": "--y", "b1": "--y"}},
	{"root ::= Token(257) [a-z]+ Token(258)", ebnf, map[string]string{"<think>ab</think>": "y-y", "ab": "n-n", "<think>ab<think>": "n-n"}},
	{"root ::= ExcludeToken(258) \"a\"", "a language is of texts", map[string]string{"aa": "--y", "</think>a": "--n"}},
	{"root ::= TokenTagDispatch((257, r), excludes=(258,))\nr ::= \"1\"", ebnf, map[string]string{"ab<think>1c": "y-y", "<think>1<think>1": "y-y", "<think>2": "n-n", "a</think>": "n-n"}},
	{"%lexer all\nstart: \"if\" W | W \"=\"\nW: /[a-z]+/\n%ignore \" \"", "", map[string]string{"if a": "yyy", "if =": "yyy", "iff =": "yyy", "if=": "yyy"}},
}

// ebnf is why llguidance reads none of a grammar.
const ebnf = "llguidance has no EBNF"

// TestDialect compares verdicts on grammars of the dialect with those of llguidance and XGrammar.
// Engines that are not installed are left out.
func TestDialect(t *testing.T) {
	seed.Usual(t)
	asked := []func(t *testing.T, grammar, text string) string{ours}
	for _, name := range []string{"llguidance", "xgrammar"} {
		asked = append(asked, speaker(t, name))
	}
	for _, c := range dialectCases {
		same := true
		for text, want := range c.verdicts {
			for i, ask := range asked {
				if ask == nil {
					continue
				}
				if got := ask(t, c.grammar, text); got != want[i:i+1] {
					t.Errorf("%s\n%q: %s says %s, want %s", c.grammar, text, []string{"gcdbench", "llguidance", "XGrammar"}[i], got, want)
				}
			}
			same = same && strings.Count(want, want[:1]) == len(want)
		}
		if same != (c.why == "") {
			t.Errorf("%s\nwhy is %q", c.grammar, c.why)
		}
	}
}

// ours is our verdict, with the contextual lexer unless the grammar names another.
func ours(t *testing.T, grammar, text string) string {
	if !strings.HasPrefix(grammar, "%") {
		grammar = "%lexer contextual\n" + grammar
	}
	g, err := lark.Parse([]byte(grammar), lark.Options{})
	if _, grammar, is := strings.Cut(grammar, "root"); is {
		g, err = gbnf.Parse(t.Context(), "root.ebnf", []byte("root"+grammar), "")
	}
	if err != nil {
		return "-"
	}
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	if slices.Contains(g.SpecialTokens(), "<[257]>") {
		text = strings.NewReplacer("<think>", "<[257]>", "</think>", "<[258]>").Replace(text)
	}
	text = string(special.Read([]byte(text), g.SpecialTokens(), true))
	return verdict(r.Check([]byte(text)) == nil)
}

func verdict(accepted bool) string {
	if accepted {
		return "y"
	}
	return "n"
}

// speaker asks an installed engine; nil if it is not.
func speaker(t *testing.T, name string) func(t *testing.T, grammar, text string) string {
	e := Find(name)
	if _, err := e.Installed(); err != nil {
		t.Log(err)
		return nil
	}
	dir := must.Get(e.folder())(t)
	cmd := exec.CommandContext(t.Context(), interpreter(dir), "testdata/dialect.py", name)
	in, out := must.Get(cmd.StdinPipe())(t), must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait() // it ends with its input
	})
	lines := bufio.NewReader(out)
	return func(t *testing.T, grammar, text string) string {
		if first, rest, _ := strings.Cut(grammar, "\n"); strings.HasPrefix(first, "%lexer") {
			grammar = rest // which they do not know
		}
		question := must.Get(json.Marshal(map[string]any{"grammar": grammar, "texts": []string{text}}))(t)
		must.Get(in.Write(append(question, '\n')))(t)
		var answer struct {
			Error    string
			Accepted []bool
		}
		must.OK(t, json.Unmarshal(must.Get(lines.ReadBytes('\n'))(t), &answer))
		if answer.Error != "" {
			return "-"
		}
		return verdict(answer.Accepted[0])
	}
}
