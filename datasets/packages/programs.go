package packages

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
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
	table := rows(programTable)
	for _, row := range table {
		p := packageOfRow(row[1:])
		p.documents = strings.Fields(row[7])
		r.Packages = append(r.Packages, p)
	}
	corpora, seen := map[string]*bytes.Buffer{}, map[[sha256.Size]byte]bool{}
	err := eachArchive(ctx, r.Packages, progress, func(i int, archive string) error {
		p, language := &r.Packages[i], table[i][0]
		if corpora[language] == nil {
			corpora[language] = &bytes.Buffer{}
		}
		lines := json.NewEncoder(corpora[language])
		lines.SetEscapeHTML(false)
		return eachProgram(p, archive, func(path string, text []byte) error {
			sum := sha256.Sum256(text)
			if seen[sum] {
				return nil
			}
			seen[sum] = true
			r.Programs[language]++
			return lines.Encode(program{p.Name + "/" + path, string(text)})
		})
	})
	if err != nil {
		return nil, err
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
	return writeRecord(folder, r)
}
