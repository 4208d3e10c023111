package judged

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/internal/words"
)

// A Cell has the stored findings about a cell: its last overview and the documents of that.
type Cell struct {
	Reference string // the key of the cell that it is compared with
	Overview  Overview
	Documents []Document
}

// line is a line of a file: a Document, or an Overview with the keys of the cells.
type line struct {
	Version   int       `json:"version"` // Schema
	Cell      string    `json:"cell"`
	Reference string    `json:"reference"`
	Overview  *Overview `json:"overview"`
}

// Folder is where the judge keeps its files in a result directory.
func Folder(dir string) string { return filepath.Join(dir, "judged") }

// suffix is how the names of the files end.
const suffix = ".log"

// A File is the lines about a cell, to be appended to.
type File struct {
	log *cell.Log
	key string
	stored
	// Cell is the cell of the last Begin.
	Cell
}

// Open opens or makes the file of a cell and cuts a torn line off. Errors are *cell.WriteError.
func Open(dir, key string) (*File, error) {
	f := &File{key: key, stored: newStored(key)}
	var err error
	if f.log, _, err = cell.OpenLog(filepath.Join(Folder(dir), key+suffix), f.line); err != nil {
		return nil, err
	}
	f.Reference = f.reference
	return f, nil
}

// stored is what lines say: the last overview with its reference, nil if there is none, and the
// last line about each document, by reference.
type stored struct {
	of        string // the key of the cell
	reference string
	last      *Overview
	all       map[string][]Document
	at        map[string]map[int]int // by reference and sample: where it is in all
}

func newStored(key string) stored {
	return stored{of: key, all: map[string][]Document{}, at: map[string]map[int]int{}}
}

// line reads a line. What is none about the cell is left out.
func (s *stored) line(text []byte) {
	var l line
	if json.Unmarshal(text, &l) != nil || l.Version != Schema || l.Cell != s.of {
		return
	}
	if l.Overview != nil {
		s.reference, s.last = l.Reference, l.Overview
		return
	}
	var d Document
	if json.Unmarshal(text, &d) != nil {
		return
	}
	if s.at[d.Reference] == nil {
		s.at[d.Reference] = map[int]int{}
	}
	if i, ok := s.at[d.Reference][d.Sample]; ok {
		s.all[d.Reference][i] = d
		return
	}
	s.at[d.Reference][d.Sample] = len(s.all[d.Reference])
	s.all[d.Reference] = append(s.all[d.Reference], d)
}

// counted are the documents that an overview is about.
func counted(list []Document, o *Overview) []Document {
	return slices.DeleteFunc(slices.Clone(list), func(d Document) bool { return !d.counts(o) })
}

// Begin writes an overview before documents are judged. An earlier overview that covers more stays
// in force. Errors are *cell.WriteError.
func (f *File) Begin(reference string, o Overview) error {
	if f.last != nil && f.Reference == reference && f.last.covers(&o) {
		o.Limit, o.Seed = f.last.Limit, f.last.Seed
	}
	known := f.last != nil && f.Reference == reference && *f.last == o
	f.Cell = Cell{reference, o, counted(f.all[reference], &o)}
	if known {
		return nil
	}
	f.last = &o
	return f.write(line{Schema, f.key, reference, &o})
}

// Append writes a line about a document, in one write, and to the disk.
func (f *File) Append(d Document) error {
	d.Version = Schema
	if d.Findings == nil {
		d.Findings = []Finding{} // not null
	}
	if d.Positions == nil {
		d.Positions = []uint32{}
	}
	return f.write(d)
}

// write writes a line.
func (f *File) write(l any) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err = f.log.Append(text); err == nil {
		err = f.log.Sync()
	}
	return err
}

// Close closes the file.
func (f *File) Close() error { return f.log.Close() }

// Read reads the findings in a result directory, by the key of the cell; nothing if there are none.
// damaged says which files have lines that cannot be trusted, which are left out.
func Read(dir string) (all map[string]*Cell, damaged []*cell.DamagedError, err error) {
	entries, err := os.ReadDir(Folder(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	all = map[string]*Cell{}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok {
			continue
		}
		s, file := newStored(key), filepath.Join(Folder(dir), e.Name())
		lost, err := cell.ReadLog(file, s.line)
		if err != nil {
			return nil, nil, err
		}
		if lost > 0 {
			damaged = append(damaged, &cell.DamagedError{Path: file, Reason: words.Count(lost, "line") + " whose checksum is wrong"})
		}
		if s.last != nil {
			all[key] = &Cell{s.reference, *s.last, counted(s.all[s.reference], s.last)}
		}
	}
	return all, damaged, nil
}
