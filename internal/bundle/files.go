package bundle

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/internal/jsontext"
)

// A File is a schema file that others may refer to.
type File struct {
	URI  string // what references to it resolve to, without a fragment
	Path string
}

// Folder lists the files of a folder whose names end in .json. The path of a file in the folder is
// its URI, so that files refer to each other as they do on a disk.
func Folder(folder string) (files []File, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".json") {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		files = append(files, File{(&url.URL{Path: "/" + filepath.ToSlash(inside)}).String(), path})
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no file of the folder has a name that ends in .json", folder)
	}
	return files, err
}

// A Shelf has the texts of schema files by their URIs, and by what they call themselves.
type Shelf struct {
	texts map[string][]byte
	uris  map[string]string // by text
}

// NewShelf reads files. Two of them must not have a name in common.
func NewShelf(files []File) (*Shelf, error) {
	s := &Shelf{map[string][]byte{}, map[string]string{}}
	owner := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		root, err := jsontext.Parse(f.Path, text)
		if err != nil {
			return nil, err
		}
		s.uris[string(text)] = f.URI
		for _, name := range []string{f.URI, Identifier(root)} {
			if other := owner[name]; other != "" && other != f.Path {
				return nil, fmt.Errorf("%s and %s are both called %s; leave one out", other, f.Path, name)
			}
			if name != "" {
				owner[name], s.texts[name] = f.Path, text
			}
		}
	}
	return s, nil
}

// Bundle is a schema with the files of the shelf that it refers to.
func (s *Shelf) Bundle(schema []byte) []byte {
	return Of(schema, s.uris[string(schema)], func(uri string) []byte { return s.texts[uri] })
}
