package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// example is a small finished cell.
func example(seed uint64) (*Record, []Trace) {
	rng := rand.New(rand.NewPCG(seed, 0))
	r := &Record{
		ID:    ID{Schema: Schema, Algorithm: "trie", Options: map[string]string{"b": "1", "a": "2"}, Seed: seed, Repeat: 3},
		Label: "trie", Tokenizer: "tiny", Workload: "json", Started: time.Unix(5, 0).UTC(), Finished: time.Unix(6, 0).UTC(),
		Outcome:  OK,
		Problems: []Problem{{ID: "json", Outcome: OK, CompileNS: []int64{5}, FirstMaskNS: []int64{7}}},
	}
	var traces []Trace
	for i := range 3 {
		r.Samples = append(r.Samples, Sample{ID: strings.Repeat("s", i+1), Outcome: OK, Tokens: 9})
		traces = append(traces, randomTrace(rng, i))
	}
	return r, traces
}

func randomTrace(rng *rand.Rand, sample int) Trace {
	t := Trace{Sample: sample}
	words := func(n int) []uint32 {
		if n == 0 {
			return nil
		}
		w := make([]uint32, n)
		for i := range w {
			w[i] = rng.Uint32()
		}
		return w
	}
	n := rng.IntN(20)
	t.Positions = words(n)
	for range n {
		t.Hashes = append(t.Hashes, rng.Uint64())
	}
	t.Clone = words(rng.IntN(2) * n)
	for range rng.IntN(4) {
		t.Passes = append(t.Passes, Pass{State: State(rng.IntN(3)), Lookup: words(rng.IntN(2) * n), Mask: words(n), Commit: words(n), Step: words(n),
			Disturbed: rng.IntN(9), StolenNS: rng.Int64N(1 << 40)})
	}
	return t
}

func create(t *testing.T) *Store {
	t.Helper()
	s := must.Get(Create(t.TempDir()))(t)
	return s
}

// collect reads traces up to an error.
func collect(each iter.Seq2[Trace, error]) (traces []Trace, err error) {
	for t, err := range each {
		if err != nil {
			return traces, err
		}
		traces = append(traces, t)
	}
	return traces, nil
}

func TestPutGet(t *testing.T) {
	s := create(t)
	r, traces := example(1)
	if _, err := s.Get(r.ID.Key()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cell that is not there: %v", err)
	}
	must.OK(t, s.Put(r, traces))
	got, err := s.Get(r.Key)
	must.OK(t, err)
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got\n%+v, want\n%+v", got, r)
	}
	back, err := collect(s.Traces(got))
	if err != nil || !reflect.DeepEqual(back, traces) {
		t.Errorf("traces %+v, %v; want %+v", back, err, traces)
	}
	if keys, err := s.Keys(); err != nil || !reflect.DeepEqual(keys, []string{r.Key}) {
		t.Errorf("keys %v, %v", keys, err)
	}
}

// TestPutEach: traces that are made one after the other are those that come back, and
// what goes wrong while they are made leaves nothing behind.
func TestPutEach(t *testing.T) {
	s := create(t)
	r, traces := example(3)
	broken := errors.New("no more")
	each := func(list []Trace, err error) iter.Seq2[Trace, error] {
		return func(yield func(Trace, error) bool) {
			for _, t := range list {
				if !yield(t, nil) {
					return
				}
			}
			if err != nil {
				yield(Trace{}, err)
			}
		}
	}
	for what, c := range map[string]struct {
		n    int
		each iter.Seq2[Trace, error]
		want string
	}{
		"an error":  {len(traces), each(traces[:1], broken), "no more"},
		"too few":   {len(traces) + 1, each(traces, nil), "-1"},
		"too many":  {len(traces) - 1, each(traces, nil), "+1"},
		"none of 2": {2, each(nil, nil), "-2"},
	} {
		if err := s.PutEach(r, c.n, c.each); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(filepath.Join(s.Dir(), "cells")); len(left) > 0 {
			t.Errorf("%s: %v is left", what, left)
		}
	}
	for _, n := range []int{0, len(traces)} {
		must.OK(t, s.PutEach(r, n, each(traces[:n], nil)))
		got := must.Get(s.Get(r.Key))(t)
		if back, err := collect(s.Traces(got)); err != nil || len(back) != n || n > 0 && !reflect.DeepEqual(back, traces) {
			t.Errorf("%d traces came back as %+v, %v", n, back, err)
		}
	}
}

// TestKey: everything in an ID changes the key, and the order of a map does not.
func TestKey(t *testing.T) {
	base := ID{Options: map[string]string{"a": "1"}}
	seen := map[string]string{base.Key(): "the base"}
	var walk func(path string, v reflect.Value)
	change := func(path string, v reflect.Value, to any) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(reflect.ValueOf(to).Convert(v.Type()))
		if other, twice := seen[base.Key()]; twice {
			t.Errorf("changing %s gives the key of %s", path, other)
		}
		seen[base.Key()] = path
		v.Set(old)
	}
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.String:
			change(path, v, "other "+path)
		case reflect.Map:
			change(path, v, map[string]string{"a": "2"})
		case reflect.Int, reflect.Int64, reflect.Uint64:
			change(path, v, 77)
		default:
			t.Errorf("%s: no way to change a %v", path, v.Kind())
		}
	}
	walk("ID", reflect.ValueOf(&base).Elem())
	if len(seen) < 20 {
		t.Errorf("only %d fields were tried", len(seen))
	}
}

// TestDamage changes stored files, and wants either the record as it was (a
// changed blank) or a DamagedError, never another record.
func TestDamage(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 4))
	s := create(t)
	r, traces := example(2)
	must.OK(t, s.Put(r, traces))
	for _, file := range []string{r.Key + ".json", r.Raw.File} {
		path := s.path(file)
		whole := must.Get(os.ReadFile(path))(t)
		damages := map[string]func() []byte{
			"cut":   func() []byte { return whole[:rng.IntN(len(whole))] },
			"flip":  func() []byte { b := append([]byte(nil), whole...); b[rng.IntN(len(b))] ^= 1 << rng.IntN(8); return b },
			"empty": func() []byte { return nil },
			"more":  func() []byte { return append(append([]byte(nil), whole...), "{}"...) },
		}
		for what, damage := range damages {
			for range 60 {
				must.OK(t, os.WriteFile(path, damage(), 0o644))
				got, err := s.Get(r.Key)
				var damaged *DamagedError
				if err != nil && !errors.As(err, &damaged) {
					t.Fatalf("seed %d: %s, %s: error %v, want a DamagedError", seed, file, what, err)
				}
				if err == nil && !reflect.DeepEqual(got, r) {
					t.Fatalf("seed %d: %s, %s: another record was read: %+v", seed, file, what, got)
				}
			}
		}
		must.OK(t, os.WriteFile(path, whole, 0o644))
	}
	must.OK(t, os.Remove(s.path(r.Raw.File)))
	var damaged *DamagedError
	if _, err := s.Get(r.Key); !errors.As(err, &damaged) {
		t.Errorf("without its raw times: %v", err)
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.OK(t, os.WriteFile(file, nil, 0o644))
	var we *WriteError
	if _, err := Create(filepath.Join(file, "below")); !errors.As(err, &we) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("below a file: %v", err)
	}
	if os.Getuid() == 0 {
		t.Log("root may write anywhere: read-only directories are not tried")
		return
	}
	must.OK(t, os.Chmod(dir, 0o555))
	if _, err := Create(filepath.Join(dir, "new")); !errors.As(err, &we) {
		t.Errorf("in a read-only directory: %v", err)
	}
}

func TestNoDirectory(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "no")); err == nil || !strings.Contains(err.Error(), "gcdbench run") {
		t.Errorf("a missing directory: %v", err)
	}
}

func TestManifest(t *testing.T) {
	s := create(t)
	if m, err := s.Manifest(); m != nil || err != nil {
		t.Errorf("before the first: %v, %v", m, err)
	}
	want := &Manifest{Name: "a", Cells: []Planned{{Key: "k", Label: "trie", Tokenizer: "t", Workload: "w"}}}
	must.OK(t, s.PutManifest(want))
	if got, err := s.Manifest(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	path := filepath.Join(s.dir, "run.json")
	text := string(must.Get(os.ReadFile(path))(t))
	for changed, reason := range map[string]string{
		"{":                                     "unexpected end",
		strings.Replace(text, "trie", "psc", 1): "its checksum is wrong",
		text[:strings.Index(text, ",\n \"checksum\"")] + "\n}\n":         "it has no checksum",
		strings.TrimSuffix(text, "\n"):                                   "its checksum is wrong",
		strings.Replace(text, "\"checksum\"", "\"schema\": 1, \"x\"", 1): "it is of version 1",
	} {
		must.OK(t, os.WriteFile(path, []byte(changed), 0o644))
		var damaged *DamagedError
		if _, err := s.Manifest(); !errors.As(err, &damaged) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %s", changed, err, reason)
		}
	}
}

func TestLock(t *testing.T) {
	s := create(t)
	unlock, err := s.Lock()
	must.OK(t, err)
	var locked *LockedError
	if _, err := s.Lock(); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	unlock, err = s.Lock() // the file of the first is still there
	must.OK(t, err)
	unlock()
}

func TestTakeCrash(t *testing.T) {
	s := create(t)
	if text, err := s.TakeCrash(); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	must.OK(t, os.WriteFile(s.CrashFile(), []byte("fatal error: stack overflow"), 0o644))
	for _, want := range []string{"fatal error: stack overflow", ""} {
		if text, err := s.TakeCrash(); text != want || err != nil {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for i, a := range Outcomes {
		for j, b := range Outcomes {
			if got := Worse(a, b); got != Outcomes[max(i, j)] {
				t.Errorf("Worse(%s, %s) = %s", a, b, got)
			}
		}
	}
	cases := []struct {
		s    Sample
		want bool
	}{
		{Sample{Outcome: OK}, true},
		{Sample{Outcome: OK, Negative: true, Refused: true}, true},
		{Sample{Outcome: WrongVerdict, Refused: true}, false},
		{Sample{Outcome: WrongVerdict, Negative: true}, false},
		{Sample{Outcome: Timeout}, false},
		{Sample{Outcome: Crash, Negative: true, Refused: true}, false},
	}
	for _, c := range cases {
		if got := c.s.Passed(); got != c.want {
			t.Errorf("%+v passed: %v, want %v", c.s, got, c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	want := map[Outcome]bool{OK: false, Unsupported: false, Timeout: false, OutOfMemory: false,
		CompileError: true, Crash: true, WrongVerdict: true, WrongMask: true}
	for _, o := range Outcomes {
		failure, listed := want[o]
		if !listed || o.Failure() != failure {
			t.Errorf("%s is a failure: %v, want %v", o, o.Failure(), failure)
		}
	}
	if len(Outcomes) != len(want) {
		t.Errorf("%d outcomes, want the closed set of %d", len(Outcomes), len(want))
	}
	if Outcome("other").Failure() || Worse("other", "another") != "other" {
		t.Error("an outcome outside the set")
	}
}

func TestPutDifference(t *testing.T) {
	s := create(t)
	for range 2 { // the second replaces the first
		path, err := s.PutDifference("trie", map[string]int{"token": 7})
		if err != nil || filepath.Dir(path) != filepath.Join(s.Dir(), "differences") {
			t.Fatalf("%s, %v", path, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "{\n  \"token\": 7\n}\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if _, err := s.PutDifference("x", func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
}

// TestMessages: what users read when storing goes wrong.
func TestMessages(t *testing.T) {
	for want, err := range map[string]error{
		"cannot write /r/cells: permission denied; make the directory writable or choose another with --out":                                             writeError("/r/cells", &fs.PathError{Op: "mkdir", Path: "/r/cells", Err: syscall.EACCES}),
		"cannot write /r/x: no space left on device; free some space and run the same command again: it goes on from what is stored, which is undamaged": writeError("/r/x", syscall.ENOSPC),
		"another run (process 12) is writing to out; wait for it, or choose another directory with --out":                                                &LockedError{"out", 12},
		"a.json is damaged: its checksum is wrong": &DamagedError{"a.json", "its checksum is wrong"},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
	if err := writeError("x", syscall.ENOSPC); !errors.Is(err, syscall.ENOSPC) {
		t.Error("the cause is lost")
	}
	if writeError("x", nil) != nil {
		t.Error("an error of nothing")
	}
}

func TestLockWithoutOwner(t *testing.T) {
	s := create(t)
	for text, want := range map[string]int{"": 0, "12\n": 12, "abc": 0} {
		path := filepath.Join(s.Dir(), "lock")
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		if got := owner(path); got != want {
			t.Errorf("the owner in %q is %d, want %d", text, got, want)
		}
	}
	if got := owner(filepath.Join(s.Dir(), "none")); got != 0 {
		t.Errorf("the owner of no file is %d", got)
	}
}

// TestForeignRecords: records that are whole but not this cell's or not of this
// version are not believed.
func TestForeignRecords(t *testing.T) {
	s := create(t)
	r, traces := example(1)
	must.OK(t, s.Put(r, traces))
	other, _ := example(2)
	stored := must.Get(os.ReadFile(s.path(r.Key + ".json")))(t)
	must.OK(t, os.WriteFile(s.path(other.ID.Key()+".json"), stored, 0o644))
	var damaged *DamagedError
	if _, err := s.Get(other.ID.Key()); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "another cell's") {
		t.Errorf("a copied record: %v", err)
	}
	reseal := func(change func(r *Record)) {
		t.Helper()
		changed := *r
		change(&changed)
		changed.Checksum = must.Get(changed.checksum())(t)
		text := must.Get(json.Marshal(changed))(t)
		must.OK(t, os.WriteFile(s.path(r.Key+".json"), text, 0o644))
	}
	for want, change := range map[string]func(r *Record){
		"version 99":              func(r *Record) { r.Schema = 99 },
		"another cell's raw":      func(r *Record) { r.Raw.File = "../../etc/passwd" },
		"checksum is not the one": func(r *Record) { r.Raw.SHA256 = "00" },
	} {
		reseal(change)
		if _, err := s.Get(r.Key); !errors.As(err, &damaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	reseal(func(r *Record) { r.Samples = r.Samples[:1] })
	fewer := must.Get(s.Get(r.Key))(t)
	if _, err := collect(s.Traces(fewer)); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "more samples") {
		t.Errorf("traces of more samples: %v", err)
	}
}

// TestTracesAreStreamed: whoever looks at the first trace has not read the file, and what is wrong
// at the end of a file is said at the end.
func TestTracesAreStreamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	var traces []Trace
	for i := range 32 {
		tr := Trace{Sample: i, Hashes: make([]uint64, 1<<15)}
		for j := range tr.Hashes {
			tr.Hashes[j] = rng.Uint64() // which nothing compresses
		}
		traces = append(traces, tr)
	}
	packed := EncodeTraces(traces)
	counted := &countingReader{r: bytes.NewReader(packed)}
	for tr, err := range unpackTraces(counted) {
		if err != nil || !reflect.DeepEqual(tr, traces[0]) {
			t.Fatalf("the first trace is of sample %d, %v", tr.Sample, err)
		}
		break
	}
	if counted.n > len(packed)/4 {
		t.Errorf("%d of %d bytes were read for the first trace", counted.n, len(packed))
	}

	s := create(t)
	r, _ := example(32)
	r.Samples = make([]Sample, len(traces))
	must.OK(t, s.Put(r, traces))
	for what, change := range map[string]func(raw []byte) []byte{
		"a bit":       func(raw []byte) []byte { raw[len(raw)/2] ^= 1; return raw },
		"cut off":     func(raw []byte) []byte { return raw[:len(raw)*3/4] },
		"longer":      func(raw []byte) []byte { return append(raw, 0) },
		"another one": func([]byte) []byte { return EncodeTraces(traces[:3]) },
	} {
		raw := must.Get(os.ReadFile(s.path(r.Raw.File)))(t)
		must.OK(t, os.WriteFile(s.path(r.Raw.File), change(bytes.Clone(raw)), 0o644))
		var damaged *DamagedError
		if got, err := collect(s.Traces(r)); !errors.As(err, &damaged) || damaged.Path != s.path(r.Raw.File) || len(got) < 3 {
			t.Errorf("%s: %d traces, %v", what, len(got), err)
		}
		must.OK(t, os.WriteFile(s.path(r.Raw.File), raw, 0o644))
	}
	if got, err := collect(s.Traces(r)); err != nil || len(got) != 32 {
		t.Errorf("the whole file: %d traces, %v", len(got), err)
	}
}

// countingReader counts what is read of it.
type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// TestLeftovers: temporary files and strange names in the directory harm nobody. Those that this
// program made and nobody needs are removed, and nothing else.
func TestLeftovers(t *testing.T) {
	s := create(t)
	r, traces := example(1)
	must.OK(t, s.Put(r, traces))
	must.Get(s.PutDifference("trie", 1))(t)
	stay := []string{"cells/notes.txt", "cells/x.raw.zst", ".tmp-mine", ".tmp-12a", "journal/.tmp-12", "journal/young.log", "journal/old.txt"}
	orphans := []string{".tmp-1", "cells/.tmp-123", "cells/.tmp-9", "differences/.tmp-77"}
	for _, name := range slices.Concat(stay, orphans, []string{"journal/old.log"}) {
		must.OK(t, os.WriteFile(filepath.Join(s.Dir(), name), []byte("x"), 0o644))
	}
	must.OK(t, os.Mkdir(s.path(".tmp-5"), 0o755))
	now := time.Now()
	for _, name := range []string{"journal/old.log", "journal/old.txt"} {
		must.OK(t, os.Chtimes(filepath.Join(s.Dir(), name), now, now.Add(-8*24*time.Hour)))
	}
	if keys, err := s.Keys(); err != nil || len(keys) != 1 {
		t.Errorf("keys %v, %v", keys, err)
	}
	if n, err := s.RemoveTemporary(); n != len(orphans) || err != nil {
		t.Errorf("%d temporary files, %v; want %d", n, err, len(orphans))
	}
	if n, err := s.RemoveJournals(now); n != 1 || err != nil {
		t.Errorf("%d journals, %v; want 1", n, err)
	}
	for _, name := range append(stay, "cells/.tmp-5", "cells/"+r.Key+".json", "cells/"+r.Raw.File, "differences/trie.json") {
		if _, err := os.Stat(filepath.Join(s.Dir(), name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range append(orphans, "journal/old.log") {
		if _, err := os.Stat(filepath.Join(s.Dir(), name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := (&Store{dir: filepath.Join(s.Dir(), "none")}).RemoveTemporary(); n != 0 || err != nil {
		t.Errorf("of no directory: %d, %v", n, err)
	}
}

// TestRemoveOthers: cells that the manifest does not have are removed, and nothing else.
func TestRemoveOthers(t *testing.T) {
	s := create(t)
	var planned, other *Record
	for i, r := range []**Record{&planned, &other} {
		made, traces := example(uint64(i + 1))
		must.OK(t, s.Put(made, traces))
		*r = made
	}
	notes := s.path("notes.txt")
	must.OK(t, os.WriteFile(notes, nil, 0o644))
	if n, err := s.RemoveOthers(); n != 0 || err != nil {
		t.Errorf("without a manifest: %d, %v", n, err)
	}
	must.OK(t, s.PutManifest(&Manifest{Cells: []Planned{{Key: planned.Key}}}))
	if n, err := s.RemoveOthers(); n != 2 || err != nil {
		t.Errorf("%d files, %v; want the two of a cell", n, err)
	}
	if keys, err := s.Keys(); len(keys) != 1 || keys[0] != planned.Key || err != nil {
		t.Errorf("left: %v, %v", keys, err)
	}
	if _, err := os.Stat(notes); err != nil {
		t.Error(err)
	}
}

// TestBeforeRename: whoever is asked before a file gets its name finds it whole under another one.
func TestBeforeRename(t *testing.T) {
	s := create(t)
	var names []string
	s.BeforeRename = func(path string) {
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".tmp-*"))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || len(left) != 1 {
			t.Errorf("%s: %v, temporary files %v", path, err, left)
		}
		names = append(names, filepath.Ext(path))
	}
	r, traces := example(1)
	must.OK(t, s.Put(r, traces))
	if err := s.PutManifest(&Manifest{}); err != nil || !reflect.DeepEqual(names, []string{".zst", ".json", ".json"}) {
		t.Errorf("%v, %v", names, err)
	}
}

// TestObjectsFullDisk: the advice of a full disk names the file.
func TestObjectsFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	if err := (&Objects{path: "out/load.jsonl", f: full}).Append(1); err == nil || !strings.Contains(err.Error(), "cannot write out/load.jsonl: no space left on device; free some space") {
		t.Error(err)
	}
}
