package cell

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gcdbench/internal/files"
	"gcdbench/internal/words"
)

// Store is a result directory.
//
//	run.json        which cells the latest run was for, in its order (manifest.go)
//	cells/          KEY.json and KEY.raw.zst of each finished cell
//	journal/        one file for each group that was begun and is not finished
//	batches/        KEY.json.zst of each batch of a finished cell (batch.go)
//	differences/    wrong masks, shrunk, as JSON
//	lock, crash.txt while a run is going on
type Store struct {
	dir string
	// BeforeRename is called with the path of a file that has been written and is about to get
	// its name; nil for nothing. Tests end the process there.
	BeforeRename func(path string)
}

// WriteError says that a result could not be written: a full disk, a directory
// that is not writable. What was stored before is whole.
type WriteError struct {
	Path string
	Err  error
}

// Error names the file, the cause and what to do.
func (e *WriteError) Error() string {
	hint := "make the directory writable or choose another with --out"
	if errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EFBIG) || errors.Is(e.Err, syscall.EDQUOT) {
		hint = "free some space and run the same command again: it goes on from what is stored, which is undamaged"
	}
	return fmt.Sprintf("cannot write %s: %v; %s", e.Path, e.Err, hint)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// writeError strips the path that os repeats in its own errors.
func writeError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &WriteError{path, files.Cause(err)}
}

// Create opens the result directory, making what is missing, and checks that it
// can be written. The error is a *WriteError.
func Create(dir string) (*Store, error) {
	s := &Store{dir: dir}
	for _, sub := range []string{"cells", "journal"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, writeError(filepath.Join(dir, sub), err)
		}
	}
	probe := filepath.Join(dir, "cells", ".probe")
	if err := s.writeFile(probe, []byte("x")); err != nil {
		return nil, err
	}
	return s, writeError(probe, os.Remove(probe))
}

// Open opens a result directory for reading.
func Open(dir string) (*Store, error) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no result directory %s: `gcdbench run CONFIG.yaml --out %s` makes one", dir, words.Shell(dir))
	case err != nil:
		return nil, err
	case !st.IsDir():
		return nil, fmt.Errorf("%s is not a directory of results", dir)
	}
	return &Store{dir: dir}, nil
}

// Dir is the directory's path.
func (s *Store) Dir() string { return s.dir }

// countingWriter counts the bytes written.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// WriteFile writes path atomically: a reader sees the old file or the whole new
// one, also after a crash of the machine or on a full disk. It makes its folder. Errors are
// *WriteError.
func WriteFile(path string, data []byte) error {
	if err := makeFolder(path); err != nil {
		return err
	}
	return new(Store).writeFile(path, data)
}

// makeFolder makes the folder of a file.
func makeFolder(path string) error {
	dir := filepath.Dir(path)
	return writeError(dir, os.MkdirAll(dir, 0o755))
}

// writeFile is WriteFile for the files of the store.
func (s *Store) writeFile(path string, data []byte) error {
	return s.writeFileBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeFileBy is writeFile for what write writes. Errors of write that are not
// those of the file come back as they are.
func (s *Store) writeFileBy(path string, write func(w io.Writer) error) (err error) {
	return ofFile(path, files.WriteBy(path, s.BeforeRename, write))
}

// ofFile makes a *WriteError of what the file system said, and leaves other errors
// as they are.
func ofFile(path string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) || errors.As(err, &le) {
		return writeError(path, err)
	}
	return err
}

// Put stores a finished cell. It fills in Key, Raw and Checksum.
func (s *Store) Put(r *Record, traces []Trace) error {
	return s.PutEach(r, len(traces), func(yield func(Trace, error) bool) {
		for _, t := range traces {
			if !yield(t, nil) {
				return
			}
		}
	})
}

// PutEach stores a finished cell with n traces that are made one after the other,
// so that they need not be in memory together. An error among them is returned,
// and nothing is stored. The raw times are written first: a record never names a
// file that is not there.
func (s *Store) PutEach(r *Record, n int, traces iter.Seq2[Trace, error]) error {
	r.Schema, r.Key = Schema, r.ID.Key()
	r.Raw = Raw{File: r.Key + ".raw.zst"}
	path := s.path(r.Raw.File)
	err := s.writeFileBy(path, func(w io.Writer) error {
		sum := sha256.New()
		counted := &countingWriter{w: io.MultiWriter(w, sum)}
		if err := writeTraces(counted, n, traces); err != nil {
			return err
		}
		r.Raw.Bytes, r.Raw.SHA256 = counted.n, hex.EncodeToString(sum.Sum(nil))
		return nil
	})
	if err != nil {
		return err
	}
	if r.Checksum, err = r.checksum(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return s.writeFile(s.path(r.Key+".json"), append(text, '\n'))
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, "cells", name) }

// checksum is over the compact JSON of the record without its checksum.
func (r Record) checksum() (string, error) {
	r.Checksum = ""
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	return Sum(text), nil
}

// DamagedError says that a stored cell cannot be trusted.
type DamagedError struct {
	Path   string
	Reason string
}

// Error names the file and what is wrong with it.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %s", e.Path, e.Reason)
}

// Get reads the record of a key and checks everything about it, the raw times
// included. The error is fs.ErrNotExist if there is none, and a *DamagedError if
// it cannot be trusted.
func (s *Store) Get(key string) (*Record, error) {
	r, err := s.record(key)
	if err != nil {
		return nil, err
	}
	if err := s.checkRaw(r); err != nil {
		return nil, err
	}
	return r, nil
}

// record reads KEY.json and believes it only if version, checksum, key and ID all
// agree: a renamed or edited file is as bad as a torn one.
func (s *Store) record(key string) (*Record, error) {
	path := s.path(key + ".json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	sum, err := r.checksum()
	switch {
	case err != nil:
		return nil, &DamagedError{path, err.Error()}
	case r.Schema != Schema:
		return nil, &DamagedError{path, fmt.Sprintf("it is of version %d, this program writes %d", r.Schema, Schema)}
	case sum != r.Checksum:
		return nil, &DamagedError{path, "its checksum is wrong"}
	case r.Key != key || r.ID.Key() != key:
		return nil, &DamagedError{path, "it is another cell's"}
	case r.Raw.File != key+".raw.zst":
		return nil, &DamagedError{path, "it names another cell's raw times"}
	}
	return r, nil
}

// checkRaw compares the SHA-256 of a record's raw times.
func (s *Store) checkRaw(r *Record) error {
	path := s.path(r.Raw.File)
	f, err := os.Open(path)
	if err != nil {
		return &DamagedError{path, files.Cause(err).Error()}
	}
	defer f.Close()
	return r.checkSum(path, sha256.New(), f)
}

// checkSum adds what is left of a raw file to the sum of what was read of it, and
// compares the sum.
func (r *Record) checkSum(path string, sum hash.Hash, rest io.Reader) error {
	if _, err := io.Copy(sum, rest); err != nil {
		return &DamagedError{path, files.Cause(err).Error()}
	}
	if hex.EncodeToString(sum.Sum(nil)) != r.Raw.SHA256 {
		return &DamagedError{path, "its checksum is not the one in the record"}
	}
	return nil
}

// Traces reads the raw times of a record, one trace after the other, in the order in
// which they were put. Only one is in memory. An error comes last, and is about all that
// came before as well: the checksum is known at the end. It is a *DamagedError.
func (s *Store) Traces(r *Record) iter.Seq2[Trace, error] {
	return func(yield func(Trace, error) bool) {
		path := s.path(r.Raw.File)
		f, err := os.Open(path)
		if err != nil {
			yield(Trace{}, &DamagedError{path, files.Cause(err).Error()})
			return
		}
		defer f.Close()
		sum := sha256.New()
		for t, err := range unpackTraces(io.TeeReader(f, sum)) {
			switch {
			case err != nil:
				yield(Trace{}, &DamagedError{path, err.Error()})
				return
			case t.Sample >= len(r.Samples):
				yield(Trace{}, &DamagedError{path, "it has more samples than the record"})
				return
			case !yield(t, nil):
				return
			}
		}
		if err := r.checkSum(path, sum, f); err != nil {
			yield(Trace{}, err)
		}
	}
}

// Keys lists the keys that have a record, whole or not, in order.
func (s *Store) Keys() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "cells"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var keys []string
	for _, e := range entries {
		if key, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Forget removes the cells of some keys, to be measured again.
func (s *Store) Forget(keys []string) error {
	for _, key := range keys {
		r, err := s.Get(key)
		if err == nil {
			err = os.Remove(s.path(key + ".json"))
		}
		if err == nil {
			err = os.Remove(s.path(r.Raw.File))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PutDifference stores a wrong mask's report as differences/NAME.json and
// returns its path.
func (s *Store) PutDifference(name string, v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, "differences", name+".json")
	if err := makeFolder(path); err != nil {
		return "", err
	}
	return path, s.writeFile(path, append(text, '\n'))
}
