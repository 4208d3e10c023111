package judged

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/judges"
	"gcdbench/internal/must"
)

// example is a document with two findings.
func example(sample, problem int) Document {
	return Document{Version: Schema, Cell: "k", Reference: "r", Problem: problem, Sample: sample, ID: "d", Differ: 4, Positions: []uint32{2, 3, 7}, Undecided: 2, Seed: 1, TimeoutNS: 3e9, Findings: []Finding{
		{Whose: Engine, Class: AdmitsInvalid, Cause: "minimum", Positions: 2, Leading: 2, Tokens: 20, Witness: "long", WitnessBytes: 9},
		{Class: Undecided, Cause: "no judge", Positions: 2, Leading: 1},
	}}
}

// overview is about the examples.
var overview = Overview{Documents: 4, Unanswered: 1, Compared: 130, Behind: 5, Differ: 12, DocumentsDiffer: 3, SchemasDiffer: 2, Limit: 10, Seed: 1}

// begun opens the file of a cell for an overview.
func begun(t *testing.T, dir, reference string, o Overview) *File {
	t.Helper()
	f := must.Get(Open(dir, "k"))(t)
	t.Cleanup(func() { f.Close() })
	must.OK(t, f.Begin(reference, o))
	return f
}

// TestFile: lines come back, the last about a document counts, and a torn line is no line and is
// cut off.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if all, _, err := Read(dir); err != nil || len(all) != 0 {
		t.Errorf("of an empty directory: %v, %v", all, err)
	}
	add := func(want int, list ...Document) {
		t.Helper()
		f := begun(t, dir, "r", overview)
		if len(f.Documents) != want {
			t.Errorf("%d documents are there, want %d", len(f.Documents), want)
		}
		for _, d := range list {
			must.OK(t, f.Append(d))
		}
	}
	again := example(1, 0)
	again.Positions = []uint32{2, 3, 7, 9}
	add(0, example(1, 0), example(2, 1))
	path := filepath.Join(Folder(dir), "k.log")
	text, err := os.ReadFile(path)
	must.OK(t, err)
	must.OK(t, os.WriteFile(path, append(text, `00000000 {"version":2,"cell":"k","sam`...), 0o644))
	add(2, again)
	add(2)
	all, _, err := Read(dir)
	if want := (&Cell{"r", overview, []Document{again, example(2, 1)}}); err != nil || len(all) != 1 || !reflect.DeepEqual(all["k"], want) {
		t.Errorf("%+v, %v", all["k"], err)
	}
	if text, err = os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 4 {
		t.Errorf("an overview that is there is written again: %s, %v", text, err)
	}
	// A byte that has changed costs its line, which is said.
	must.OK(t, os.WriteFile(path, bytes.Replace(text, []byte(`"differ":4`), []byte(`"differ":5`), 1), 0o644))
	all, damaged, err := Read(dir)
	if err != nil || len(damaged) != 1 || damaged[0].Path != path || len(all["k"].Documents) != 2 || all["k"].Documents[0].Differ != 4 {
		t.Errorf("%+v, %v, %v", all["k"], damaged, err)
	}
	for _, other := range []string{`{"version":99,"cell":"k","sample":7}`, `{"version":2,"cell":"another","sample":7}`, "nonsense"} {
		must.OK(t, os.Remove(path))
		log, _, err := cell.OpenLog(path, func([]byte) {})
		must.OK(t, err)
		must.OK(t, errors.Join(log.Append([]byte(other)), log.Close()))
		add(0)
	}
}

// TestBegin: what is counted is about one reference and one sample, the largest that was asked for.
func TestBegin(t *testing.T) {
	with := func(limit int, seed uint64) Overview {
		o := overview
		o.Limit, o.Seed = limit, seed
		return o
	}
	for _, c := range []struct {
		name          string
		reference     string
		next, want    Overview
		counted, read int // of the document that the first overview is about
	}{
		{"the same", "r", with(10, 1), with(10, 1), 1, 1},
		{"a part of it", "r", with(5, 1), with(10, 1), 1, 1},
		{"more", "r", with(11, 1), with(11, 1), 1, 1},
		{"all", "r", with(0, 1), with(0, 1), 1, 1},
		{"another choice", "r", with(10, 2), with(10, 2), 0, 0},
		{"another reference", "s", with(10, 1), with(10, 1), 0, 0},
	} {
		dir := t.TempDir()
		must.OK(t, begun(t, dir, "r", with(10, 1)).Append(example(1, 0)))
		f := begun(t, dir, c.reference, c.next)
		if f.Overview != c.want || len(f.Documents) != c.counted {
			t.Errorf("%s: %+v with %d documents", c.name, f.Overview, len(f.Documents))
		}
		all, _, err := Read(dir)
		if err != nil || all["k"].Reference != c.reference || all["k"].Overview != c.want || len(all["k"].Documents) != c.read {
			t.Errorf("%s: read %+v, %v", c.name, all["k"], err)
		}
	}
	dir := t.TempDir()
	must.OK(t, begun(t, dir, "r", with(0, 1)).Append(example(1, 0)))
	if f := begun(t, dir, "r", with(10, 2)); f.Overview != with(0, 1) || len(f.Documents) != 1 {
		t.Errorf("a part of all: %+v", f.Cell)
	}
}

// TestSum adds up, orders, and keeps the shortest witness that has a text.
func TestSum(t *testing.T) {
	short := example(3, 5)
	short.Findings[0].Witness, short.Findings[0].WitnessBytes = "short", 2
	short.Findings = append(short.Findings, Finding{Whose: Engine, Class: Convention, Cause: "white space", Positions: 3, Tokens: 7, Witness: "w"})
	short.TimeoutNS = 30e9
	empty := example(4, 0)
	empty.Findings[0].Witness, empty.Findings[0].WitnessBytes = "without a text", 0
	equal := Document{Problem: 9}
	s := (&Cell{"r", overview, []Document{empty, example(1, 0), short, equal, example(2, 0)}}).Sum()
	if s.Compared != 130 || s.Differ != 12 || s.Judged != 12 || s.DocumentsJudged != 4 || s.Undecided != 8 || s.SchemasDiffer != 2 || len(s.Findings) != 3 {
		t.Fatalf("%+v", s)
	}
	want := []SummedFinding{
		{Finding{Engine, AdmitsInvalid, "minimum", 8, 8, 80, "short", 2}, 2},
		{Finding{"", Undecided, "no judge", 8, 4, 0, "", 0}, 2},
		{Finding{Engine, Convention, "white space", 3, 0, 7, "w", 0}, 1},
	}
	if !reflect.DeepEqual(s.Findings, want) {
		t.Errorf("%+v\nwant %+v", s.Findings, want)
	}
	if got := s.Sample(); got != "12 of 10 positions in 4 of 3 documents; limit 10, seed 1, timeout 3s to 30s" {
		t.Error(got)
	}
	if got := (&Cell{Overview: Overview{Differ: 1, DocumentsDiffer: 1}}).Sum(); got.Sample() != "0 of 1 position in 0 of 1 document; no limit" {
		t.Error(got.Sample())
	}
	var names []string
	for _, f := range s.Findings {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, "; "); got != "the engine admits an invalid text: minimum; undecided: no judge; the engine has a convention: white space" {
		t.Error(got)
	}
	dead := Finding{Whose: Reference, Class: DeadEnd, Cause: "x"}
	if dead.Name() != "the reference has a dead end: x" {
		t.Error(dead.Name())
	}
}

// TestWitness: a witness comes back from its file, the same one has one name, and what is no
// witness is an error that names the file.
func TestWitness(t *testing.T) {
	dir := t.TempDir()
	w := &Witness{Kind: "grammar", Grammar: "g", Prefix: "a\xff", PrefixIDs: []int{1, 2}, Token: 7, Class: AdmitsInvalid, Verdict: &judges.Verdict{Rule: "<x>"}, WitnessBytes: []byte("a\xffb")}
	hash, err := w.Put(dir)
	must.OK(t, err)
	if again, err := w.Put(dir); err != nil || again != hash {
		t.Errorf("%s, then %s, %v", hash, again, err)
	}
	got, err := Stored(dir, hash)
	if err != nil || got.Version != Schema || string(got.WitnessBytes) != "a\xffb" || got.Verdict.Rule != "<x>" {
		t.Errorf("%+v, %v", got, err)
	}
	w.Token = 8
	if other, err := w.Put(dir); err != nil || other == hash {
		t.Errorf("another witness: %s, %v", other, err)
	}
	text := must.Get(os.ReadFile(Path(dir, hash)))(t)
	must.OK(t, os.WriteFile(Path(dir, hash), bytes.Replace(text, []byte("<x>"), []byte("<y>"), 1), 0o644))
	var damaged *cell.DamagedError
	if _, err := Stored(dir, hash); !errors.As(err, &damaged) {
		t.Errorf("one that was changed: %v", err)
	}
	for text, want := range map[string]string{`{`: "not a witness", `{"version": 2, "what": 2}`: "not a witness", `{"version": 99}`: "version 99", `[]`: "not a witness"} {
		path := filepath.Join(dir, "x.json")
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := ReadWitness(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadWitness(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestNotWritable: a directory that cannot be written is one clear error.
func TestNotWritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(Folder(dir), nil, 0o644); err != nil { // a file in the folder's place
		t.Fatal(err)
	}
	var failed *cell.WriteError
	if _, err := Open(dir, "k"); !errors.As(err, &failed) {
		t.Errorf("open: %v", err)
	}
	if _, err := (&Witness{}).Put(dir); !errors.As(err, &failed) {
		t.Errorf("put: %v", err)
	}
}
