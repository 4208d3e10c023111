package audit

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// file makes a file with its folders.
func file(t *testing.T, path, text string) string {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// archive makes an archive of two files.
func archive(t *testing.T, path string) string {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	w := zip.NewWriter(f)
	for _, name := range []string{"b/A.java", "README"} {
		entry := must.Get(w.Create(name))(t)
		entry.Write([]byte("in " + name))
	}
	must.OK(t, w.Close())
	return path
}

// listed is a corpus in words: ids and texts.
func listed(t *testing.T, c Corpus) string {
	t.Helper()
	var list []string
	for _, x := range c.Texts {
		text := must.Get(x.Read())(t)
		list = append(list, x.ID+"="+string(text))
	}
	return strings.Join(list, " ")
}

// TestOpen: texts are found in folders, archives, JSON Lines and files.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file(t, filepath.Join(dir, "tree", "B.java"), "b")
	file(t, filepath.Join(dir, "tree", "a", "A.java"), "a")
	file(t, filepath.Join(dir, "tree", "a", "A.go"), "no Java")
	script := file(t, filepath.Join(dir, "s.sql"), "SELECT 1;\n\n\\d\nSELECT 2;\nSELECT 1;\nCOPY t FROM stdin;\n1\n\\.\n  SELECT 3")
	for _, c := range []struct{ language, path, want string }{
		{"java", filepath.Join(dir, "tree"), "B.java=b a/A.java=a"},
		{"java", archive(t, filepath.Join(dir, "x.jar")), "b/A.java=in b/A.java"},
		{"java", archive(t, filepath.Join(dir, "x.zip")), "b/A.java=in b/A.java"},
		{"go", file(t, filepath.Join(dir, "x.jsonl"), "{\"id\":\"1\",\"content\":\"x\"}\n{\"id\":\"0\",\"content\":\"y\",\"valid\":false}\n"), "0=y 1=x"},
		{"go", file(t, filepath.Join(dir, "x.txt"), "package x"), filepath.ToSlash(filepath.Join(dir, "x.txt")) + "=package x"},
		{"sql", script, ":1=SELECT 1; :4=SELECT 2; :6=COPY t FROM stdin; :9=SELECT 3"},
	} {
		l, ok := LanguageOf(c.language)
		if !ok {
			t.Fatal(c.language)
		}
		corpus, err := l.Open(t.Context(), "name", c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		got := listed(t, corpus)
		if c.language == "sql" {
			got = strings.ReplaceAll(got, filepath.ToSlash(script), "")
		}
		if corpus.Name != "name" || got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.path, corpus.Name, got, c.want)
		}
	}
}

// TestOpenFails: what is not there, or has nothing in it, is an error that names the path.
func TestOpenFails(t *testing.T) {
	l, _ := LanguageOf("sql")
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "nothing"), filepath.Join(dir, "nothing.jar"), dir, file(t, filepath.Join(dir, "empty.sql"), "-- none\n")} {
		if _, err := l.Open(t.Context(), path, path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSample: a sample has as many texts, in order, the same for the same seed.
func TestSample(t *testing.T) {
	sample := func(n int, seed uint64) string {
		c := textsOf("", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
		c.Sample(n, seed)
		ids := ""
		for _, x := range c.Texts {
			ids += x.ID
		}
		return ids
	}
	if all := sample(0, 1); all != "0123456789" || sample(10, 1) != all || sample(11, 1) != all {
		t.Errorf("%s, want all", all)
	}
	seeds := map[string]bool{}
	for s := range uint64(20) {
		got := sample(4, s)
		if len(got) != 4 || got != sample(4, s) || !(got[0] < got[1] && got[1] < got[2] && got[2] < got[3]) {
			t.Errorf("seed %d: %s", s, got)
		}
		seeds[got] = true
	}
	if len(seeds) < 10 {
		t.Errorf("only %d different samples of 20", len(seeds))
	}
}
