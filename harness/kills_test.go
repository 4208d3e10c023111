package harness

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports"
)

// These tests kill a run wherever they can, and want the cells of an undisturbed run: no
// document that was timed before a kill is timed again, and nothing false is said of who took
// turns.

// killed is a configuration whose runs are killed.
type killed struct {
	*world
	want map[string]essence // of the run that was not
	// timed are the sessions in whose journals results were found, by label and document.
	timed map[string]int
	kills int
	// lost counts results that were in a journal at a kill and not in the cells, or measured again;
	// false what reports say of turns that were not so.
	lost, falseNotes int
}

// newKilled runs the configuration once without being disturbed.
func newKilled(t *testing.T) *killed {
	t.Helper()
	k := &killed{world: newWorld(t), want: map[string]essence{}}
	cfg := k.config(t, "naive, waits, trie, grows-on-the-way", "warmup: 1, repeat: 1, compiles: 1")
	k.file(t, "test.yaml", string(cfg.Text))
	k.run(t, cfg)
	for label, r := range k.records(t) {
		k.want[label] = essenceOf(t, k.world, r)
	}
	k.begin(t)
	return k
}

// begin removes all results.
func (k *killed) begin(t *testing.T) {
	t.Helper()
	must.OK(t, os.RemoveAll(k.out))
	k.timed = map[string]int{}
}

// once runs the configuration until it is killed, after some time or, if that is 0, by itself. It
// reports whether it ended before.
func (k *killed) once(t *testing.T, after time.Duration, more ...string) (ended bool) {
	t.Helper()
	cmd, log := k.startChild(t, more...)
	if after > 0 {
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true
	case !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL:
		t.Fatalf("it ended of something else: %v\n%s", err, log)
	}
	k.kills++
	k.look(t)
	return false
}

// look notes what was timed up to a kill.
func (k *killed) look(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(k.out, "journal", "*.log"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		must.OK(t, err)
		copied, err := cell.Create(t.TempDir()) // whoever opens a journal cuts off what is torn
		must.OK(t, err)
		must.OK(t, os.WriteFile(filepath.Join(copied.Dir(), "journal", filepath.Base(file)), text, 0o644))
		j, damage, err := copied.OpenJournal(strings.TrimSuffix(filepath.Base(file), ".log"), func(e cell.Entry, _ cell.Place) {
			if e.Round == nil {
				return
			}
			for key, r := range e.Round.Results {
				k.timed[fmt.Sprint(key, " ", r.Sample.ID)] = r.Sample.Session
			}
		})
		if err != nil || len(damage.Lost) > 0 {
			t.Errorf("after a kill the journal has %v, %v", damage.Lost, err)
		}
		j.Close()
	}
}

// check holds the cells to those of the undisturbed run.
func (k *killed) check(t *testing.T) {
	t.Helper()
	records := k.records(t)
	for label, r := range records {
		if got := essenceOf(t, k.world, r); !reflect.DeepEqual(got, k.want[label]) {
			t.Errorf("after %d kills %s is\n%+v, want\n%+v", k.kills, label, got, k.want[label])
		}
		for _, s := range r.Samples {
			if session, was := k.timed[fmt.Sprint(r.Key, " ", s.ID)]; was && s.Session != session {
				k.lost++
				t.Errorf("%s, %s was timed in session %d, and again in %d", label, s.ID, session, s.Session)
			}
		}
	}
	checkGrown(t, records["grows-on-the-way"], 64<<10)
	set, err := reports.Load(k.out)
	if err != nil || len(set.Warnings) > 0 {
		t.Fatalf("%v, %v", err, set.Warnings)
	}
	for _, c := range set.Cells {
		if a := c.Against; len(c.Measured.Group) != len(k.want) || a != nil && (!a.Interleaved || a.Turns != len(positives)) {
			k.falseNotes++
			t.Errorf("%s: group %v, against %+v", c.Label, c.Measured.Group, a)
		}
	}
	k.checkClean(t)
}

// checkClean: no file of a killed process is left.
func (k *killed) checkClean(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(k.out, func(path string, d os.DirEntry, err error) error {
		if name := d.Name(); err == nil && (strings.HasPrefix(name, ".tmp-") || strings.HasSuffix(name, ".log") || name == "crash.txt") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestKillAtRenames kills a run before each file of its results gets its name, among these the
// moments between the cells of a group, and each time goes on.
func TestKillAtRenames(t *testing.T) {
	k := newKilled(t)
	files := 2 + 2*len(k.want) // the manifest twice, and of each cell two
	for at := 1; at <= files; at++ {
		if at%seed.Rounds(9, 5, 1) != 0 { // files of both kinds but with -short
			continue
		}
		k.begin(t)
		if k.once(t, 0, fmt.Sprintf("%s=%d", renameVariable, at)) {
			t.Fatalf("it did not come to rename %d of %d", at, files)
		}
		left, _ := filepath.Glob(filepath.Join(k.out, "*", ".tmp-*"))
		if rest, _ := filepath.Glob(filepath.Join(k.out, ".tmp-*")); len(left)+len(rest) != 1 {
			t.Errorf("killed at rename %d, it left %v, %v", at, left, rest)
		}
		if !k.once(t, 0) {
			t.Fatal("it was killed by nobody")
		}
		k.check(t)
	}
	if k.begin(t); !k.once(t, 0, fmt.Sprintf("%s=%d", renameVariable, files+1)) {
		t.Errorf("a run has more than %d renames", files)
	}
	t.Logf("%d kills at renames: %d results lost or timed again, %d false notes about turns", k.kills, k.lost, k.falseNotes)
}

// TestKillAtRandom kills runs at random moments, until it has done so 50 times or, without the full
// tests, some.
func TestKillAtRandom(t *testing.T) {
	seed.Usual(t)
	kills := seed.Rounds(1, 5, 50)
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	k := newKilled(t)
	runs := 0
	for k.kills < kills {
		if k.once(t, time.Duration(1+rng.IntN(400))*time.Millisecond) {
			runs++
			k.check(t)
			k.begin(t)
		}
	}
	if !k.once(t, 0) {
		t.Fatal("it was killed by nobody")
	}
	k.check(t)
	t.Logf("%d kills in %d runs: %d results lost or timed again, %d false notes about turns", k.kills, runs+1, k.lost, k.falseNotes)
}

// TestLastWordsOfAKill: SIGKILL leaves no words to hold against anybody.
func TestLastWordsOfAKill(t *testing.T) {
	w := newWorld(t)
	w.file(t, "test.yaml", string(w.config(t, "waits", "warmup: 0, repeat: 1").Text))
	w.killAfter(t, 1)
	if words, err := os.ReadFile(filepath.Join(w.out, "crash.txt")); err != nil || len(bytes.TrimSpace(words)) > 0 {
		t.Errorf("%q, %v", words, err)
	}
}
