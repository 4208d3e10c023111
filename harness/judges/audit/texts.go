package audit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gcdbench/datasets"
)

// Open is the corpus at a path: a folder with its folders, an archive (.zip, .jar, .whl), JSON
// Lines (.jsonl, .jsonl.gz) or a file; of folders and archives the files with the language's
// extension. Statements of a language that has some are texts of their own, and the same statement
// counts once. Errors name the path.
func (l *Language) Open(ctx context.Context, name, path string) (Corpus, error) {
	format, glob := format(path), "**/*"+l.Extension
	if format == "jsonl" || format == "files" {
		glob = ""
	}
	source, err := datasets.Open(format, path, glob)
	if err != nil {
		return Corpus{}, err
	}
	return l.Corpus(ctx, name, source)
}

// format is how the texts at a path are read, as package datasets has it.
func format(path string) string {
	info, err := os.Stat(path)
	switch ext := filepath.Ext(strings.TrimSuffix(path, ".gz")); {
	case err == nil && info.IsDir():
		return "dir"
	case ext == ".zip", ext == ".jar", ext == ".whl":
		return "zip"
	case ext == ".jsonl":
		return "jsonl"
	}
	return "files"
}

// Corpus is the corpus of a source, in the order of ids. Documents that the source knows to be
// wrong are texts like others: the judge decides.
func (l *Language) Corpus(ctx context.Context, name string, source datasets.Source) (Corpus, error) {
	c := Corpus{Name: name}
	docs, err := source.Documents(ctx)
	if err != nil {
		return c, err
	}
	slices.SortFunc(docs, func(a, b datasets.Document) int { return strings.Compare(a.ID, b.ID) })
	seen := map[string]bool{}
	for _, d := range docs {
		if l.split == nil {
			c.Texts = append(c.Texts, Text{d.ID, d.Read})
			continue
		}
		text, err := d.Read()
		if err != nil {
			return c, err
		}
		c.add(d.ID, text, l.split(text), seen)
	}
	if len(c.Texts) == 0 {
		return c, fmt.Errorf("%s: there is no text of %s", name, l.Name)
	}
	return c, nil
}

// add adds the statements of a file, each named by its line.
func (c *Corpus) add(id string, text []byte, statements [][]byte, seen map[string]bool) {
	at := 0
	for _, s := range statements {
		body := bytes.TrimSuffix(s, []byte(";"))
		if n := bytes.Index(text[at:], body); n >= 0 {
			at += n
		}
		if seen[string(s)] {
			continue
		}
		seen[string(s)] = true
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		c.Texts = append(c.Texts, Text{fmt.Sprintf("%s:%d", id, line), func() ([]byte, error) { return s, nil }})
	}
}

// Sample keeps at most n texts, drawn by a seed, in their order.
func (c *Corpus) Sample(n int, seed uint64) {
	if n <= 0 || n >= len(c.Texts) {
		return
	}
	chosen := rand.New(rand.NewPCG(seed, uint64(len(c.Texts)))).Perm(len(c.Texts))[:n]
	slices.Sort(chosen)
	texts := make([]Text, n)
	for i, at := range chosen {
		texts[i] = c.Texts[at]
	}
	c.Texts = texts
}
