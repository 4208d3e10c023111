package pinned

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// sumOfHello is the SHA-256 of "hello".
const sumOfHello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

// archive writes a tar.gz with one file.
func archive(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.tar.gz")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	must.OK(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
	must.Get(w.Write([]byte(text)))(t)
	must.OK(t, w.Close())
	must.OK(t, z.Close())
	return path
}

func TestRead(t *testing.T) {
	files := []File{{"b/c.txt", sumOfHello}}
	got, err := Read(archive(t, "p-1/b/c.txt", "hello"), "p", "p-1", files)
	if err != nil || len(got) != 1 || string(got[0]) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	must.OK(t, os.WriteFile(plain, []byte("no archive"), 0o600))
	for _, c := range []struct{ archive, want string }{
		{archive(t, "p-1/b/c.txt", "hallo"), "expected " + sumOfHello},
		{archive(t, "p-2/b/c.txt", "hello"), "has no file b/c.txt"},
		{plain, "gzip"},
		{filepath.Join(t.TempDir(), "none"), "no such file"},
	} {
		if _, err := Read(c.archive, "p", "p-1", files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestDownloadGo downloads a module from a folder that is laid out as the go command's proxies are.
func TestDownloadGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	versions := filepath.Join(dir, "example.com", "toy", "@v")
	must.OK(t, os.MkdirAll(versions, 0o755))
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	w, err := z.Create("example.com/toy@v1.0.0/go.mod")
	if err == nil {
		_, err = w.Write([]byte("module example.com/toy\n"))
	}
	must.OK(t, errors.Join(err, z.Close()))
	for name, text := range map[string]string{
		"v1.0.0.info": `{"Version": "v1.0.0"}`, "v1.0.0.mod": "module example.com/toy\n", "v1.0.0.zip": zipped.String(),
	} {
		must.OK(t, os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644))
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // so that the folder can be removed
	archive, err := DownloadGo(t.Context(), "example.com/toy@v1.0.0", t.TempDir())
	if err != nil || filepath.Base(archive) != "v1.0.0.zip" {
		t.Errorf("%s, %v", archive, err)
	}
	if _, err := DownloadGo(t.Context(), "example.com/toy@v1.1.0", t.TempDir()); err == nil || !strings.Contains(err.Error(), "toy@v1.1.0") {
		t.Errorf("a version that there is not: %v", err)
	}
}
