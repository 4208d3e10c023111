//go:build unix

package reports

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/made"
)

// TestWriteFilesOnFullDisk: where files cannot be written whole, none is left empty or cut off, and
// the message says what to do. A limit on the size of files stands for the disk; it is for a
// process of its own, as it would last.
func TestWriteFilesOnFullDisk(t *testing.T) {
	seed.Usual(t)
	if dir := os.Getenv("GCDBENCH_TEST_FULL"); dir != "" {
		fillReport(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriteFilesOnFullDisk$")
	cmd.Env = append(os.Environ(), "GCDBENCH_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v: want those that fit", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Error(err)
		}
		if len(text) == 0 || strings.HasSuffix(f.Name(), ".svg") && !strings.HasSuffix(strings.TrimSpace(string(text)), "</svg>") {
			t.Errorf("%s is left with %d bytes", f.Name(), len(text))
		}
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("a temporary file is left: %s", f.Name())
		}
	}
}

// fillReport writes a report where no file may be as large as its largest plot.
func fillReport(t *testing.T, dir string) {
	set := load(t, made.Sets["few"].Store(t))
	paths, err := WriteFiles(t.TempDir(), set, "csv")
	must.OK(t, err)
	var limit uint64
	for _, path := range paths[1:] {
		st := must.Get(os.Stat(path))(t)
		limit = max(limit, uint64(st.Size())-1)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skipf("no limit on file sizes here: %v", err)
	}
	_, err = WriteFiles(dir, set, "csv")
	if err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("a full disk: %v", err)
	}
}
