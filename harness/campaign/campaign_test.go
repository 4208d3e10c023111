package campaign

import (
	"os"
	"strings"
	"testing"
)

// TestForeignLog: logs of two groups that were exchanged are refused, to be read and to be appended
// to; those that say no group are taken.
func TestForeignLog(t *testing.T) {
	dir := t.TempDir()
	if err := WriteManifest(dir, &Manifest{}); err != nil {
		t.Fatal(err)
	}
	nothing := func(*Line) {}
	for _, key := range []string{"first", "second", ""} {
		log, _, err := OpenLog(dir, key+"-log", nothing)
		if err != nil {
			t.Fatal(err)
		}
		session := &Session{ID: "1"}
		if key != "" {
			session.Group = key + "-log"
		}
		if err := Append(log, Line{Session: session}); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLog(dir, key+"-log", nothing); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, step := range [][2]string{{"first-log", "x"}, {"second-log", "first-log"}, {"x", "second-log"}} {
		if err := os.Rename(LogPath(dir, step[0]), LogPath(dir, step[1])); err != nil {
			t.Fatal(err)
		}
	}
	const want = "first-log.log is the log of another group, second-log.log"
	if _, err := ReadLog(dir, "first-log", nothing); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("reading: %v", err)
	}
	if log, _, err := OpenLog(dir, "first-log", nothing); log != nil || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("opening: %v", err)
	}
}
