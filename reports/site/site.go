// Package site writes results as a web site of plain files: an answer for each question on the
// first page, then a page for each engine, workload, result and judged difference, a comparison
// of two engines, and the history of a result over revisions.
//
// The site loads nothing from elsewhere, and works when its files are opened from a disk. It is
// made of what `report --format json` prints, so it shows result directories and kept JSON
// alike; a directory also has its tables and plots, on the page that report.html is by itself.
// Tables are written here; the scripts filter and sort them and draw plots with the library of
// package plotjs. Figures of different results are never in one ranking: they come from different
// runs.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/internal/words"
	"gcdbench/reports/output"
	"gcdbench/reports/result"
	"gcdbench/reports/tables"
)

// Result is one run's report.
type Result struct {
	Name   string // unique among the results of a site
	Source string // the path that it was read from
	*result.Stored
	set *result.Set // of a directory; nil for a file
}

// Load reads result directories, files of `report --format json`, and folders with several of
// either. The error names the path that is none of these.
func Load(paths ...string) ([]*Result, error) {
	var results []*Result
	for _, path := range paths {
		found, err := load(path)
		if err != nil {
			return nil, err
		}
		results = append(results, found...)
	}
	seen := map[string]int{}
	for _, r := range results {
		if seen[r.Name]++; seen[r.Name] > 1 {
			r.Name = fmt.Sprintf("%s-%d", r.Name, seen[r.Name])
		}
	}
	return results, nil
}

// load reads what one path has.
func load(path string) ([]*Result, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		r, err := loadFile(path)
		return []*Result{r}, err
	}
	r, err := loadDir(path)
	var none *result.NoResultsError
	if err == nil || !errors.As(err, &none) {
		return []*Result{r}, err
	}
	results, err := loadFolder(path)
	if err == nil && len(results) == 0 {
		return nil, fmt.Errorf("%w; a file of 'gcdbench report DIR --format json' does as well", none)
	}
	return results, err
}

// loadDir reads a result directory.
func loadDir(path string) (*Result, error) {
	set, err := result.Load(path)
	if err != nil {
		return nil, err
	}
	return &Result{Name: set.Name(), Source: path, Stored: tables.Stored(set), set: set}, nil
}

// loadFolder reads the results in a folder: files of JSON that are reports, and directories.
func loadFolder(path string) (results []*Result, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		read := loadFile
		if e.IsDir() {
			read = loadDir
		} else if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		r, err := read(filepath.Join(path, e.Name()))
		var none *result.NoResultsError
		if errors.As(err, &none) {
			continue
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// loadFile reads a report as JSON. Its name is that of the file.
func loadFile(path string) (*Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	stored := &result.Stored{}
	if err := json.Unmarshal(text, stored); err != nil {
		return nil, fmt.Errorf("%s: not a report as JSON: %w; 'gcdbench report DIR --format json' writes one", path, err)
	}
	if len(stored.Cells)+len(stored.Capacities) == 0 || slices.Contains(stored.Cells, nil) || slices.Contains(stored.Capacities, nil) {
		return nil, fmt.Errorf("%s: no report as JSON: it has no \"cells\"; 'gcdbench report DIR --format json' writes one", path)
	}
	return &Result{Name: strings.TrimSuffix(filepath.Base(path), ".json"), Source: path, Stored: stored}, nil
}

// Write writes the site into a directory, which it makes, and returns the paths of its files. A
// file is there whole or as it was before.
func Write(dir string, results []*Result) ([]string, error) {
	if len(results) == 0 {
		return nil, errors.New("no results to make a site of")
	}
	files, err := pages(results)
	if err != nil {
		return nil, err
	}
	return output.Write(dir, files)
}

// record is the file with all figures of a result, compressed: uncompressed such files are two
// fifths of a site.
func (r *Result) record() string { return "record-" + slug(r.Name) + ".json.gz" }

// data is the content of that file; a report that was read from a file stays as it is.
func (r *Result) data() (output.File, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	var err error
	if r.set != nil {
		e := json.NewEncoder(z)
		e.SetEscapeHTML(false)
		err = e.Encode(r.Stored)
	} else if text, read := os.ReadFile(r.Source); read == nil {
		_, err = z.Write(text)
	} else {
		err = read
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return output.File{}, err
	}
	return output.File{Name: r.record(), Data: b.Bytes()}, nil
}

// slug is a name as a part of a file's name and of an address.
func slug(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '-'
	}, name)
}

// command is what measured a result. Its about says with which configuration.
func (r *Result) command() string {
	if len(r.Capacities) > 0 {
		return "gcdbench load " + r.Name + ".yaml"
	}
	if r.set == nil {
		return "gcdbench run " + r.Name + ".yaml" + words.Visible(r.corpora())
	}
	return "gcdbench run " + cmp.Or(r.Stored.Name, r.Name) + ".yaml --out " + words.Visible(words.Shell(r.Source))
}

// corpora are the flags that name the documents of a result, beside embedded ones.
func (r *Result) corpora() (flags string) {
	for _, c := range r.Cells {
		_, file, _ := strings.Cut(c.Dataset, " ")
		flag := " --corpus " + c.Grammar + "=" + cmp.Or(Corpus(c.Dataset), file)
		if documentsOf(c.Dataset) != ofProject && !strings.Contains(flags, flag) {
			flags += flag
		}
	}
	return flags
}

// revision is that of the program that measured, cut to seven letters; "" if it is not known.
func (r *Result) revision() string {
	if len(r.Cells) == 0 {
		return ""
	}
	rev := r.Cells[0].Provenance.Environment.Revision
	return rev[:min(7, len(rev))]
}

// finished is when the last cell was measured, as RFC 3339; "" if it is not known.
func (r *Result) finished() string {
	last := ""
	for _, c := range r.Cells {
		last = max(last, c.Provenance.Finished)
	}
	return last
}
