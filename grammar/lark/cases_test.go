package lark

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "write what the cases give into their files")

// A testCase is one of the cases in testdata/cases: a grammar, with files it imports, and what
// becomes of it: rules and terminals, or the error. The cases are documentation too, so each says
// what it shows.
//
//	== what it shows
//	more about it
//	start: the start rule, if it is not "start"
//	ours: why it is not compared with Lark
//	-- grammar
//	-- file NAME        (any number)
//	-- want
type testCase struct {
	question
	name, ours string
	given      string // the case up to its want
	want       string
}

// readCases reads a file of cases.
func readCases(t testing.TB, name string) []*testCase {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	var cases []*testCase
	for i, part := range strings.Split("\n"+string(text), "\n== ") {
		if i == 0 {
			continue // an introduction
		}
		given, want, ok := strings.Cut(part, "\n-- want\n")
		if !ok {
			t.Fatalf("%s: a case without want:\n%s", name, part)
		}
		c := &testCase{given: given, want: strings.Trim(want, "\n"), question: question{Files: map[string]string{}}}
		c.read(t)
		cases = append(cases, c)
	}
	return cases
}

// read takes the parts of a case.
func (c *testCase) read(t testing.TB) {
	parts := strings.Split(c.given, "\n-- ")
	for i, line := range strings.Split(parts[0], "\n") {
		if i == 0 {
			c.name = line
		}
		if v, ok := strings.CutPrefix(line, "start: "); ok {
			c.Start = v
		}
		if v, ok := strings.CutPrefix(line, "ours: "); ok {
			c.ours = v
		}
	}
	for _, part := range parts[1:] {
		title, body, _ := strings.Cut(part, "\n")
		kind, name, _ := strings.Cut(title, " ")
		switch kind {
		case "grammar":
			c.Grammar = body
		case "file":
			c.Files[name] = body
		default:
			t.Fatalf("case %s: unknown part %s", c.name, title)
		}
	}
}

// got is what a case gives: the lowered grammar, or the error.
func (c *testCase) got() string {
	g, err := c.parse()
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if err := Describe(&b, g); err != nil {
		return err.Error()
	}
	return strings.Trim(b.String(), "\n")
}

func caseFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return files
}

// TestCases runs all cases; -update accepts what they give.
func TestCases(t *testing.T) {
	for _, file := range caseFiles(t) {
		var b strings.Builder
		text, _ := os.ReadFile(file)
		intro, _, _ := strings.Cut("\n"+string(text), "\n== ")
		b.WriteString(strings.TrimPrefix(intro, "\n") + "\n")
		for _, c := range readCases(t, file) {
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				if got := c.got(); got != c.want && !*update {
					t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
				} else {
					b.WriteString("== " + c.given + "\n-- want\n" + got + "\n\n")
				}
			})
		}
		if *update {
			must.OK(t, os.WriteFile(file, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644))
		}
	}
}

// TestCasesAgainstLark compares with Lark the cases that are not marked as ours.
func TestCasesAgainstLark(t *testing.T) {
	o := newOracle(t)
	for _, file := range caseFiles(t) {
		for _, c := range readCases(t, file) {
			if c.ours != "" {
				continue
			}
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				g, err := c.parse()
				a := o.ask(t, c.question)
				if diff := compare(g, err, a); diff != "" {
					t.Errorf("%s\n%s", c.Grammar, diff)
				}
				if err == nil {
					if diff := compareConflicts(g, a); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
	}
}
