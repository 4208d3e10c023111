package datasets_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
)

func lookup(t *testing.T, name string) datasets.Source {
	t.Helper()
	src := must.Get(datasets.Lookup(name))(t)
	return src
}

// TestSamples checks what is promised about the embedded samples: how many there are, that they are
// of the size of real programs, and that it is known where each faulty one is wrong.
func TestSamples(t *testing.T) {
	promised := []struct {
		language               string
		valid, invalid         int
		fewestLines, mostLines int // of the valid ones
	}{
		{"go", 12, 12, 40, 200},
		{"java", 12, 12, 40, 200},
		{"json", 60, 12, 0, 200},
		{"python", 12, 12, 40, 200},
		{"sql", 60, 12, 1, 200},
	}
	if len(promised) != len(datasets.Languages()) {
		t.Errorf("languages %v, want %d", datasets.Languages(), len(promised))
	}
	for _, p := range promised {
		t.Run(p.language, func(t *testing.T) {
			d := load(t, lookup(t, p.language+"-samples"), datasets.Query{Negatives: -1})
			valid := 0
			for i := range d.Samples {
				s := &d.Samples[i]
				checkText(t, s, p.language)
				if s.Negative {
					checkMistake(t, s)
					continue
				}
				valid++
				if n := bytes.Count(s.Content, []byte("\n")); n < p.fewestLines || n > p.mostLines {
					t.Errorf("%s has %d lines, want %d to %d", s.ID, n, p.fewestLines, p.mostLines)
				}
			}
			if valid < p.valid || len(d.Samples)-valid < p.invalid {
				t.Errorf("%d valid and %d invalid documents, want at least %d and %d", valid, len(d.Samples)-valid, p.valid, p.invalid)
			}
		})
	}
}

// checkText checks that a sample is text, and that its id says what it is.
func checkText(t *testing.T, s *datasets.Sample, language string) {
	t.Helper()
	folder := language + "/valid"
	if s.Negative {
		folder = language + "/invalid"
	}
	if path.Dir(s.ID) != folder {
		t.Errorf("%s is not in %s", s.ID, folder)
	}
	if !utf8.Valid(s.Content) || bytes.IndexByte(s.Content, 0) >= 0 || len(s.Content) == 0 {
		t.Errorf("%s is not text", s.ID)
	}
	if strings.Contains(s.ID, "README") || strings.HasPrefix(path.Base(s.ID), ".") || strings.HasSuffix(s.ID, "mistakes.json") {
		t.Errorf("%s is no sample", s.ID)
	}
}

// checkMistake checks that the place of a mistake lies in its document: on a character, on a line
// break (in languages where lines matter), or at the end of the text.
func checkMistake(t *testing.T, s *datasets.Sample) {
	t.Helper()
	if s.Mistake == nil {
		t.Errorf("%s: nothing says where the mistake is", s.ID)
		return
	}
	lines := bytes.Split(s.Content, []byte("\n"))
	if s.Mistake.Line < 1 || s.Mistake.Line > len(lines) {
		t.Errorf("%s: the mistake is in line %d of %d", s.ID, s.Mistake.Line, len(lines))
		return
	}
	characters := utf8.RuneCount(lines[s.Mistake.Line-1]) + 1 // the line break, or the end of the text
	if s.Mistake.Column < 1 || s.Mistake.Column > characters {
		t.Errorf("%s: the mistake is in column %d of %d of line %d", s.ID, s.Mistake.Column, characters, s.Mistake.Line)
	}
	if s.Mistake.What == "" {
		t.Errorf("%s: nothing says what the mistake is", s.ID)
	}
}

// TestMistakesAreComplete checks that the lists of mistakes name no file that is not there.
func TestMistakesAreComplete(t *testing.T) {
	for _, language := range datasets.Languages() {
		text := must.Get(os.ReadFile(filepath.Join("samples", language, "invalid", "mistakes.json")))(t)
		d := load(t, lookup(t, language+"-samples"), datasets.Query{Negatives: -1})
		negatives := 0
		for i := range d.Samples {
			if d.Samples[i].Negative {
				negatives++
			}
		}
		if listed := bytes.Count(text, []byte(`"file"`)); listed != negatives {
			t.Errorf("%s: %d mistakes for %d documents", language, listed, negatives)
		}
	}
}

func TestSamplesHaveTheirGrammar(t *testing.T) {
	for _, language := range datasets.Languages() {
		info := lookup(t, language+"-samples").Info()
		if _, ok := languages.Source(info.Language); !ok || info.Language != language {
			t.Errorf("%s: no grammar %q", info.Name, info.Language)
		}
		if info.Where != "embedded" || info.Missing != "" || info.Licence == "" || info.Description == "" {
			t.Errorf("info %+v", info)
		}
	}
}

func TestNames(t *testing.T) {
	want := "go-samples java-samples json-samples python-samples sql-samples java-programs go-programs python-programs sql-programs schema-samples schema-files goroot jdk python-stdlib"
	if got := strings.Join(datasets.Names(), " "); got != want {
		t.Errorf("names %s, want %s", got, want)
	}
	for i, src := range datasets.Named() {
		info := src.Info()
		if info.Name != datasets.Names()[i] {
			t.Errorf("corpus %d is called %s, want %s", i, info.Name, datasets.Names()[i])
		}
		if (info.Where == "") == (info.Missing == "") {
			t.Errorf("%s: where %q, missing %q; want one of them", info.Name, info.Where, info.Missing)
		}
	}
	if _, err := datasets.Lookup("kernel"); err == nil || err.Error() != `there is no dataset "kernel"; there are: `+strings.ReplaceAll(want, " ", ", ") {
		t.Errorf("error %v", err)
	}
}

// TestMissing checks what is said about a corpus that is not to be had here.
func TestMissing(t *testing.T) {
	for _, src := range datasets.Named() {
		info := src.Info()
		if info.Missing == "" {
			continue
		}
		_, err := datasets.Lookup(info.Name)
		if want := "dataset " + info.Name + " is not on this machine: " + info.Missing; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := src.Documents(t.Context()); err == nil {
			t.Errorf("%s has documents", info.Name)
		}
	}
}

// corpusOfMachine lists the documents of a corpus found on the machine, by id.
func corpusOfMachine(t *testing.T, name string) (datasets.Source, []string) {
	t.Helper()
	src, err := datasets.Lookup(name)
	if err != nil {
		t.Skip(err)
	}
	docs := must.Get(src.Documents(t.Context()))(t)
	names := make([]string, len(docs))
	for i := range docs {
		names[i] = docs[i].ID
	}
	return src, names
}

func TestGoTree(t *testing.T) {
	src, names := corpusOfMachine(t, "goroot")
	if len(names) < 3000 || !slices.Contains(names, "fmt/print.go") || !slices.Contains(names, "fmt/fmt_test.go") {
		t.Errorf("%d files in %s, without fmt/print.go or its test", len(names), src.Info().Where)
	}
	for _, name := range names {
		if strings.Contains(name, "/testdata/") || path.Ext(name) != ".go" {
			t.Fatalf("%s does not belong there", name)
		}
	}
	d := load(t, src, datasets.Query{Sample: true, Seed: 1, Limit: 5, MaxBytes: 20_000})
	for _, s := range d.Samples {
		if !bytes.Contains(s.Content, []byte("package ")) {
			t.Errorf("%s is no Go: %.60q", s.ID, s.Content)
		}
	}
}

func TestJDK(t *testing.T) {
	src, names := corpusOfMachine(t, "jdk")
	if len(names) < 3000 || !slices.Contains(names, "java.base/java/lang/String.java") {
		t.Errorf("%d files in %s, without java/lang/String.java", len(names), src.Info().Where)
	}
	d := load(t, src, datasets.Query{Sample: true, Seed: 1, Limit: 5, MaxBytes: 20_000})
	for _, s := range d.Samples {
		if !bytes.Contains(s.Content, []byte("package ")) {
			t.Errorf("%s is no Java: %.60q", s.ID, s.Content)
		}
	}
}

func TestPythonLibrary(t *testing.T) {
	src, names := corpusOfMachine(t, "python-stdlib")
	if len(names) < 500 || !slices.Contains(names, "os.py") {
		t.Errorf("%d files in %s, without os.py", len(names), src.Info().Where)
	}
	for _, name := range names {
		for _, part := range []string{"site-packages/", "dist-packages/", "__pycache__/", "lib2to3/tests/data/", "test/bad"} {
			if strings.Contains(name, part) {
				t.Fatalf("%s does not belong there", name)
			}
		}
	}
}

// TestLookupRunsNothing puts commands on the PATH that leave a trace: looking a corpus up by name,
// and listing names, runs none of them.
func TestLookupRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs shell scripts")
	}
	bin, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	for _, command := range []string{"go", "java", "python3"} {
		script := "#!/bin/sh\necho " + command + " >> " + trace + "\n"
		must.OK(t, os.WriteFile(filepath.Join(bin, command), []byte(script), 0o755))
	}
	t.Setenv("PATH", bin)
	datasets.Names()
	for _, language := range datasets.Languages() {
		lookup(t, language+"-samples")
	}
	if ran, err := os.ReadFile(trace); err == nil {
		t.Errorf("commands ran: %s", ran)
	}
}

// TestSchemaNames: the registry says which corpora bring schemas, whatever they are called, and
// says of each what the corpus itself says.
func TestSchemaNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.json": `{"type": "integer"}`, "a.valid.json": "1"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	own := must.Get(datasets.Open("schemas", dir, ""))(t)
	t.Cleanup(datasets.AddCorpus("own", true, own))
	names := datasets.SchemaNames()
	if !slices.Contains(names, "schema-samples") || !slices.Contains(names, "own") {
		t.Errorf("schema corpora %v", names)
	}
	for i, src := range datasets.Named() {
		name := datasets.Names()[i]
		if brings := src.Info().Language == datasets.SchemaLanguage; slices.Contains(names, name) != brings {
			t.Errorf("%s: the corpus says that it brings schemas: %v; the registry says otherwise", name, brings)
		}
	}
	if d := load(t, lookup(t, "own"), datasets.Query{Negatives: -1}); len(d.Schemas) != 1 {
		t.Errorf("%d schemas", len(d.Schemas))
	}
}
