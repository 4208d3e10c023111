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
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/internal/files"
	"gcdbench/internal/pinned"
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

// Unpack writes the grammars of a package into a folder, under their paths in the archive: those
// below the folder that holds all of it, in a source archive. A package that was not downloaded is
// an error that wraps os.ErrNotExist.
func (p Package) Unpack(archives, into string) error {
	stem := strings.ReplaceAll(p.Name, "-", "_") + "-" + p.Version
	archive := filepath.Join(archives, stem+".tar.gz")
	wheels, _ := filepath.Glob(filepath.Join(archives, stem+"-*.whl"))
	if len(wheels) > 0 {
		archive = wheels[0]
	} else if _, err := os.Stat(archive); err != nil {
		return fmt.Errorf("there is no %s-*.whl, and %w", filepath.Join(archives, stem), err)
	}
	return pinned.EachFile(archive, maxGrammar, func(name string, read func() ([]byte, error)) error {
		if len(wheels) == 0 {
			_, name, _ = strings.Cut(name, "/")
		}
		if !isGrammar(name) {
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		return files.Write(filepath.Join(into, filepath.FromSlash(name)), text)
	})
}

// maxGrammar bounds the size of a grammar, in bytes.
const maxGrammar = 1 << 20

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
