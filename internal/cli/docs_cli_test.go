package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "write docs/cli.md and docs/tools.md")

// helpPage is the page of all commands, as their help says it. Flags that mean the same to several
// commands are described once.
func helpPage() string {
	root := (&app{out: io.Discard, err: io.Discard}).root()
	commands := documentedCommands(root)
	users := map[string]int{}
	for _, cmd := range commands {
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { users[f.Name+f.Usage]++ })
	}
	shared := pflag.NewFlagSet("shared", pflag.ContinueOnError)
	var b strings.Builder
	for _, cmd := range commands {
		fmt.Fprintf(&b, "\n## %s\n\n%s. `%s`\n", cmd.CommandPath(), cmd.Short, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		own, names := pflag.NewFlagSet("own", pflag.ContinueOnError), []string(nil)
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if users[f.Name+f.Usage] < 3 || shared.Lookup(f.Name) != nil && shared.Lookup(f.Name).Usage != f.Usage {
				own.AddFlag(f)
				return
			}
			if shared.Lookup(f.Name) == nil {
				shared.AddFlag(f)
			}
			names = append(names, "`--"+f.Name+"`")
		})
		if own.HasFlags() {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimRight(own.FlagUsages(), "\n"))
		}
		if names != nil {
			fmt.Fprintf(&b, "\nShared: %s.\n", strings.Join(names, ", "))
		}
	}
	page := "# The command line\n\nMade of the commands' own help: `go test ./internal/cli -run HelpPage -update`. The [reference](reference.md) has the JSON that commands\n" +
		"print, the keys of configurations and the environment. `gcdbench help COMMAND` says more, with examples.\n\n`--json` prints JSON, `--quiet` no progress. The exit status is 0 if all is well, 1 if a command ran and found a failure, 2 for bad\nusage or bad input.\n\n" +
		"## Shared flags\n\n```text\n" + strings.TrimRight(shared.FlagUsages(), "\n") + "\n```\n" + b.String()
	return regexp.MustCompile(` +\n`).ReplaceAllString(page, "\n")
}

// documentedCommands are the commands that do something, but for help.
func documentedCommands(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	if cmd.Runnable() && cmd.Name() != "help" && cmd.HasParent() && !cmd.HasSubCommands() {
		list = append(list, cmd)
	}
	for _, sub := range cmd.Commands() {
		list = append(list, documentedCommands(sub)...)
	}
	return list
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
