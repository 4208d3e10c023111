package published

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gcdbench/internal/must"
)

// members of an archive: what is unpacked, and what is not.
var members = map[string]string{
	"pkg/a.lark": "start: \"a\"\n", "pkg/parts/b.lark": "b: \"b\"\n", "pkg/code.py": "pass\n", "../out.lark": "x: \"x\"\n",
}

func wheel(t *testing.T) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range members {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	return b.Bytes()
}

func sources(t *testing.T) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range members {
		err := w.WriteHeader(&tar.Header{Name: "some-1.0/" + name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		must.OK(t, err)
	}
	must.OK(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

// TestUnpack: the grammars of an archive are written, and nothing else, nor outside of the folder.
func TestUnpack(t *testing.T) {
	for name, content := range map[string][]byte{"some_pkg-1.0-py3-none-any.whl": wheel(t), "some_pkg-1.0.tar.gz": sources(t)} {
		archives, into := t.TempDir(), filepath.Join(t.TempDir(), "into")
		must.OK(t, os.WriteFile(filepath.Join(archives, name), content, 0o644))
		must.OK(t, (Package{Name: "some-pkg", Version: "1.0"}).Unpack(archives, into))
		var found []string
		fs.WalkDir(os.DirFS(filepath.Dir(into)), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				found = append(found, path)
			}
			return err
		})
		if want := []string{"into/pkg/a.lark", "into/pkg/parts/b.lark"}; !slices.Equal(found, want) {
			t.Errorf("%s: %v, want %v", name, found, want)
		}
	}
}

// TestUnpackErrors: a package that is not there can be told from one that is broken.
func TestUnpackErrors(t *testing.T) {
	archives := t.TempDir()
	p := Package{Name: "some-pkg", Version: "1.0"}
	if err := p.Unpack(archives, t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"some_pkg-1.0.tar.gz", "some_pkg-1.0-py3-none-any.whl"} {
		must.OK(t, os.WriteFile(filepath.Join(archives, name), []byte("no archive"), 0o644))
		if err := p.Unpack(archives, t.TempDir()); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestPackages: every grammar is of a package that is listed with a version and a licence, and
// every package has one.
func TestPackages(t *testing.T) {
	list := Packages()
	for _, p := range list {
		if p.Version == "" || p.Licence == "" || !slices.ContainsFunc(slices.Concat(grammars, dynamics), func(g published) bool { return g.pkg == p.Name }) {
			t.Errorf("%+v", p)
		}
	}
	for _, g := range grammars {
		if !slices.ContainsFunc(list, func(p Package) bool { return p.Name == g.pkg }) {
			t.Errorf("%s is not listed", g.pkg)
		}
	}
}

// TestFolder: the variable moves the folder.
func TestFolder(t *testing.T) {
	t.Setenv(FolderEnv, "")
	usual, err := Folder()
	if err != nil || filepath.Base(usual) != "lark-grammars" {
		t.Errorf("%s, %v", usual, err)
	}
	t.Setenv(FolderEnv, "elsewhere")
	if moved, err := Folder(); err != nil || moved != "elsewhere" {
		t.Errorf("%s, %v", moved, err)
	}
}
