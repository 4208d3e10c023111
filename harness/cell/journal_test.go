package cell

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

func entries() []Entry {
	start := time.Unix(9, 0).UTC()
	return []Entry{
		{Session: &start},
		{Begin: &Begin{Key: "a", Sample: -1}},
		{Compiled: &Compiled{Key: "a", Problem: Problem{ID: "json", Outcome: OK, CompileNS: []int64{4}}}},
		{Round: &Round{Sample: 2, Results: map[string]Result{"a": {Sample{ID: "x", Outcome: OK}, []byte{1, 2, 3}}}}},
	}
}

// open opens the journal "g" or another and collects what it holds.
func open(t *testing.T, s *Store, name string) (j *Journal, got []Entry, torn int64) {
	t.Helper()
	var places []Place
	j, torn, err := s.OpenJournal(name, func(e Entry, at Place) {
		got, places = append(got, e), append(places, at)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range places {
		if e, err := j.Read(at); err != nil || !reflect.DeepEqual(e, got[i]) {
			t.Fatalf("entry %d read again: %+v, %v; want %+v", i, e, err, got[i])
		}
	}
	return j, got, torn
}

func write(t *testing.T, s *Store, list []Entry) string {
	t.Helper()
	j, _, _ := open(t, s, "g")
	for _, e := range list {
		at, err := j.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := j.Read(at); err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("read back: %+v, %v; want %+v", got, err, e)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j.path
}

// TestTornJournal cuts a journal at every byte: what was whole is believed, and
// appending goes on after it.
func TestTornJournal(t *testing.T) {
	s := create(t)
	path := write(t, s, entries())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(whole[:cut]), "\n")
		j, got, torn := open(t, s, "g")
		if len(got) != lines || lines > 0 && !reflect.DeepEqual(got, entries()[:lines]) {
			t.Fatalf("cut at %d: %d entries, want %d", cut, len(got), lines)
		}
		if want := cut - (strings.LastIndex(string(whole[:cut]), "\n") + 1); torn != int64(want) {
			t.Fatalf("cut at %d: %d bytes torn, want %d", cut, torn, want)
		}
		if _, err := j.Append(entries()[1]); err != nil {
			t.Fatal(err)
		}
		j.Close()
		j, got, torn = open(t, s, "g")
		if torn != 0 || len(got) != lines+1 || !reflect.DeepEqual(got[lines], entries()[1]) {
			t.Fatalf("cut at %d: after appending %d entries, %d bytes torn", cut, len(got), torn)
		}
		j.Close()
	}
}

func TestJournalBelievesNothingAfterDamage(t *testing.T) {
	s := create(t)
	path := write(t, s, entries())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := strings.Index(string(whole), "\n") + 20 // inside the second line
	whole[second] ^= 4
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	j, got, torn := open(t, s, "g")
	if len(got) != 1 || torn == 0 {
		t.Fatalf("%d entries, %d bytes torn; want the first entry only", len(got), torn)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the removed journal: %v", err)
	}
}

// TestFullDisk runs this test's binary again with a limit on the size of files,
// which fails writes the way a full disk does.
func TestFullDisk(t *testing.T) {
	const variable = "GCDBENCH_TEST_FULL_DISK"
	if dir := os.Getenv(variable); dir != "" {
		fillDisk(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// What the child left has to be whole.
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, got, torn := open(t, s, "g")
	if torn != 0 || len(got) == 0 {
		t.Errorf("the journal holds %d entries, %d bytes torn", len(got), torn)
	}
	keys, err := s.Keys()
	if err != nil || len(keys) != 1 {
		t.Fatalf("keys %v, %v; want the one that was written before", keys, err)
	}
	if _, err := s.Get(keys[0]); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cells", ".tmp*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func fillDisk(t *testing.T, dir string) {
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	small, traces := example(1)
	if err := s.Put(small, traces); err != nil {
		t.Fatal(err)
	}
	const limit = 16 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skipf("no limit on file sizes here: %v", err)
	}
	j, _, _ := open(t, s, "g")
	var we *WriteError
	for range limit {
		if _, err = j.Append(entries()[3]); err != nil {
			break
		}
	}
	if !errors.As(err, &we) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("a full journal: %v", err)
	}
	large, traces := example(2)
	large.Config = strings.Repeat("#", 2*limit)
	if err := s.Put(large, traces); !errors.As(err, &we) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("a full disk: %v", err)
	}
}

// FuzzJournal: whatever is in the file, opening believes whole lines only, and
// what it believed it believes again.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("00000000 {}\n"))
	f.Add([]byte("e3069283 123456789\n{\"round\":null}\n"))
	f.Add([]byte("4f2c1b7a {\"begin\":{\"key\":\"a\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		read := func(text []byte) (entries []Entry, good int64) {
			good = readEntries(bytes.NewReader(text), func(e Entry, _ Place) { entries = append(entries, e) })
			return entries, good
		}
		entries, good := read(text)
		if good < 0 || good > int64(len(text)) || good > 0 && text[good-1] != '\n' {
			t.Fatalf("good up to %d of %d", good, len(text))
		}
		again, same := read(text[:good])
		if same != good || !reflect.DeepEqual(again, entries) {
			t.Errorf("read again: %d entries up to %d, %d up to %d before", len(again), same, len(entries), good)
		}
	})
}

func TestJournalErrors(t *testing.T) {
	s := create(t)
	j, _, _ := open(t, s, "g")
	at, err := j.Append(entries()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.path, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, err := j.Read(at); !errors.As(err, &damaged) {
		t.Errorf("an entry of a file that was overwritten: %v", err)
	}
	if _, err := j.Read(Place{offset: 0, length: 3}); !errors.As(err, &damaged) {
		t.Errorf("a place that holds no entry: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(entries()[0]); err == nil {
		t.Error("a closed journal takes entries")
	}
	if err := j.Remove(); err != nil {
		t.Errorf("removing a closed journal: %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Errorf("removing it again: %v", err)
	}
	if err := os.Mkdir(filepath.Join(s.Dir(), "journal", "d.log"), 0o755); err != nil {
		t.Fatal(err)
	}
	var we *WriteError
	if _, _, err := s.OpenJournal("d", func(Entry, Place) {}); !errors.As(err, &we) {
		t.Errorf("a directory in its place: %v", err)
	}
}
