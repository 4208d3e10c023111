package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// documented finds command lines in the documentation: indented or fenced lines, and code spans,
// that begin with the program.
var documented = regexp.MustCompile("(?m)^ {4,}(?:go run \\./cmd/)?gcdbench (.*)$|^(?:go run \\./cmd/)?gcdbench (.*)$|`gcdbench ([^`]*)`")

// fields splits a command line as a shell does, as far as the documentation needs it.
func fields(line string) []string {
	var list []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		if strings.HasPrefix(m[2], "#") || m[2] == "|" {
			break
		}
		list = append(list, m[1]+m[2])
	}
	return list
}

// placeholder matches words that stand for something else.
var placeholder = regexp.MustCompile(`^[A-Z][A-Z_]*\b|=PATH$|[\[\]|…]|\.\.\.|^(mine|my|results)[./]`)

// TestDocumentedCommands runs every command that the documentation shows. A command with
// placeholders, or one that would fetch or measure for long, is run with --help, which still
// refuses an unknown command or flag; its configuration is loaded.
func TestDocumentedCommands(t *testing.T) {
	seed.Usual(t)
	root := filepath.Join("..", "..")
	files := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md")))(t)
	pages := must.Get(filepath.Glob(filepath.Join(root, "docs", "grammars", "*.md")))(t)
	files = append(files, pages...)
	t.Chdir(root)
	var list [][2]string // file and line
	for _, file := range append(files, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "results", "README.md")) {
		if filepath.Base(file) == "tutorial.md" {
			continue // TestTutorial runs it, in a folder of its own
		}
		name := must.Get(filepath.Rel(root, file))(t)
		text := must.Get(os.ReadFile(name))(t)
		for _, m := range documented.FindAllStringSubmatch(string(text), -1) {
			list = append(list, [2]string{name, strings.ReplaceAll(m[1]+m[2]+m[3], `\|`, "|")})
		}
	}
	if len(list) < 20 {
		t.Errorf("only %d commands were found: the pattern is no good", len(list))
	}
	for _, c := range seed.Some(t, list, 12, 1, 1) {
		checkDocumented(t, c[0], c[1])
	}
	t.Logf("%d commands", len(list))
}

func checkDocumented(t *testing.T, file, line string) {
	t.Helper()
	args := fields(strings.TrimSuffix(line, "..."))
	symbolic := false
	var plain []string
	for _, a := range args {
		if placeholder.MatchString(a) {
			symbolic = true
			a = strings.Trim(a, "[]()|")
			if !strings.HasPrefix(a, "--") {
				continue
			}
		}
		plain = append(plain, strings.Trim(a, "[]()"))
	}
	if len(plain) == 0 {
		t.Errorf("%s: %q names no command", file, line)
		return
	}
	if slices.Contains([]string{"run", "verify", "fetch", "plan", "calibrate", "engines", "merge", "slurm", "speculate", "load", "constraints", "site", "bench", "man", "tools"}, plain[0]) || slices.Contains(plain, "--store") ||
		slices.Contains(plain, "request.lark") { // which a command before it has written
		symbolic = true
	}
	for _, a := range plain {
		if strings.HasSuffix(a, ".yaml") && !placeholder.MatchString(a) {
			if _, err := config.Load(a, prepare.Known()); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
		}
	}
	if symbolic {
		// A flag that wants a value gets one, so that what follows is not taken for it.
		var withValues []string
		for i, a := range plain {
			withValues = append(withValues, a)
			if i+1 < len(plain) && !strings.HasPrefix(plain[i+1], "--") {
				continue // it has one
			}
			if strings.HasPrefix(a, "--") && a != "--json" && a != "--list" && a != "--conflicts" && a != "--store" {
				withValues = append(withValues, "1")
			}
		}
		plain = append(withValues, "--help")
	}
	if r := gcdbench(t, "", plain...); r.status != exitOK {
		t.Errorf("%s: %q: exit status %d: %s", file, line, r.status, r.err)
	}
}
