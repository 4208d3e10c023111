package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestSchemaJournal: twice the schemas, twice the journal.
func TestSchemaJournal(t *testing.T) {
	size := func(n int) int {
		var many []tinySchema
		for i := range n {
			many = append(many, tinySchema{fmt.Sprintf("n-%03d", i), fmt.Sprintf(`{"const": %d}`, i%10), []instance{{fmt.Sprint(i % 10), true}}})
		}
		w := newSchemaWorld(t, many)
		_, text := journalOf(t, w, w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1", ""))
		return len(text)
	}
	if small, large := size(10), size(20); large > small*22/10 {
		t.Errorf("a journal of %d bytes for 10 schemas, and of %d for 20", small, large)
	}
}

// TestSchemaResume cuts the journal of a run at every line's end and inside of lines:
// the result is that of the run that was not interrupted, and no finished schema is
// measured again.
func TestSchemaResume(t *testing.T) {
	const measure = "warmup: 0, repeat: 1"
	w := newSchemaWorld(t, tinySchemas)
	name, journal := journalOf(t, w, w.schemaConfig(t, "naive, trie, panics-h", measure, ""))
	want := map[string]essence{}
	for label, r := range w.records(t) {
		want[label] = essenceOf(t, w, r)
	}
	lines := strings.SplitAfter(string(journal), "\n")
	for n := 0; n < len(lines); n += max(1, len(lines)/seed.Rounds(3, 5, 1000)) {
		kept := strings.Join(lines[:n], "") + lines[n][:len(lines[n])/2]
		w.out = filepath.Join(t.TempDir(), "out")
		store := must.Get(cell.Create(w.out))(t)
		must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), []byte(kept), 0o644))
		w.run(t, w.schemaConfig(t, "naive, trie, panics-h", measure, ""))
		for label, r := range w.records(t) {
			rounds := 0 // in which it was timed
			for _, line := range lines[:n] {
				rounds += stats.Truth(strings.Contains(line, `{"round":`) && strings.Contains(line, r.Key))
			}
			if got := essenceOf(t, w, r); !reflect.DeepEqual(got, want[label]) {
				t.Fatalf("cut in line %d: %s gives\n%+v, want\n%+v", n, label, got, want[label])
			}
			first := 0
			for _, s := range r.Samples {
				first += stats.Truth(s.Session == 1 && len(s.Turns) > 0)
			}
			if r.Sessions > 1 && first != rounds {
				t.Errorf("cut in line %d: %s has %d samples of the first session, %d were in the journal", n, label, first, rounds)
			}
		}
	}
}

// TestSchemaKill kills a run by SIGKILL while it measures schemas; the same command
// finishes it.
func TestSchemaKill(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	w.file(t, "test.yaml", string(w.schemaConfig(t, "naive, waits", "warmup: 1, repeat: 2", "").Text))
	kills := []int{1, 5}[seed.Rounds(1, 0, 0):]
	w.finishKilled(t, kills)
	for label, r := range w.records(t) {
		earlier := 0
		for _, s := range r.Samples {
			earlier += stats.Truth(s.Session <= len(kills) && len(s.Turns) > 0)
		}
		if r.Outcome != cell.OK || r.Sessions != len(kills)+1 || earlier != kills[len(kills)-1] {
			t.Errorf("%s: %s after %d sessions, %d samples of killed ones, %d were finished", label, r.Outcome, r.Sessions, earlier, kills[len(kills)-1])
		}
		checkSchemaSamples(t, w, label, r)
	}
}

// TestSchemaFatalError: an algorithm overflows the stack on one schema. The next start
// knows who it was and on which instance, and goes on with the next.
func TestSchemaFatalError(t *testing.T) {
	seed.Usual(t)
	w := newSchemaWorld(t, tinySchemas)
	w.file(t, "test.yaml", string(w.schemaConfig(t, "naive, overflows-i", "warmup: 0, repeat: 1", "").Text))
	for deaths := 0; ; deaths++ {
		cmd, log := w.startChild(t)
		if err := cmd.Wait(); err == nil {
			if deaths != 2 { // once on each instance that begins so
				t.Errorf("it died %d times", deaths)
			}
			break
		}
		if deaths > 2 || !strings.Contains(log.String(), "stack overflow") {
			t.Fatalf("it died of something else, or again:\n%.2000s", log)
		}
	}
	records := w.records(t)
	for _, s := range records["overflows-i"].Samples {
		if want := map[bool]cell.Outcome{true: cell.Crash, false: sample(t, records["naive"], s.ID).Outcome}[strings.HasPrefix(s.ID, "i-")]; s.Outcome != want {
			t.Errorf("%s: %s, %.200q", s.ID, s.Outcome, s.Detail)
		}
	}
}

// TestFatalGrammar: the process died while a schema was compiled to its grammar, which
// is nobody's fault but the schema's: no algorithm has it.
func TestFatalGrammar(t *testing.T) {
	w := newSchemaWorld(t, tinySchemas)
	cfg := w.schemaConfig(t, "naive, trie", "warmup: 0, repeat: 1", "")
	name, journal := journalOf(t, w, cfg)
	at := strings.Index(string(journal), `{"begin":{"key":"","problem":7,`)
	if at < 0 {
		t.Fatalf("no compile of h-list in\n%s", journal)
	}
	end := at + strings.Index(string(journal[at:]), "\n") + 1
	w.out = filepath.Join(t.TempDir(), "out")
	store := must.Get(cell.Create(w.out))(t)
	must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), journal[:end], 0o644))
	must.OK(t, os.WriteFile(store.CrashFile(), []byte("\nruntime.newstack()\n"), 0o644))
	w.run(t, cfg)
	for label, r := range w.records(t) {
		p := problemOf(t, r, "h-list")
		if p.Outcome != cell.Crash || p.Stage != cell.StageGrammar || !strings.Contains(p.Detail, "stack overflow") || r.Outcome != cell.Crash {
			t.Errorf("%s: %+v", label, p)
		}
		if s := sample(t, r, "i-string#0"); s.Outcome != cell.OK {
			t.Errorf("%s: %+v", label, s)
		}
	}
}
