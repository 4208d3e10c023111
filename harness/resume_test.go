package harness

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/internal/seed"
)

// journalOf runs a configuration and returns the journal as it stood when the
// last sample was done, which a finished run removes.
func journalOf(t *testing.T, w *world, cfg *config.Config) (name string, text []byte) {
	t.Helper()
	opt := w.options()
	opt.Progress = writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), ": done in") {
			files, _ := filepath.Glob(filepath.Join(w.out, "journal", "*.log"))
			if len(files) == 1 {
				name = filepath.Base(files[0])
				text, _ = os.ReadFile(files[0])
			}
		}
		return len(p), nil
	})
	if _, err := Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 {
		t.Fatal("no journal was seen")
	}
	return name, text
}

// essence is what of a result must not depend on how often a run was interrupted.
type essence struct {
	outcome cell.Outcome
	samples []cell.Sample
	hashes  [][]uint64
}

func essenceOf(t *testing.T, w *world, r *cell.Record) essence {
	t.Helper()
	e := essence{outcome: r.Outcome}
	for _, s := range r.Samples {
		// Times, sessions and stack traces differ; everything else is the same.
		s.Session, s.GC, s.ClockPairNS, s.ClockEmptyNS, s.Check = 0, cell.GC{}, 0, 0, nil
		s.Detail, _, _ = strings.Cut(s.Detail, "\n")
		e.samples = append(e.samples, s)
	}
	for _, tr := range w.traces(t, r) {
		e.hashes = append(e.hashes, tr.Hashes)
	}
	return e
}

// TestResumeFromAnyCut cuts the journal of a run at random bytes, as a crash of
// the machine would, and lets a new run go on from there: the result is that of
// the run that was not interrupted, and what was whole in the journal is not
// measured again.
func TestResumeFromAnyCut(t *testing.T) {
	seed := seed.New(t)
	const cuts = 12
	const algorithms, measure = "naive, trie, panics, unsupported", "warmup: 0, repeat: 1"
	rng := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, algorithms, measure))
	want := map[string]essence{}
	for label, r := range w.records(t) {
		want[label] = essenceOf(t, w, r)
	}
	for range cuts {
		at := rng.IntN(len(journal) + 1)
		w.out = filepath.Join(t.TempDir(), "out")
		store, err := cell.Create(w.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store.Dir(), "journal", name), journal[:at], 0o644); err != nil {
			t.Fatal(err)
		}
		w.run(t, w.config(t, algorithms, measure))
		rounds := bytes.Count(wholeLines(journal[:at]), []byte(`{"round":`))
		for label, r := range w.records(t) {
			if got := essenceOf(t, w, r); !reflect.DeepEqual(got, want[label]) {
				t.Fatalf("seed %d, cut at byte %d: %s gives\n%+v, want\n%+v", seed, at, label, got, want[label])
			}
			if label == "naive" && sessionOne(r) != rounds && r.Sessions > 1 {
				t.Errorf("seed %d, cut at byte %d: %d samples of the first session, %d were in the journal", seed, at, sessionOne(r), rounds)
			}
		}
	}
}

// wholeLines drops a torn last line.
func wholeLines(text []byte) []byte { return text[:bytes.LastIndexByte(text, '\n')+1] }

// sessionOne counts the documents that the first session has timed.
func sessionOne(r *cell.Record) int {
	n := 0
	for _, s := range r.Samples {
		n += boolToInt(s.Session == 1 && len(s.Turns) > 0)
	}
	return n
}

// TestResumeWithAnotherAlgorithm: a journal of two algorithms serves a run of
// three; the third does all samples, the others only what they lack.
func TestResumeWithAnotherAlgorithm(t *testing.T) {
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, "naive, trie", "warmup: 0, repeat: 1"))
	lines := bytes.SplitAfter(journal, []byte("\n"))
	half := bytes.Join(lines[:len(lines)/2], nil)
	w.out = filepath.Join(w.dir, "other")
	store, err := cell.Create(w.out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Dir(), "journal", name), half, 0o644); err != nil {
		t.Fatal(err)
	}
	w.run(t, w.config(t, "naive, trie, right, flips", "warmup: 0, repeat: 1"))
	records := w.records(t)
	rounds := bytes.Count(half, []byte(`{"round":`))
	if rounds == 0 || sessionOne(records["naive"]) != rounds || sessionOne(records["right"]) != 0 {
		t.Errorf("%d rounds were there; naive has %d of them, right %d", rounds, sessionOne(records["naive"]), sessionOne(records["right"]))
	}
	if r := records["right"]; r.Outcome != cell.OK || slices.ContainsFunc(r.Samples, func(s cell.Sample) bool { return s.Compared == 0 }) {
		t.Errorf("right was not compared with what the journal holds: %+v", r.Samples)
	}
	if got := records["flips"].Outcome; got != cell.WrongMask {
		t.Errorf("flips: %s", got)
	}
}

// TestCrashOfAnother: last words are not held against anybody if the operation in
// flight was of an algorithm that the configuration no longer has.
func TestCrashOfAnother(t *testing.T) {
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, "naive, right", "warmup: 0, repeat: 1"))
	lines := bytes.SplitAfter(wholeLines(journal), []byte("\n"))
	// The journal up to the first pass of "right", which was then in flight.
	key := w.records(t)["right"].Key
	last := slices.IndexFunc(lines, func(l []byte) bool {
		return bytes.Contains(l, []byte(`{"begin":{"key":"`+key+`","problem":0,"sample":0`))
	})
	if last < 0 {
		t.Fatalf("no pass of right in\n%s", journal)
	}
	for _, c := range []struct {
		algorithms string
		blamed     bool
	}{{"naive, right", true}, {"naive, trie", false}} {
		w.out = filepath.Join(t.TempDir(), "out")
		store, err := cell.Create(w.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store.Dir(), "journal", name), bytes.Join(lines[:last+1], nil), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(store.CrashFile(), []byte("\nruntime.newstack()\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.run(t, w.config(t, c.algorithms, "warmup: 0, repeat: 1"))
		crashed := 0
		for label, r := range w.records(t) {
			for _, s := range r.Samples {
				if s.Outcome == cell.Crash {
					crashed++
					if label != "right" || s.ID != "p0" || !strings.Contains(s.Detail, "stack overflow") {
						t.Errorf("%s is blamed for %s: %q", label, s.ID, s.Detail)
					}
				}
			}
		}
		if (crashed == 1) != c.blamed {
			t.Errorf("%s: %d samples crashed, want it blamed: %v", c.algorithms, crashed, c.blamed)
		}
	}
}
