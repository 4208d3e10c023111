package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// benched is a result of a tiny grammar, made by bench.
func benched(t *testing.T) (dir string) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	must.OK(t, os.Mkdir(filepath.Join(folder, "lib"), 0o755))
	write(filepath.Join("lib", "words.lark"), "WORD: /[a-z]+/\n")
	grammar := write("list.lark", "start: WORD (\",\" WORD)*\n%import words.WORD\n")
	one, two := write("one.txt", "one,two,three"), write("two.txt", "four,five")
	dir = filepath.Join(folder, "out")
	r := gcdbench(t, "", "bench", "--grammar", grammar, "--import-path", filepath.Join(folder, "lib"), "-a", "psc,naive", "-t", "r50k_base", "--repeat", "1", "--out", dir, one, two)
	if r.status != exitOK || !regexp.MustCompile(`(?m)^ +psc +[\d.]+ .s`).MatchString(r.out) || !strings.Contains(r.out, "masks equal") {
		t.Fatalf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	return dir
}

// TestBenchAndSite: a ranking without a configuration, and a site of its result.
func TestBenchAndSite(t *testing.T) {
	seed.Usual(t)
	dir := benched(t)
	out := filepath.Join(t.TempDir(), "site")
	if r := gcdbench(t, "", "site", dir, "--out", out); r.status != exitOK || !strings.Contains(r.out, "index.html") {
		t.Fatalf("site: exit status %d: %s%s", r.status, r.out, r.err)
	}
	for _, name := range []string{"index.html", "engine-psc.html", "result-bench.html", "record-bench.json.gz"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestServeSite: a site is shown on this machine until it is interrupted.
func TestServeSite(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "page.html"), []byte("a page"), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	a, done := &app{out: write, err: io.Discard}, make(chan error, 1)
	go func() { done <- a.serve(ctx, "127.0.0.1:0", dir) }()
	line := make([]byte, 100)
	n, err := read.Read(line)
	must.OK(t, err)
	response := must.Get(http.Get(strings.TrimSpace(string(line[:n])) + "page.html"))(t)
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || string(text) != "a page" {
		t.Errorf("%q, %v", text, err)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it serves on after an interrupt")
	}
}

// TestPathOrName: a file of any notation is found from the folder where the command was given.
func TestPathOrName(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.lark", "a.gbnf", "a.ebnf"} {
		if _, err := pathOrName(name, ".lark", ".gbnf", ".ebnf"); err == nil || !strings.Contains(err.Error(), name+": no such file") {
			t.Errorf("%s, which is not there: %v", name, err)
		}
		must.OK(t, os.WriteFile(name, nil, 0o644))
		if path, err := pathOrName(name, ".lark", ".gbnf", ".ebnf"); err != nil || !filepath.IsAbs(path) {
			t.Errorf("%s: %s, %v", name, path, err)
		}
	}
	if path, _ := pathOrName("json", ".lark"); path != "json" {
		t.Errorf("a name became %s", path)
	}
}
