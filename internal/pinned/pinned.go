// Package pinned takes files with a known SHA-256 out of a downloaded archive. A file with another
// one is not used.
package pinned

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// MaxFile bounds what is read of one file, in bytes. The largest in use, gemma3's tokenizer.json,
// has 33 MB.
const MaxFile = 256 << 20

// A File is a file of an archive: its path below the archive's folder, and the SHA-256 it must
// have, in lower-case hexadecimal.
type File struct{ Path, SHA256 string }

// Check is the error of contents that are not those of the file; nil if they are.
func (f File) Check(contents []byte) error {
	sum := sha256.Sum256(contents)
	if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
		return fmt.Errorf("%s has SHA-256 %s, expected %s; it is not used", f.Path, got, f.SHA256)
	}
	return nil
}

// IsZip tells a zip archive by its name; others are gzip-compressed tars.
func IsZip(archive string) bool {
	return strings.HasSuffix(archive, ".whl") || strings.HasSuffix(archive, ".zip")
}

// EachFile visits the files of an archive that have at most so many bytes. The error is that of
// reading the archive, or visit's, which ends it.
func EachFile(archive string, most int64, visit func(path string, read func() ([]byte, error)) error) error {
	if IsZip(archive) {
		return eachZipped(archive, most, visit)
	}
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag != tar.TypeReg || h.Size > most:
			continue
		}
		if err := visit(h.Name, func() ([]byte, error) { return io.ReadAll(r) }); err != nil {
			return err
		}
	}
}

// eachZipped is EachFile of a zip archive.
func eachZipped(archive string, most int64, visit func(path string, read func() ([]byte, error)) error) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if !f.Mode().IsRegular() || f.UncompressedSize64 > uint64(most) {
			continue
		}
		err := visit(f.Name, func() ([]byte, error) {
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return io.ReadAll(io.LimitReader(r, most))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Read reads files out of a gzip-compressed tar archive whose entries are all in the given folder.
// The contents are in the order of files. Errors begin with the name of the package.
func Read(archive, name, folder string, files []File) ([][]byte, error) {
	contents := make([][]byte, len(files))
	err := EachFile(archive, MaxFile, func(path string, read func() ([]byte, error)) (err error) {
		for i, want := range files {
			if path != folder+"/"+want.Path {
				continue
			}
			if contents[i], err = read(); err != nil {
				return fmt.Errorf("%s: %w", want.Path, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", name, err)
	}
	for i, want := range files {
		if contents[i] == nil {
			return nil, fmt.Errorf("package %s has no file %s", name, want.Path)
		}
		if err := want.Check(contents[i]); err != nil {
			return nil, fmt.Errorf("package %s: %w", name, err)
		}
	}
	return contents, nil
}
