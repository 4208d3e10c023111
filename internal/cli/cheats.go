package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/engines/cheats"
	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/internal/words"
	"gcdbench/reports"
)

// engines check --cheats: engines that cheat, in an ordinary run.

// cheatsConfig is the beginning of that run's configuration: an honest child is among the engines.
const cheatsConfig = `name: cheats
seed: 1
tokenizers: ["o200k_base[:32000]"]
workloads:
  - {grammar: json, dataset: {name: json-samples, limit: 4}}
measure: {warmup: 1, repeat: 2, timeout: 2m}
algorithms:
  - {name: child, label: honest, options: {algorithm: trie}}
`

// A caughtCheat is a line of engines check --cheats.
type caughtCheat struct {
	Cheat  string `json:"cheat"` // "" of the honest engine
	Does   string `json:"does"`
	Caught bool   `json:"caught"`
	// Undecided: something else had the core, so that a run cannot tell.
	Undecided bool `json:"undecided"`
	// Said is what the run says of it.
	Said string `json:"said"`
}

// checkCheats runs all cheats beside an honest engine, and tells what the run says of each.
func (a *app) checkCheats(ctx context.Context) error {
	set, err := a.runCheats(ctx)
	if err != nil {
		return err
	}
	good, undecided := 0, 0
	tell := func(c caughtCheat, right bool) {
		if right {
			good++
		} else if c.Undecided {
			undecided++
		}
		if a.asJSON {
			a.printJSON(c)
			return
		}
		verdict := map[bool]string{true: "caught", false: "not caught"}[c.Caught]
		if c.Undecided {
			verdict = "undecided"
		}
		fmt.Fprintf(a.out, "%-8s %-10s %s\n%19s %s\n", c.Cheat, verdict, c.Does, "", c.Said)
	}
	for _, c := range set.Cells {
		signs, said := signsOf(c)
		if c.Label == "honest" {
			tell(caughtCheat{Does: "an honest engine", Caught: len(signs) > 0, Said: said}, len(signs) == 0)
			continue
		}
		cheat, err := cheats.Find(c.Label)
		if err != nil {
			return err
		}
		caught := signs[cheat.Sign]
		tell(caughtCheat{cheat.Name, cheat.Does, caught, !caught && c.Undecided() > 0, said}, caught)
	}
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s, %d caught or cleared as they should be\n", words.Count(len(set.Cells), "engine"), good)
	}
	if undecided > 0 {
		a.note("%d undecided: the machine is too busy; try again when it is quiet", undecided)
	}
	a.failed = good < len(set.Cells)
	return nil
}

// signsOf are the signs by which a run tells of a cell, and what it says.
func signsOf(c *reports.Cell) (signs map[string]bool, said string) {
	signs = map[string]bool{}
	var texts []string
	for _, d := range c.Doubts() {
		signs[d.Sign] = true
		texts = append(texts, d.Text)
	}
	if c.Outcome != cell.OK {
		texts = append(texts, c.Detail)
		signs[cheats.Masks] = strings.Contains(c.Detail, "what was timed is not what was proved")
	}
	if len(texts) == 0 {
		return signs, "nothing"
	}
	return signs, strings.Join(texts, "; ")
}

// runCheats runs them and reads the results.
func (a *app) runCheats(ctx context.Context) (*reports.Set, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gcdbench-cheats-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text := cheatsConfig
	for _, c := range cheats.All {
		command := fmt.Sprintf("'%s' engines serve trie --cheat %s", program, c.Name)
		text += fmt.Sprintf("  - {name: outside, label: %s, options: {command: %q, version: \"1\", semantics: contract}}\n", c.Name, command)
	}
	path := filepath.Join(dir, "cheats.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cfg, err := config.Load(path, harness.Known())
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "out")
	if _, err := harness.Run(ctx, cfg, harness.Options{Out: out, Progress: a.err}); err != nil {
		return nil, err
	}
	return reports.Load(out)
}
