package cell

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
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
