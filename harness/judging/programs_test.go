package judging

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/seed"
)

// pinched is a grammar with a dead end: behind a the parser waits for b, and ab is another lexeme.
const pinched = "start: \"a\" \"b\" | \"d\" | \"d\" AB\nAB: \"ab\"\n"

// letters is a grammar for Lark, the judge of whatever has none of its own.
const letters = "start: (\"a\" | \"b\" | COMMENT)+ \";\"\nCOMMENT: \"(\" /[a-z]+/ \")\"\nNOTE: /#[a-z]*\\n/\n%ignore NOTE\n%ignore /[ \\n]+/\n"

// TestPrograms: the same of grammars, with the judges of their languages.
func TestPrograms(t *testing.T) {
	for _, c := range seed.Some(t, []struct {
		name, grammar, text, program string
		deviant                      deviant
		opt                          Options
		whose                        string
		class                        judged.Class
		cause                        string
		witness                      string
	}{
		{"JSON without blanks", "json", "", `[1, 2]`, deviant{without: func(text, _, token string) bool {
			return strings.TrimLeft(token, " \t\r\n") != token && strings.HasSuffix(text, "[")
		}}, Options{},
			judged.Engine, judged.Convention, "white space", "["},
		{"Go without comments", "go", "", "package a\n\nvar x = 1 /* x */\n", deviant{without: func(text, _, token string) bool {
			return strings.Contains(token, "//") || strings.HasSuffix(text, "/") && token[0] == '/'
		}}, Options{},
			judged.Engine, judged.Convention, "comments", "//"},
		{"Go without functions", "go", "", "package a\n\nvar x = 1\n", deviant{without: func(_, _, token string) bool { return strings.Contains(token, "f") }}, Options{},
			judged.Engine, judged.ExcludesValid, "a letter", "f"},
		{"letters", "letters.lark", letters, "a b # note\na;", deviant{without: func(_, _, token string) bool { return strings.Contains(token, "b") }}, Options{},
			judged.Engine, judged.ExcludesValid, "a letter", "b"},
		{"letters, nobody to judge", "letters.lark", letters, "a b;", deviant{without: func(_, _, token string) bool { return strings.Contains(token, "(") }},
			Options{Judges: judges.Options{Python: "no-such-python"}}, "", judged.Undecided, "no judge", "("},
		{"a dead end of the reference", "pinched.lark", pinched, "d", deviant{without: func(_, _, token string) bool { return token[0] == 'a' }}, Options{},
			judged.Reference, judged.DeadEnd, "no text ends behind the token", ""},
	}, 2, 1, 1) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.deviant.name = "deviant"
			w := newPrograms(t, c.grammar, c.text, []string{c.program}, &c.deviant)
			r := w.judge(t, c.opt)["deviant"]
			if r == nil || r.Differ == 0 || r.Judged != r.Differ {
				t.Fatalf("result %+v", r)
			}
			for _, f := range r.Findings {
				x := w.witnessOf(t, f)
				what := fmt.Sprintf("%s: %+v; after %q %s allows %q: %q, %+v, %s", f.Name(), f, x.Prefix, x.Allows, x.TokenText, x.Witness, x.Verdict, x.Why)
				if f.Class == judged.Undecided && f.Cause == "no judge" && c.cause != "no judge" {
					t.Skip(x.Why)
				}
				if f.Whose == c.whose && f.Class == c.class && f.Cause == c.cause {
					if !strings.Contains(x.Witness, c.witness) {
						t.Errorf("no %q in %s", c.witness, what)
					}
					w.replay(t, f, what)
					return
				}
				t.Log(what)
			}
			t.Errorf("no finding %s %s %s", c.whose, c.class, c.cause)
		})
	}
}

// TestStopsWithoutJudge: where the judge of a grammar is not installed, nothing is searched for,
// and the error says what to do.
func TestStopsWithoutJudge(t *testing.T) {
	t.Parallel()
	w := newPrograms(t, "letters.lark", letters, []string{"a b;"}, &deviant{name: "deviant", without: func(_, _, token string) bool { return strings.Contains(token, "(") }})
	_, err := Judge(t.Context(), w.opt.Out, w.cfg, Options{Harness: w.opt, Judges: judges.Options{Python: "no-such-python"}})
	var missing *judges.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "no-such-python is not there: install Python") || !strings.Contains(err.Error(), "--without-judge") {
		t.Fatalf("the error is %v", err)
	}
}

// TestRequestsJudged: the differences of engines on requests with tools are judged by the reader of
// responses, whichever masks were asked before. Rules are written while texts are read.
func TestRequestsJudged(t *testing.T) {
	w := &world{dir: t.TempDir()}
	w.file(t, "tools.jsonl", `{"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"], "additionalProperties": false}, "calls": [{"zone": "UTC"}]}
{"id": "two", "tools": ["get_time"], "response": [{"text": "I look."}, {"call": "get_time", "arguments": {"zone": "CET"}}, {"call": "get_time", "arguments": {"zone": "a"}}]}
`)
	calls := func(text string) bool { return strings.Contains(text, "[ARGS]") }
	w.run(t, "{tools: {format: mistral}, dataset: {format: tools, path: tools.jsonl}}",
		&deviant{name: "lacks", without: func(text, _, token string) bool { return calls(text) && strings.Contains(token, "q") }},
		&deviant{name: "ends", ends: func(text string) bool { return calls(text) && strings.HasSuffix(text, "{\"") }})
	all := w.judge(t, Options{})
	for name, want := range map[string]judged.Class{"lacks": judged.ExcludesValid, "ends": judged.AdmitsInvalid} {
		r := all[name]
		if r == nil || len(r.Findings) != 1 || r.Findings[0].Class != want || r.Findings[0].Whose != judged.Engine || r.Judged != r.Differ {
			t.Fatalf("%s: %+v, want one finding: %s", name, r, want)
		}
		if x := w.witnessOf(t, r.Findings[0]); x.Kind != algorithms.KindTools || x.Verdict == nil || x.Verdict.Valid != (want == judged.ExcludesValid) {
			t.Errorf("%s: the witness is %+v", name, x)
		}
		w.replay(t, r.Findings[0], name)
	}
}
