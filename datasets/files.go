package datasets

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gcdbench/internal/files"
	"gcdbench/internal/words"
)

// Formats lists the formats that Open understands.
func Formats() []string {
	return append([]string{"files", "dir", "zip", "jsonl", "parquet"}, SchemaFormats()...)
}

// Open is a source for documents at a path in one of the Formats:
//
//	files    path is a glob (** matches any number of folders)
//	dir      every file below the folder path whose relative name matches glob
//	zip      every entry of the archive path whose name matches glob
//	jsonl    one {"id","content"} object a line, gzip-compressed or not
//	parquet  every row of a Parquet file, or of those below a folder whose names match glob; the
//	         program imports package datasets/parquet
//
// and the SchemaFormats, which corpora of JSON schemas have.
//
// An empty glob matches everything. It fails on an unknown format, a bad glob or, but for files, a
// path that is not there; a glob that matches nothing is an error when the documents are listed.
func Open(format, path, glob string) (Source, error) {
	pattern := glob
	if format == "files" {
		pattern = filepath.ToSlash(path)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is not a glob: check its brackets and braces", pattern)
	}
	info := Info{Name: path, Description: "documents given by the user", Where: path}
	if IsSchemaFormat(format) {
		return openSchemas(format, path, glob, info)
	}
	switch format {
	case "files":
		return &globSource{info, path}, nil
	case "dir":
		if err := checkPath(path, true); err != nil {
			return nil, err
		}
		return &dirSource{info, os.DirFS(path), cmp.Or(glob, "**")}, nil
	case "zip":
		if err := checkPath(path, false); err != nil {
			return nil, err
		}
		return &zipSource{info, path, cmp.Or(glob, "**")}, nil
	case "jsonl":
		if err := checkPath(path, false); err != nil {
			return nil, err
		}
		return &lineSource{info, path, corpusLimit, documentRecord}, nil
	case "parquet":
		return &parquetSource{info: info, path: path, glob: glob}, nil
	}
	return nil, fmt.Errorf("there is no dataset format %q; there are: %s", format, strings.Join(Formats(), ", "))
}

// OpenParquet is Open for format parquet with the column of the texts named; if it is empty, that
// is the first column called content, text or code.
func OpenParquet(path, glob, column string) (Source, error) {
	src, err := Open("parquet", path, glob)
	if err != nil {
		return nil, err
	}
	src.(*parquetSource).column = column
	return src, nil
}

// checkPath refuses a path that is not there, or that is a folder where a file is meant or the
// other way round.
func checkPath(path string, folder bool) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return files.Named(err)
	case folder && !st.IsDir():
		return fmt.Errorf("%s is not a folder; for single files use format files", path)
	case !folder && st.IsDir():
		return fmt.Errorf("%s is a folder; for the files in it use format dir", path)
	}
	return nil
}

// readLimited reads all of r but refuses more than MaxDocumentBytes.
func readLimited(r io.Reader, name string) ([]byte, error) {
	content, err := files.ReadAll(r, MaxDocumentBytes, "one document")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}

// readFile reads and closes what os.Open returned.
func readFile(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, files.Named(err)
	}
	defer f.Close()
	return readLimited(f, f.Name())
}

// globSource is the files that a glob matches.
type globSource struct {
	info Info
	glob string
}

func (s *globSource) Info() Info { return s.info }

func (s *globSource) Documents(context.Context) ([]Document, error) {
	names, err := doublestar.FilepathGlob(s.glob, doublestar.WithFilesOnly())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.glob, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s matches no file", s.glob)
	}
	docs := make([]Document, 0, len(names))
	for _, name := range names {
		st, err := os.Stat(name)
		if err != nil {
			return nil, files.Named(err)
		}
		docs = append(docs, Document{ID: filepath.ToSlash(name), Size: st.Size(), Read: func() ([]byte, error) {
			return readFile(os.Open(name))
		}})
	}
	return docs, nil
}

// dirSource is the files below the folder info.Where whose names match a glob. The file system is
// that folder, perhaps with some of its contents hidden.
type dirSource struct {
	info Info
	fsys fs.FS
	glob string
}

func (s *dirSource) Info() Info { return s.info }

func (s *dirSource) Documents(ctx context.Context) ([]Document, error) {
	var docs []Document
	links, err := s.walk(ctx, func(name string, d fs.DirEntry) error {
		st, err := d.Info()
		if err != nil {
			return err
		}
		docs = append(docs, Document{ID: name, Size: st.Size(), Read: func() ([]byte, error) {
			return readFile(os.Open(filepath.Join(s.info.Where, name)))
		}})
		return nil
	})
	if err == nil && len(docs) == 0 {
		return nil, fmt.Errorf("%s: no file matches %q%s", s.info.Name, s.glob, onlyLinks(links))
	}
	return docs, err
}

// skippedLinks implements linkSkipper.
func (s *dirSource) skippedLinks(ctx context.Context) ([]string, error) {
	return s.walk(ctx, func(string, fs.DirEntry) error { return nil })
}

// isSkipped is whether an entry is a symbolic link that may be missed: its name matches, or it
// leads to a folder.
func isSkipped(fsys fs.FS, name string, d fs.DirEntry, matches bool) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	st, err := fs.Stat(fsys, name)
	return matches || err == nil && st.IsDir()
}

// walk calls f for each file whose name matches, and returns the symbolic links that are skipped.
func (s *dirSource) walk(ctx context.Context, f func(name string, d fs.DirEntry) error) (links []string, err error) {
	err = fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		matches, _ := doublestar.Match(s.glob, name)
		switch {
		case isSkipped(s.fsys, name, d, matches):
			links = append(links, name)
		case matches && d.Type().IsRegular():
			return f(name, d)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, files.Named(err))
	}
	return links, nil
}

// onlyLinks names the links that are there, for the message that nothing matches.
func onlyLinks(links []string) string {
	if len(links) == 0 {
		return ""
	}
	return fmt.Sprintf(", and links are not followed: %s, such as %s; name the folder that they lead to",
		words.Count(len(links), "symbolic link"), links[0])
}

// zipSource is the entries of a zip archive whose names match a glob.
type zipSource struct {
	info Info
	path string
	glob string
}

func (s *zipSource) Info() Info { return s.info }

func (s *zipSource) Documents(context.Context) ([]Document, error) {
	archive, err := openZip(s.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, files.Cause(err))
	}
	var docs []Document
	for _, f := range archive.File {
		if !s.matches(f) || !f.Mode().IsRegular() {
			continue
		}
		docs = append(docs, Document{ID: f.Name, Size: int64(min(f.UncompressedSize64, math.MaxInt64)),
			Read: func() ([]byte, error) { return s.read(f) }})
	}
	if len(docs) == 0 {
		links, _ := s.skippedLinks(context.Background()) // the archive was read already
		return nil, fmt.Errorf("%s: no entry matches %q%s", s.path, s.glob, onlyLinks(links))
	}
	return docs, nil
}

func (s *zipSource) matches(f *zip.File) bool {
	ok, _ := doublestar.Match(s.glob, f.Name)
	return ok
}

// skippedLinks implements linkSkipper: an entry that is a symbolic link holds a path and no
// document.
func (s *zipSource) skippedLinks(context.Context) (links []string, err error) {
	archive, err := openZip(s.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, files.Cause(err))
	}
	for _, f := range archive.File {
		if s.matches(f) && f.Mode()&fs.ModeSymlink != 0 {
			links = append(links, f.Name)
		}
	}
	return links, nil
}

// isEncrypted is whether an entry says that its content needs a password.
func isEncrypted(f *zip.File) bool {
	const encrypted = 1 // the first of the general purpose flags
	return f.Flags&encrypted != 0
}

// encryptedError is the error that an entry of an archive is encrypted.
func encryptedError(name string) error {
	return fmt.Errorf("%s: the entry is encrypted; unpack the archive with its password, and name the folder", name)
}

func (s *zipSource) read(f *zip.File) ([]byte, error) {
	name := s.path + "/" + f.Name
	if isEncrypted(f) {
		return nil, encryptedError(name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, files.Cause(err))
	}
	defer r.Close()
	return readLimited(r, name)
}

func openZip(path string) (*zip.Reader, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(reopened(path), st.Size())
}

// reopened is a file that is open only while it is read. So a source needs no closing, and an
// archive's directory is read once however many of its entries are. Its errors do not name it.
type reopened string

func (path reopened) ReadAt(b []byte, at int64) (int, error) {
	f, err := os.Open(string(path))
	if err != nil {
		return 0, files.Cause(err)
	}
	defer f.Close()
	n, err := f.ReadAt(b, at)
	return n, files.Cause(err)
}
