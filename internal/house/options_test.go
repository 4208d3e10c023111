package house

import (
	"path/filepath"
	"slices"
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/all"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
)

// TestAblations: what an idea buys is measured where it can be turned off, so every option that is
// on or off occurs in a configuration of ablations with the value that is not its default, and
// every mechanism for JSON strings and numbers is left out in one.
func TestAblations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "configs", "ablations*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no configuration of ablations", err)
	}
	var entries []config.Algorithm
	for _, file := range files {
		c := must.Get(config.Load(file, prepare.Known()))(t)
		entries = append(entries, c.Algorithms...)
	}
	for _, name := range algorithms.Names() {
		a := must.Get(algorithms.Lookup(name))(t)
		for _, o := range a.Options() {
			if algorithms.IsOutside(a) || !slices.Contains(o.Values, "on") {
				continue
			}
			other := map[string]string{"on": "off", "off": "on"}[o.Default]
			if !slices.ContainsFunc(entries, func(e config.Algorithm) bool { return e.Name == name && e.Options[o.Name] == other }) {
				t.Errorf("no configuration of ablations has %s with %s=%s", name, o.Name, other)
			}
		}
	}
	for _, m := range jsontokens.MechanismNames {
		if !slices.ContainsFunc(entries, func(e config.Algorithm) bool { return e.Options["without"] == m }) {
			t.Errorf("no configuration of ablations has without=%s", m)
		}
	}
}
