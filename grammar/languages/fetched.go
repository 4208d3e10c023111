package languages

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	disk "gcdbench/internal/files"
	"gcdbench/internal/pinned"
	"gcdbench/tokenizers"
)

// Grammars of Python packages. The package is downloaded by pip, as its authors advise, and its
// grammars are kept in the cache folder under the package's name. Nothing of them is in this
// program but names and sums. The grammar java of the package syncode is called syncode/java.

// A Package is a Python package with grammars.
type Package struct {
	// Name and Version are those of the package, Licence that of its grammars.
	Name, Version, Licence string
	// Summary says whose grammars they are and what for.
	Summary string

	archive  pinned.File
	licence  pinned.File
	folder   string // of the grammars in the archive
	grammars []pinned.File
}

// Packages lists the packages that can be fetched. Their grammars are read as they ship.
func Packages() []Package { return slices.Clone(packages) }

var packages = []Package{{
	Name: "syncode", Version: "0.4.16", Licence: "MIT",
	Summary: "SynCode's grammars, which GreatGramma's and PSC's experiments use",
	archive: pinned.File{Path: "syncode-0.4.16.tar.gz", SHA256: "de4e7358249475c1487c2f6ecc45ea54d18347632479a2c32e1ae4f2d1290dec"},
	licence: pinned.File{Path: "LICENSE", SHA256: "d585fd2f87693c8833cb485a96077495c0067400033c921dda979962cc6e464c"},
	folder:  "syncode/parsers/grammars",
	grammars: []pinned.File{
		{Path: "c.lark", SHA256: "4f59a65ed4020c936f9671ddc24beb1a77017b96f558b530365bce17a2a8f884"},
		{Path: "go.lark", SHA256: "ac1e7d8035be0c3e64d54550fae7b77112a94f814e95a2786cb15a707bb68f0f"},
		{Path: "java.lark", SHA256: "3ebdac4b516e85de7ebe60bd9f1fa0cd596bfe9eb0a2ff9da3619210672bf4f8"},
		{Path: "json.lark", SHA256: "55cc4b609309b5e1c919a22166e17fc7283da4f4b76b09f7b6ceb7173f4915b5"},
		{Path: "python.lark", SHA256: "3a2b08b0bf659321f6c15fa50df1ec26e86da7967d4a286897a014496cc671b5"},
		{Path: "sql.lark", SHA256: "405cb737863b63bb0fb8d832268443bcb5a89089f6691406b37d95e052a1a2ac"},
	},
}}

// Grammars are the names of the package's grammars, such as syncode/java.
func (p *Package) Grammars() []string {
	names := make([]string, len(p.grammars))
	for i, f := range p.grammars {
		names[i] = p.Name + "/" + strings.TrimSuffix(f.Path, ".lark")
	}
	return names
}

// pin is the package as pip names it.
func (p *Package) pin() string { return p.Name + "==" + p.Version }

// PackageOf finds a package by its name, or by the name of one of its grammars.
func PackageOf(name string) (Package, bool) {
	for _, p := range packages {
		if p.Name == name || slices.Contains(p.Grammars(), name) {
			return p, true
		}
	}
	return Package{}, false
}

// Fetched is the record of a package in the cache.
type Fetched struct {
	// Package and Version are its name and version, Licence that of its grammars.
	Package string `json:"package"`
	Version string `json:"version"`
	Licence string `json:"licence"`
	// ArchiveSHA256 is the SHA-256 of the archive that pip downloaded, in hexadecimal.
	ArchiveSHA256 string `json:"archive_sha256"`
	// Grammars maps the names of grammars to the SHA-256 of their texts.
	Grammars map[string]string `json:"grammars"`
	// Date is when it was fetched.
	Date time.Time `json:"fetched"`
}

// recordFile is the file of a package's record, licenceFile that of its licence.
const (
	recordFile  = "fetched.json"
	licenceFile = "LICENSE"
)

// folderOf is the folder of a package in the cache. It need not exist.
func folderOf(name string) (string, error) {
	cache, err := tokenizers.CacheDir()
	return filepath.Join(cache, "grammars", name), err
}

// Cached is the record of a package, if the cache has it in the version that is wanted.
func (p *Package) Cached() (f Fetched, ok bool) {
	folder, err := folderOf(p.Name)
	if err != nil {
		return f, false
	}
	text, err := os.ReadFile(filepath.Join(folder, recordFile))
	return f, err == nil && json.Unmarshal(text, &f) == nil && f.Package == p.Name && f.ArchiveSHA256 == p.archive.SHA256
}

// fetchedText is the text of a grammar of a package; found is whether there is one of that name.
func fetchedText(name string) (text []byte, found bool, err error) {
	p, found := PackageOf(name)
	if !found || name == p.Name {
		return nil, false, nil
	}
	folder, err := folderOf(p.Name)
	if err != nil {
		return nil, true, err
	}
	text, err = os.ReadFile(filepath.Join(folder, path.Base(name)+".lark"))
	if err != nil {
		return nil, true, fmt.Errorf("the grammar %s is not in the cache; run: gcdbench fetch %s", name, p.Name)
	}
	for i, of := range p.Grammars() {
		if of == name {
			if err := p.grammars[i].Check(text); err != nil {
				return nil, true, fmt.Errorf("the grammar %s in the cache: %w; run: gcdbench fetch %s --again", name, err, p.Name)
			}
		}
	}
	return text, true, nil
}

// Fetch puts a package's grammars into the cache, unless it has them, or again is set. pip of the
// Python that pinned.PythonEnv names, or else of python3, downloads the archive, by the user's own
// configuration of pip. A file with an unexpected SHA-256 is an error, and nothing is kept.
func (p *Package) Fetch(ctx context.Context, again bool) (Fetched, error) {
	if f, ok := p.Cached(); ok && !again && p.complete() {
		return f, nil
	}
	folder, err := os.MkdirTemp("", "gcdbench-grammars-")
	if err != nil {
		return Fetched{}, err
	}
	defer os.RemoveAll(folder)
	archive, err := pinned.DownloadPip(ctx, p.pin(), folder, true)
	if err != nil {
		return Fetched{}, fmt.Errorf("%s could not be fetched: %w", p.pin(), err)
	}
	if filepath.Base(archive) != p.archive.Path {
		return Fetched{}, fmt.Errorf("pip download %s left %s, not %s", p.pin(), filepath.Base(archive), p.archive.Path)
	}
	whole, err := os.ReadFile(archive)
	if err != nil {
		return Fetched{}, err
	}
	if err := p.archive.Check(whole); err != nil {
		return Fetched{}, fmt.Errorf("package %s: %w", p.pin(), err)
	}
	files := []pinned.File{p.licence}
	for _, f := range p.grammars {
		files = append(files, pinned.File{Path: p.folder + "/" + f.Path, SHA256: f.SHA256})
	}
	contents, err := pinned.Read(archive, p.pin(), strings.TrimSuffix(p.archive.Path, ".tar.gz"), files)
	if err != nil {
		return Fetched{}, err
	}
	return p.keep(contents)
}

// complete tells whether all grammars of the package are in the cache, undamaged.
func (p *Package) complete() bool {
	return !slices.ContainsFunc(p.Grammars(), func(name string) bool {
		_, _, err := fetchedText(name)
		return err != nil
	})
}

// keep writes the licence and the grammars into the cache, and the record last.
func (p *Package) keep(contents [][]byte) (Fetched, error) {
	f := Fetched{Package: p.Name, Version: p.Version, Licence: p.Licence, ArchiveSHA256: p.archive.SHA256,
		Grammars: map[string]string{}, Date: time.Now().UTC().Truncate(time.Second)}
	names := []string{licenceFile}
	for i, name := range p.Grammars() {
		f.Grammars[name] = p.grammars[i].SHA256
		names = append(names, p.grammars[i].Path)
	}
	record, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return f, err
	}
	folder, err := folderOf(p.Name)
	names, contents = append(names, recordFile), append(contents, append(record, '\n'))
	for i := 0; i < len(names) && err == nil; i++ {
		err = disk.Write(filepath.Join(folder, names[i]), contents[i])
	}
	if err != nil {
		return f, fmt.Errorf("cache: %w; %s moves it", err, tokenizers.CacheDirEnv)
	}
	return f, nil
}
