package judged

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/judges"
)

// example is a document with two findings.
func example(sample, problem int) Document {
	return Document{Version: Schema, Cell: "k", Reference: "r", Problem: problem, Sample: sample, ID: "d", Compared: 10, Differ: 4, Judged: 3, Chosen: "all", Findings: []Finding{
		{Whose: Engine, Class: AdmitsInvalid, Cause: "minimum", Positions: 2, Leading: 2, Tokens: 20, Witness: "long", WitnessBytes: 9},
		{Class: Undecided, Cause: "no judge", Positions: 1, Leading: 1},
	}}
}

// TestFile: lines come back, the last about a document counts, and a torn line is no line and is
// cut off.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if all, err := Read(dir); err != nil || len(all) != 0 {
		t.Errorf("of an empty directory: %v, %v", all, err)
	}
	add := func(want int, list ...Document) {
		t.Helper()
		f, err := Open(dir, "k")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if len(f.Documents) != want {
			t.Errorf("%d documents are there, want %d", len(f.Documents), want)
		}
		for _, d := range list {
			if err := f.Append(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := example(1, 0)
	again.Judged = 4
	add(0, example(1, 0), example(2, 1))
	path := filepath.Join(Folder(dir), "k.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"version":1,"cell":"k","sam`...), 0o644); err != nil {
		t.Fatal(err)
	}
	add(2, again)
	add(2)
	all, err := Read(dir)
	if err != nil || len(all) != 1 || !reflect.DeepEqual(all["k"], []Document{example(2, 1), again}) {
		t.Errorf("%+v, %v", all, err)
	}
	for _, other := range []string{`{"version":99,"cell":"k","sample":7}`, `{"version":1,"cell":"another","sample":7}`, "nonsense"} {
		if err := os.WriteFile(path, []byte(other+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		add(0)
	}
}

// TestSummarize adds up, orders, and keeps the shortest witness.
func TestSummarize(t *testing.T) {
	short := example(3, 5)
	short.Findings[0].Witness, short.Findings[0].WitnessBytes = "short", 2
	short.Findings = append(short.Findings, Finding{Whose: Engine, Class: Convention, Cause: "white space", Positions: 3, Tokens: 7, Witness: "w"})
	equal := Document{Problem: 9, Compared: 100}
	s := Summarize([]Document{example(1, 0), short, equal, example(2, 0)})
	if s.Compared != 130 || s.Differ != 12 || s.Judged != 9 || s.Documents != 3 || s.Schemas != 2 || len(s.Findings) != 3 {
		t.Fatalf("%+v", s)
	}
	want := []SummedFinding{
		{Finding{Engine, AdmitsInvalid, "minimum", 6, 6, 60, "short", 2}, 2},
		{Finding{"", Undecided, "no judge", 3, 3, 0, "", 0}, 2},
		{Finding{Engine, Convention, "white space", 3, 0, 7, "w", 0}, 1},
	}
	if !reflect.DeepEqual(s.Findings, want) {
		t.Errorf("%+v\nwant %+v", s.Findings, want)
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
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Put(dir); err != nil || again != hash {
		t.Errorf("%s, then %s, %v", hash, again, err)
	}
	got, err := ReadWitness(Path(dir, hash))
	if err != nil || got.Version != Schema || string(got.WitnessBytes) != "a\xffb" || got.Verdict.Rule != "<x>" || got.Hash() == "" {
		t.Errorf("%+v, %v", got, err)
	}
	w.Token = 8
	if w.Hash() == hash {
		t.Error("another witness has the same name")
	}
	for text, want := range map[string]string{`{`: "not a witness", `{"version": 1, "what": 2}`: "not a witness", `{"version": 99}`: "version 99", `[]`: "not a witness"} {
		path := filepath.Join(dir, "x.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
