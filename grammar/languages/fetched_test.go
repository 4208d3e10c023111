package languages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/pinned"
	"gcdbench/tokenizers"
)

// sumOf is the SHA-256 of a text in hexadecimal.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// tarOf is a gzip-compressed tar archive of some files: names and texts in turn.
func tarOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	must.OK(t, z.Close())
	return out.Bytes()
}

const toyGrammar = "start: \"a\"+\n"

// toyPackage replaces the known packages by one whose pip is a script: it "downloads" the archive,
// and notes each call in the returned file.
func toyPackage(t *testing.T, archive []byte) (p *Package, calls string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a shell")
	}
	dir := t.TempDir()
	t.Setenv(tokenizers.CacheDirEnv, filepath.Join(dir, "cache"))
	source, python := filepath.Join(dir, "source"), filepath.Join(dir, "python")
	calls = filepath.Join(dir, "calls")
	script := "#!/bin/sh\necho \"$@\" >>" + calls + "\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && cp " + source + " \"$2/toy-1.0.tar.gz\"; shift; done\n"
	for name, text := range map[string][]byte{source: archive, python: []byte(script)} {
		must.OK(t, os.WriteFile(name, text, 0o700))
	}
	t.Setenv(pinned.PythonEnv, python)
	saved := packages
	packages = []Package{{Name: "toy", Version: "1.0", Licence: "MIT", Summary: "toys", folder: "toy/grammars",
		archive:  pinned.File{Path: "toy-1.0.tar.gz", SHA256: sumOf(archive)},
		licence:  pinned.File{Path: "LICENSE", SHA256: sumOf([]byte("free"))},
		grammars: []pinned.File{{Path: "as.lark", SHA256: sumOf([]byte(toyGrammar))}}}}
	t.Cleanup(func() { packages = saved })
	return &packages[0], calls
}

// TestFetch: a grammar is had by name once its package was fetched, and pip is asked once.
func TestFetch(t *testing.T) {
	p, calls := toyPackage(t, tarOf(t, "toy-1.0/LICENSE", "free", "toy-1.0/toy/grammars/as.lark", toyGrammar))
	if !slices.Equal(p.Grammars(), []string{"toy/as"}) || !slices.Contains(Known(), "toy/as") || !slices.Contains(Known(), "json") {
		t.Errorf("%v, %v", p.Grammars(), Known())
	}
	if _, err := Load(t.Context(), "toy/as"); err == nil || !strings.Contains(err.Error(), "gcdbench fetch toy") {
		t.Errorf("before: %v", err)
	}
	if _, ok := Text("toy/as"); ok {
		t.Error("there is a text before it was fetched")
	}
	for range 2 {
		f, err := p.Fetch(t.Context(), false)
		if err != nil || f.Grammars["toy/as"] != sumOf([]byte(toyGrammar)) || f.Licence != "MIT" || f.Version != "1.0" {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	if said, err := os.ReadFile(calls); err != nil || strings.Count(string(said), "\n") != 1 || !strings.Contains(string(said), "toy==1.0") {
		t.Errorf("pip was called by %q, %v", said, err)
	}
	g, err := Load(t.Context(), "toy/as")
	if err != nil || g.Name != "toy/as" {
		t.Fatalf("%v", err)
	}
	if text, ok := Text("toy/as"); !ok || string(text) != toyGrammar {
		t.Errorf("%q", text)
	}
	folder := must.Get(folderOf("toy"))(t)
	if licence, err := os.ReadFile(filepath.Join(folder, licenceFile)); err != nil || string(licence) != "free" {
		t.Errorf("the licence is %q, %v", licence, err)
	}
	var record Fetched
	if text, err := os.ReadFile(filepath.Join(folder, recordFile)); err != nil || json.Unmarshal(text, &record) != nil || record.ArchiveSHA256 != p.archive.SHA256 {
		t.Errorf("the record is %+v, %v", record, err)
	}
	damage := filepath.Join(folder, "as.lark")
	must.OK(t, os.WriteFile(damage, []byte("start: \"b\"\n"), 0o600))
	if _, err := Load(t.Context(), "toy/as"); err == nil || !strings.Contains(err.Error(), "fetch toy --again") {
		t.Errorf("damaged: %v", err)
	}
	if _, err := p.Fetch(t.Context(), false); err != nil { // which mends it
		t.Error(err)
	}
	if _, err := Load(t.Context(), "toy/as"); err != nil {
		t.Error(err)
	}
}

// TestFetchRefuses: what is not the archive that is expected is an error, and is not kept.
func TestFetchRefuses(t *testing.T) {
	right := tarOf(t, "toy-1.0/LICENSE", "free", "toy-1.0/toy/grammars/as.lark", toyGrammar)
	for name, c := range map[string]struct {
		archive []byte
		change  func(p *Package)
		want    string
	}{
		"another archive": {right, func(p *Package) { p.archive.SHA256 = sumOf(nil) }, "it is not used"},
		"another grammar": {tarOf(t, "toy-1.0/LICENSE", "free", "toy-1.0/toy/grammars/as.lark", "start: \"c\"\n"), nil, "as.lark has SHA-256"},
		"no licence":      {tarOf(t, "toy-1.0/toy/grammars/as.lark", toyGrammar), nil, "no file LICENSE"},
		"no archive":      {right, func(p *Package) { p.archive.Path = "toy-2.0.tar.gz" }, "not toy-2.0.tar.gz"},
		"no Python":       {right, func(*Package) { os.Setenv(pinned.PythonEnv, "no-such-python") }, "install Python with pip"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := toyPackage(t, c.archive)
			if c.change != nil {
				c.change(p)
			}
			if _, err := p.Fetch(t.Context(), false); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, ok := p.Cached(); ok {
				t.Error("it is in the cache")
			}
		})
	}
}

// TestPackagesArePinned: every file has a whole SHA-256, and names are distinct.
func TestPackagesArePinned(t *testing.T) {
	var names []string
	for _, p := range Packages() {
		for _, f := range append(slices.Clone(p.grammars), p.archive, p.licence) {
			if raw, err := hex.DecodeString(f.SHA256); err != nil || len(raw) != sha256.Size {
				t.Errorf("%s: the SHA-256 of %s is %q", p.Name, f.Path, f.SHA256)
			}
		}
		names = append(names, p.Grammars()...)
		if of, ok := PackageOf(p.Grammars()[0]); !ok || of.Name != p.Name || p.Licence == "" {
			t.Errorf("%s: %+v", p.Name, of)
		}
	}
	if all := Known(); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) || len(names)+len(Names()) != len(all) {
		t.Errorf("the names are %v", all)
	}
}

// TestSynCodesGrammars: those in the cache are read. GreatGramma's paper, section 5, counts 353 to
// 520 rules in its grammars of Go, Java and Python.
func TestSynCodesGrammars(t *testing.T) {
	for name, rules := range map[string]int{"syncode/go": 349, "syncode/java": 405, "syncode/python": 520, "syncode/sql": 378, "syncode/json": 22} {
		if _, ok := Text(name); !ok {
			t.Skip("not fetched: gcdbench fetch syncode")
		}
		g, err := Load(t.Context(), name)
		if err != nil || len(g.Rules) != rules {
			t.Errorf("%s: %v", name, err)
		}
	}
}
