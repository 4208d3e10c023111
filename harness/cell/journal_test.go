package cell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func entries() []Entry {
	start := time.Unix(9, 0).UTC()
	return []Entry{
		{Session: &start},
		{Begin: &Begin{Key: "a", Sample: -1}},
		{Compiled: &Compiled{Key: "a", Problem: Problem{ID: "json", Outcome: OK, CompileNS: []int64{4}}}},
		{Proof: &Round{Sample: 2, Results: map[string]Result{"a": {Sample{ID: "x", Outcome: OK}, []byte{3, 4}}}}},
		{Round: &Round{Sample: 2, Results: map[string]Result{"a": {Sample{ID: "x", Outcome: OK}, []byte{1, 2, 3}}}}},
		{Used: &Used{Key: "a", Bytes: 5, SaysBytes: 6, Counters: []Counter{{Name: "states", Value: 7}}}},
	}
}

// open opens the journal "g" or another and collects what it holds.
func open(t *testing.T, s *Store, name string) (j *Journal, got []Entry, damage Damage) {
	t.Helper()
	var places []Place
	j, damage, err := s.OpenJournal(name, func(e Entry, at Place) {
		if e != (Entry{}) {
			got, places = append(got, e), append(places, at)
		}
	})
	must.OK(t, err)
	for i, at := range places {
		if e, err := j.Read(at); err != nil || !reflect.DeepEqual(e, got[i]) {
			t.Fatalf("entry %d read again: %+v, %v; want %+v", i, e, err, got[i])
		}
	}
	return j, got, damage
}

func write(t *testing.T, s *Store, list []Entry) string {
	t.Helper()
	j, _, _ := open(t, s, "g")
	for _, e := range list {
		at := must.Get(j.Append(e))(t)
		if got, err := j.Read(at); err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("read back: %+v, %v; want %+v", got, err, e)
		}
	}
	must.OK(t, j.Close())
	return j.path
}

// TestTornJournal cuts a journal at every byte: what was whole is believed, and
// appending goes on after it.
func TestTornJournal(t *testing.T) {
	seed.Usual(t)
	s := create(t)
	path := write(t, s, entries())
	whole := must.Get(os.ReadFile(path))(t)
	for cut := range len(whole) + 1 {
		must.OK(t, os.WriteFile(path, whole[:cut], 0o644))
		lines := strings.Count(string(whole[:cut]), "\n")
		j, got, damage := open(t, s, "g")
		if len(got) != lines || len(damage.Lost) != 0 || lines > 0 && !reflect.DeepEqual(got, entries()[:lines]) {
			t.Fatalf("cut at %d: %d entries, want %d", cut, len(got), lines)
		}
		if want := cut - (strings.LastIndex(string(whole[:cut]), "\n") + 1); damage.Torn != int64(want) {
			t.Fatalf("cut at %d: %+v, want %d bytes torn", cut, damage, want)
		}
		must.Get(j.Append(entries()[1]))(t)
		j.Close()
		j, got, damage = open(t, s, "g")
		if damage.Torn != 0 || len(got) != lines+1 || !reflect.DeepEqual(got[lines], entries()[1]) {
			t.Fatalf("cut at %d: after appending %d entries, %+v", cut, len(got), damage)
		}
		j.Close()
	}
}

// TestOneBit turns over each bit of a journal in turn: one line is lost and named, all others are
// believed, and appending goes on. Only the end of a line costs both that it parts, and that of the
// last one what is torn.
func TestOneBit(t *testing.T) {
	seed.Usual(t)
	s := create(t)
	path := write(t, s, entries())
	whole := must.Get(os.ReadFile(path))(t)
	lines := strings.SplitAfter(string(whole), "\n")
	line := 0 // that of the byte
	for at, end := 0, len(lines[0]); at < len(whole); at++ {
		if at == end {
			line++
			end += len(lines[line])
		}
		changed := bytes.Clone(whole)
		changed[at] ^= 1 << (at % 8)
		must.OK(t, os.WriteFile(path, changed, 0o644))
		j, got, damage := open(t, s, "g")
		lost, torn := 1, int64(0)
		switch last := line == len(entries())-1; {
		case whole[at] == '\n' && last:
			torn = int64(len(lines[line]))
		case whole[at] == '\n':
			lost = 2
		}
		want := append(entries()[:line:line], entries()[line+lost:]...)
		if !reflect.DeepEqual(got, want) || damage.Torn != torn || (torn > 0) != (len(damage.Lost) == 0) {
			t.Fatalf("bit %d of byte %d in line %d: %d entries, want %d; %+v", at%8, at, line+1, len(got), len(want), damage)
		}
		if len(damage.Lost) > 0 && damage.Lost[0].Line != line+1 {
			t.Fatalf("byte %d of line %d: %v", at, line+1, damage.Lost)
		}
		must.Get(j.Append(entries()[1]))(t)
		j.Close()
		j, got, damage = open(t, s, "g")
		if len(got) != len(want)+1 || damage.Torn != 0 {
			t.Fatalf("byte %d: after appending %d entries, %+v", at, len(got), damage)
		}
		j.Close()
	}
}

// TestLostIsNamed: what is said of a line that was lost.
func TestLostIsNamed(t *testing.T) {
	s := create(t)
	path := write(t, s, entries())
	whole := must.Get(os.ReadFile(path))(t)
	kinds := []string{"session", "begin", "compiled", "proof", "round", "used"}
	at := 0
	for i, line := range bytes.SplitAfter(whole, []byte("\n"))[:len(kinds)] {
		changed := bytes.Clone(whole)
		changed[at+len(line)-2] ^= 1
		must.OK(t, os.WriteFile(path, changed, 0o644))
		j, _, damage := open(t, s, "g")
		j.Close()
		want := fmt.Sprintf("line %d (%s), %d bytes at byte %d", i+1, kinds[i], len(line), at)
		if len(damage.Lost) != 1 || damage.Lost[0].String() != want {
			t.Errorf("%v, want %s", damage.Lost, want)
		}
		at += len(line)
	}
	if got := (Lost{Line: 3, At: Place{4, 5}}).String(); got != "line 3, 5 bytes at byte 4" {
		t.Errorf("of no known kind: %s", got)
	}
}

// TestRemove: the journal of a finished group goes.
func TestRemove(t *testing.T) {
	s := create(t)
	path := write(t, s, entries())
	j, _, _ := open(t, s, "g")
	must.OK(t, j.Remove())
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
	must.OK(t, err)
	_, got, damage := open(t, s, "g")
	if damage.Torn != 0 || len(damage.Lost) != 0 || len(got) == 0 {
		t.Errorf("the journal holds %d entries, %+v", len(got), damage)
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
	must.OK(t, err)
	small, traces := example(1)
	must.OK(t, s.Put(small, traces))
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
		read := func(text []byte) (entries []Entry, whole int64, lost []Lost) {
			whole, lost = readEntries(bytes.NewReader(text), func(e Entry, _ Place) { entries = append(entries, e) })
			return entries, whole, lost
		}
		entries, whole, lost := read(text)
		if want := int64(bytes.LastIndexByte(text, '\n') + 1); whole != want || len(entries) != bytes.Count(text, []byte("\n")) {
			t.Fatalf("%d entries up to %d of %d, want up to %d", len(entries), whole, len(text), want)
		}
		again, same, lostAgain := read(text[:whole])
		if same != whole || !reflect.DeepEqual(again, entries) || !reflect.DeepEqual(lostAgain, lost) {
			t.Errorf("read again: %d entries up to %d, %d up to %d before", len(again), same, len(entries), whole)
		}
	})
}

func TestJournalErrors(t *testing.T) {
	s := create(t)
	j, _, _ := open(t, s, "g")
	at := must.Get(j.Append(entries()[0]))(t)
	must.OK(t, os.WriteFile(j.path, []byte("other"), 0o644))
	var damaged *DamagedError
	if _, err := j.Read(at); !errors.As(err, &damaged) {
		t.Errorf("an entry of a file that was overwritten: %v", err)
	}
	if _, err := j.Read(Place{offset: 0, length: 3}); !errors.As(err, &damaged) {
		t.Errorf("a place that holds no entry: %v", err)
	}
	must.OK(t, j.Close())
	if _, err := j.Append(entries()[0]); err == nil {
		t.Error("a closed journal takes entries")
	}
	if err := j.Remove(); err != nil {
		t.Errorf("removing a closed journal: %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Errorf("removing it again: %v", err)
	}
	must.OK(t, os.Mkdir(filepath.Join(s.Dir(), "journal", "d.log"), 0o755))
	var we *WriteError
	if _, _, err := s.OpenJournal("d", func(Entry, Place) {}); !errors.As(err, &we) {
		t.Errorf("a directory in its place: %v", err)
	}
}
