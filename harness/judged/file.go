package judged

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/harness/cell"
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

// A File is the lines about a cell, to be appended to.
type File struct {
	f    *os.File
	key  string
	last *Overview // nil if there is none
	all  map[string][]Document
	// Cell is the cell of the last Begin.
	Cell
}

// Open opens or makes the file of a cell and cuts a torn line off. Errors
// are *cell.WriteError.
func Open(dir, key string) (*File, error) {
	folder := Folder(dir)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, writeError(folder, err)
	}
	path := filepath.Join(folder, key+".jsonl")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, writeError(path, err)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		whole := bytes.LastIndexByte(text, '\n') + 1
		text = text[:whole]
		if err = f.Truncate(int64(whole)); err == nil {
			_, err = f.Seek(int64(whole), 0)
		}
	}
	if err != nil {
		f.Close()
		return nil, writeError(path, err)
	}
	out := &File{f: f, key: key}
	out.Reference, out.last, out.all = parse(text, key)
	return out, nil
}

// parse reads whole lines: the last overview with its reference, and the last line about each
// document, by reference. What is no line about the cell is left out.
func parse(text []byte, key string) (reference string, last *Overview, all map[string][]Document) {
	all = map[string][]Document{}
	at := map[string]map[int]int{} // by reference and sample: where it is in all
	for content := range bytes.Lines(text) {
		var l line
		if json.Unmarshal(content, &l) != nil || l.Version != Schema || l.Cell != key {
			continue
		}
		if l.Overview != nil {
			reference, last = l.Reference, l.Overview
			continue
		}
		var d Document
		if json.Unmarshal(content, &d) != nil {
			continue
		}
		if at[d.Reference] == nil {
			at[d.Reference] = map[int]int{}
		}
		if i, ok := at[d.Reference][d.Sample]; ok {
			all[d.Reference][i] = d
			continue
		}
		at[d.Reference][d.Sample] = len(all[d.Reference])
		all[d.Reference] = append(all[d.Reference], d)
	}
	return reference, last, all
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
	if _, err = f.f.Write(append(text, '\n')); err == nil {
		err = f.f.Sync()
	}
	if err != nil {
		return writeError(f.f.Name(), err)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// Read reads the findings in a result directory, by the key of the cell; nothing if there are none.
func Read(dir string) (map[string]*Cell, error) {
	entries, err := os.ReadDir(Folder(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]*Cell{}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(Folder(dir), e.Name()))
		if err != nil {
			return nil, err
		}
		if reference, o, list := parse(text[:bytes.LastIndexByte(text, '\n')+1], key); o != nil {
			all[key] = &Cell{reference, *o, counted(list[reference], o)}
		}
	}
	return all, nil
}

// writeError is an error of the result directory.
func writeError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &cell.WriteError{Path: path, Err: err}
}
