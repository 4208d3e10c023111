package harness

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/ask"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
	"gcdbench/reports"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "naive, trie, trie, right", "warmup: 1, repeat: 2, compiles: 2")
	sum := w.run(t, cfg)
	if sum.Measured != 4 || sum.Present != 0 || sum.Failed != 0 || sum.Outcomes[cell.OK] != 4 {
		t.Fatalf("summary %+v", sum)
	}
	records := w.records(t)
	for label, r := range records {
		if r.Outcome != cell.OK || len(r.Samples) != 8 || r.Sessions != 1 || len(r.Problems) != 1 || len(r.Problems[0].CompileNS) != 2 {
			t.Errorf("%s: %+v", label, r)
		}
		if want := map[bool]string{true: "", false: "naive"}[label == "naive"]; r.Reference != want {
			t.Errorf("%s: compared with %q, want %q", label, r.Reference, want)
		}
		paces := 0
		for _, s := range r.Samples {
			paces += len(s.PaceNS)
			if !s.Passed() || s.Tokens < 3 || s.Session != 1 || s.ClockPairNS <= 0 {
				t.Errorf("%s: %+v", label, s)
			}
			if label != "naive" && s.Compared == 0 {
				t.Errorf("%s: nothing compared in %s", label, s.ID)
			}
		}
		if paces == 0 || paces > 2*len(r.Samples) {
			t.Errorf("%s: %d readings of the processor's clock", label, paces)
		}
		checkTraces(t, label, r, w.traces(t, r))
	}
	if a, b := records["trie"], records["trie #2"]; a.Key == b.Key || a.ID.Copy != 0 || b.ID.Copy != 1 {
		t.Errorf("the two entries of trie: %s and %s", a.Key, b.Key)
	}
	// The hashes of all algorithms are the same, since their masks are.
	naive := w.traces(t, records["naive"])
	for label, r := range records {
		for i, tr := range w.traces(t, r) {
			if !slices.Equal(tr.Hashes, naive[i].Hashes) || !slices.Equal(tr.Positions, naive[i].Positions) {
				t.Errorf("%s, sample %d: other hashes than naive's", label, tr.Sample)
			}
		}
	}
}

// TestDefaultWrittenOut: an option that is written as its default makes a copy of the entry without
// it, and not two entries that write the same cell.
func TestDefaultWrittenOut(t *testing.T) {
	w := newWorld(t)
	sum := w.run(t, w.config(t, "psc, {name: psc, options: {compile: lazy}}, {name: psc, options: {compile: eager}}", "warmup: 0, repeat: 1, compiles: 1"))
	if sum.Measured != 3 || sum.Outcomes[cell.OK] != 3 {
		t.Fatalf("summary %+v", sum)
	}
	records := w.records(t)
	for label, want := range map[string]int{"psc": 0, "psc (compile=lazy)": 1, "psc (compile=eager)": 0} {
		if r := records[label]; r == nil || r.ID.Copy != want {
			t.Errorf("%s: %+v, want copy %d", label, r, want)
		}
	}
}

// checkTraces: three timed passes over positives with a time for every position, none over
// negatives.
func checkTraces(t *testing.T, label string, r *cell.Record, traces []cell.Trace) {
	t.Helper()
	if len(traces) != 8 {
		t.Fatalf("%s: %d traces", label, len(traces))
	}
	for _, tr := range traces {
		s := r.Samples[tr.Sample]
		if s.Negative {
			if len(tr.Passes) != 0 || len(tr.Hashes) == 0 || !s.Refused {
				t.Errorf("%s: the negative %s: %+v", label, s.ID, tr)
			}
			continue
		}
		if len(tr.Passes) != 3 || tr.Passes[0].State == cell.Again || tr.Passes[1].State != cell.Again || len(tr.Clone) != s.Tokens {
			t.Errorf("%s: %s: %d passes, %d clones", label, s.ID, len(tr.Passes), len(tr.Clone))
		}
		for _, p := range tr.Passes {
			if len(p.Mask) != s.Tokens || !tr.Whole(&p) {
				t.Errorf("%s: %s: a pass with %d masks, %d commits, %d steps, %d lookups", label, s.ID, len(p.Mask), len(p.Commit), len(p.Step), len(p.Lookup))
			}
		}
		if want := len(ask.Passes(1, 2)); len(s.Orders) != want || len(s.Orders[0]) != 4 || len(s.Turns) != 4 || !s.TookTurns(r.Key) {
			t.Errorf("%s: %s: %d orders, want %d: %v; trials %v", label, s.ID, len(s.Orders), want, s.Orders, s.Turns)
		}
	}
}

// TestOrdersAreDrawn: the order changes from pass to pass, and the seed decides it.
func TestOrdersAreDrawn(t *testing.T) {
	orders := func(seed string) [][]string {
		w := newWorld(t)
		cfg := w.config(t, "naive, trie, right", "warmup: 1, repeat: 1")
		if seed != "" {
			cfg.Seed = 99
		}
		w.run(t, cfg)
		var all [][]string
		for _, s := range w.records(t)["naive"].Samples {
			all = append(all, s.Orders...)
		}
		return all
	}
	first, again, other := orders(""), orders(""), orders("99")
	if !reflect.DeepEqual(first, again) {
		t.Error("one seed gives two orders")
	}
	if reflect.DeepEqual(first, other) {
		t.Error("two seeds give one order")
	}
	distinct := map[string]bool{}
	for _, o := range first {
		distinct[strings.Join(o, " ")] = true
	}
	if len(distinct) < 3 {
		t.Errorf("only these orders: %v", distinct)
	}
}

// TestOutcomes runs every defective algorithm beside naive and wants its outcome,
// what the record says about it, and that the others are not harmed.
func TestOutcomes(t *testing.T) {
	cases := []outcomeCase{
		{"right", cell.OK, "", "", false},
		{"flips", cell.WrongMask, "p3", "the mask differs from naive's", true},
		{"panics", cell.Crash, "p0", "panic: out of ideas\n", true},
		{"panics-compiling", cell.Crash, "", "panic: no idea\n", true},
		{"hangs", cell.Timeout, "p0", "not done after 500ms; it did not stop when told to", false},
		{"slow", cell.Timeout, "p0", "not done after 500ms", false},
		{"slow-compiling", cell.Timeout, "", "its compile was not done after 500ms", false},
		{"hangs-compiling", cell.Timeout, "", "its compile was not done after 500ms; it did not stop when told to", false},
		{"unsupported", cell.Unsupported, "", "lists are beyond it", false},
		{"broken", cell.CompileError, "", "table 3 does not fit", true},
		{"grows", cell.OutOfMemory, "p0", "above the limit of 128 MiB", false},
		{"contradicts", cell.WrongMask, "p4", "but Commit says: no comma for you", true},
		{"too-strict", cell.WrongMask, "p4", "the mask leaves token 44 out, but Commit takes it", true},
		{"too-strict-2", cell.WrongVerdict, "p4", "p4 is refused at line 1, column 3 (position 2, token 44)\n  [1,\"q\",[2,\"r\",[3,\"s\"]]]\n    ^\nthe grammar takes the document: it is the algorithm", true},
		{"fickle", cell.WrongMask, "", "", true},
	}
	for _, c := range cases {
		t.Run(c.algorithm, func(t *testing.T) { inBubble(t, func(t *testing.T) { c.run(t) }) })
	}
}

// outcomeCase is a case of TestOutcomes.
type outcomeCase struct {
	algorithm string
	want      cell.Outcome
	sample    string // the one that shows it; "" for all
	detail    string // a part of it
	failed    bool
}

func (c *outcomeCase) run(t *testing.T) {
	fickleCalls = 0
	w := newWorld(t)
	sum := w.run(t, w.config(t, "naive, "+c.algorithm, "warmup: 0, repeat: 2, timeout: 500ms, memory: 128MiB"))
	records := w.records(t)
	r := records[c.algorithm]
	if r.Outcome != c.want || (sum.Failed == 1) != c.failed {
		t.Errorf("outcome %s, %d failed; want %s, failed %v", r.Outcome, sum.Failed, c.want, c.failed)
	}
	for _, s := range r.Samples {
		if (c.sample == "" || s.ID == c.sample) && c.algorithm != "fickle" {
			if s.Outcome != c.want || !strings.Contains(s.Detail, c.detail) {
				t.Errorf("%s: %s, %q; want %s, %q", s.ID, s.Outcome, s.Detail, c.want, c.detail)
			}
		}
	}
	if naive := records["naive"]; naive.Outcome != cell.OK {
		t.Errorf("naive: %s", naive.Outcome)
	}
	checkReport(t, w, c.algorithm, c.want)
}

// checkReport: a wrong mask has no time, and nothing that failed looks fast.
func checkReport(t *testing.T, w *world, label string, want cell.Outcome) {
	t.Helper()
	set := must.Get(reports.Load(w.out))(t)
	for _, c := range set.Cells {
		if c.Label != label {
			continue
		}
		if c.Outcome != want {
			t.Errorf("the report says %s", c.Outcome)
		}
		if timed := c.MaskNS != nil; timed && (want == cell.WrongMask || c.Outcomes[cell.OK] == 0) {
			t.Errorf("a cell that ended with %s has times: %+v", want, c.MaskNS)
		}
	}
}

// TestOneSampleOnly: a defect in one sample leaves the others measured.
func TestOneSampleOnly(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "naive, panics", "warmup: 0, repeat: 1"))
	ok := 0
	for _, s := range w.records(t)["panics"].Samples {
		if s.Outcome == cell.OK {
			ok++
		}
	}
	if ok != 7 {
		t.Errorf("%d samples ended well, want all but p0", ok)
	}
}

// TestWrongReference: without naive the first algorithm is the reference; where
// it is the wrong one, the contract decides, and it is the one that is blamed.
func TestWrongReference(t *testing.T) {
	w := newWorld(t)
	sum := w.run(t, w.config(t, "flips, right, trie", "warmup: 0, repeat: 1"))
	records := w.records(t)
	if records["flips"].Outcome != cell.WrongMask || records["right"].Outcome != cell.OK || records["trie"].Outcome != cell.OK {
		t.Errorf("flips %s, right %s, trie %s", records["flips"].Outcome, records["right"].Outcome, records["trie"].Outcome)
	}
	if len(sum.Differences) != 1 || sum.Differences[0].Algorithm != "flips" {
		t.Errorf("differences %+v", sum.Differences)
	}
}

// TestShrunk: the wrong mask of "flips" needs two brackets and nothing else.
func TestShrunk(t *testing.T) {
	w := newWorld(t)
	sum := w.run(t, w.config(t, "naive, flips", "warmup: 0, repeat: 1"))
	if len(sum.Differences) != 1 {
		t.Fatalf("%d differences", len(sum.Differences))
	}
	d := sum.Differences[0]
	if d.Prefix != "[[" || d.Token != idOf('7') || d.Says || !d.ShouldBe || d.EOS || !d.Shrunk {
		t.Errorf("after %q token %d, algorithm %v, reference %v", d.Prefix, d.Token, d.Says, d.ShouldBe)
	}
	if d.Reason == "" || !strings.Contains(d.Text(), `flips refuses token 55 "7"`) || !strings.Contains(d.Text(), "the contract (as naive) allows it") {
		t.Errorf("text:\n%s", d.Text())
	}
	files, _ := filepath.Glob(filepath.Join(w.out, "differences", "*.json"))
	if len(files) != 1 {
		t.Fatalf("artefacts %v", files)
	}
	text := must.Get(os.ReadFile(files[0]))(t)
	var stored ask.Difference
	if err := json.Unmarshal(text, &stored); err != nil || stored.Prefix != "[[" || stored.Token != d.Token {
		t.Errorf("the artefact %s: %v", text, err)
	}
}

// TestSkipsWhatIsThere: a second run measures nothing; a damaged cell is measured
// again; a new algorithm joins and is compared with what is stored.
func TestSkipsWhatIsThere(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "naive, trie", "warmup: 0, repeat: 1")
	w.run(t, cfg)
	before := w.records(t)
	if sum := w.run(t, cfg); sum.Measured != 0 || sum.Present != 2 || sum.Outcomes[cell.OK] != 2 {
		t.Errorf("the second run: %+v", sum)
	}

	path := filepath.Join(w.out, "cells", before["trie"].Key+".json")
	text := must.Get(os.ReadFile(path))(t)
	must.OK(t, os.WriteFile(path, text[:len(text)/2], 0o644))
	if sum := w.run(t, cfg); sum.Measured != 1 || sum.Present != 1 {
		t.Errorf("after damage: %+v", sum)
	}

	sum := w.run(t, w.config(t, "naive, trie, right, flips", "warmup: 0, repeat: 1"))
	if sum.Measured != 2 || sum.Present != 2 || sum.Outcomes[cell.WrongMask] != 1 {
		t.Errorf("with two more: %+v", sum)
	}
	after := w.records(t)
	if got := after["right"].Samples[0].Compared; got == 0 || after["right"].Reference != "naive" {
		t.Errorf("right was compared at %d positions with %q", got, after["right"].Reference)
	}
	if !slices.Equal(after["right"].Group, []string{"right", "flips"}) {
		t.Errorf("it was interleaved with %v", after["right"].Group)
	}
	if after["naive"].Checksum != before["naive"].Checksum {
		t.Error("naive was measured again")
	}
}

// TestPositions: naive is asked at so many positions in all, the last of each document among them;
// everybody else at every one, and is compared with it where it was asked.
func TestPositions(t *testing.T) {
	w := newWorld(t)
	w.run(t, w.config(t, "naive, trie", "warmup: 0, repeat: 1, positions: 20"))
	records := w.records(t)
	for label, r := range records {
		masks, tokens := 0, 0
		for _, tr := range w.traces(t, r) {
			s := r.Samples[tr.Sample]
			tokens += s.Tokens
			if !s.Passed() || label == "trie" && (s.Compared == 0 && !s.Negative || s.Compared >= s.Tokens) {
				t.Errorf("%s, %s: %+v", label, s.ID, s)
			}
			if s.Negative {
				continue
			}
			masks += len(tr.Positions)
			if last := tr.Positions[len(tr.Positions)-1]; int(last) != s.Tokens-1 {
				t.Errorf("%s, %s: the last mask is at %d of %d", label, s.ID, last, s.Tokens)
			}
			for _, p := range tr.Passes {
				if len(p.Step) != len(tr.Positions) || !tr.Whole(&p) {
					t.Errorf("%s, %s: %d steps at %d positions", label, s.ID, len(p.Step), len(tr.Positions))
				}
			}
			if label == "trie" && len(tr.Positions) != s.Tokens {
				t.Errorf("%s was asked at %d of %d positions of %s", label, len(tr.Positions), s.Tokens, s.ID)
			}
		}
		if label == "naive" && (masks < 12 || masks > 24 || tokens < 60) {
			t.Errorf("naive: %d masks in positives of %d tokens, want about 20", masks, tokens)
		}
	}
}

func TestSecondRunIsLockedOut(t *testing.T) {
	w := newWorld(t)
	s := must.Get(cell.Create(w.out))(t)
	unlock := must.Get(s.Lock())(t)
	defer unlock()
	var locked *cell.LockedError
	if _, err := Run(context.Background(), w.config(t, "naive", ""), w.options()); !errors.As(err, &locked) {
		t.Errorf("got %v", err)
	}
}

func TestBadInput(t *testing.T) {
	w := newWorld(t)
	w.file(t, "bad.lark", "start: undefined\n")
	w.file(t, "bad.jsonl", "{\"id\": 1\n")
	w.file(t, "half.json", tinyTokenizer()[:200])
	w.file(t, "out-file", "")
	cases := []struct{ what, old, new, want string }{
		{"grammar", "list.lark", "bad.lark", "bad.lark:1:8"},
		{"corpus", "docs.jsonl", "bad.jsonl", "bad.jsonl:1:"},
		{"tokenizer", "tok.json", "half.json", "half.json"},
	}
	text := string(w.config(t, "naive", "").Text)
	for _, c := range cases {
		cfg := must.Get(config.Parse(filepath.Join(w.dir, "test.yaml"), []byte(strings.Replace(text, c.old, c.new, 1)), config.Names{}))(t)
		var input *prepare.InputError
		if _, err := Run(context.Background(), cfg, w.options()); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "test.yaml:") {
			t.Errorf("%s: got %v, want %q in it", c.what, err, c.want)
		}
	}
	opt := w.options()
	opt.Out = filepath.Join(w.dir, "out-file", "below")
	var we *cell.WriteError
	if _, err := Run(context.Background(), w.config(t, "naive", ""), opt); !errors.As(err, &we) {
		t.Errorf("a directory below a file: %v", err)
	}
}

// TestInterrupt cancels a run and resumes it.
func TestInterrupt(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "naive, waits", "warmup: 0, repeat: 1")
	ctx, cancel := context.WithCancel(context.Background())
	opt := w.options()
	opt.Progress = writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), "algorithms") { // the group begins
			cancel()
		}
		return len(p), nil
	})
	if _, err := Run(ctx, cfg, opt); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if sum := w.run(t, cfg); sum.Measured != 2 || sum.Failed != 0 {
		t.Errorf("resumed: %+v", sum)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
