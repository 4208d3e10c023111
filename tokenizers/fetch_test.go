package tokenizers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
	"gcdbench/internal/pinned"
)

// testOrigin registers a tokenizer of a small file under the name "test-origin" for the
// duration of a test, and returns its files. A test that uses it cannot run in parallel with
// others.
func testOrigin(t *testing.T) (*origin, map[string][]byte) {
	t.Helper()
	files := map[string][]byte{
		"tokenizer.json":        marshal(t, spmFile()),
		"tokenizer_config.json": marshal(t, object{"eos_token": "</s>"}),
	}
	tok := build(t, files["tokenizer.json"], "</s>")
	o := origin{
		name: "test-origin", size: tok.Vocabulary().Len(), licence: "public domain",
		npm: npmPackage{"@test/pack", "1.2.3", "MIT", []pinned.File{
			{Path: modelFile, SHA256: sha256Hex(files["tokenizer.json"])}, {Path: configFile, SHA256: sha256Hex(files["tokenizer_config.json"])},
		}},
	}
	saved := origins
	origins = append(origins[:len(origins):len(origins)], o)
	t.Cleanup(func() { origins = saved })
	return &origins[len(origins)-1], files
}

// changed is a tokenizer.json with a change to its top members.
func changed(t *testing.T, data []byte, change func(file, model map[string]any)) []byte {
	t.Helper()
	var file map[string]any
	must.OK(t, json.Unmarshal(data, &file))
	change(file, file["model"].(map[string]any))
	return marshal(t, file)
}

// reversed has the merges in the reverse order: the same ids, and other tokens for most texts.
func reversed(_, model map[string]any) { slices.Reverse(model["merges"].([]any)) }

// archive makes a package archive.
func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for name, data := range files {
		must.OK(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}))
		must.Get(w.Write(data))(t)
	}
	must.OK(t, w.Close())
	must.OK(t, z.Close())
	return buf.Bytes()
}

// fakeNPM writes a command that stands for npm: it notes its arguments and copies an archive to
// where it is told, or runs the given lines of shell.
func fakeNPM(t *testing.T, tgz []byte, lines string) (command, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	command, log = filepath.Join(dir, "npm"), filepath.Join(dir, "log")
	must.OK(t, os.WriteFile(filepath.Join(dir, "pack.tgz"), tgz, 0o644))
	if lines == "" {
		lines = `cp "` + dir + `/pack.tgz" "$4/x-1.tgz"`
	}
	script := "#!/bin/sh\necho \"$@\" >> \"" + log + "\"\n" + lines + "\n"
	must.OK(t, os.WriteFile(command, []byte(script), 0o755))
	return command, log
}

func TestFetchNPM(t *testing.T) {
	o, files := testOrigin(t)
	tgz := archive(t, map[string][]byte{
		"package/" + modelFile: files["tokenizer.json"], "package/" + configFile: files["tokenizer_config.json"], "package/other": []byte("x"),
	})
	npm, log := fakeNPM(t, tgz, "")
	var progress strings.Builder
	opt := Options{CacheDir: t.TempDir(), NPM: npm, Progress: &progress}
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil || !strings.Contains(err.Error(), "gcdbench fetch test-origin") {
		t.Errorf("offline: %v", err)
	}
	for range 2 {
		tok := must.Get(Load(t.Context(), "test-origin[:265]", opt))(t)
		if p := tok.Provenance(); p.Source != "npm" || p.Origin != "@test/pack@1.2.3" || p.Licence != "public domain (package: MIT)" || len(p.Files) != 2 {
			t.Errorf("provenance %+v", p)
		}
	}
	calls, err := os.ReadFile(log)
	if err != nil || strings.Count(string(calls), "\n") != 1 || !strings.HasPrefix(string(calls), "pack @test/pack@1.2.3 --pack-destination ") {
		t.Errorf("npm was called with %s, %v", calls, err)
	}
	if progress.String() != "fetching test-origin: npm pack @test/pack@1.2.3\n" {
		t.Errorf("progress %q", progress.String())
	}
	list := NamesIn(opt.CacheDir)
	if last := list[len(list)-1]; last.Name != o.name || !last.Cached || last.Embedded {
		t.Errorf("info %+v", last)
	}
	if _, err := Fetch(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, NPM: npm, Refetch: true}); err != nil {
		t.Error(err)
	}
	if calls, _ := os.ReadFile(log); strings.Count(string(calls), "\n") != 2 {
		t.Errorf("after a refetch npm was called with %s", calls)
	}
}

// A damaged file in the cache is fetched again, once.
func TestDamagedCacheIsFetchedAgain(t *testing.T) {
	_, files := testOrigin(t)
	npm, log := fakeNPM(t, archive(t, map[string][]byte{
		"package/" + modelFile: files["tokenizer.json"], "package/" + configFile: files["tokenizer_config.json"],
	}), "")
	opt := Options{CacheDir: t.TempDir(), NPM: npm}
	p := must.Get(Fetch(t.Context(), "test-origin", opt))(t)
	blob := filepath.Join(opt.CacheDir, "blobs", p.Files[0].SHA256)
	must.OK(t, os.WriteFile(blob, bytes.Repeat([]byte{'x'}, int(p.Files[0].Size)), 0o644))
	if _, err := Load(t.Context(), "test-origin", Options{CacheDir: opt.CacheDir, Offline: true}); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("offline: %v", err)
	}
	if _, err := Load(t.Context(), "test-origin", opt); err != nil {
		t.Error(err)
	}
	if calls, _ := os.ReadFile(log); strings.Count(string(calls), "\n") != 2 {
		t.Errorf("npm was called with %s", calls)
	}
}

func TestFetchNPMErrors(t *testing.T) {
	_, files := testOrigin(t)
	model, config := files["tokenizer.json"], files["tokenizer_config.json"]
	cases := []struct {
		name  string
		tgz   []byte
		lines string
		want  string
	}{
		{"wrong contents", archive(t, map[string][]byte{"package/" + modelFile: model[1:], "package/" + configFile: config}), "", "models/tokenizer.json has SHA-256"},
		{"missing file", archive(t, map[string][]byte{"package/" + modelFile: model}), "", "has no file models/tokenizer_config.json"},
		{"no archive", nil, "true", "left 0 files, not one archive"},
		{"not an archive", []byte("this is text, not an archive"), "", "gzip"},
		{"cut off", archive(t, map[string][]byte{"package/" + modelFile: model})[:300], "", "unexpected EOF"},
		{"npm fails", nil, "echo one >&2; echo npm error 404 >&2; exit 1", "exit status 1: one; npm error 404"},
	}
	for _, c := range cases {
		npm, _ := fakeNPM(t, c.tgz, c.lines)
		_, err := Fetch(t.Context(), "test-origin", Options{CacheDir: t.TempDir(), NPM: npm})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
	_, err := Fetch(t.Context(), "test-origin", Options{CacheDir: t.TempDir(), NPM: "no-such-command"})
	if err == nil || !strings.Contains(err.Error(), "npm is not installed") {
		t.Errorf("without npm: %v", err)
	}
	npm, _ := fakeNPM(t, nil, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Fetch(ctx, "test-origin", Options{CacheDir: t.TempDir(), NPM: npm}); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("cancelled: %v", err)
	}
}

// TestIdentity: tokenizers that encode differently have different sums, also where their ids are
// the same.
func TestIdentity(t *testing.T) {
	data := marshal(t, spmFile())
	first := build(t, data, "</s>")
	for name, change := range map[string]func(file, model map[string]any){
		"merges":     reversed,
		"split":      func(file, _ map[string]any) { file["pre_tokenizer"] = object{"type": "WhitespaceSplit"} },
		"normalizer": func(file, _ map[string]any) { file["normalizer"] = object{"type": "NFC"} },
	} {
		other := build(t, changed(t, data, change), "</s>")
		if other.Vocabulary().SHA256() != first.Vocabulary().SHA256() {
			t.Errorf("%s: the ids differ", name)
		}
		if other.SHA256() == first.SHA256() {
			t.Errorf("%s: equal sums", name)
		}
	}
	if again := build(t, changed(t, data, func(map[string]any, map[string]any) {}), "</s>"); again.SHA256() != first.SHA256() {
		t.Error("the same contents have different sums")
	}
	cut, err := first.Cut(first.Vocabulary().Len() - 1)
	if err != nil || cut.SHA256() == first.SHA256() {
		t.Errorf("a cut has the sum of the whole, %v", err)
	}
}
