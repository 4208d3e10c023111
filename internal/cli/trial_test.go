package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"gcdbench/engines"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestTrials does what a reader of README does with a grammar and some texts. A file of
// testdata/trial has both, and in its comment the flags. In the long form published engines take
// part where they are installed; llguidance has a lexer, so that it reads those with a contextual
// one.
func TestTrials(t *testing.T) {
	seed.Usual(t) // it measures
	list := "psc,naive"
	for _, name := range []string{"llguidance", "xgrammar"} {
		if _, err := engines.Find(name).Installed(); err == nil && seed.Full() {
			list += "," + name
		}
	}
	files := must.Get(filepath.Glob("testdata/trial/*.txt"))(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			archive, dir := must.Get(txtar.ParseFile(file))(t), t.TempDir()
			args := []string{"bench", "-t", "r50k_base[:2000]", "--repeat", "1", "-a", list}
			for i, f := range archive.Files {
				path := filepath.Join(dir, f.Name)
				must.OK(t, os.WriteFile(path, []byte(strings.TrimSuffix(string(f.Data), "\n")), 0o644))
				if i == 0 {
					args = append(args, "--grammar")
				}
				args = append(args, path)
			}
			if flag := regexp.MustCompile(`(?m)^--.*$`).Find(archive.Comment); flag != nil {
				args = append(args, strings.Fields(string(flag))...)
			}
			r := gcdbench(t, "", args...)
			if r.status != exitOK || len(archive.Files) != 11 {
				t.Fatalf("exit status %d, %d files: %s%s", r.status, len(archive.Files), r.out, r.err)
			}
			for _, name := range strings.Split(list, ",") {
				row := regexp.MustCompile(`(?m)^ *` + name + ` .*$`).FindString(r.out)
				if row == "" || name == "psc" && !strings.Contains(row, "masks equal") || strings.Contains(row, "verdicts") ||
					name == "llguidance" && strings.Contains(row, "unsupported") != (args[len(args)-1] != "contextual") {
					t.Errorf("%s: %q in\n%s", name, row, r.out)
				}
			}
		})
	}
	if len(files) < 4 {
		t.Errorf("%d trials", len(files))
	}
}

// TestBenchUsage: errors name the flag, and not the configuration that bench writes for it.
func TestBenchUsage(t *testing.T) {
	file := write(t, "a.json", "[1]")
	for args, want := range map[string]string{
		"--grammar nope":                                     `--grammar: unknown grammar "nope"`,
		"--grammar nope.lark":                                "nope.lark: no such file or directory",
		"--grammar json -a nope":                             `--algorithm: unknown algorithm "nope"`,
		"--grammar json --repeat 0":                          "--repeat: 0 is out of range",
		"--grammar json --limit -1":                          "--limit: -1 is out of range",
		"--grammar json -t nope --lexer nope":                "--tokenizer: unknown tokenizer \"nope\"",
		"--grammar json " + file:                             file + " is named twice",
		"--grammar json " + filepath.Dir(file) + "/./a.json": "a.json is named twice",
	} {
		r := gcdbench(t, "", append([]string{"bench", file}, strings.Fields(args)...)...)
		if r.status != exitUsage || !strings.Contains(r.err, want) || strings.Contains(r.err, "bench.yaml") {
			t.Errorf("%s: exit status %d: %s; want %s", args, r.status, r.err, want)
		}
	}
}
