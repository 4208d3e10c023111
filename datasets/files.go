package datasets

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"
)

// Formats lists the formats that Open understands.
func Formats() []string { return []string{"files", "dir", "zip", "jsonl"} }

// Open is a source for documents at a path in one of the Formats:
//
//	files  path is a glob (** matches any number of folders)
//	dir    every file below the folder path whose relative name matches glob
//	zip    every entry of the archive path whose name matches glob
//	jsonl  one {"id","content"} object a line, gzip-compressed or not
//
// An empty glob matches everything. It fails on an unknown format, a bad glob or a path that is not
// there.
func Open(format, path, glob string) (Source, error) {
	pattern := glob
	if format == "files" {
		pattern = filepath.ToSlash(path)
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is not a glob: check its brackets and braces", pattern)
	}
	if glob == "" {
		glob = "**"
	}
	info := Info{Name: path, Description: "documents given by the user", Where: path}
	switch format {
	case "files":
		return &globSource{info, path}, nil
	case "dir":
		if st, err := os.Stat(path); err != nil {
			return nil, pathError(err)
		} else if !st.IsDir() {
			return nil, fmt.Errorf("%s is not a folder; for single files use format files", path)
		}
		return &dirSource{info, os.DirFS(path), glob}, nil
	case "zip":
		return &zipSource{info, path, glob}, nil
	case "jsonl":
		return &jsonlSource{info, path}, nil
	}
	return nil, fmt.Errorf("there is no dataset format %q; there are: %q", format, Formats())
}

// pathError drops the system call from a file error: "open x: no such file" says "x: no such file".
func pathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// readLimited reads all of r but refuses more than MaxDocumentBytes.
func readLimited(r io.Reader, name string) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxDocumentBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(content) > MaxDocumentBytes {
		return nil, fmt.Errorf("%s: larger than the limit of %d bytes for one document", name, MaxDocumentBytes)
	}
	return content, nil
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
			return nil, pathError(err)
		}
		docs = append(docs, Document{ID: filepath.ToSlash(name), Size: st.Size(), Read: func() ([]byte, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, pathError(err)
			}
			defer f.Close()
			return readLimited(f, name)
		}})
	}
	return docs, nil
}

// dirSource is the files of a file system whose names match a glob.
type dirSource struct {
	info Info
	fsys fs.FS
	glob string
}

func (s *dirSource) Info() Info { return s.info }

func (s *dirSource) Documents(ctx context.Context) ([]Document, error) {
	var docs []Document
	err := fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ok, _ := doublestar.Match(s.glob, name); !ok || !d.Type().IsRegular() {
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		docs = append(docs, Document{ID: name, Size: st.Size(), Read: func() ([]byte, error) {
			f, err := s.fsys.Open(name)
			if err != nil {
				return nil, pathError(err)
			}
			defer f.Close()
			return readLimited(f, name)
		}})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.info.Name, pathError(err))
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: no file matches %q", s.info.Name, s.glob)
	}
	return docs, nil
}

// zipSource is the entries of a zip archive whose names match a glob.
type zipSource struct {
	info Info
	path string
	glob string
}

func (s *zipSource) Info() Info { return s.info }

func (s *zipSource) Documents(context.Context) ([]Document, error) {
	archive, err := zip.OpenReader(s.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, unwrapPath(err))
	}
	defer archive.Close()
	var docs []Document
	for _, f := range archive.File {
		if ok, _ := doublestar.Match(s.glob, f.Name); !ok || f.FileInfo().IsDir() {
			continue
		}
		docs = append(docs, Document{ID: f.Name, Size: int64(f.UncompressedSize64), Read: func() ([]byte, error) {
			return s.read(f.Name)
		}})
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: no entry matches %q", s.path, s.glob)
	}
	return docs, nil
}

// read opens the archive again: a selection reads few of the many entries, and a source holds no
// file open between calls.
func (s *zipSource) read(name string) ([]byte, error) {
	archive, err := zip.OpenReader(s.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, unwrapPath(err))
	}
	defer archive.Close()
	f, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	defer f.Close()
	return readLimited(f, s.path+"/"+name)
}

// unwrapPath is the cause of a file error without the path, which the caller names.
func unwrapPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
