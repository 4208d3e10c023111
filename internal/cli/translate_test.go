package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTranslate(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	r := gcdbench(t, "", "grammar", "translate", grammar, "--to", "ebnf")
	want := "root ::= skip start\nstart ::= A B\n\nB ::= \"b\"+ skip\nA ::= \"a\" skip\nskip ::= \" \"*\n"
	if r.status != 0 || r.out != want {
		t.Errorf("status %d, %s, got\n%s", r.status, r.err, r.out)
	}
	out := filepath.Join(t.TempDir(), "tiny.ebnf")
	if r := gcdbench(t, "", "grammar", "translate", grammar, "--to", "ebnf", "--out", out); r.status != 0 || r.out != "" {
		t.Errorf("to a file: status %d, %s%s", r.status, r.err, r.out)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != want {
		t.Errorf("the file has %q, %v", text, err)
	}
	r = gcdbench(t, "", "grammar", "translate", grammar, "--to", "kbnf", "--json")
	v := object(t, r.out)
	if v["outcome"] != "ok" || v["dialect"] != "kbnf" || v["end_mark"] != "\x04" || len(v["notes"].([]any)) != 2 ||
		!strings.HasPrefix(v["text"].(string), "start ::=") {
		t.Errorf("got %v", v)
	}
}

func TestTranslateNotes(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	var out, errOut strings.Builder
	if status := run(t.Context(), []string{"grammar", "translate", grammar, "--to", "ebnf"}, nil, &out, &errOut); status != 0 {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	if !strings.HasPrefix(errOut.String(), "note: there is no lexer") {
		t.Errorf("standard error has %q", errOut.String())
	}
}

func TestTranslateSchema(t *testing.T) {
	schema := write(t, "s.json", `{"const": "x"}`)
	r := gcdbench(t, "", "grammar", "translate", schema, "--to", "llguidance-lark")
	if r.status != 0 || !strings.Contains(r.out, "%llguidance") {
		t.Errorf("status %d, %s%s", r.status, r.err, r.out)
	}
}

// A dialect that lacks a feature is a finding, anything else that goes wrong bad input.
func TestTranslateFailures(t *testing.T) {
	r := gcdbench(t, "", "grammar", "translate", "python", "--to", "gbnf")
	if r.status != 1 || r.out != "" || !strings.Contains(r.err, "layout (indentation") {
		t.Errorf("python: status %d, %s%s", r.status, r.err, r.out)
	}
	r = gcdbench(t, "", "grammar", "translate", "python", "--to", "gbnf", "--json")
	if v := object(t, r.out); r.status != 1 || v["outcome"] != "unsupported" || !strings.Contains(v["feature"].(string), "layout") {
		t.Errorf("python: status %d, got %v", r.status, v)
	}
	grammar := write(t, "tiny.lark", tiny)
	for want, args := range map[string][]string{
		"--to takes one of lark":         {grammar},
		`no dialect "bnf"; there are: l`: {grammar, "--to", "bnf"},
		"nowhere.lark":                   {"nowhere.lark", "--to", "ebnf"},
		"no/where/t.ebnf":                {grammar, "--to", "ebnf", "--out", "no/where/t.ebnf"},
		"--lenient goes with":            {grammar, "--to", "ebnf", "--lenient"},
	} {
		if r := gcdbench(t, "", append([]string{"grammar", "translate"}, args...)...); r.status != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%v: status %d, %s", args, r.status, r.err)
		}
	}
}
