// Package judged is what the judge found out about engines of other semantics, as it is stored in a
// result directory and read by reports.
//
//	judged/KEY.jsonl               of the cell with that key a Document a line, in the order they were judged
//	judged/witnesses/HASH.json     a Witness
//
// A line is written when the document is done, in one write. A line that a kill has torn is no
// line: it is cut off when the next one is appended, and readers leave it out. Of several lines
// about a document the last one counts.
package judged

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/harness/cell"
)

// Schema is the version of the files. Lines of other versions are left out, and their documents
// judged again.
const Schema = 1

// A Class is what a difference between two masks comes to.
type Class string

// The classes, the gravest first.
const (
	// AdmitsInvalid: the engine goes on, by its own masks, to the end of a text that is not in the
	// language.
	AdmitsInvalid Class = "admits an invalid text"
	// ExcludesValid: a text of the language cannot be generated, however its value is spelled.
	ExcludesValid Class = "excludes a valid text"
	// DeadEnd: a token is allowed after which no text can end.
	DeadEnd Class = "dead end"
	// Undecided: there is no witness, or nobody to judge it.
	Undecided Class = "undecided"
	// Convention: a valid text is excluded, and the same value in another spelling is not.
	Convention Class = "convention"
)

// Classes are all of them, the gravest first.
var Classes = []Class{AdmitsInvalid, ExcludesValid, DeadEnd, Undecided, Convention}

// Sides of a comparison, for Finding.Whose.
const (
	Engine    = "engine"    // whose semantics is another
	Reference = "reference" // of the contract
)

// A Finding counts the differences of one kind.
type Finding struct {
	// Whose is who shows Class: Engine, Reference, or "" for what is undecided.
	Whose string `json:"whose"`
	Class Class  `json:"class"`
	// Cause is a few words to count by: what the invalid text breaks, what spelling is excluded, why
	// there is no verdict.
	Cause string `json:"cause"`
	// Positions counts those where a token differs for this cause; Leading those where it is the
	// gravest finding, so that the sum over all findings is the number of positions looked at.
	Positions int `json:"positions"`
	Leading   int `json:"leading"`
	// Tokens is the sum over the positions of the tokens that differ.
	Tokens int `json:"tokens"`
	// Witness is the hash of the shortest witness; "" if there is none.
	Witness string `json:"witness,omitempty"`
	// WitnessBytes is the length of its text.
	WitnessBytes int `json:"witness_bytes,omitempty"`
}

// Same reports whether two findings are of one kind.
func (f *Finding) Same(o *Finding) bool {
	return f.Whose == o.Whose && f.Class == o.Class && f.Cause == o.Cause
}

// Compare orders findings: the gravest class first, then the engine's, then by positions.
func (f *Finding) Compare(o *Finding) int {
	return cmp.Or(cmp.Compare(rank(f.Class), rank(o.Class)), cmp.Compare(f.Whose, o.Whose),
		cmp.Compare(o.Positions, f.Positions), cmp.Compare(f.Cause, o.Cause))
}

// rank is the place of a class among Classes.
func rank(c Class) int { return slices.Index(Classes, c) }

// add adds the counts of another finding of the same kind.
func (f *Finding) add(o *Finding) {
	f.Positions += o.Positions
	f.Leading += o.Leading
	f.Tokens += o.Tokens
	if o.Witness != "" && (f.Witness == "" || o.WitnessBytes < f.WitnessBytes) {
		f.Witness, f.WitnessBytes = o.Witness, o.WitnessBytes
	}
}

// Add adds a finding to a list, to the one of its kind if there is one.
func Add(list []Finding, f Finding) []Finding {
	for i := range list {
		if list[i].Same(&f) {
			list[i].add(&f)
			return list
		}
	}
	return append(list, f)
}

// A Document is what was found on one document of a cell.
type Document struct {
	Version int `json:"version"` // Schema
	// Cell and Reference are the keys of the cells that differ.
	Cell      string `json:"cell"`
	Reference string `json:"reference"`
	Problem   int    `json:"problem"` // index into the records' Problems: the schema
	Sample    int    `json:"sample"`  // index into the records' Samples
	ID        string `json:"id"`      // the sample's
	// Compared counts the positions at which both were asked, Differ those at which their masks
	// differ, and Judged those of them that were looked at.
	Compared int `json:"compared"`
	Differ   int `json:"differ"`
	Judged   int `json:"judged"`
	// Chosen is what decided which positions were looked at; a document is judged again if that is
	// another.
	Chosen   string    `json:"chosen"`
	Findings []Finding `json:"findings"`
}

// Folder is where the judge keeps its files in a result directory.
func Folder(dir string) string { return filepath.Join(dir, "judged") }

// A File is the lines about a cell, to be appended to.
type File struct {
	f *os.File
	// Documents are the lines that were there.
	Documents []Document
}

// Open opens the file of a cell, which is made if it is not there, and cuts a torn line off. Errors
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
	return &File{f, parse(text, key)}, nil
}

// parse reads whole lines. What is no line about the cell is left out.
func parse(text []byte, key string) (list []Document) {
	for line := range bytes.Lines(text) {
		var d Document
		if json.Unmarshal(line, &d) == nil && d.Version == Schema && d.Cell == key {
			list = slices.DeleteFunc(list, func(o Document) bool { return o.Sample == d.Sample && o.Reference == d.Reference })
			list = append(list, d)
		}
	}
	return list
}

// Append writes a line, in one write, and to the disk.
func (f *File) Append(d Document) error {
	d.Version = Schema
	if d.Findings == nil {
		d.Findings = []Finding{} // not null
	}
	text, err := json.Marshal(d)
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

// Read reads what was judged of a result directory, by the key of the cell; nothing if nothing was.
func Read(dir string) (map[string][]Document, error) {
	entries, err := os.ReadDir(Folder(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string][]Document{}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(Folder(dir), e.Name()))
		if err != nil {
			return nil, err
		}
		if list := parse(text[:bytes.LastIndexByte(text, '\n')+1], key); len(list) > 0 {
			all[key] = list
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

// A Sum is what was found on all documents of a cell.
type Sum struct {
	Compared, Differ, Judged int
	Documents                int // with a difference
	Schemas                  int // with a difference; 1 for a grammar
	Findings                 []SummedFinding
}

// A SummedFinding is a Finding over all documents, with the schemas that it was found in.
type SummedFinding struct {
	Finding
	Schemas int
}

// Summarize adds the documents of a cell up, and orders what was found by Compare.
func Summarize(documents []Document) Sum {
	var s Sum
	var list []Finding
	schemas := map[int]bool{}
	type kind struct{ whose, class, cause string }
	found := map[kind]map[int]bool{}
	for _, d := range documents {
		s.Compared += d.Compared
		s.Differ += d.Differ
		s.Judged += d.Judged
		if d.Differ > 0 {
			s.Documents++
			schemas[d.Problem] = true
		}
		for _, f := range d.Findings {
			list = Add(list, f)
			k := kind{f.Whose, string(f.Class), f.Cause}
			if found[k] == nil {
				found[k] = map[int]bool{}
			}
			found[k][d.Problem] = true
		}
	}
	s.Schemas = len(schemas)
	slices.SortFunc(list, func(a, b Finding) int { return a.Compare(&b) })
	for _, f := range list {
		s.Findings = append(s.Findings, SummedFinding{f, len(found[kind{f.Whose, string(f.Class), f.Cause}])})
	}
	return s
}

// Name is the finding as a person reads it.
func (f *Finding) Name() string {
	if f.Whose == "" {
		return fmt.Sprintf("%s: %s", f.Class, f.Cause)
	}
	return fmt.Sprintf("the %s %s: %s", f.Whose, verb(f.Class), f.Cause)
}

// verb is a class as what somebody does.
func verb(c Class) string {
	switch c {
	case DeadEnd:
		return "has a dead end"
	case Convention:
		return "has a convention"
	}
	return string(c)
}
