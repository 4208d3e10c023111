package cli

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gcdbench/grammar/jsonschema"
)

// Schemas of more than one file. What a schema refers to is named on the command line: file by file
// with its URI, or as a folder, in which the path of a file is its URI, so that files refer to each
// other as they do on a disk.

// library reads the files of the flags, and is nil without them. uri is what the schema itself is
// called: its path in the folder, if it is there.
func (f *schemaFlags) library(name string) (uri string, l *jsonschema.Library, err error) {
	if f.shared != nil {
		return "", f.shared, nil
	}
	var files []jsonschema.File
	for _, given := range f.files {
		uri, path, ok := strings.Cut(given, "=")
		if !ok || uri == "" || path == "" {
			return "", nil, fmt.Errorf("--schema-file %q: expected URI=PATH", given)
		}
		if files, err = withFile(files, uri, path); err != nil {
			return "", nil, err
		}
	}
	if f.folder != "" {
		err = filepath.WalkDir(f.folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !isSchema(path) {
				return err
			}
			inside := pathURI(f.folder, path)
			if sameFile(name, path) {
				uri = inside
				return nil
			}
			files, err = withFile(files, inside, path)
			return err
		})
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("--schemas %s: no file of the folder has a name that ends in .json", f.folder)
		}
		if err != nil {
			return "", nil, err
		}
	}
	if len(files) == 0 {
		return "", nil, nil
	}
	if l, err = jsonschema.NewLibrary(files); uri == "" {
		f.shared = l
	}
	return uri, l, err
}

// withFile adds a file that is read.
func withFile(files []jsonschema.File, uri, path string) ([]jsonschema.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return append(files, jsonschema.File{URI: uri, Name: path, Text: text}), nil
}

// pathURI is the path of a file in a folder as a URI.
func pathURI(folder, path string) string {
	inside, _ := filepath.Rel(folder, path) // of a file that is below it
	return (&url.URL{Path: "/" + filepath.ToSlash(inside)}).String()
}

// sameFile tells whether two paths lead to one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}
