package datasets_test

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// tree is a folder of files, by name and content.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

var forest = map[string]string{
	"a.go": "package a", "b.txt": "text", "sub/c.go": "package c", "sub/deep/d.go": "package d", "sub/.hidden.go": "package h", "empty.go": "",
}

// archive is a zip archive of files, by name and content.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.zip")
	f := must.Get(os.Create(path))(t)
	w := zip.NewWriter(f)
	for name, content := range files {
		entry := must.Get(w.Create(name))(t)
		must.Get(entry.Write([]byte(content)))(t)
	}
	if _, err := w.Create("sub/"); err != nil { // a folder
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	must.OK(t, f.Close())
	return path
}

func open(t *testing.T, format, path, glob string) datasets.Source {
	t.Helper()
	src := must.Get(datasets.Open(format, path, glob))(t)
	return src
}

// TestGlobs selects from the same files in a folder, in an archive and by a path with a pattern.
func TestGlobs(t *testing.T) {
	cases := []struct{ glob, want string }{
		{"", "a.go b.txt empty.go sub/.hidden.go sub/c.go sub/deep/d.go"},
		{"**", "a.go b.txt empty.go sub/.hidden.go sub/c.go sub/deep/d.go"},
		{"*.go", "a.go empty.go"},
		{"**/*.go", "a.go empty.go sub/.hidden.go sub/c.go sub/deep/d.go"},
		{"sub/*.go", "sub/.hidden.go sub/c.go"},
		{"sub/**/[c-d].go", "sub/c.go sub/deep/d.go"},
		{"{a,b}.*", "a.go b.txt"},
		{"a.go", "a.go"},
		{"?.txt", "b.txt"},
	}
	root, zipped := tree(t, forest), archive(t, forest)
	for _, c := range cases {
		t.Run(c.glob, func(t *testing.T) {
			if got := ids(load(t, open(t, "dir", root, c.glob), datasets.Query{})); got != c.want {
				t.Errorf("dir: %s, want %s", got, c.want)
			}
			if got := ids(load(t, open(t, "zip", zipped, c.glob), datasets.Query{})); got != c.want {
				t.Errorf("zip: %s, want %s", got, c.want)
			}
			if c.glob == "" {
				return
			}
			got := ids(load(t, open(t, "files", filepath.Join(root, c.glob), ""), datasets.Query{}))
			if got = strings.ReplaceAll(got, filepath.ToSlash(root)+"/", ""); got != c.want {
				t.Errorf("files: %s, want %s", got, c.want)
			}
		})
	}
}

func TestContents(t *testing.T) {
	root, zipped := tree(t, forest), archive(t, forest)
	for name, src := range map[string]datasets.Source{
		"files": open(t, "files", filepath.Join(root, "**"), ""), "dir": open(t, "dir", root, ""), "zip": open(t, "zip", zipped, ""),
	} {
		d := load(t, src, datasets.Query{})
		for _, s := range d.Samples {
			id := strings.TrimPrefix(s.ID, filepath.ToSlash(root)+"/")
			if want, ok := forest[id]; !ok || string(s.Content) != want {
				t.Errorf("%s: %s is %q, want %q", name, s.ID, s.Content, want)
			}
		}
		if len(d.Samples) != len(forest) {
			t.Errorf("%s: %d files, want %d", name, len(d.Samples), len(forest))
		}
		if src.Info().Where == "" || src.Info().Name == "" || src.Info().Missing != "" {
			t.Errorf("%s: info %+v", name, src.Info())
		}
	}
}

// TestSameFilesSameSum has the same documents come from a folder and an archive.
func TestSameFilesSameSum(t *testing.T) {
	q := datasets.Query{Sample: true, Seed: 3, Limit: 4}
	dir := load(t, open(t, "dir", tree(t, forest), ""), q).Provenance.SHA256
	zip := load(t, open(t, "zip", archive(t, forest), ""), q).Provenance.SHA256
	if dir != zip {
		t.Errorf("SHA-256 of dir %s, of zip %s", dir, zip)
	}
}

func TestOpenErrors(t *testing.T) {
	root := tree(t, forest)
	file, gone := filepath.Join(root, "a.go"), filepath.Join(root, "gone")
	cases := []struct{ name, format, path, glob, want string }{
		{"format", "tar", root, "", `there is no dataset format "tar"; there are: files, dir, zip, jsonl`},
		{"glob", "dir", root, "[a", `"[a" is not a glob: check its brackets and braces`},
		{"glob of files", "files", root + "/{a", "", "/{a\" is not a glob"},
		{"no folder", "dir", gone, "", gone + ": no such file or directory"},
		{"no archive", "zip", gone, "", gone + ": no such file or directory"},
		{"no lines", "jsonl", gone, "", gone + ": no such file or directory"},
		{"file for folder", "dir", file, "", file + " is not a folder; for single files use format files"},
		{"folder for archive", "zip", root, "", root + " is a folder; for the files in it use format dir"},
		{"folder for lines", "jsonl", root, "", root + " is a folder; for the files in it use format dir"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src, err := datasets.Open(c.format, c.path, c.glob)
			if err == nil || !strings.Contains(err.Error(), c.want) || src != nil {
				t.Errorf("%v, error %v, want %s", src, err, c.want)
			}
		})
	}
}

func TestNothingMatches(t *testing.T) {
	root := tree(t, forest)
	zipped := archive(t, forest)
	for _, c := range []struct {
		src  datasets.Source
		want string
	}{
		{open(t, "files", filepath.Join(root, "*.rs"), ""), "*.rs matches no file"},
		{open(t, "files", filepath.Join(root, "gone.go"), ""), "gone.go matches no file"},
		{open(t, "files", root, ""), root + " matches no file"},
		{open(t, "dir", root, "*.rs"), root + `: no file matches "*.rs"`},
		{open(t, "zip", zipped, "*.rs"), zipped + `: no entry matches "*.rs"`},
	} {
		if _, err := datasets.Load(t.Context(), c.src, datasets.Query{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// TestFilesThatGoAway removes files after they were listed: the error says which.
func TestFilesThatGoAway(t *testing.T) {
	for _, format := range []string{"files", "dir", "zip"} {
		root := tree(t, map[string]string{"a.go": "package a"})
		path, at := root, filepath.Join(root, "a.go")
		switch format {
		case "files":
			path = filepath.Join(root, "*")
		case "zip":
			path = archive(t, forest)
			at = path
		}
		docs := must.Get(open(t, format, path, "").Documents(t.Context()))(t)
		must.OK(t, os.Remove(at))
		if _, err := docs[0].Read(); err == nil || strings.Count(err.Error(), at) != 1 || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%s: error %v, want it to name %s", format, err, at)
		}
	}
}

func TestZipErrors(t *testing.T) {
	whole := must.Get(os.ReadFile(archive(t, map[string]string{"a.txt": strings.Repeat("many words ", 500)})))(t)
	changed := strings.Replace(string(whole), "PK\x03\x04", "PK\x03\x05", 1)
	flipped := []byte(string(whole))
	flipped[45] ^= 0x40 // in the compressed data, after a header of 30 bytes and the name
	cases := []struct{ name, content, want string }{
		{"not an archive", "PK, but no archive", "x.zip: zip: not a valid zip file"},
		{"empty", "", "x.zip: zip: not a valid zip file"},
		{"cut off", string(whole[:len(whole)/2]), "x.zip: zip: not a valid zip file"},
		{"header", changed, "x.zip/a.txt: zip: not a valid zip file"},
		{"data", string(flipped), "x.zip/a.txt: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, map[string]string{"x.zip": c.content})
			_, err := datasets.Load(t.Context(), open(t, "zip", filepath.Join(root, "x.zip"), ""), datasets.Query{})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), root) != 1 {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// TestZipBomb packs a document that is larger than documents may be; it is not unpacked.
func TestZipBomb(t *testing.T) {
	seed.Usual(t) // packs 17 MB
	path := archive(t, map[string]string{"bomb": strings.Repeat("\x00", datasets.MaxDocumentBytes+1), "small": "x"})
	d := load(t, open(t, "zip", path, ""), datasets.Query{})
	if got := ids(d); got != "small" || d.Provenance.BySize != 1 {
		t.Errorf("selected %s, want small only", got)
	}
	docs := must.Get(open(t, "zip", path, "bomb").Documents(t.Context()))(t)
	if _, err := docs[0].Read(); err == nil || !strings.Contains(err.Error(), "larger than the limit of 16777216 bytes") {
		t.Errorf("error %v", err)
	}
}

// sameAgain is a corpus of many documents that all have one content: large in sum, small in memory.
type sameAgain struct {
	content []byte
	n       int
	schema  bool
}

func (s sameAgain) Info() datasets.Info { return datasets.Info{Name: "same"} }

func (s sameAgain) Documents(context.Context) ([]datasets.Document, error) {
	var schema *datasets.Schema
	if s.schema {
		schema = &datasets.Schema{ID: "schema", Text: []byte("{}")}
	}
	docs := make([]datasets.Document, s.n)
	for i := range docs {
		docs[i] = datasets.Document{ID: fmt.Sprint(i), Size: -1, Schema: schema, Read: func() ([]byte, error) { return s.content, nil }}
	}
	return docs, nil
}

// TestCorporaAreLimited has 300 documents of 15 MiB, of which one too many for the limit is chosen,
// or none.
func TestCorporaAreLimited(t *testing.T) {
	seed.Usual(t)
	const size = 15 << 20
	fit := datasets.MaxCorpusBytes / size
	for _, schema := range seed.Some(t, []bool{false, true}, 2, 1, 1) {
		src := sameAgain{make([]byte, size), 300, schema}
		_, err := datasets.Load(t.Context(), src, datasets.Query{})
		want := fmt.Sprintf("have more than %d bytes together, the limit; at ", datasets.MaxCorpusBytes)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "limit:") || !strings.Contains(err.Error(), "max_bytes:") {
			t.Errorf("schemas %t: error %v", schema, err)
		}
		src.n = fit
		if d := load(t, src, datasets.Query{}); len(d.Samples) != fit {
			t.Errorf("schemas %t: %d samples, want the %d that fit", schema, len(d.Samples), fit)
		}
	}
	if d := load(t, sameAgain{make([]byte, size), 300, false}, datasets.Query{Limit: fit}); len(d.Samples) != fit {
		t.Errorf("%d samples, want the %d chosen by the limit", len(d.Samples), fit)
	}
}

// TestUnpackedIsLimited counts what archives and compressed lines unpack to, whatever they say of
// it.
func TestUnpackedIsLimited(t *testing.T) {
	defer datasets.LimitAll(10_000)()
	files := map[string]string{}
	var all strings.Builder
	for i := range 20 {
		content := strings.Repeat("x", 1000)
		files[fmt.Sprintf("%02d.txt", i)] = content
		fmt.Fprintf(&all, "{\"id\": %d, \"content\": %q}\n", i, content)
	}
	for format, path := range map[string]string{"zip": archive(t, files), "dir": tree(t, files), "jsonl": lines(t, all.String())} {
		_, err := datasets.Load(t.Context(), open(t, format, path, ""), datasets.Query{})
		if err == nil || !strings.Contains(err.Error(), "10000 bytes") {
			t.Errorf("%s: error %v", format, err)
		}
	}
	if d := load(t, open(t, "zip", archive(t, files), ""), datasets.Query{Limit: 10}); len(d.Samples) != 10 {
		t.Errorf("%d samples, want 10", len(d.Samples))
	}
}

// encrypted sets the flag of encryption of every entry of an archive.
func encrypted(t *testing.T, path string) string {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	for signature, flags := range map[string]int{"PK\x01\x02": 8, "PK\x03\x04": 6} {
		for at := 0; ; at++ {
			next := strings.Index(string(data[at:]), signature)
			if next < 0 {
				break
			}
			at += next
			data[at+flags] |= 1
		}
	}
	must.OK(t, os.WriteFile(path, data, 0o644))
	return path
}

// TestEncryptedEntries are refused by name: their bytes are not the document's.
func TestEncryptedEntries(t *testing.T) {
	for format, name := range map[string]string{"zip": "sub/a.java", "schemas": "sub/a.json", "maskbench": "sub/a.json"} {
		path := encrypted(t, archive(t, map[string]string{name: `{"schema": {}}`}))
		_, err := datasets.Load(t.Context(), open(t, format, path, ""), datasets.Query{})
		if err == nil || !strings.Contains(err.Error(), path+"/"+name+": the entry is encrypted") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

// TestLinksAreNamed: symbolic links are not followed, which the selection says.
func TestLinksAreNamed(t *testing.T) {
	root := tree(t, map[string]string{"in/a.json": "{}", "out/b.json": "{}", "empty/x": ""})
	for link, to := range map[string]string{"in/link.json": "../out/b.json", "in/folder": "../out", "in/other": "../empty/x", "empty/b.json": "../out/b.json"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, format := range []string{"dir", "schemas"} {
		d := load(t, open(t, format, filepath.Join(root, "in"), "**/*.json"), datasets.Query{})
		if got := strings.Join(d.Provenance.Links, " "); got != "folder link.json" {
			t.Errorf("%s: links %q", format, got)
		}
		if notes := d.Provenance.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "2 symbolic links are left out, the first is folder") {
			t.Errorf("%s: notes %q", format, notes)
		}
		_, err := datasets.Load(t.Context(), open(t, format, filepath.Join(root, "empty"), "**/*.json"), datasets.Query{})
		if err == nil || !strings.Contains(err.Error(), "links are not followed: 1 symbolic link, such as b.json") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}
