package cell

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// Files of lines that survive the death of their writer: each line is the CRC-32C of its text and
// the text. What follows the last newline is torn and is cut off; a whole line whose sum is wrong
// is skipped.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summedLine is a line with its sum and its newline.
func summedLine(text []byte) []byte {
	line := append(fmt.Appendf(nil, "%08x ", crc32.Checksum(text, castagnoli)), text...)
	return append(line, '\n')
}

// checkedLine is the text of a line without its newline; ok is false if the sum is wrong.
func checkedLine(line []byte) (text []byte, ok bool) {
	sum, text, found := bytes.Cut(line, []byte(" "))
	return text, found && string(sum) == fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli))
}

// eachLine visits all whole lines, without their newlines, and returns where the last one ends.
func eachLine(r io.Reader, visit func(line []byte, at Place)) (whole int64) {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return whole
		}
		at := Place{whole, int64(len(line))}
		visit(bytes.TrimSuffix(line, []byte("\n")), at)
		whole += at.length
	}
}

// A Log is a file of such lines to be appended to.
type Log struct {
	path string
	f    *os.File
}

// OpenLog opens or makes a log, cuts a torn end off, and visits the texts of its lines. lost counts
// the lines that do not check. Its folder is made. The error is a *WriteError.
func OpenLog(path string, visit func(text []byte)) (log *Log, lost int, err error) {
	if err := makeFolder(path); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, writeError(path, err)
	}
	whole, lost := visitLines(f, visit)
	if err = f.Truncate(whole); err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, 0, writeError(path, err)
	}
	return &Log{path, f}, lost, nil
}

// ReadLog visits the texts of the lines of a log and changes nothing.
func ReadLog(path string, visit func(text []byte)) (lost int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	_, lost = visitLines(f, visit)
	return lost, nil
}

// visitLines visits the texts of all lines that check.
func visitLines(r io.Reader, visit func(text []byte)) (whole int64, lost int) {
	whole = eachLine(r, func(line []byte, _ Place) {
		if text, ok := checkedLine(line); ok {
			visit(text)
		} else {
			lost++
		}
	})
	return whole, lost
}

// Append writes a line. The text must not have a newline. The error is a *WriteError.
func (l *Log) Append(text []byte) error {
	_, err := l.f.Write(summedLine(text))
	return writeError(l.path, err)
}

// Sync flushes the log to the disk.
func (l *Log) Sync() error { return writeError(l.path, l.f.Sync()) }

// Close flushes and closes the file.
func (l *Log) Close() error {
	err := l.Sync()
	if closed := l.f.Close(); err == nil {
		err = writeError(l.path, closed)
	}
	return err
}

// Objects is a file of a result directory with an object in each line, to be appended to.
type Objects struct {
	path   string
	f      *os.File
	unlock func()
}

// OpenObjects takes the lock of a result directory, reads a file of objects there, and opens it at
// its end; both are made. Lines that are no such objects are removed, and damaged says which they
// were. The error is a *LockedError or a *WriteError.
func OpenObjects[T any](dir, name string) (o *Objects, before []*T, damaged []*DamagedError, err error) {
	o = &Objects{path: filepath.Join(dir, name)}
	if err := makeFolder(o.path); err != nil {
		return nil, nil, nil, err
	}
	if o.unlock, err = (&Store{dir: dir}).Lock(); err != nil {
		return nil, nil, nil, err
	}
	if o.f, err = os.OpenFile(o.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		o.unlock()
		return nil, nil, nil, writeError(o.path, err)
	}
	text, err := io.ReadAll(o.f)
	var whole []byte
	n := 0
	for line := range bytes.Lines(text) {
		n++
		c := new(T)
		if err := json.Unmarshal(line, c); err != nil {
			damaged = append(damaged, &DamagedError{fmt.Sprintf("line %d of %s", n, o.path), err.Error()})
			continue
		}
		before, whole = append(before, c), append(append(whole, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
	}
	if err == nil && !bytes.Equal(whole, text) {
		if err = WriteFile(o.path, whole); err == nil {
			o.f.Close()
			o.f, err = os.OpenFile(o.path, os.O_APPEND|os.O_RDWR, 0o644)
		}
	}
	if err != nil {
		o.Close()
		return nil, nil, nil, ofFile(o.path, err)
	}
	return o, before, damaged, nil
}

// Append writes an object. The error is a *WriteError.
func (o *Objects) Append(object any) error {
	return ofFile(o.path, json.NewEncoder(o.f).Encode(object))
}

// Close closes the file and frees the directory. The error is a *WriteError.
func (o *Objects) Close() error {
	defer o.unlock()
	return writeError(o.path, o.f.Close())
}
