package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gcdbench/engines/cheats"
	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
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
  - {name: child, label: ` + honest + `, options: {algorithm: trie}}
`

// honest is the label of the engine that does not cheat.
const honest = "honest"

// cheatsWithin is for how long those that a disturbed run could not tell of are run again.
const cheatsWithin = 10 * time.Minute

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

// right reports whether a cheat is caught, or the honest engine cleared.
func (c *caughtCheat) right() bool { return !c.Undecided && c.Caught == (c.Cheat != "") }

// checkCheats runs all cheats beside an honest engine, and tells what the run says of each. What a
// disturbed run does not tell is asked again.
func (a *app) checkCheats(ctx context.Context) error {
	list := []caughtCheat{{Does: "an honest engine", Undecided: true}}
	for _, c := range cheats.All {
		list = append(list, caughtCheat{Cheat: c.Name, Does: c.Does, Undecided: true})
	}
	undecided := len(list)
	for end := time.Now().Add(cheatsWithin); undecided > 0 && time.Now().Before(end); {
		if undecided < len(list) {
			a.note("%d undecided: running them again", undecided)
		}
		set, err := a.runCheats(ctx, list)
		if err != nil {
			return err
		}
		undecided = 0
		for i := range list {
			if c := &list[i]; c.Undecided {
				if c.judge(set); c.Undecided {
					undecided++
				}
			}
		}
	}
	good := 0
	for _, c := range list {
		if c.right() {
			good++
		}
		a.tellCheat(c)
	}
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s, %d caught or cleared as they should be\n", words.Count(len(list), "engine"), good)
	}
	if undecided > 0 {
		a.note("%d undecided: in %v something else had the core in every run that could have told; stop other programs and run this again", undecided, cheatsWithin)
	}
	a.failed = good < len(list)
	return nil
}

// judge reads a run. A verdict that is not as it should be counts if the run was not disturbed.
func (c *caughtCheat) judge(set *reports.Set) {
	for _, x := range set.Cells {
		if x.Label != cmp.Or(c.Cheat, honest) {
			continue
		}
		signs, said := signsOf(x)
		sign := ""
		if cheat, err := cheats.Find(c.Cheat); err == nil {
			sign = cheat.Sign
		}
		c.Said, c.Caught, c.Undecided = said, signs[sign] || sign == "" && len(signs) > 0, false
		c.Undecided = !c.right() && slices.Contains(set.Disturbed(), x.Key) || sign == "" && x.Undecided()
	}
}

// tellCheat prints a line.
func (a *app) tellCheat(c caughtCheat) {
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

// runCheats runs those that are undecided, and reads the results.
func (a *app) runCheats(ctx context.Context, list []caughtCheat) (*reports.Set, error) {
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
	for _, c := range list {
		if one, err := cheats.Find(c.Cheat); err == nil && c.Undecided {
			command := fmt.Sprintf("env 'TMPDIR=%s' '%s' engines serve %s --cheat %s", dir, program, one.Of, c.Cheat)
			text += fmt.Sprintf("  - {name: outside, label: %s, options: {command: %q, version: \"1\", semantics: contract}}\n", c.Cheat, command)
		}
	}
	cfg, err := config.Parse(filepath.Join(dir, "cheats.yaml"), []byte(text), prepare.Known())
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "out")
	if _, err := harness.Run(ctx, cfg, prepare.Options{Out: out, Progress: a.progress()}); err != nil {
		return nil, err
	}
	return reports.Load(out)
}
