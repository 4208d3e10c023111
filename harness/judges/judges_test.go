package judges_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gcdbench/grammar/languages"
	"gcdbench/harness/judges"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// embedded is an embedded grammar as a language.
func embedded(t *testing.T, name string) judges.Language {
	t.Helper()
	text, ok := languages.Source(name)
	if !ok {
		t.Fatalf("no grammar %s", name)
	}
	return judges.Language{Name: name, Text: text}
}

// judgeOf finds a judge, or skips the test where the machine has none.
func judgeOf(t *testing.T, l judges.Language, opt judges.Options) judges.Judge {
	t.Helper()
	j, err := judges.For(l, opt)
	return answering(t, j, err)
}

// answering is a judge that was looked for, once it has answered; the test is skipped where the
// machine has none.
func answering(t *testing.T, j judges.Judge, err error) judges.Judge {
	t.Helper()
	if err == nil {
		t.Cleanup(j.Close)
		_, err = j.Judge(t.Context(), []byte("x"))
	}
	var missing *judges.MissingError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	must.OK(t, err)
	return j
}

// small is a grammar for Lark alone.
const small = "start: \"a\"+ B?\nB: /b+/\n%ignore \" \"\n"

// ambiguous needs a parser that follows all ways.
const ambiguous = "%conflicts keep // both\nstart: x | y\nx: \"a\" \"b\" \"c\"\ny: \"a\" z \"d\"\nz: \"b\"\n"

// TestVerdicts asks each judge about texts, valid and not.
func TestVerdicts(t *testing.T) {
	seed.Usual(t)
	type text struct{ text, rule, why string } // valid if rule is ""
	for _, c := range seed.Some(t, []struct {
		name     string
		language judges.Language
		who      string
		texts    []text
	}{
		{"schema", judges.Language{Schema: []byte(`{"type": "object", "properties": {"a": {"minimum": 2}}, "required": ["a"]}`)}, "jsonschema/v6 with gcdbench's readings", []text{
			{`{"a": 2}`, "", ""}, {`{"a": 1}`, "minimum", "/a"}, {`{}`, "required", "a"}, {`[]`, "type", "object"},
			{`{"a": 2`, "not JSON", "unexpected end"}, {"{\"a\": 2, \"b\": \"\xff\"}", "not UTF-8", ""}, {`{"a": 02}`, "not JSON", ""}, {`{"a": 2} `, "", ""}}},
		{"json", embedded(t, "json"), "encoding/json", []text{{`[1, "é"]`, "", ""}, {`[1,]`, "not JSON", "]"}, {"\"\xc3\"", "not UTF-8", ""}}},
		{"go", embedded(t, "go"), "go/parser", []text{{"package a\nfunc f() { x := 1 }\n", "", ""}, {"package a\nfunc f() { x := }\n", "expected operand", "2:"}, {"package", "expected ..", "expected"}}},
		{"java", embedded(t, "java"), "javac", []text{{"class A { int x = y; }", "", ""}, {"class A { int x = ; }", "illegal.start.of.expr", "line 1"}, {"class A {", "premature.eof", ""}, {"class \xff {}", "not UTF-8", ""}}},
		{"python", embedded(t, "python"), "CPython", []text{{"def f():\n    return x\n", "", ""}, {"def f():\nreturn x\n", "syntax", "line 2"}, {"x = '\xff'", "not UTF-8", ""}, {"x = 1\x00", "syntax", ""}}},
		{"sql", embedded(t, "sql"), "Lark with the basic lexer", []text{{"SELECT a FROM b", "", ""}, {"SELECT FROM WHERE", judges.LexersDiffer, "line 1"}}},
		{"lark", judges.Language{Name: "small", Text: []byte(small)}, "Lark with the basic lexer", []text{{"a a bb", "", ""}, {"b", "unexpected B", ""}, {"a c", "no terminal matches", "column 3"}, {"", "unexpected $END", ""}, {"a\xff", "not UTF-8", ""}}},
		{"lexers differ", judges.Language{Name: "small", Text: []byte("start: \"let\" NAME\nNAME: /[a-z]+/\n%ignore \" \"\n")}, "Lark with the basic lexer", []text{
			{"let a", "", ""}, {"let let", judges.LexersDiffer, "unexpected LET"}, {"let 1", "no terminal matches", ""}, {"a let", "unexpected NAME", ""}}},
		{"ambiguous", judges.Language{Name: "small", Text: []byte(ambiguous)}, "Lark with the basic lexer", []text{{"abc", "", ""}, {"abd", "", ""}, {"ab", "unexpected end", ""}}},
	}, 4, 1, 1) {
		t.Run(c.name, func(t *testing.T) {
			j := judgeOf(t, c.language, judges.Options{})
			if j.Name() != c.who || j.Version() == "" {
				t.Errorf("the judge is %s %q, want %s", j.Name(), j.Version(), c.who)
			}
			for _, x := range c.texts {
				v, err := j.Judge(t.Context(), []byte(x.text))
				if err != nil || v.Valid != (x.rule == "") || v.Rule != x.rule || !strings.Contains(v.Why, x.why) || strings.Contains(v.Why, "\n") {
					t.Errorf("%q: %+v, %v; want %q because %q", x.text, v, err, x.rule, x.why)
				}
			}
		})
	}
}

// TestOfLanguage: the parsers of languages by name, PostgreSQL's among them.
func TestOfLanguage(t *testing.T) {
	for _, name := range judges.Languages() {
		j, err := judges.OfLanguage(name, judges.Options{Python: "python3"})
		var missing *judges.MissingError // javac is looked for at once
		if err == nil && j.Name() != judges.NameOf(name) || err != nil && !errors.As(err, &missing) {
			t.Errorf("%s: %v, %v, want %s", name, j, err, judges.NameOf(name))
		}
	}
	if _, err := judges.OfLanguage("cobol", judges.Options{}); err == nil || !strings.Contains(err.Error(), "go, java") {
		t.Errorf("%v, want that it names the languages", err)
	}
	j := asked(t, "sql", judges.Options{})
	for text, want := range map[string]judges.Verdict{
		"SELECT 1; SELECT 2":                          {Valid: true},
		"SELECT '\xc3\xa9' FROM \"\u00e9\";":          {Valid: true},
		"SELECT FROM WHERE":                           {Rule: "syntax", Why: `syntax error at or near "WHERE"`},
		"SELECT 'a":                                   {Rule: "unterminated quoted string", Why: "unterminated quoted string at or near \"'a\""},
		"MERGE INTO t USING u ON a WHEN MATCHED":      {Rule: "syntax", Why: "syntax error at end of input"},
		"REPLACE INTO t VALUES (1)":                   {Rule: "syntax", Why: `syntax error at or near "REPLACE"`},
		"SELECT JSON_TABLE('a', '$' COLUMNS (b int))": {Rule: "syntax"},
	} {
		v, err := j.Judge(t.Context(), []byte(text))
		if err != nil || v.Valid != want.Valid || v.Rule != want.Rule || !strings.Contains(v.Why, want.Why) {
			t.Errorf("%q: %+v, %v; want %+v", text, v, err, want)
		}
	}
	if v, err := j.Judge(t.Context(), []byte("SELECT '\xff'")); err != nil || v.Valid || v.Rule != "not UTF-8" {
		t.Errorf("%+v, %v; want that it is not UTF-8", v, err)
	}
}

// asked finds the judge of a language, or skips the test where the machine has none.
func asked(t *testing.T, language string, opt judges.Options) judges.Judge {
	t.Helper()
	j, err := judges.OfLanguage(language, opt)
	return answering(t, j, err)
}

// TestCompile: a compiler that is asked, too, notes what it refuses in a text that the parser
// takes; where it is not asked there is no note.
func TestCompile(t *testing.T) {
	seed.Usual(t)
	for _, c := range []struct{ language, right, forbidden, note string }{
		{"go", "package p\nfunc f(y any) { x := y.(int); _ = x }\n", "package p\nfunc f(y any) { x := y.(type); _ = x }\n", "line 2: use of .(type)"},
		{"go", "package p\nfunc f() { switch x := y.(type) {}; switch z().(type) {} }\n", "package p\nfunc f() { switch x.(type)\n{} }\n", "line 2: use of .(type)"},
		{"go", "package p\nfunc f() { switch x.(T).(type) {} }\n", "package p\nfunc f() { switch x.(type).(type) {} }\n", "line 2: use of .(type)"},
		{"go", "package p\nfunc (T) f() {}\n", "package p\nfunc (T, U) f() {}\n", "multiple receivers"},
		{"python", "\ufeffdef f():\n    return x\n", "return x\n", "compile(): 'return' outside function"},
	} {
		t.Run(c.language, func(t *testing.T) {
			strict, lax := asked(t, c.language, judges.Options{Compile: true}), asked(t, c.language, judges.Options{})
			for text, note := range map[string]string{c.right: "", c.forbidden: c.note} {
				v, err := strict.Judge(t.Context(), []byte(text))
				if err != nil || !v.Valid || !strings.Contains(v.Note, note) || (note == "") != (v.Note == "") {
					t.Errorf("%q: %+v, %v; want the note %q", text, v, err, note)
				}
				if v, err := lax.Judge(t.Context(), []byte(text)); err != nil || v != (judges.Verdict{Valid: true}) {
					t.Errorf("%q: %+v, %v; want no note", text, v, err)
				}
			}
		})
	}
}

// TestOfCommand: a program of the user's that speaks the protocol judges.
func TestOfCommand(t *testing.T) {
	opt := script(t, `read a; echo '{"version": "7"}'; while read b; do [ "$b" = Zm9v ] && echo '{"valid": true}' || echo '{"why": "no foo"}'; done`)
	j := judges.OfCommand([]string{opt.Python}, judges.Options{})
	defer j.Close()
	if v, err := j.Judge(t.Context(), []byte("foo")); err != nil || !v.Valid || j.Version() != "7" {
		t.Errorf("%+v, %v of %s", v, err, j.Version())
	}
	if v, err := j.Judge(t.Context(), []byte("bar")); err != nil || v.Valid || v.Why != "no foo" {
		t.Errorf("%+v, %v", v, err)
	}
	var missing *judges.MissingError
	if _, err := judges.OfCommand([]string{"no-such-program"}, judges.Options{}).Judge(t.Context(), nil); !errors.As(err, &missing) {
		t.Errorf("%v, want that it is missing", err)
	}
}

// TestPyodide: CPython in WebAssembly judges as CPython does; GCDBENCH_PYTHON names its module.
func TestPyodide(t *testing.T) {
	module := os.Getenv("GCDBENCH_PYTHON")
	if !strings.HasSuffix(module, ".mjs") {
		t.Skip("GCDBENCH_PYTHON names no pyodide.mjs")
	}
	j := asked(t, "python", judges.Options{})
	for text, valid := range map[string]bool{"f'{x!r}'": true, "f'{x!}'": false, "x = 'é'": true, "def f(:": false} {
		if v, err := j.Judge(t.Context(), []byte(text)); err != nil || v.Valid != valid {
			t.Errorf("%q: %+v, %v", text, v, err)
		}
	}
}

// TestPyodideMissing: a module that is not there is a missing judge.
func TestPyodideMissing(t *testing.T) {
	j := must.Get(judges.OfLanguage("python", judges.Options{Python: filepath.Join(t.TempDir(), "pyodide.mjs")}))(t)
	var missing *judges.MissingError
	if _, err := j.Judge(t.Context(), nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "pyodide.mjs") {
		t.Errorf("%v", err)
	}
}

// TestRepeatedKeys: what the validator does not see is noted.
func TestRepeatedKeys(t *testing.T) {
	j := must.Get(judges.For(judges.Language{Schema: []byte(`{"additionalProperties": {"type": ["integer", "object", "array"]}}`)}, judges.Options{}))(t)
	for text, note := range map[string]string{
		`{"a": 1, "a": 2}`: judges.RepeatedKey, `{"a": 1, "b": 2}`: "", `{"a": {"b": 1}, "b": 2}`: "", `{"a": {"b": 1, "\u0062": 2}}`: judges.RepeatedKey,
		`["\ud800"]`: judges.LoneSurrogate, `["\ud83d\ude00"]`: "", `["\ude00\ud83d"]`: judges.LoneSurrogate, `["\\ud800"]`: "", `["\ud83d \ude00"]`: judges.LoneSurrogate, `["\ud83d\n"]`: judges.LoneSurrogate,
		`["\uD83D\ud83d\uDE00"]`: judges.LoneSurrogate, `["\u00e9\ud83d\ude00\u00e9"]`: "", `{"a": 1, "a": "\udc00"}`: judges.RepeatedKey + ", " + judges.LoneSurrogate,
		`{"a": [{"a": 1}, {"a": 1}], "c": 1}`: "", `{"a": {}, "b": [], "a": 1}`: judges.RepeatedKey, `{"a": ["a", "a"]}`: "", `{"b": {"x": "b"}, "x": 1}`: "",
	} {
		if v, err := j.Judge(t.Context(), []byte(text)); err != nil || v.Note != note {
			t.Errorf("%s: %+v, %v; want %q", text, v, err, note)
		}
	}
}

// TestFormats: what only a format makes invalid is told apart, in every draft and wherever the
// format stands; a property of that name is none.
func TestFormats(t *testing.T) {
	for _, draft := range []string{"", `"$schema": "http://json-schema.org/draft-07/schema#", `, `"$schema": "https://json-schema.org/draft/2019-09/schema", `} {
		schema := "{" + draft + `"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string", "format": "date", "maxLength": 12}]}, "format": {"const": "date"}}}`
		j := must.Get(judges.For(judges.Language{Schema: []byte(schema)}, judges.Options{}))(t)
		for text, rule := range map[string]string{`{"a": "2026-01-31"}`: "", `{"a": "2026-02-31"}`: judges.Format, `{"a": true}`: "type", `{"a": "no date, too long"}`: "type", `{"format": "x"}`: "const"} {
			if v, err := j.Judge(t.Context(), []byte(text)); err != nil || v.Valid != (rule == "") || v.Rule != rule {
				t.Errorf("%s: %s: %+v, %v; want %q", draft, text, v, err, rule)
			}
		}
	}
}

// TestMissing: without a judge there is an error that says what to do, the same at every question.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	t.Setenv("GCDBENCH_PYTHON", "")
	for _, c := range []struct {
		language judges.Language
		want     string
	}{
		{embedded(t, "java"), "no judge: javac: it is not there: put a JDK"},
		{embedded(t, "python"), "no judge: CPython: python3 is not there"},
		{embedded(t, "sql"), "no judge: Lark with the basic lexer: python3 is not there"},
		{judges.Language{Name: "x", Text: []byte("%lexer all\nstart: \"a\"")}, "no judge: Lark with the basic lexer: it has no %lexer"},
		{judges.Language{Name: "x", Text: []byte("start: \"a\"\n%layout newline=A indent=B dedent=C")}, "no judge: Lark with the basic lexer: it has no %layout"},
		{judges.Language{Schema: []byte(`{"type": "strin"}`)}, "no judge: jsonschema/v6 with gcdbench's readings: the schema"},
	} {
		j, err := judges.For(c.language, judges.Options{})
		for range 2 {
			if j != nil {
				_, err = j.Judge(t.Context(), []byte("a"))
			}
			var missing *judges.MissingError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.language.Name, err, c.want)
			}
		}
	}
}

// script is a program that stands in for Python.
func script(t *testing.T, text string) judges.Options {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	path := filepath.Join(t.TempDir(), "python")
	must.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return judges.Options{Python: path, Limit: 500 * time.Millisecond}
}

// TestChildren: a child that hangs, dies or talks nonsense costs one verdict, and the next question
// starts another.
func TestChildren(t *testing.T) {
	seed.Usual(t)
	const hello = `read a; echo '{"version": "1"}'; `
	for _, c := range []struct{ name, script, want string }{
		{"hangs", hello + "read b; exec sleep 100", "no verdict after 500ms"},
		{"dies", hello + "read b; echo 'out of ideas' >&2; exit 3", "CPython died: out of ideas"},
		{"nonsense", hello + "read b; echo what; read c", "CPython died"},
		{"no verdict", hello + `while read b; do echo '{"no_verdict": "too deep"}'; done`, "CPython: too deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := must.Get(judges.For(embedded(t, "python"), script(t, c.script)))(t)
			defer j.Close()
			for range 2 {
				if _, err := j.Judge(t.Context(), []byte("x")); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		})
	}
	t.Run("not started", func(t *testing.T) {
		j := must.Get(judges.For(embedded(t, "python"), script(t, "exit 1")))(t)
		var missing *judges.MissingError
		if _, err := j.Judge(t.Context(), []byte("x")); !errors.As(err, &missing) {
			t.Errorf("%v, want that there is no judge", err)
		}
	})
	t.Run("recovers", func(t *testing.T) {
		opt := script(t, hello+`read b; [ -e "$0.again" ] || { touch "$0.again"; exit 1; }; echo '{"valid": true}'; read c`)
		j := must.Get(judges.For(embedded(t, "python"), opt))(t)
		defer j.Close()
		if _, err := j.Judge(t.Context(), []byte("x")); err == nil {
			t.Error("the first child should have died")
		}
		if v, err := j.Judge(t.Context(), []byte("x")); err != nil || !v.Valid {
			t.Errorf("%+v, %v from the second child", v, err)
		}
	})
}
