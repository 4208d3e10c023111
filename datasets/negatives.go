package datasets

import (
	"context"
	"fmt"

	"github.com/bmatcuk/doublestar/v4"

	"gcdbench/internal/words"
)

// MarkNegatives is a source with the documents of src. Documents whose ids match a glob are
// negatives; the ids of the formats dir and zip are the files' names below the folder or in the
// archive. A bad glob is an error. A glob that matches no document is one as well, when the
// documents are listed: for a misspelt folder negatives would count as positives.
func MarkNegatives(src Source, glob string) (Source, error) {
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf("%q is not a glob: check its brackets and braces", glob)
	}
	return &markedSource{src, glob}, nil
}

// markedSource is a source whose negatives a glob tells.
type markedSource struct {
	Source
	glob string
}

func (s *markedSource) Documents(ctx context.Context) ([]Document, error) {
	docs, err := s.Source.Documents(ctx)
	if err != nil {
		return nil, err
	}
	found := false
	for i := range docs {
		if ok, _ := doublestar.Match(s.glob, docs[i].ID); ok { // the pattern was checked
			docs[i].Negative, found = true, true
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: of %s none matches %q, which is to say which have a mistake; the first is %q",
			s.Info().Name, words.Count(len(docs), "document"), s.glob, docs[0].ID)
	}
	return docs, nil
}
