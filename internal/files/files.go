// Package files reads files of bounded size, and writes files whole or not at all.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Cause is an error of a file without the file's name, for messages that name it. Other errors stay
// as they are.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Named is an error of a file as the file's name and the cause: "open x: no such file" says "x: no
// such file". Other errors stay as they are.
func Named(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// ReadAll reads a stream of at most so many bytes, and no more of it than shows that it is too
// large: a device may have no end. The error does not name a file; what says what is read, such as
// "a document".
func ReadAll(r io.Reader, most int64, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = tooLarge(most, what)
	}
	return text, Cause(err)
}

// Read is ReadAll for a file.
func Read(path string, most int64, what string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Cause(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		return nil, tooLarge(most, what)
	}
	return ReadAll(f, most, what)
}

func tooLarge(most int64, what string) error {
	return fmt.Errorf("larger than the limit of %d bytes for %s", most, what)
}

// Write writes a file, and makes its folder. A reader sees the old file or the whole new one, also
// after a crash of the machine or on a full disk.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return WriteBy(path, nil, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteBy is Write for what write writes, into a folder that is there. renaming, if it is not nil,
// is called with the path when all is written and about to get its name. Errors of write that are
// not those of the file come back as they are.
func WriteBy(path string, renaming func(path string), write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // best effort: a leftover is ignored by every reader
		}
	}()
	if err = write(f); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		if renaming != nil {
			renaming(path)
		}
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename last. Some file systems cannot do it; there the rename is as durable as
// they make it.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
