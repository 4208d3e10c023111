package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "write docs/cli.md and docs/tools.md")

// helpPage is the page of all commands, as their help says it.
func helpPage() string {
	root := (&app{out: io.Discard, err: io.Discard}).root()
	var b strings.Builder
	b.WriteString("# The command line\n\nMade of the commands' own help: `go test ./internal/cli -run HelpPage -update`. The JSON that commands print, the keys of\n" +
		"configurations and the environment are in the [reference](reference.md).\n\n`gcdbench help COMMAND` says more, with examples. `--json` prints JSON, `--quiet` no progress.\n\nThe exit status is 0 if all is well, 1 if a command ran and found a failure, 2 for bad usage or bad input.\n")
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		if cmd.Runnable() && cmd.Name() != "help" && !(cmd == root) && !cmd.HasSubCommands() {
			fmt.Fprintf(&b, "\n## %s\n\n%s. `%s`\n\n```text\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.UseLine(), strings.TrimRight(cmd.NonInheritedFlags().FlagUsages(), "\n"))
		}
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(root)
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// TestHelpPage: docs/cli.md is what the commands' help says.
func TestHelpPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "cli.md")
	if *update {
		must.OK(t, os.WriteFile(path, []byte(helpPage()), 0o644))
	}
	text := must.Get(os.ReadFile(path))(t)
	if string(text) != helpPage() {
		t.Error("docs/cli.md is not today's help; run: go test ./internal/cli -run HelpPage -update")
	}
}

// TestMan: there is a manual page for each command, and a completion script.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if r := gcdbench(t, "", "man", dir); r.status != exitOK {
		t.Fatal(r.err)
	}
	for _, name := range []string{"gcdbench.1", "gcdbench-run.1", "gcdbench-engines-replay.1"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := gcdbench(t, "", "completion", "bash"); r.status != exitOK || !strings.Contains(r.out, "bash completion") {
		t.Errorf("completion: %s%.100s", r.err, r.out)
	}
}
