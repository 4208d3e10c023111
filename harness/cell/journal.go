package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A Journal keeps the results of a group of cells while the group is measured. It is a file of
// lines, each the CRC-32C of its JSON and the JSON. A killed process leaves at most a torn last
// line, which the next process cuts off. A whole line whose sum is wrong is skipped; the lines
// after it are read, since each stands for itself. (A damaged line end costs the two lines that it
// separates.)
//
// A line is written before the next step begins and survives the death of the process. Lines are
// flushed to the disk once a second, for the death of the machine. Entries can be read back by
// their Place, so that the writer of a long journal need not keep them in memory.
type Journal struct {
	path   string
	f      *os.File
	synced time.Time
	size   int64
}

// Entry is one line. Exactly one field is set.
type Entry struct {
	// Session is written when a process begins or takes up the group.
	Session *time.Time `json:"session,omitempty"`
	// Begin is written before an operation that could take the process down.
	Begin *Begin `json:"begin,omitempty"`
	// Compiled is the result of a compile.
	Compiled *Compiled `json:"compiled,omitempty"`
	// Proof holds the answers of all cells on a sample, before it is timed.
	Proof *Round `json:"proof,omitempty"`
	// Round holds the results of all cells that measured a sample together. One
	// line, so that a round is there for all of them or for none.
	Round *Round `json:"round,omitempty"`
	// Used is the size of an engine after all documents.
	Used *Used `json:"used,omitempty"`
}

// Begin names an operation of a cell: a compile, or a pass over a sample.
type Begin struct {
	Key     string `json:"key"` // "" for the grammar of a schema, which all cells share
	Problem int    `json:"problem"`
	Sample  int    `json:"sample"` // -1 for the compile
	Pass    int    `json:"pass"`
}

// Place is where in a journal an entry stands. The zero value is no place.
type Place struct{ offset, length int64 }

// Compiled is a Problem of a cell.
type Compiled struct {
	Key     string  `json:"key"`
	Index   int     `json:"index"` // of the problem
	Problem Problem `json:"problem"`
}

// Used is the last that is known of an engine.
type Used struct {
	Key       string    `json:"key"`
	Index     int       `json:"index"` // of the problem
	Bytes     int64     `json:"bytes"`
	SaysBytes int64     `json:"says_bytes"`
	Counters  []Counter `json:"counters,omitempty"`
}

// Round is one sample by several cells.
type Round struct {
	Sample  int               `json:"sample"`
	Results map[string]Result `json:"results"` // by key
}

// Result is a sample of one cell with its trace as EncodeTraces packs it.
type Result struct {
	Sample Sample `json:"sample"`
	Trace  []byte `json:"trace"`
}

// journalSuffix is how the names of journals end.
const journalSuffix = ".log"

// Damage is the part of a journal that was skipped.
type Damage struct {
	// Torn is how many bytes at the end were no whole line and were cut off.
	Torn int64
	// Lost are the lines that do not check.
	Lost []Lost
}

// Lost is a line of a journal that does not check.
type Lost struct {
	Line int    // from 1
	At   Place  // in the file
	Kind string // of entry, as far as the line shows; "" if it does not
}

// String says which line it is, and where.
func (l Lost) String() string {
	kind := ""
	if l.Kind != "" {
		kind = " (" + l.Kind + ")"
	}
	return fmt.Sprintf("line %d%s, %d bytes at byte %d", l.Line, kind, l.At.length, l.At.offset)
}

// OpenJournal opens or makes the journal of a group and visits what it holds, in
// order: an entry without a field for each line that was lost.
func (s *Store) OpenJournal(group string, visit func(e Entry, at Place)) (*Journal, Damage, error) {
	path := filepath.Join(s.dir, "journal", group+journalSuffix)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, Damage{}, writeError(path, err)
	}
	whole, lost := readEntries(f, visit)
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end > whole {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, Damage{}, writeError(path, err)
	}
	return &Journal{path: path, f: f, size: whole, synced: time.Now()}, Damage{end - whole, lost}, nil
}

// readEntries visits the entries of all whole lines, and returns where the last one
// ends and which are lost.
func readEntries(r io.Reader, visit func(e Entry, at Place)) (whole int64, lost []Lost) {
	n := 0
	return eachLine(r, func(line []byte, at Place) {
		n++
		e, ok := parseLine(line)
		if !ok {
			e, lost = Entry{}, append(lost, Lost{n, at, kindOf(line)})
		}
		visit(e, at)
	}), lost
}

// entryKind is how the JSON of an entry begins, after its sum.
var entryKind = regexp.MustCompile(`^.{0,10}\{"(session|begin|compiled|proof|round|used)":`)

// kindOf reads the kind of an entry off the beginning of a line that does not check.
func kindOf(line []byte) string {
	if m := entryKind.FindSubmatch(line); m != nil {
		return string(m[1])
	}
	return ""
}

// Read returns an entry that was visited or appended.
func (j *Journal) Read(at Place) (Entry, error) {
	line := make([]byte, at.length)
	if _, err := j.f.ReadAt(line, at.offset); err != nil {
		return Entry{}, &DamagedError{j.path, err.Error()}
	}
	e, ok := parseLine(bytes.TrimSuffix(line, []byte("\n")))
	if !ok {
		return Entry{}, &DamagedError{j.path, fmt.Sprintf("the line at byte %d has changed since it was written", at.offset)}
	}
	return e, nil
}

// parseLine checks a line without its newline. A line whose sum is right but whose
// JSON is not ours was written by something else, and is not believed either.
func parseLine(line []byte) (e Entry, ok bool) {
	text, ok := checkedLine(line)
	if !ok || json.Unmarshal(text, &e) != nil {
		return Entry{}, false
	}
	return e, true
}

// Append writes an entry. After an error the journal ends with its last whole
// entry, and nothing more should be appended.
func (j *Journal) Append(e Entry) (Place, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return Place{}, err
	}
	line := summedLine(text)
	if _, err := j.f.Write(line); err != nil {
		err = writeError(j.path, err)
		if cut := j.f.Truncate(j.size); cut != nil {
			return Place{}, errors.Join(err, cut) // the torn line will not check
		}
		return Place{}, err
	}
	at := Place{j.size, int64(len(line))}
	j.size += int64(len(line))
	if now := time.Now(); now.Sub(j.synced) > time.Second {
		j.synced = now
		return at, writeError(j.path, j.f.Sync())
	}
	return at, nil
}

// Close closes the file and leaves it for a later session.
func (j *Journal) Close() error { return j.f.Close() }

// Remove deletes the journal of a finished group.
func (j *Journal) Remove() error {
	j.f.Close() // nothing in it is needed any more
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeError(j.path, err)
	}
	return nil
}
