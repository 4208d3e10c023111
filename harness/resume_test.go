package harness

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports"
)

// journalOf runs a configuration and returns the journal as it stood when the
// first cell was about to be stored, which a finished run removes.
func journalOf(t *testing.T, w *world, cfg *config.Config) (name string, text []byte) {
	t.Helper()
	opt := w.options()
	opt.BeforeRename = func(path string) {
		files, _ := filepath.Glob(filepath.Join(w.out, "journal", "*.log"))
		if name == "" && strings.HasSuffix(path, ".raw.zst") && len(files) == 1 {
			name = filepath.Base(files[0])
			text, _ = os.ReadFile(files[0])
		}
	}
	must.Get(Run(t.Context(), cfg, opt))(t)
	if len(text) == 0 {
		t.Fatal("no journal was seen")
	}
	return name, text
}

// essence is what of a result must not depend on how often a run was interrupted.
type essence struct {
	outcome  cell.Outcome
	group    []string
	problems []cell.Problem
	samples  []cell.Sample
	hashes   [][]uint64
	timed    [][]int // the number of steps of each pass
}

func essenceOf(t *testing.T, w *world, r *cell.Record) essence {
	t.Helper()
	e := essence{outcome: r.Outcome, group: r.Group}
	for _, p := range r.Problems {
		// What was measured differs, how much of it was not. Some engines count how often they were
		// called.
		p.GrammarNS, p.CompileNS, p.FirstMaskNS = make([]int64, len(p.GrammarNS)), make([]int64, len(p.CompileNS)), make([]int64, len(p.FirstMaskNS))
		p.CompilePeakBytes, p.EngineBytes, p.UsedBytes, p.EngineSaysBytes, p.Counters, p.Used = 0, 0, 0, 0, nil, nil
		p.Detail, _, _ = strings.Cut(p.Detail, "\n")
		e.problems = append(e.problems, p)
	}
	for _, s := range r.Samples {
		// Times, sessions and stack traces differ; everything else is the same.
		s.Session, s.GC, s.ClockPairNS, s.ClockEmptyNS, s.PaceNS, s.Check = 0, measure.GC{}, 0, 0, nil, nil
		s.Detail, _, _ = strings.Cut(s.Detail, "\n")
		e.samples = append(e.samples, s)
	}
	for _, tr := range w.traces(t, r) {
		e.hashes = append(e.hashes, tr.Hashes)
		var steps []int
		for _, p := range tr.Passes {
			steps = append(steps, len(p.Step))
		}
		e.timed = append(e.timed, steps)
	}
	return e
}

// TestResumeFromAnyCut cuts the journal of a run at random bytes, as a crash of
// the machine would, and lets a new run go on from there: the result is that of
// the run that was not interrupted, and what was whole in the journal is not
// measured again.
func TestResumeFromAnyCut(t *testing.T) {
	cuts := seed.Rounds(2, 4, 40)
	seed := seed.New(t)
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
		store := must.Get(cell.Create(w.out))(t)
		must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), journal[:at], 0o644))
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
		n += stats.Truth(s.Session == 1 && len(s.Turns) > 0)
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
	store := must.Get(cell.Create(w.out))(t)
	must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), half, 0o644))
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
		store := must.Get(cell.Create(w.out))(t)
		must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), bytes.Join(lines[:last+1], nil), 0o644))
		must.OK(t, os.WriteFile(store.CrashFile(), []byte("\nruntime.newstack()\n"), 0o644))
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

// TestLostLines turns over a bit in a line of each kind of a journal. All that the line does not
// hold is kept: a new run ends with the same result, and times again only what was timed in that
// line.
func TestLostLines(t *testing.T) {
	const algorithms, measure = "naive, grows-on-the-way, panics, unsupported", "warmup: 0, repeat: 1"
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, algorithms, measure))
	want := map[string]essence{}
	for label, r := range w.records(t) {
		want[label] = essenceOf(t, w, r)
	}
	rounds := bytes.Count(journal, []byte(`{"round":`))
	tried := map[string]int{}
	offset := 0
	for n, line := range bytes.SplitAfter(journal, []byte("\n")) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(string(line[min(len(line), 9):]), `{"`), `"`)
		if tried[kind]++; len(line) == 0 || kind == "begin" && tried[kind]%9 != 1 || kind != "used" && tried[kind] > seed.Rounds(1, 3, len(journal)) {
			offset += len(line)
			continue
		}
		changed := bytes.Clone(journal)
		changed[offset+len(line)/2] ^= 1
		offset += len(line)
		w.out = filepath.Join(t.TempDir(), "out")
		store := must.Get(cell.Create(w.out))(t)
		must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), changed, 0o644))
		var log strings.Builder
		opt := w.options()
		opt.Progress = &log
		if _, err := Run(t.Context(), w.config(t, algorithms, measure), opt); err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
		if said := fmt.Sprintf("is damaged: line %d (%s), %d bytes at byte", n+1, kind, len(line)); !strings.Contains(log.String(), said) {
			t.Errorf("%s is not said:\n%s", said, log.String())
		}
		for label, r := range w.records(t) {
			got := essenceOf(t, w, r)
			if label == "grows-on-the-way" {
				checkGrown(t, r, 64<<10)
			}
			if !reflect.DeepEqual(got, want[label]) {
				t.Errorf("without a %s: %s gives\n%+v, want\n%+v", kind, label, got, want[label])
			}
			if kept := rounds - stats.Truth(kind == "round"); label == "naive" && sessionOne(r) != kept {
				t.Errorf("without a %s: %d documents are of the first session, want %d", kind, sessionOne(r), kept)
			}
			for _, s := range r.Samples {
				if s.Session < 1 || s.Session > 2 || r.Sessions != 2 {
					t.Errorf("without a %s: %s of session %d, of %d", kind, s.ID, s.Session, r.Sessions)
				}
			}
		}
	}
	for _, kind := range []string{"session", "begin", "compiled", "proof", "round", "used"} {
		if tried[kind] == 0 {
			t.Errorf("the journal has no %s", kind)
		}
	}
}

// TestJoinedLater is an algorithm that is added when a part of the documents is done: it took turns
// with nobody on those, whoever may be in its group afterwards.
func TestJoinedLater(t *testing.T) {
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, "naive, trie", "warmup: 0, repeat: 1"))
	lines := bytes.SplitAfter(journal, []byte("\n"))
	rounds, half := 0, 0
	for ; rounds < 3; half++ {
		rounds += bytes.Count(lines[half], []byte(`{"round":`))
	}
	w.out = filepath.Join(w.dir, "other")
	store := must.Get(cell.Create(w.out))(t)
	must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), bytes.Join(lines[:half], nil), 0o644))
	w.run(t, w.config(t, "naive, trie, right", "warmup: 0, repeat: 1"))
	for label, want := range map[string][]string{"naive": {"naive", "trie"}, "trie": {"naive", "trie"}, "right": {"right"}} {
		if got := w.records(t)[label].Group; !slices.Equal(got, want) {
			t.Errorf("the group of %s is %v, want %v", label, got, want)
		}
	}
	set := must.Get(reports.Load(w.out))(t)
	for _, c := range set.Cells {
		if a := c.Against; a != nil && (a.Samples != 6 || a.Turns != map[string]int{"trie": 6, "right": 3}[c.Label] || a.Interleaved != (c.Label == "trie")) {
			t.Errorf("%s: in turn on %d of %d samples, interleaved %v", c.Label, a.Turns, a.Samples, a.Interleaved)
		}
	}
}

// TestProofLost: an algorithm that is added is compared with one whose answers were lost with their
// line, too, since its times come with its answers.
func TestProofLost(t *testing.T) {
	w := newWorld(t)
	name, journal := journalOf(t, w, w.config(t, "naive", "warmup: 0, repeat: 1"))
	at := bytes.Index(journal, []byte(`{"proof":{"sample":1,`))
	if at < 0 {
		t.Fatalf("no answers on p1 in\n%s", journal)
	}
	journal[at+20] ^= 1
	w.out = filepath.Join(w.dir, "other")
	store := must.Get(cell.Create(w.out))(t)
	must.OK(t, os.WriteFile(filepath.Join(store.Dir(), "journal", name), journal, 0o644))
	w.run(t, w.config(t, "naive, flips, trie", "warmup: 0, repeat: 1"))
	records := w.records(t)
	if s := sample(t, records["trie"], "p1"); s.Outcome != cell.OK || s.Compared != s.Tokens || s.Reference != "naive" {
		t.Errorf("trie: %+v", s)
	}
	if s := sample(t, records["flips"], "p1"); s.Outcome != cell.WrongMask || s.Reference != "naive" {
		t.Errorf("flips: %+v", s)
	}
	if s := sample(t, records["naive"], "p1"); s.Session != 1 {
		t.Errorf("naive was asked again: %+v", s)
	}
}
