package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// foos is a grammar of "foo"s with "+" between them.
const foos = "start: A (\"+\" A)*\nA: \"foo\"\n%ignore /[ \\n]+/\n"

// fooJudge is a program that takes "foo", "foo+foo" and "bar", in base64, and answers nothing else.
func fooJudge(t *testing.T) string {
	t.Helper()
	return "sh " + write(t, "judge.sh", `read a; echo '{"version": "7"}'
while read b; do
  case "$b" in
  Zm9v|Zm9vK2Zvbw==|YmFy) echo '{"valid": true}';;
  *) echo '{"why": "not mine"}';;
  esac
done
`)
}

// fooAudit audits foos on texts, quietly.
func fooAudit(t *testing.T, texts []string, more ...string) result {
	t.Helper()
	args := []string{"grammar", "audit", write(t, "foo.lark", foos), "--judge", fooJudge(t)}
	dir := t.TempDir()
	for i, text := range texts {
		must.OK(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(text), 0o644))
	}
	return gcdbench(t, "", append(append(args, more...), "foos="+dir)...)
}

// TestAuditCounts: counts by direction, examples, and the exit status.
func TestAuditCounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  []string
		more   []string
		status int
		row    string // of the table, blanks made one
		want   []string
	}{
		{"all agree", []string{"foo", "foo+foo", "baz"}, nil, exitOK, "foos 2 2 (100%; 34.24% to 100%) 0 0 1 0 (0%; 0% to 79.35%) 0 0", []string{"sh 7, seed 1"}},
		{"a valid one refused", []string{"foo", "bar"}, nil, exitFailure, "foos 2 1 (50%; 9.45% to 90.55%) 1 0 0 – 0 0",
			[]string{"foos, valid refused: 1:1\n    bar\n  grammar: 1:1: no lexeme begins with 'b'"}},
		{"an invalid one accepted", []string{"foo", "foo\n+foo+foo"}, nil, exitFailure, "foos 1 1 (100%; 20.65% to 100%) 0 0 1 1 (100%; 20.65% to 100%) 0 0",
			[]string{"foos, invalid accepted: 1\n", "  sh: not mine\n"}},
		{"as many as allowed", []string{"foo", "bar"}, []string{"--allow", "50"}, exitOK, "foos 2 1 (50.00%; 9.45% to 90.55%) 1 0 0 – 0 0", nil},
		{"more than allowed", []string{"foo", "bar"}, []string{"--allow", "49.9"}, exitFailure, "", nil},
		{"no examples", []string{"foo", "bar"}, []string{"--examples", "0"}, exitFailure, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := fooAudit(t, c.texts, c.more...)
			got := strings.Join(strings.Fields(r.out), " ")
			if r.status != c.status || !strings.Contains(got, strings.ReplaceAll(c.row, "50%;", "50.00%;")) {
				t.Errorf("status %d, want %d; want %s\n%s%s", r.status, c.status, c.row, r.out, r.err)
			}
			for _, part := range c.want {
				if !strings.Contains(r.out, part) {
					t.Errorf("no %q in\n%s", part, r.out)
				}
			}
			if c.name == "no examples" && strings.Contains(r.out, "valid refused") {
				t.Errorf("an example:\n%s", r.out)
			}
		})
	}
}

// TestAuditEmbedded: an embedded grammar is compared with its language's parser, on samples and
// mutants, the same in every run.
func TestAuditEmbedded(t *testing.T) {
	for _, name := range seed.Some(t, []string{"go", "json"}, 2, 1, 1) {
		args := []string{"grammar", "audit", name, "--mutants", "200", "--seed", "3", "--json"}
		first, second := gcdbench(t, "", args...), gcdbench(t, "", append(args, "--jobs", "1")...)
		if first.status != exitOK || first.out != second.out {
			t.Errorf("%s: status %d\n%s%s%s", name, first.status, first.out, first.err, second.out)
			continue
		}
		var found struct {
			Grammar, SHA256, Judge, Version string
			Seed                            int
			Rows                            []struct {
				Name    string
				Mutants bool
				Texts   int
				Valid   *int `json:"valid_accepted"`
				Invalid *int `json:"invalid_refused"`
			}
			Examples []any
		}
		must.OK(t, json.Unmarshal([]byte(first.out), &found))
		mutants := 0
		for _, row := range found.Rows {
			if row.Mutants {
				mutants += row.Texts
			}
			if row.Valid == nil || row.Invalid == nil || *row.Valid+*row.Invalid != row.Texts {
				t.Errorf("%s: %+v, want one verdict for both", name, row)
			}
		}
		if found.Grammar != name || len(found.SHA256) != 64 || found.Judge == "" || found.Version == "" || found.Seed != 3 || len(found.Rows) != 5 || mutants != 200 || found.Examples == nil {
			t.Errorf("%+v", found)
		}
	}
}

// TestAuditStart: a grammar is read from the rule that is named.
func TestAuditStart(t *testing.T) {
	file := write(t, "foos.lark", strings.Replace(foos, "start:", "foos:", 1))
	text := write(t, "foo.txt", "foo")
	args := []string{"grammar", "audit", file, "--judge", fooJudge(t), text}
	if r := gcdbench(t, "", args...); r.status != exitUsage || !strings.Contains(r.err, "start") {
		t.Errorf("status %d: %s", r.status, r.err)
	}
	if r := gcdbench(t, "", append(args, "--start", "foos")...); r.status != exitOK || !strings.Contains(r.out, "foo.txt  1") {
		t.Errorf("status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestAuditLabels: a label is before the first "=" of an argument that is no path by itself.
func TestAuditLabels(t *testing.T) {
	odd := write(t, "a=b.go", "package p\n")
	for arg, want := range map[string][2]string{
		"x=y": {"x", "y"}, "x=y=z": {"x", "y=z"}, "a/b": {"b", "a/b"}, "=y": {"=y", "=y"}, "x=": {"x=", "x="}, odd: {"a=b.go", odd},
	} {
		if label, path := splitLabel(arg); label != want[0] || path != want[1] {
			t.Errorf("%s: %q and %q, want %q", arg, label, path, want)
		}
	}
}

// TestPercent: only all is 100%, and only none is 0%.
func TestPercent(t *testing.T) {
	for p, want := range map[float64]string{0: "0%", 1: "100%", 0.5: "50.00%", 0.99999: ">99.99%", 0.00001: "<0.01%", 0.9999: "99.99%"} {
		if got := percent(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}
