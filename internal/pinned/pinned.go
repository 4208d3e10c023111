// Package pinned takes files with a known SHA-256 out of a downloaded archive. A file with another
// one is not used.
package pinned

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
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

// Read reads files out of a gzip-compressed tar archive whose entries are all in the given folder.
// The contents are in the order of files. Errors begin with the name of the package.
func Read(archive, name, folder string, files []File) ([][]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", name, err)
	}
	contents := make([][]byte, len(files))
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", name, err)
		}
		for i, want := range files {
			if h.Name != folder+"/"+want.Path {
				continue
			}
			if contents[i], err = io.ReadAll(io.LimitReader(r, MaxFile)); err != nil {
				return nil, fmt.Errorf("package %s: %s: %w", name, want.Path, err)
			}
		}
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
