package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestTutorial runs the commands of docs/tutorial.md in its order, as a reader's shell would.
func TestTutorial(t *testing.T) {
	seed.Usual(t) // it measures
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell is there")
	}
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md")))(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "bin", "gcdbench")
	must.OK(t, os.Mkdir(filepath.Dir(program), 0o755))
	must.OK(t, os.WriteFile(program, []byte("#!/bin/sh\n"+asProgram+"=1 exec '"+must.Get(os.Executable())(t)+"' \"$@\"\n"), 0o755))
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, m := range regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(string(page), -1) {
		if !strings.HasPrefix(m[1], "go install ") {
			script.WriteString(m[1] + "\n")
		}
	}
	if n := strings.Count(script.String(), "\ngcdbench "); n < 10 {
		t.Fatalf("only %d commands were found", n)
	}
	cmd := exec.Command(sh, "-c", script.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"paper/main.tex", "paper/steps.tex", "site/index.html"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}
