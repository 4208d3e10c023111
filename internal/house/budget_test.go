package house

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

var (
	update = flag.Bool("update", false, "write testdata/budget.txt as the sources are")
	base   = flag.String("base", "", "a revision of git: TestBudget lists the packages that changed since")
)

// TestBudget: no package has more lines of code than testdata/budget.txt grants it. Who needs more
// runs this test with -update, and says in the commit what the lines are for.
func TestBudget(t *testing.T) {
	now := map[string]int{}
	for _, s := range sources(t) {
		count(now, s.path, s.text)
	}
	file := filepath.Join("testdata", "budget.txt")
	if *update {
		must.OK(t, os.WriteFile(file, written(now), 0o644))
	}
	text := must.Get(os.ReadFile(file))(t)
	budget := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var name string
		var n int
		if _, err := fmt.Sscan(line, &n, &name); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		budget[name] = n
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] > budget[name] {
			t.Errorf("%s has %d lines of code and may have %d: make it shorter, or give it more by go test ./internal/house -run Budget -update", name, now[name], budget[name])
		}
	}
	for name := range budget {
		if now[name] == 0 {
			t.Errorf("%s: there is no %s any more; -update takes it out", file, name)
		}
	}
	t.Logf("%d lines of code of %d", now["all"], budget["all"])
	if *base != "" {
		t.Logf("since %s:\n%s", *base, changed(revision(t, *base), now))
	}
}

// count adds the lines of a file to those of its package and of all, unless it is a test.
func count(lines map[string]int, name string, text []byte) {
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	n := codeLines(text)
	lines[path.Dir(name)] += n
	lines["all"] += n
}

// codeLines counts the lines of a Go file that hold more than a comment and white space.
func codeLines(text []byte) (n int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	last := 0 // the last line counted
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // of no character
		}
		from, to := file.Line(pos), file.Line(pos)+strings.Count(literal, "\n")
		n += to - max(from-1, last)
		last = to
	}
}

func TestCodeLines(t *testing.T) {
	const text = "// a\npackage a // b\n\n/* c\n*/ var x = `\n\n` + y; var z = 1\n\nfunc f() { /*\n*/ }\n"
	if n := codeLines([]byte(text)); n != 6 {
		t.Errorf("%d lines", n)
	}
}

// revision counts the lines of a revision.
func revision(t *testing.T, name string) map[string]int {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "archive", "--format=tar", name, ":(glob)**/*.go").Output()
	if err != nil {
		t.Fatalf("git archive %s: %v", name, err)
	}
	lines := map[string]int{}
	for in := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := in.Next()
		if err == io.EOF {
			return lines
		}
		text, readErr := io.ReadAll(in)
		if err != nil || readErr != nil {
			t.Fatal(err, readErr)
		}
		hidden := func(folder string) bool { return folder == "testdata" || strings.HasPrefix(folder, ".") }
		if h.Typeflag == tar.TypeReg && !slices.ContainsFunc(strings.Split(h.Name, "/"), hidden) {
			count(lines, h.Name, text)
		}
	}
}

// changed lists the packages whose lines are others than before, those that grew most first.
func changed(before, now map[string]int) string {
	names := maps.Clone(before)
	maps.Copy(names, now)
	by := func(name string) int { return now[name] - before[name] }
	var b strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		return 2*(by(y)-by(x)) + strings.Compare(x, y)
	}) {
		if by(name) != 0 {
			fmt.Fprintf(&b, "%+7d %7d %s\n", by(name), now[name], name)
		}
	}
	return b.String()
}

// written is the text of a budget.
func written(lines map[string]int) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%6d %s\n", lines[name], name)
	}
	return b.Bytes()
}
