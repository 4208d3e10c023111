package datasets

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/internal/files"

	"github.com/bmatcuk/doublestar/v4"
)

// SchemaFormats lists the formats of schema corpora that Open understands; the others hold
// programs.
//
//	maskbench               JSON Lines with {"id","group","schema","tests"}, gzip-compressed or not, or a
//	                        folder or zip archive of files {"schema","tests"} (maskbench.go)
//	schemas                 a folder or zip archive of schemas, each a file, instances beside it (plainschemas.go)
//	jsonschemabench         JSON Lines with {"json_schema","unique_id"}, a folder or zip archive of
//	                        schemas (plainschemas.go), or Parquet (parquet.go); no instances. A program
//	                        that reads Parquet imports package datasets/parquet.
//	json-schema-test-suite  the folder of the JSON Schema Test Suite, or a part of it, or a zip archive of
//	                        it (testsuite.go)
//
// In folders and archives a glob selects files by their names in it. Without one, all *.json files
// count, save what the format says it leaves out. All of a corpus is read when it is listed, and
// kept in memory; MaxCorpusBytes bounds it.
func SchemaFormats() []string {
	return []string{"maskbench", "schemas", "jsonschemabench", "json-schema-test-suite"}
}

// IsSchemaFormat is whether a format is one of the SchemaFormats.
func IsSchemaFormat(format string) bool { return slices.Contains(SchemaFormats(), format) }

// openSchemas is Open for the SchemaFormats.
func openSchemas(format, path, glob string, info Info) (Source, error) {
	info.Description, info.Language = "JSON schemas given by the user", SchemaLanguage
	folder, file := schemaReaders(format)
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, files.Named(err)
	case format == "jsonschemabench" && HasParquet(path):
		return &parquetSchemas{info, path, glob}, nil
	case st.IsDir():
		return &schemaFiles{info, schemaFolder{fsys: os.DirFS(path), root: path, glob: glob, left: corpusLimit}, folder}, nil
	case isZip(path):
		return &schemaFiles{info, schemaFolder{archive: path, glob: glob, left: corpusLimit}, folder}, nil
	case file == nil:
		return nil, fmt.Errorf("%s is neither a folder nor a zip archive, as format %s wants", path, format)
	case glob != "":
		return nil, fmt.Errorf("%s: the glob %q says which files of a folder or zip archive to read, and this is one file; leave it out", path, glob)
	}
	return &lineSource{info, path, corpusLimit, file}, nil
}

// schemaReaders is what reads a folder of a format, and what reads one line of JSON Lines, nil if
// the format knows none.
func schemaReaders(format string) (func(*schemaFolder, []string) ([]Document, error), func(*jsonText, string) ([]Document, error)) {
	switch format {
	case "maskbench":
		return maskBenchFiles, maskBenchRecord
	case "schemas":
		return plainSchemas, nil
	case "jsonschemabench":
		return benchSchemas, benchRecord
	}
	return testSuite, nil
}

// isZip is whether a file begins as a zip archive does.
func isZip(path string) bool {
	return beginsWith(path, "PK\x03\x04", "PK\x05\x06")
}

// schemaFiles is a schema corpus in a folder or an archive.
type schemaFiles struct {
	info   Info
	folder schemaFolder
	read   func(folder *schemaFolder, names []string) ([]Document, error)
}

func (s *schemaFiles) Info() Info { return s.info }

// open is the folder to read from, with the archive opened if it is in one.
func (s *schemaFiles) open(ctx context.Context) (schemaFolder, error) {
	folder := s.folder
	folder.ctx = ctx
	if folder.archive != "" {
		archive, err := openZip(folder.archive)
		if err != nil {
			return folder, fmt.Errorf("%s: %w", folder.archive, files.Cause(err))
		}
		folder.fsys, folder.root = archive, folder.archive
	}
	return folder, nil
}

func (s *schemaFiles) Documents(ctx context.Context) ([]Document, error) {
	folder, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	names, _, err := folder.names()
	if err == nil {
		err = folder.checkEncrypted(names)
	}
	if err != nil {
		return nil, err
	}
	docs, err := s.read(&folder, names)
	if err == nil && len(docs) == 0 {
		return nil, fmt.Errorf("%s: no file has a schema", s.info.Name)
	}
	return docs, err
}

// schemaFolder is the JSON files of a folder, or of an archive.
type schemaFolder struct {
	ctx     context.Context
	fsys    fs.FS
	archive string // the zip archive that fsys is to be
	root    string // how errors call the folder
	glob    string // which files count; all if it is empty
	left    int64  // bytes that may still be read
}

// checkEncrypted refuses files of an archive that need a password.
func (f *schemaFolder) checkEncrypted(names []string) error {
	archive, ok := f.fsys.(*zip.Reader)
	if !ok {
		return nil
	}
	for _, entry := range archive.File {
		if _, counts := slices.BinarySearch(names, entry.Name); counts && isEncrypted(entry) {
			return encryptedError(f.place(entry.Name))
		}
	}
	return nil
}

// skippedLinks implements linkSkipper.
func (s *schemaFiles) skippedLinks(ctx context.Context) ([]string, error) {
	folder, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	_, links, err := folder.names()
	return links, err
}

// names lists the files that count, in order, slashes between folders; and the links that are
// skipped.
func (f *schemaFolder) names() (names, links []string, err error) {
	parquet := ""
	err = fs.WalkDir(f.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = f.ctx.Err()
		}
		matches, _ := doublestar.Match(f.pattern(), name)
		if err == nil && isSkipped(f.fsys, name, d, matches) {
			links = append(links, name)
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if matches {
			names = append(names, name)
		}
		if path.Ext(name) == ".parquet" {
			parquet = name
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.root, files.Named(err))
	}
	switch {
	case len(names) == 0 && parquet != "":
		return nil, nil, parquetError(f.place(parquet))
	case len(names) == 0:
		return nil, nil, fmt.Errorf("%s: no file matches %q%s", f.root, f.pattern(), onlyLinks(links))
	}
	slices.Sort(names)
	return names, links, nil
}

func (f *schemaFolder) pattern() string {
	if f.glob == "" {
		return "**/*.json"
	}
	return f.glob
}

// place is how errors call a file.
func (f *schemaFolder) place(name string) string {
	if _, archive := f.fsys.(*zip.Reader); archive {
		return f.root + "/" + name
	}
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// read is a file's content, without a byte order mark.
func (f *schemaFolder) read(name string) ([]byte, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.place(name), files.Cause(err))
	}
	defer file.Close()
	content, err := readLimited(file, f.place(name))
	if f.left -= int64(len(content)); f.left < 0 && err == nil {
		return nil, tooLarge(f.root)
	}
	return bytes.TrimPrefix(content, byteOrderMark), err
}

// tooLarge is the error that a corpus is beyond MaxCorpusBytes.
func tooLarge(name string) error {
	return fmt.Errorf("%s: the corpus is larger than the limit of %d bytes; take a part of it, by a glob or in a file of its own",
		name, corpusLimit)
}

// json is a file's JSON text, checked, whose values are handed out on one line.
func (f *schemaFolder) json(name string) (*jsonText, error) {
	content, err := f.read(name)
	if err != nil {
		return nil, err
	}
	d := &jsonText{name: f.place(name), text: content, laidOut: true}
	return d, d.check()
}

// below is the part of a file's name that follows a folder, if it lies below that.
func below(name, folder string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
		return rest, true
	}
	_, rest, ok := strings.Cut(name, "/"+folder+"/")
	return rest, ok
}

// withoutJSON is a file's name without its extension.
func withoutJSON(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }
