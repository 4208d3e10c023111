package datasets

import (
	"archive/zip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"gcdbench/internal/must"
)

// machine is a folder with files, whose bin folder is all that is on the PATH. Contents that begin
// with #! are commands.
func machine(t *testing.T, files map[string]string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs shell scripts and links")
	}
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for name, content := range files {
		path := filepath.Join(root, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasPrefix(content, "#!") {
			mode = 0o755
		}
		must.OK(t, os.WriteFile(path, []byte(strings.ReplaceAll(content, "ROOT", root)), mode))
	}
	t.Setenv("PATH", filepath.Join(root, "bin"))
	t.Setenv("GOROOT", "")
	t.Setenv("JAVA_HOME", "")
	return root
}

// never is a command that must not run.
const never = "#!/bin/sh\necho ran >> ROOT/ran\n"

// ran tells whether a command made of never did.
func ran(root string) bool { return exists(filepath.Join(root, "ran")) }

func TestFindPython(t *testing.T) {
	t.Run("beside the interpreter", func(t *testing.T) {
		root := machine(t, map[string]string{"usr/bin/python3.9": never, "usr/lib/python3.9/os.py": "", "bin/x": ""})
		must.OK(t, os.Symlink("../usr/bin/python3.9", filepath.Join(root, "bin", "python3")))
		if got, want := pythonLibrary().Info().Where, filepath.Join(root, "usr/lib/python3.9"); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
		if ran(root) {
			t.Error("python3 ran, though its name says where its library is")
		}
	})
	t.Run("behind a wrapper", func(t *testing.T) {
		root := machine(t, map[string]string{"bin/python3": "#!/bin/sh\necho ROOT/far/lib\n", "far/lib/os.py": ""})
		if got, want := pythonLibrary().Info().Where, filepath.Join(root, "far/lib"); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	})
	for name, script := range map[string]string{
		"fails": "#!/bin/sh\nexit 1\n", "says nothing": "#!/bin/sh\n", "says nonsense": "#!/bin/sh\necho Welcome\n", "is no program": "text",
	} {
		t.Run(name, func(t *testing.T) {
			machine(t, map[string]string{"bin/python3": script})
			if info := pythonLibrary().Info(); info.Where != "" || info.Missing != "put python3 on the PATH" {
				t.Errorf("info %+v", info)
			}
		})
	}
}

func TestFindGo(t *testing.T) {
	tree := map[string]string{"go/bin/go": never, "go/src/runtime/x.go": "package runtime", "bin/x": ""}
	t.Run("where the command is", func(t *testing.T) {
		root := machine(t, tree)
		must.OK(t, os.Symlink("../go/bin/go", filepath.Join(root, "bin", "go")))
		if got, want := goTree().Info().Where, filepath.Join(root, "go/src"); got != want || ran(root) {
			t.Errorf("found %q, want %q without running go", got, want)
		}
	})
	t.Run("GOROOT", func(t *testing.T) {
		root := machine(t, tree)
		t.Setenv("GOROOT", filepath.Join(root, "go"))
		if got, want := goTree().Info().Where, filepath.Join(root, "go/src"); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	})
	t.Run("what the command says", func(t *testing.T) {
		root := machine(t, map[string]string{"bin/go": "#!/bin/sh\necho ROOT/go\n", "go/src/runtime/x.go": "package runtime"})
		if got, want := goTree().Info().Where, filepath.Join(root, "go/src"); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	})
	t.Run("nowhere", func(t *testing.T) {
		machine(t, map[string]string{"bin/x": ""})
		if info := goTree().Info(); info.Where != "" || !strings.Contains(info.Missing, "GOROOT") {
			t.Errorf("info %+v", info)
		}
	})
}

func TestFindJDK(t *testing.T) {
	root := machine(t, map[string]string{"jdk/bin/java": never, "jdk/lib/src.zip": "", "home/lib/src.zip": "", "bin/x": ""})
	must.OK(t, os.Symlink("../jdk/bin/java", filepath.Join(root, "bin", "java")))
	f, err := os.Create(filepath.Join(root, "jdk/lib/src.zip"))
	must.OK(t, err)
	w := zip.NewWriter(f)
	for _, name := range []string{"java.base/java/lang/A.java", "java.desktop/B.java", "java.base/C.txt"} {
		must.Get(w.Create(name))(t)
	}
	must.OK(t, w.Close())
	must.OK(t, f.Close())
	src := jdk()
	if got, want := src.Info().Where, filepath.Join(root, "jdk/lib/src.zip"); got != want || ran(root) {
		t.Fatalf("found %q, want %q without running java", got, want)
	}
	docs, err := src.Documents(t.Context())
	if err != nil || len(docs) != 1 || docs[0].ID != "java.base/java/lang/A.java" {
		t.Errorf("documents %v, error %v, want A.java only", docs, err)
	}
	t.Setenv("JAVA_HOME", filepath.Join(root, "home"))
	if got, want := jdk().Info().Where, filepath.Join(root, "home/lib/src.zip"); got != want {
		t.Errorf("found %q, want that of JAVA_HOME, %q", got, want)
	}
}

// TestHidden lists trees with files that do not belong to a corpus.
func TestHidden(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range strings.Fields(`a.go testdata/b.go x/testdata/c.go x/testdata.go x/d.go
		a.py site-packages/b.py x/__pycache__/c.py lib2to3/tests/data/d.py lib2to3/tests/e.py x/data/f.py test/badsyntax.py test/good.py bad.py dist-packages/g.py`) {
		files[name] = &fstest.MapFile{}
	}
	for _, c := range []struct {
		src  Source
		want string
	}{
		{&dirSource{Info{}, goFiles{files}, "**/*.go"}, "a.go x/d.go x/testdata.go"},
		{&dirSource{Info{}, pythonFiles{files}, "**/*.py"}, "a.py bad.py lib2to3/tests/e.py test/good.py x/data/f.py"},
	} {
		docs := must.Get(c.src.Documents(t.Context()))(t)
		var names []string
		for i := range docs {
			names = append(names, docs[i].ID)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("listed %s, want %s", got, c.want)
		}
	}
}
