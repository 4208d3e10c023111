package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestWrite: a file is replaced whole, and an error leaves the old one and nothing beside it.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	must.OK(t, Write(path, []byte("old")))
	must.OK(t, Write(path, []byte("new")))
	broken := errors.New("broken")
	if err := WriteBy(path, nil, func(w io.Writer) error { io.WriteString(w, "half"); return broken }); err != broken {
		t.Errorf("the writer's error is %v", err)
	}
	renamed := ""
	must.OK(t, WriteBy(path+"2", func(p string) { renamed = p }, func(io.Writer) error { return nil }))
	if text := must.Get(Read(path, 3, "a test"))(t); string(text) != "new" || renamed != path+"2" {
		t.Errorf("%q, renamed %q", text, renamed)
	}
	if left := must.Get(os.ReadDir(filepath.Dir(path)))(t); len(left) != 2 {
		t.Errorf("%v", left)
	}
	if info := must.Get(os.Stat(path))(t); info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v", info.Mode())
	}
}

// TestErrors: a name is there once or not at all, and a file without an end is refused.
func TestErrors(t *testing.T) {
	_, err := os.Open("/no/such")
	if Cause(err).Error() != "no such file or directory" || Named(err).Error() != "/no/such: no such file or directory" {
		t.Errorf("%v; %v", Cause(err), Named(err))
	}
	if _, err := Read("/no/such", 1, "a test"); err == nil || strings.Contains(err.Error(), "such:") {
		t.Errorf("%v", err)
	}
	if _, err := Read("/dev/zero", 100, "a test"); err == nil || err.Error() != "larger than the limit of 100 bytes for a test" {
		t.Errorf("%v", err)
	}
	if err := Named(io.EOF); err != io.EOF || Cause(err) != io.EOF {
		t.Error("another error has changed")
	}
}
