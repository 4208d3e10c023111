package prepare

import (
	"context"

	"gcdbench/datasets"
	"gcdbench/internal/bundle"
)

// bundledSource is a corpus whose schemas have the files that they refer to in them. So every
// engine, in this process or in another, gets a schema that refers to no other, and so do the
// validator and the record.
type bundledSource struct {
	datasets.Source
	shelf *bundle.Shelf
}

// withSchemaFiles is a corpus of schemas that may refer to files.
func withSchemaFiles(src datasets.Source, files []bundle.File) (datasets.Source, error) {
	shelf, err := bundle.NewShelf(files)
	return &bundledSource{src, shelf}, err
}

// Documents are those of the corpus, which makes its schemas anew whenever it is asked.
func (s *bundledSource) Documents(ctx context.Context) ([]datasets.Document, error) {
	docs, err := s.Source.Documents(ctx)
	done := map[*datasets.Schema]bool{}
	for _, d := range docs {
		if d.Schema != nil && !done[d.Schema] {
			done[d.Schema] = true
			d.Schema.Text = s.shelf.Bundle(d.Schema.Text)
		}
	}
	return docs, err
}
