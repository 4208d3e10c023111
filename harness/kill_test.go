package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// These tests run this test's own binary again as a process that can be killed.

const (
	childVariable = "GCDBENCH_TEST_CHILD"
	// holdVariable is after how many rounds "waits" waits to be killed, so that no child
	// gets further while its parent is slow to look.
	holdVariable = "GCDBENCH_TEST_HOLD"
	// renameVariable is before which file of results, from 1, that is about to get its name a child
	// kills itself.
	renameVariable = "GCDBENCH_TEST_RENAME"
)

// hold reports, in a child, whether it has come to where it waits to be killed.
var hold = func() bool { return false }

// child runs the configuration that the variable names, in place of the tests.
func child() {
	path := os.Getenv(childVariable)
	w := &world{dir: filepath.Dir(path), out: filepath.Join(filepath.Dir(path), "out")}
	if rounds, err := strconv.Atoi(os.Getenv(holdVariable)); err == nil {
		hold = func() bool { return w.journalled() >= rounds }
	}
	cfg, err := config.Load(path, config.Names{})
	if err == nil {
		opt := w.options()
		opt.Progress = os.Stderr
		if at, bad := strconv.Atoi(os.Getenv(renameVariable)); bad == nil {
			opt.BeforeRename = func(string) {
				if at--; at == 0 {
					syscall.Kill(os.Getpid(), syscall.SIGKILL)
					select {} // until it has come
				}
			}
		}
		_, err = Run(context.Background(), cfg, opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// startChild starts a child; more are variables of its environment.
func (w *world) startChild(t *testing.T, more ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childVariable+"="+filepath.Join(w.dir, "test.yaml")), more...)
	log := new(strings.Builder)
	cmd.Stderr = log
	must.OK(t, cmd.Start())
	return cmd, log
}

// killAfter starts a child and kills it by SIGKILL when so many rounds are in the
// journal.
func (w *world) killAfter(t *testing.T, rounds int) {
	t.Helper()
	exit := w.signalAfter(t, rounds, syscall.SIGKILL)
	if !exit.Signaled() || exit.Signal() != syscall.SIGKILL {
		t.Fatalf("it ended before it was killed: %v", exit)
	}
}

// signalAfter is killAfter with any signal, and returns how the child ended.
func (w *world) signalAfter(t *testing.T, rounds int, signal syscall.Signal) syscall.WaitStatus {
	t.Helper()
	cmd, log := w.startChild(t, fmt.Sprintf("%s=%d", holdVariable, rounds))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for w.journalled() < rounds {
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was killed: %v\n%s", err, log)
		case <-time.After(time.Millisecond):
		}
	}
	must.OK(t, cmd.Process.Signal(signal))
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) {
		t.Fatalf("%v did not end it: %v\n%s", signal, err, log)
	}
	if now := w.journalled(); now != rounds {
		t.Fatalf("%d rounds in the journal, want %d", now, rounds)
	}
	return exit.Sys().(syscall.WaitStatus)
}

// journalled counts the rounds in the journal of the only group.
func (w *world) journalled() int {
	files, _ := filepath.Glob(filepath.Join(w.out, "journal", "*.log"))
	if len(files) != 1 {
		return 0
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return 0
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1] // a line that is being written may be cut by a kill
	return bytes.Count(whole, []byte(`{"round":`))
}

// finishKilled kills a run again and again, each time when so many samples are done, and then lets
// it finish.
func (w *world) finishKilled(t *testing.T, kills []int) {
	t.Helper()
	for _, done := range kills {
		w.killAfter(t, done)
	}
	cmd, log := w.startChild(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
}

// TestKill kills a run by SIGKILL three times at different places. The same
// command finishes it, and no sample that was finished is measured again.
func TestKill(t *testing.T) {
	w := newWorld(t)
	w.file(t, "test.yaml", string(w.config(t, "naive, waits", "warmup: 1, repeat: 2").Text))
	kills := []int{1, 2, 4}[seed.Rounds(2, 0, 0):]
	w.finishKilled(t, kills)
	for label, r := range w.records(t) {
		if r.Outcome != cell.OK || r.Sessions != len(kills)+1 || len(r.Samples) != 8 {
			t.Errorf("%s: %s after %d sessions, %d samples", label, r.Outcome, r.Sessions, len(r.Samples))
		}
		earlier := 0
		for _, s := range r.Samples {
			earlier += stats.Truth(s.Session <= len(kills) && !s.Negative)
			if s.Negative && s.Session != 1 {
				t.Errorf("%s: %s is of session %d, all answers were there after the first", label, s.ID, s.Session)
			}
		}
		if earlier != kills[len(kills)-1] {
			t.Errorf("%s: %d samples are of killed sessions, want the %d that were finished", label, earlier, kills[len(kills)-1])
		}
		checkKilled(t, w, label, r)
	}
	if left, _ := filepath.Glob(filepath.Join(w.out, "journal", "*")); len(left) > 0 {
		t.Errorf("the journal is still there: %v", left)
	}
	if _, err := os.Stat(filepath.Join(w.out, "crash.txt")); !os.IsNotExist(err) {
		t.Errorf("crash.txt: %v", err)
	}
}

// checkKilled: the raw times of all sessions are there, and in each session the first document that
// an engine was timed on met a fresh one.
func checkKilled(t *testing.T, w *world, label string, r *cell.Record) {
	t.Helper()
	last := 0
	for _, tr := range w.traces(t, r) {
		if s := r.Samples[tr.Sample]; len(tr.Passes) > 0 {
			want := cell.New
			if s.Session != last {
				want = cell.Fresh
			}
			last = s.Session
			if tr.Passes[0].State != want || tr.Passes[1].State != cell.Again {
				t.Errorf("%s, %s of session %d: %v, then %v", label, s.ID, s.Session, tr.Passes[0].State, tr.Passes[1].State)
			}
		}
		if s := r.Samples[tr.Sample]; !s.Negative && (len(tr.Passes) != 3 || len(tr.Passes[2].Step) != s.Tokens) {
			t.Errorf("%s, %s: %d passes", label, s.ID, len(tr.Passes))
		}
	}
}

// TestSignalFromOutside: a signal that somebody sends ends the process with the words of a fatal
// error while an algorithm is in the middle of a mask, and says nothing about that algorithm.
func TestSignalFromOutside(t *testing.T) {
	w := newWorld(t)
	w.file(t, "test.yaml", string(w.config(t, "waits, trie", "warmup: 1, repeat: 1").Text))
	signals := seed.Some(t, []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS}, 4, 1, 1)
	for i, signal := range signals {
		w.signalAfter(t, i+1, signal)
		words, err := os.ReadFile(filepath.Join(w.out, "crash.txt"))
		if err != nil || !strings.Contains(string(words), "sigcode=") {
			t.Fatalf("%v left no last words that say where it came from: %v\n%s", signal, err, words)
		}
	}
	cmd, log := w.startChild(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	for label, r := range w.records(t) {
		if r.Outcome != cell.OK || r.Sessions != len(signals)+1 {
			t.Errorf("%s: %s after %d sessions", label, r.Outcome, r.Sessions)
		}
	}
}

// TestFatalError: an algorithm overflows the stack, which kills the process. The
// next start of the same command knows who it was, and finishes.
func TestFatalError(t *testing.T) {
	w := newWorld(t)
	w.file(t, "test.yaml", string(w.config(t, "naive, overflows", "warmup: 0, repeat: 1").Text))
	cmd, log := w.startChild(t)
	if err := cmd.Wait(); err == nil {
		t.Fatalf("it did not die\n%s", log)
	}
	if !strings.Contains(log.String(), "stack overflow") {
		t.Fatalf("it died of something else:\n%s", log)
	}
	cmd, log = w.startChild(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	records := w.records(t)
	s := sample(t, records["overflows"], "p0")
	if s.Outcome != cell.Crash || !strings.Contains(s.Detail, "stack overflow") {
		t.Errorf("p0: %s, %.200q", s.Outcome, s.Detail)
	}
	if records["naive"].Outcome != cell.OK {
		t.Errorf("naive: %s", records["naive"].Outcome)
	}
}
