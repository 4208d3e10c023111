package packages

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
)

// TestTables: each row of the tables is whole, and each kind is of a package that there is.
func TestTables(t *testing.T) {
	named := map[string]bool{}
	for _, p := range Packages() {
		named[p.Name] = true
		if p.Client != "npm" && p.Client != "pip" || p.Version == "" || p.Licence == "" || len(p.SHA256) != 64 || !strings.Contains(p.Archive, p.Version) || len(p.schemas)+len(p.documents) == 0 {
			t.Errorf("%+v", p)
		}
	}
	for _, k := range kinds() {
		if !named[packageOf(k.schema)] || len(k.documents) == 0 {
			t.Errorf("%+v", k)
		}
	}
}

// TestProgramTable: each row is whole, and there is a corpus for its language.
func TestProgramTable(t *testing.T) {
	for _, row := range rows(programTable) {
		if len(row) != 8 || len(row[6]) != 64 || row[4] == "" || !strings.Contains(row[5], row[3]) {
			t.Errorf("%q", row)
		}
		if _, err := datasets.Lookup(row[0] + "-programs"); err != nil {
			t.Error(err)
		}
	}
}

// TestPrograms: programs are the files of a language that are texts of at most 64 KiB.
func TestPrograms(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "m.zip")
	f, err := os.Create(archive)
	must.OK(t, err)
	defer f.Close()
	z := zip.NewWriter(f)
	for _, file := range [][2]string{
		{"m@v1/a.go", "package a"}, {"m@v1/b/b.go", "package b"}, {"m@v1/README", "text"}, {"m@v1/empty.go", " \n"},
		{"m@v1/long.go", "//" + strings.Repeat("x", maxDocument)}, {"m@v1/bytes.go", "// \xff"},
	} {
		w, err := z.Create(file[0])
		if err == nil {
			_, err = w.Write([]byte(file[1]))
		}
		must.OK(t, err)
	}
	must.OK(t, z.Close())
	var got []string
	err = eachProgram(&Package{Name: "m", Version: "v1", documents: []string{"**/*.go"}}, archive, func(path string, text []byte) error {
		got = append(got, path+": "+string(text))
		return nil
	})
	if want := "a.go: package a, b/b.go: package b"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%q, %v; want %s", got, err, want)
	}
}

// TestYAML says what of YAML is JSON.
func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		"b: 1\na: [x, ~, true, 0x10, 1.5]\n": `{"b": 1, "a": ["x", null, true, 16, 1.5]}`,
		"on: push\ndate: 2024-02-29\n":       `{"on": "push", "date": "2024-02-29"}`,
		"x: &x {k: 1}\ny: *x\n":              `{"x": {"k": 1}, "y": {"k": 1}}`,
		"a: 1\n---\nb: 2\n":                  "",
		"a: !vault x\n":                      "",
		"x: &x {k: 1}\ny:\n  <<: *x\n":       "",
		"a: .inf\n":                          "",
		"a: [\n":                             "",
	} {
		got, err := jsonOfYAML([]byte(text))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestMutants: each mutant differs from the document in one place, and the document stays.
func TestMutants(t *testing.T) {
	const text = `{"a": "x", "b": [1, {"c": null}], "d": true}`
	doc := must.Get(jsontext.Parse("", []byte(text)))(t)
	seen := map[string]bool{}
	for what, mutant := range mutants(doc, "seed") {
		if string(mutant) == text || seen[string(mutant)] || datasets.CheckJSON(mutant) != nil {
			t.Errorf("%s: %s", what, mutant)
		}
		seen[string(mutant)] = true
	}
	if string(doc.Append(nil)) != text || len(seen) != 14 {
		t.Errorf("%d mutants of %s", len(seen), doc.Append(nil))
	}
}

// archives writes a package's archive of both forms.
func archives(t *testing.T, files map[string]string) (wheel, sources string) {
	t.Helper()
	wheel, sources = filepath.Join(t.TempDir(), "p.whl"), filepath.Join(t.TempDir(), "p.tgz")
	w := must.Get(os.Create(wheel))(t)
	defer w.Close()
	s := must.Get(os.Create(sources))(t)
	defer s.Close()
	z, g := zip.NewWriter(w), gzip.NewWriter(s)
	r := tar.NewWriter(g)
	for name, text := range files {
		f := must.Get(z.Create(name))(t)
		f.Write([]byte(text))
		r.WriteHeader(&tar.Header{Name: "package/" + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))})
		r.Write([]byte(text))
	}
	for _, c := range []interface{ Close() error }{z, r, g} {
		must.OK(t, c.Close())
	}
	return wheel, sources
}

// TestCorpus: from an archive to a corpus that is read again, with what the validator says.
func TestCorpus(t *testing.T) {
	wheel, sources := archives(t, map[string]string{
		"schema.json":     `{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://x.y/s.json", "properties": {"scripts": {"$ref": "parts/n.json"}}, "required": ["name"]}`,
		"parts/n.json":    `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}`,
		"draft3.json":     `{"$schema": "http://json-schema.org/draft-03/schema#"}`,
		"notes.json":      `["no schema"]`,
		"docs/good.yml":   "name: x\nscripts: {a: b}\n",
		"docs/bad.json":   `{"scripts": 1}`,
		"docs/broken.yml": "a: [",
	})
	for _, archive := range []string{wheel, sources} {
		c := newCollection()
		p := &Package{Name: "@x/y", schemas: []string{"*.json", "parts/*"}, documents: []string{"docs/*"}}
		must.OK(t, c.add(p, archive))
		if len(c.schemas) != 2 || len(c.documents) != 6 {
			t.Fatalf("%d schemas, %d documents", len(c.schemas), len(c.documents))
		}
		l := c.line("@x/y/schema.json", c.identifiers())
		if l.Group != "@x/y" || !strings.Contains(string(l.Schema), `"type":"object"`) {
			t.Errorf("%s", l.Schema)
		}
		folder := t.TempDir()
		r, err := c.write(context.Background(), folder, nil, func(string) {})
		if err != nil || r.Schemas != 2 || !r.current() {
			t.Fatalf("%+v %v", r, err)
		}
		if again, err := readRecord(folder); err != nil || again.Schemas != 2 {
			t.Errorf("%+v %v", again, err)
		}
		src := must.Get(datasets.Open("maskbench", filepath.Join(folder, datasets.SchemaFilesName), ""))(t)
		if set, err := datasets.Load(context.Background(), src, datasets.Query{Negatives: -1}); err != nil || len(set.Schemas) != 2 {
			t.Errorf("%v", err)
		}
	}
}

// TestJudge: documents are valid or not as the validator says, and mutants are those it refuses.
func TestJudge(t *testing.T) {
	c := newCollection()
	c.take("nbformat/nbformat/v4/nbformat.v4.schema.json", []byte(`{"$schema": "http://json-schema.org/draft-04/schema#", "required": ["cells"], "properties": {"cells": {"type": "array"}}, "additionalProperties": false}`), true)
	c.take("nbformat/tests/a.ipynb", []byte(`{"cells": []}`), false)
	c.take("nbformat/tests/b.ipynb", []byte(`{"cells": 1}`), false)
	l := c.line("nbformat/nbformat/v4/nbformat.v4.schema.json", nil)
	if len(l.Tests) != 2+mutantsOfDocument || !l.Tests[0].Valid || l.Tests[1].Valid || l.Tests[3].Valid {
		t.Errorf("%+v", l.Tests)
	}
	r := &Record{}
	if r.count(l); r.Documents != 2 || r.Valid != 1 || r.Mutants != mutantsOfDocument {
		t.Errorf("%+v", r)
	}
}
