// Package published tests package grammar/lark on the grammars that Python packages ship.
//
// # What it is
//
// The list of packages is testdata/packages.txt, in the form that pip reads and checks. Nothing of
// them is in this repository: pip downloads their archives into a folder of the cache, and a test
// reads the grammars from there.
//
//	pip download --no-deps --dest FOLDER \
//	    --requirement algorithms/conformance/published/testdata/packages.txt
//
// FOLDER is what Folder returns, or what the environment variable GCDBENCH_LARK_GRAMMARS names.
//
// # What it shows
//
// Each grammar is read by Lark and by package grammar/lark. Both take it or refuse it, the LALR
// tables have the same number of states, and texts get the same verdicts, with the basic lexer and
// with the contextual one: texts that the grammar generates, and the same with a mistake. Where
// verdicts part, the two lexers are followed to the place where they part, and the difference is
// put into one of few classes (differ_test.go). The page docs/grammars/published.md has the table.
//
// # What bounds it
//
// Time: some ten texts a second and grammar, since Lark reads them one by one. GCDBENCH_FULL asks
// for five times as many.
package published

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/tokenizers"
)

// FolderEnv is the environment variable that names the folder of the archives.
const FolderEnv = "GCDBENCH_LARK_GRAMMARS"

// Folder is the folder of the archives. It need not exist.
func Folder() (string, error) {
	if folder := os.Getenv(FolderEnv); folder != "" {
		return folder, nil
	}
	cache, err := tokenizers.CacheDir()
	return filepath.Join(cache, "lark-grammars"), err
}

//go:embed testdata/packages.txt
var packages string

// A Package is a Python package with grammars, in one version.
type Package struct {
	Name, Version string
	Licence       string
}

// Packages lists the packages.
func Packages() []Package {
	var list []Package
	for line := range strings.Lines(packages) {
		pin, licence, ok := strings.Cut(strings.TrimSpace(line), "  # ")
		pin, _, hashed := strings.Cut(pin, " --hash=sha256:")
		if name, version, pinned := strings.Cut(pin, "=="); ok && hashed && pinned {
			list = append(list, Package{name, version, licence})
		}
	}
	return list
}

// Unpack writes the grammars of a package into a folder, under their paths in the archive. A
// package that was not downloaded is an error that wraps os.ErrNotExist.
func (p Package) Unpack(archives, into string) error {
	stem := strings.ReplaceAll(p.Name, "-", "_") + "-" + p.Version
	if wheels, _ := filepath.Glob(filepath.Join(archives, stem+"-*.whl")); len(wheels) > 0 {
		return unzip(wheels[0], into)
	}
	source := filepath.Join(archives, stem+".tar.gz")
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("there is no %s-*.whl, and %w", filepath.Join(archives, stem), err)
	}
	return untar(source, into)
}

// unzip writes the grammars of a wheel.
func unzip(archive, into string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, f := range r.File {
		if !isGrammar(f.Name) {
			continue
		}
		content, err := f.Open()
		if err != nil {
			return err
		}
		err = write(into, f.Name, content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// untar writes the grammars of a source archive, without the folder that holds all of it.
func untar(archive, into string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return err
	}
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/")
		if h.Typeflag == tar.TypeReg && isGrammar(name) {
			if err := write(into, name, r); err != nil {
				return err
			}
		}
	}
}

// programs have a grammar as a text; what stands in front of it, to the quotes.
var programs = map[string]string{
	"WDL/_grammar.py":         `versions["development"] = r"""`,
	"grandcypher/__init__.py": "Lark(\n    r\"\"\"",
	"parsuricata/_parser.py":  "grammar = r'''",
}

// isGrammar reports whether a file of an archive is a grammar and stays within the folder of its
// archive.
func isGrammar(name string) bool {
	named := slices.Contains([]string{".lark", ".g", ".ebnf"}, filepath.Ext(name))
	return (named || programs[name] != "") && filepath.IsLocal(filepath.FromSlash(name))
}

// write writes a file of at most maxGrammar bytes.
func write(folder, name string, content io.Reader) error {
	const maxGrammar = 1 << 20
	text, err := io.ReadAll(io.LimitReader(content, maxGrammar))
	if err != nil {
		return err
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
