package datasets_test

import (
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/must"
)

// TestMarkNegatives: a glob says which files of a folder or an archive have a mistake.
func TestMarkNegatives(t *testing.T) {
	for format, path := range map[string]string{"dir": tree(t, forest), "zip": archive(t, forest)} {
		open := func(glob, invalid string) (datasets.Source, error) {
			src := must.Get(datasets.Open(format, path, glob))(t)
			return datasets.MarkNegatives(src, invalid)
		}
		src, err := open("**/*.go", "sub/**")
		must.OK(t, err)
		var got []string
		for _, s := range load(t, src, datasets.Query{Limit: 1, Negatives: 2}).Samples {
			kind := map[bool]string{true: "-", false: "+"}[s.Negative]
			got = append(got, kind+s.ID)
		}
		if want := "+a.go -sub/.hidden.go -sub/c.go"; strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", format, got, want)
		}
		if src, err = open("**/*.go", "inval/**"); err == nil {
			_, err = src.Documents(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), `none matches "inval/**"`) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: a glob without a file: %v", format, err)
		}
		if _, err := open("", "[a"); err == nil || !strings.Contains(err.Error(), `"[a" is not a glob`) {
			t.Errorf("%s: a bad glob: %v", format, err)
		}
		if src, err = open("*.none", "*.none"); err == nil {
			_, err = src.Documents(t.Context())
		}
		if err == nil {
			t.Errorf("%s: no document at all, and no error", format)
		}
	}
}
