package recognizer_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// compile builds a recognizer from a grammar's text.
func compile(t testing.TB, text string, opt recognizer.Options) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	r := must.Get(recognizer.New(context.Background(), g, opt))(t)
	return r
}

const assignments = `
start: (NAME "=" value ";")*
value: NAME | NUMBER | STRING | "(" value ")"
NAME: /[^\W\d]+/
NUMBER: /[0-9]+/
STRING: /"[^"\n]*"/
COMMENT: /\/\*(.|\n)*?\*\//
%ignore COMMENT
%ignore /[ \n]+/
`

const blocks = `
start: (_NL | stmt)*
stmt: "pass" _NL | "if" NAME ":" _NL _IN stmt+ _OUT | NAME "(" [NAME ("," NAME)*] ")" _NL
NAME: /[a-z]+/
_NL: /(\r?\n[ \t]*(#[^\n]*)?)+/
%declare _IN _OUT
%ignore /[ \t]+/
%ignore /#[^\n]*/
%layout newline=_NL indent=_IN dedent=_OUT open="(" close=")" tab=8
`

// begun is blocks with a column for the first line, too.
var begun = strings.Replace(strings.Replace(blocks, "tab=8", "tab=8 begin=_NL", 1), "(_NL | stmt)*", "_NL stmt*", 1)

func TestCheck(t *testing.T) {
	cases := []struct {
		grammar, text string
		want          string // the refusal, or its beginning; "" if the text is accepted
	}{
		{assignments, "", ""},
		{assignments, "a = 1;", ""},
		{assignments, " a=(((b))) ;\n/* x = */ c = \"é\"; /**/", ""},
		{assignments, "a = ;", "1:5: unexpected \";\"; expected \"(\", NAME, NUMBER, STRING"},
		{assignments, "a = 1;\nb = (2;", "2:7: unexpected \";\"; expected \")\""},
		{assignments, "é = ü = 1;", "1:7: unexpected \"=\"; expected \";\""},
		{assignments, "a = 1", "1:6: the text ends too early; expected \";\""},
		{assignments, "a = $;", "1:5: no lexeme begins with '$'"},
		{assignments, "a = “b”;", "1:5: no lexeme begins or goes on with '“'"},
		{assignments, "a“ = b;", "1:2: no lexeme begins or goes on with '“'"},
		{assignments, "a = \xff;", "1:5: no lexeme begins with byte 0xFF"},
		{assignments, "a = = $", "1:5: unexpected \"=\""},
		{assignments, "a = \"x\n\";", `1:5: unfinished STRING: "\"x" cannot go on with '\n'`},
		{assignments, "a = 1; /* b", "1:8: unfinished ignored text at the end of the text"},
		{assignments, "a = \"", "1:5: unfinished STRING at the end of the text"},
		{assignments, "a = 1 2;", "1:7: unexpected NUMBER \"2\"; expected \";\""},

		{blocks, "", ""},
		{blocks, "\n\n# only a comment", ""},
		{blocks, "pass", ""},
		{blocks, "if a:\n  pass\npass", ""},
		{blocks, "if a:\n  if b:\n\tpass\n  # odd\n # odder\n  pass", ""},
		{blocks, "f(a,\n     b,\n  c)\r\npass\r\n", ""},
		{blocks, "if a:\npass", "2:1: unexpected \"pass\"; expected _IN"},
		{blocks, "pass\n  pass", "1:5: the line that follows is indented more than the grammar allows here"},
		{blocks, "if a:\n    pass\n  pass", "2:9: the line that follows is indented to column 2, which no open block has (open: 0, 4)"},
		{blocks, "if a:\n", "2:1: the text ends too early; expected _IN"},
		{blocks, "f(a\n", "2:1: the text ends too early; expected \")\", \",\""},
		{blocks, "if a\n  pass", "1:5: unexpected end of line; expected \":\""},
		{blocks, "  pass", ""},

		{begun, "", ""},
		{begun, "  # c", ""},
		{begun, "pass", ""},
		{begun, "\n\n  # c\npass\n", ""},
		{begun, "\r\npass\nif a:\n  pass", ""},
		{begun, "  pass", "1:1: the first line is indented more than the grammar allows here"},
		{begun, " # c\n\tpass", "1:1: the line that follows is indented more than the grammar allows here"},
		{begun, "$", "1:1: no lexeme begins with '$'"},
	}
	for _, c := range cases {
		for _, onDemand := range []bool{false, true} {
			r := compile(t, c.grammar, recognizer.Options{OnDemand: onDemand})
			got := ""
			if err := r.Check([]byte(c.text)); err != nil {
				got = err.Error()
				var refusal *recognizer.Refusal
				if !errors.As(err, &refusal) {
					t.Errorf("%q: the error is a %T", c.text, err)
				}
			}
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, on demand %v:\n got %s\nwant %s", c.text, onDemand, got, c.want)
			}
		}
	}
}

// TestEndIsCheck says that End at the end of a text and Check of the text are one question, and
// that every prefix of an accepted text is legal.
func TestEndIsCheck(t *testing.T) {
	texts := map[string][]string{
		begun:       {"  # c\n\nif a:\n  pass\npass"},
		assignments: {"a = 1; b = (x);\n", "é = \"ü\"; /* * / */ z=z;"},
		blocks:      {"if a:\n  if b:\n    f(a,\n b)\n    pass # c\n\n  pass\npass\n", "\n#\nif x:\n\tpass"},
	}
	for grammar, list := range texts {
		r := compile(t, grammar, recognizer.Options{})
		for _, text := range list {
			s := r.Start()
			for i := range len(text) {
				if r.End(s) != (r.Check([]byte(text[:i])) == nil) {
					t.Errorf("%q: End and Check differ", text[:i])
				}
				var ok bool
				if s, ok = r.Step(s, text[i]); !ok || !r.Legal(s) {
					t.Fatalf("%q: byte %d of an accepted text is refused", text, i)
				}
			}
			if !r.End(s) {
				t.Errorf("%q may not end", text)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	a, b := compile(t, assignments, recognizer.Options{}), compile(t, blocks, recognizer.Options{})
	line := compile(t, begun, recognizer.Options{})
	cases := []struct {
		r            *recognizer.Recognizer
		prefix, text string
		legal        bool
		emitted      string // lexemes as "text:terminals:verdict"
		failed       string
		reason       string
	}{
		{a, "a =", " 1", true, `=:"=":accepted  ::ignored`, "", "the pending lexeme can still become"},
		{a, "a =", "1;b", true, `=:"=":accepted 1:NUMBER:accepted ;:";":accepted`, "", "the pending lexeme can still become"},
		{a, "a =", " =", false, `=:"=":accepted  ::ignored`, `"="`, "the parser accepts nothing that the pending lexeme can still become"},
		{a, "a =", "= 1", false, `=:"=":accepted =:"=":refused`, `"="`, `the lexeme that ends here is not accepted: unexpected "="`},
		{a, "a = \"x", "\n", false, "", "", `the pending lexeme is not complete and cannot go on with '\n'`},
		{a, "a = 1", "$", false, "1:NUMBER:accepted", "", "no lexeme begins with '$'"},
		{a, "", "a", true, "", "", "the pending lexeme can still become"},
		{line, "", "  ", true, "", "", "the pending lexeme can still become"},
		{line, "", "  pa", false, "  :_NL:refused", "_NL", "the lexeme that ends here is not accepted: the first line is indented more than the grammar allows here"},
		{line, "# c\n", "pa", true, "# c\n:_NL:accepted", "", "the pending lexeme can still become"},
		{b, "if a:\n  pass", "\n x", false, "pass:\"pass\":accepted \n :_NL:refused", "_NL", "the lexeme that ends here is not accepted: the line that follows is indented to column 1"},
	}
	for _, c := range cases {
		e, err := c.r.Explain([]byte(c.prefix), []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.prefix, err)
			continue
		}
		var emitted []string
		for _, l := range e.Emitted {
			verdict, terminals := "refused", strings.Join(l.Terminals, ",")
			switch {
			case l.Ignored:
				verdict, terminals = "ignored", ""
			case l.Accepted:
				verdict = "accepted"
			}
			emitted = append(emitted, l.Lexeme+":"+terminals+":"+verdict)
		}
		if e.Legal != c.legal || strings.Join(emitted, " ") != c.emitted || strings.Join(e.Failed, ",") != c.failed || !strings.HasPrefix(e.Reason, c.reason) {
			t.Errorf("after %q, %q:\n got %v %q, failed %q, %s\nwant %v %q, failed %q, %s", c.prefix, c.text,
				e.Legal, emitted, e.Failed, e.Reason, c.legal, c.emitted, c.failed, c.reason)
		}
		if _, ok := c.r.Read(after(t, c.r, c.prefix), []byte(c.text)); ok != e.Legal {
			t.Errorf("after %q, %q: Explain says %v, Read %v", c.prefix, c.text, e.Legal, ok)
		}
	}
}

func after(t *testing.T, r *recognizer.Recognizer, prefix string) recognizer.State {
	t.Helper()
	s, ok := r.Read(r.Start(), []byte(prefix))
	if !ok {
		t.Fatalf("%q is not legal", prefix)
	}
	return s
}

func TestExplainEndAndBadPrefix(t *testing.T) {
	r := compile(t, assignments, recognizer.Options{})
	for text, want := range map[string]bool{"": true, "a": false, "a = 1;": true, "a = 1; /*": false, "a = 1; ": true} {
		e, err := r.ExplainEnd([]byte(text))
		if err != nil || e.Legal != want || e.Reason == "" {
			t.Errorf("%q: got %+v, %v", text, e, err)
		}
	}
	for text, want := range map[string]string{"a = = 1": "1:5:", "a = )": "1:5: \")\" cannot become anything"} {
		_, err := r.Explain([]byte(text), []byte("x"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestGrammarErrors says that a grammar which cannot be compiled is an error with a place.
func TestGrammarErrors(t *testing.T) {
	for text, want := range map[string]string{
		"start: A\nA: /x*/\n":                "test.lark:2:1",
		"start: a | b\na: \"x\"\nb: \"x\"\n": "reduce/reduce",
		"start: NL\nNL: /\\r+/\n%declare IN OUT\n%layout newline=NL indent=IN dedent=OUT begin=NL\n": "test.lark:4:1: %layout: begin: terminal NL matches nothing that begins with a line feed",
	} {
		g, err := lark.Parse([]byte(text), lark.Options{File: "test.lark"})
		if err == nil {
			_, err = recognizer.New(context.Background(), g, recognizer.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := must.Get(lark.Parse([]byte(assignments), lark.Options{}))(t)
	if _, err := recognizer.New(ctx, g, recognizer.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func BenchmarkCheck(b *testing.B) {
	r := compile(b, assignments, recognizer.Options{})
	text := []byte(strings.Repeat("name = (((value))); other = \"a string of some length\"; /* and a comment */\n", 100))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		must.OK(b, r.Check(text))
	}
}

// TestLongChain compiles 30,000 rules of which each is made of the next, in the ways that people
// write lists and nestings: within the memory and time that a large grammar may take.
func TestLongChain(t *testing.T) {
	seed.Usual(t)
	for _, form := range []string{"r%d: r%d", "r%d: r%d \"a\"", "r%d: \"a\" r%d", "r%d: \"(\" r%d \")\""} {
		var b strings.Builder
		b.WriteString("start: r0\n")
		for i := range 30000 {
			fmt.Fprintf(&b, form+"\n", i, i+1)
		}
		b.WriteString("r30000: \"z\"\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		compile(t, b.String(), recognizer.Options{})
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > 500<<20 {
			t.Errorf("%s: %d MiB are allocated in all", form, all>>20)
		}
	}
}
