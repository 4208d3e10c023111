package packages

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"gcdbench/datasets"
)

//go:embed programs.tsv
var programTable string

// A Programs record says what the corpora of programs in the cache were made of.
type Programs struct {
	Packages []Package      `json:"packages"`
	Programs map[string]int `json:"programs"` // by language
	Date     time.Time      `json:"fetched"`
}

// program is a line of a corpus.
type program struct {
	ID      string `json:"id"` // PACKAGE/PATH
	Content string `json:"content"`
}

// FetchPrograms makes the corpora of programs, a file of JSON Lines for each language, in the order
// of the table and of the archives. Archives that the cache has are not downloaded again, so
// calling it again is quick. progress is as Fetch's.
func FetchPrograms(ctx context.Context, progress func(string)) (*Programs, error) {
	r := &Programs{Programs: map[string]int{}, Date: time.Now().UTC().Truncate(time.Second)}
	corpora, seen := map[string]*bytes.Buffer{}, map[[32]byte]bool{}
	list := rows(programTable)
	for i, row := range list {
		p := Package{row[1], row[2], row[3], row[4], row[5], row[6], nil, strings.Fields(row[7])}
		if progress != nil {
			progress(fmt.Sprintf("package %d of %d: %s %s", i+1, len(list), p.Name, p.Version))
		}
		archive, err := p.archive(ctx)
		if err != nil {
			return nil, fmt.Errorf("package %s %s: %w", p.Name, p.Version, err)
		}
		r.Packages = append(r.Packages, p)
		if corpora[row[0]] == nil {
			corpora[row[0]] = &bytes.Buffer{}
		}
		lines := json.NewEncoder(corpora[row[0]])
		lines.SetEscapeHTML(false)
		err = eachProgram(&p, archive, func(path string, text []byte) error {
			sum := sha256.Sum256(text)
			if seen[sum] {
				return nil
			}
			seen[sum] = true
			r.Programs[row[0]]++
			return lines.Encode(program{p.Name + "/" + path, string(text)})
		})
		if err != nil {
			return nil, fmt.Errorf("package %s %s: %w", p.Name, p.Version, err)
		}
	}
	return r, r.write(corpora)
}

// eachProgram visits the files of an archive that are programs: UTF-8, not empty, and no larger
// than documents are.
func eachProgram(p *Package, archive string, visit func(path string, text []byte) error) error {
	return eachFile(archive, func(path string, read func() ([]byte, error)) error {
		if !matchesAny(p.documents, path) {
			return nil
		}
		text, err := read()
		if err != nil || len(bytes.TrimSpace(text)) == 0 || len(text) > maxDocument || !utf8.Valid(text) {
			return err
		}
		return visit(strings.TrimPrefix(path, p.Name+"@"+p.Version+"/"), text) // as the archives of modules have it
	})
}

// write puts the corpora, and the record beside them, into the cache.
func (r *Programs) write(corpora map[string]*bytes.Buffer) error {
	folder, err := datasets.ProgramsFolder()
	if err != nil {
		return err
	}
	for language, text := range corpora {
		if err := writeFile(filepath.Join(folder, language+".jsonl"), text.Bytes()); err != nil {
			return err
		}
	}
	record, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, recordFile), append(record, '\n'))
}
