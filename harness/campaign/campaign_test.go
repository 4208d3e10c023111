package campaign

import (
	"os"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestForeignLog: logs of two groups that were exchanged are refused, to be read and to be appended
// to; those that say no group are taken.
func TestForeignLog(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, WriteManifest(dir, &Manifest{}))
	nothing := func(*Line) {}
	for _, key := range []string{"first", "second", ""} {
		log, _, err := OpenLog(dir, key+"-log", nothing)
		must.OK(t, err)
		session := &Session{ID: "1"}
		if key != "" {
			session.Group = key + "-log"
		}
		must.OK(t, Append(log, Line{Session: session}))
		must.OK(t, log.Close())
		if _, err := ReadLog(dir, key+"-log", nothing); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, step := range [][2]string{{"first-log", "x"}, {"second-log", "first-log"}, {"x", "second-log"}} {
		must.OK(t, os.Rename(LogPath(dir, step[0]), LogPath(dir, step[1])))
	}
	const want = "first-log.log is the log of another group, second-log.log"
	if _, err := ReadLog(dir, "first-log", nothing); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("reading: %v", err)
	}
	if log, _, err := OpenLog(dir, "first-log", nothing); log != nil || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("opening: %v", err)
	}
}
