package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"gcdbench/engines/cheats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestCheats: an ordinary run tells of each engine that cheats, and nothing of an honest one.
func TestCheats(t *testing.T) {
	if !seed.Full() {
		t.Skip("it takes minutes; set GCDBENCH_FULL=1")
	}
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	r := gcdbench(t, "", "engines", "check", "--cheats", "--json")
	found, undecided := map[string]bool{}, false
	for _, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
		var c caughtCheat
		must.OK(t, json.Unmarshal([]byte(line), &c))
		if found[c.Cheat] = true; c.Undecided { // something else had the core
			undecided = true
		} else if c.Caught != (c.Cheat != "") {
			t.Errorf("%+v", c)
		}
	}
	if (r.status != exitOK) != undecided || strings.Contains(r.err, "stop other programs") != undecided {
		t.Errorf("exit status %d: %s\n%s", r.status, r.err, r.out)
	}
	if len(found) != len(cheats.All)+1 {
		t.Errorf("%v", found)
	}
	if r := gcdbench(t, "", "engines", "check", "--cheats", "psc"); r.status != exitUsage {
		t.Errorf("exit status %d", r.status)
	}
	if r := gcdbench(t, `{"do":"bye"}`, "engines", "serve", "trie", "--cheat", "luck"); r.status != exitUsage || !strings.Contains(r.err, "again, proof") {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
}
